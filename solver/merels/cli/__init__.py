"""The command line: arguments in, printing out. What the commands compute lives in the layers below."""

from merels.cli.app import main

__all__ = ["main"]
