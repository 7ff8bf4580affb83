"""What several test modules share: the facts, the command line as a user calls it, and small games solved once."""

from __future__ import annotations

import json
import shutil
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


@pytest.fixture
def answer(merels: Callable[..., Result]) -> Callable[..., str]:
    """Call the command line, check that all is well, and get what it prints."""

    def call(*arguments: Any) -> str:
        result = merels(*arguments)
        assert result.exit_code == 0, result.output
        return result.stdout

    return call


@pytest.fixture
def refusal(merels: Callable[..., Result]) -> Callable[..., str]:
    """Call the command line wrongly, and get the message."""

    def call(*arguments: Any, code: int = 2) -> str:
        result = merels(*arguments)
        assert (result.exit_code, result.stdout) == (code, ""), result.output
        message = result.stderr.splitlines()[-1]
        assert message.startswith("merels: error: ")
        return message.removeprefix("merels: error: ")

    return call


@pytest.fixture
def copied(small_games: Path, tmp_path: Path) -> Path:
    """A store of one's own to damage."""
    return Path(shutil.copytree(small_games, tmp_path / "copied"))
