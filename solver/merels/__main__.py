"""Runs the command line as `python -m merels`."""

from merels.cli import main

main()
