"""What several test modules share: the facts, the command line as a user calls it, and small games solved once."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from merels.cli import main

FACTS = Path(__file__).parent / "facts"
SMALL_GAMES = ("three", "three-orthogonal", "five", "six")


@pytest.fixture(scope="session")
def facts() -> Callable[[str], Any]:
    """Read a file of facts by its name without ending."""
    return lambda name: json.loads((FACTS / f"{name}.json").read_text(encoding="utf-8"))


def run_merels(*arguments: str) -> Result:
    """Call the command line; only an exit, never an exception, may end it."""
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def start_interruptible(command: list[str]) -> subprocess.Popen[str]:
    """Start a process that Ctrl-C stops, also where the tests themselves run in the background and ignore it."""
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


@pytest.fixture(scope="session")
def merels() -> Callable[..., Result]:
    """Call the command line and get its exit code and output."""
    return run_merels


@pytest.fixture(scope="session")
def small_games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the small games, solved from the empty board as a user does it; not to be changed."""
    root = tmp_path_factory.mktemp("tablebases")
    for name in SMALL_GAMES:
        result = run_merels("solve", name, "--store", root)
        assert result.exit_code == 0, result.output
    return root
