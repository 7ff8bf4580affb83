"""What goes wrong with tables, each message once, and the examples in the help of the commands that work on them."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

from merels.tables import reading

Merels = Callable[..., Result]

SOLVING = ("estimate", "solve", "query", "line", "stats", "verify")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["solve", "six", "--subspace", "7-7-0-0"], "7-7-0-0"),
        (["solve", "six", "--subspace", "3-3"], "subspace '3-3': expected four numbers"),
        (["solve", "six", "--moving", "--stones", "5"], "six has no positions with empty hands and 5 stones or fewer"),
        (["solve", "six", "--stones", "7"], "--stones limits the moving phase: add --moving"),
        (["solve", "six", "--moving", "--subspace", "3-3-0-0"], "choose one of single subspaces"),
        (["solve", "six", "--memory", "much"], "'much' is no size; write for instance 500M or 8G."),
        (["solve", "six", "--memory", "0"], "'0' is no size"),
        (["solve", "six", "--jobs", "0"], "Invalid value for '--jobs'"),
        (["solve", "sixx"], "unknown variant 'sixx'"),
        (["estimate", "six", "--subspace", "2-2-0-0"], "2-2-0-0"),
        (["query", "six"], "Missing argument 'POSITION'."),
        (["query", "six", "w z9 - 5,6"], "unknown point 'z9'"),
        (["query", "six", "w - - 6,6", "--search", "-1"], "Invalid value for '--search'"),
        (["line", "six", "w a1 a1 5,5"], "a1 has a stone of White and one of Black"),
        (["stats", "six", "--subspace", "x"], "subspace 'x'"),
        (["verify", "six", "--subspace", "1-2-3"], "subspace '1-2-3'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_each_mistake_gets_its_message(
    arguments: list[str], words: str, refusal: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert words in refusal(*arguments)


def test_store_that_is_a_file_is_refused(tmp_path: Path, refusal: Callable[..., str]) -> None:
    path = tmp_path / "file"
    path.touch()
    assert "is a file" in refusal("solve", "three", "--store", path)


def test_tables_of_other_rules_are_never_used(
    small_games: Path, tmp_path: Path, refusal: Callable[..., str]
) -> None:
    shutil.copytree(small_games / "three", tmp_path / "three-orthogonal")
    for arguments in (["query", "three-orthogonal", "w - - 3,3"], ["solve", "three-orthogonal"]):
        assert "is a table of other rules: of 'three'" in refusal(*arguments, "--store", tmp_path, code=1)


@pytest.mark.parametrize("content", [b"", b"no table at all", None], ids=["empty", "foreign", "truncated"])
def test_damaged_table_is_told_and_kept(
    content: bytes | None, copied: Path, refusal: Callable[..., str]
) -> None:
    path = copied / "three" / "0-0-3-3.h5"
    content = path.read_bytes()[:-100] if content is None else content
    path.write_bytes(content)
    for arguments in (["query", "three", "w - - 3,3"], ["solve", "three"], ["stats", "three"]):
        message = refusal(*arguments, "--store", copied, code=1)
        assert "0-0-3-3.h5: " in message and "delete it and run: merels solve three --subspace 0-0-3-3 " in message
        assert path.read_bytes() == content


def test_build_that_does_not_fit_into_memory_is_refused(tmp_path: Path, refusal: Callable[..., str]) -> None:
    message = refusal("solve", "nine", "--memory", "1M", "--store", tmp_path, code=1)
    assert "memory" in message


def examples(merels: Merels) -> Iterator[list[str]]:
    for name in SOLVING:
        for line in merels(name, "--help").stdout.splitlines():
            if line.startswith("    merels "):
                yield shlex.split(line)[1:]


def test_examples_of_the_help_work(small_games: Path, monkeypatch: pytest.MonkeyPatch, merels: Merels) -> None:
    monkeypatch.setenv("MERELS_STORE", str(small_games))
    for arguments in examples(merels):
        if arguments[1] == "six" or arguments[0] == "estimate":
            result = merels(*arguments)
            assert result.exit_code == 0, result.output


@pytest.mark.parametrize("raised", [SystemError("returned a result with an exception set"), RuntimeError("unable to iterate")])
def test_interrupt_that_a_library_made_another_error_of_is_told_as_an_interrupt(
    raised: Exception, small_games: Path, monkeypatch: pytest.MonkeyPatch, refusal: Callable[..., str]
) -> None:
    def interrupted(*_: object) -> None:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            raise raised from None

    monkeypatch.setattr(reading.h5py, "File", interrupted)
    assert refusal("query", "five", "w - - 5,5", "--store", small_games, code=130) == "interrupted"
