"""Building and estimating as a user calls it."""

from __future__ import annotations

import json
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import start_interruptible
from merels import variant

OWN_VARIANT = """
name = "corner"
board = "square9"
[rules]
men = 3
flying = 0
mill = "win"
stalemate = "draw"
"""


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("three", "White wins in 9 plies."),
        ("three-orthogonal", "A draw: neither side can force a win."),
        ("five", "A draw: neither side can force a win."),
        ("six", "A draw: neither side can force a win."),
    ],
)
def test_solve_tells_the_value_of_the_start_and_what_there_is(
    name: str, sentence: str, small_games: Path, answer: Callable[..., str]
) -> None:
    men = variant(name).rules.men
    lines = answer("solve", name, "--store", small_games).splitlines()
    assert re.fullmatch(r"Nothing to do: \d+ files of tables, all there: [\d,]+ positions, .*iB in .*\.", lines[0])
    assert lines[1:] == [f"The start 'w - - {men},{men}': {sentence}"]
    assert sentence in answer("query", name, f"w - - {men},{men}", "--store", small_games).splitlines()


def test_solve_json_tells_what_was_built(tmp_path: Path, answer: Callable[..., str]) -> None:
    command = ("solve", "three", "--store", tmp_path, "--json", "--jobs", "1", "--memory", "500M")
    first, second = json.loads(answer(*command)), json.loads(answer(*command))
    assert list(first) == [
        *("variant", "fingerprint", "store", "metric", "solved", "skipped", "positions", "slots", "bytes", "seconds"),
        *("processor_seconds", "phases", "peak_memory", "start"),
    ]
    assert first["start"] == {"position": "w - - 3,3", "value": "win", "dtw": 9}
    assert (first["solved"], first["skipped"]) == (7, 0)
    assert (second["solved"], second["skipped"]) == (0, 7)
    assert first["bytes"] == sum(path.stat().st_size for path in (tmp_path / "three").glob("*.h5"))


def test_part_of_a_game_is_solved_without_its_start(tmp_path: Path, answer: Callable[..., str]) -> None:
    shown = answer("solve", "six", "--moving", "--stones", "7", "--store", tmp_path)
    assert shown.startswith("Solved 2 files of tables in ") and "The start" not in shown
    record = json.loads(answer("solve", "six", "--subspace", "3-3-0-0", "--store", tmp_path, "--json"))
    assert (record["solved"], record["skipped"], record["start"]) == (0, 1, None)
    names = {table["name"] for table in json.loads(answer("stats", "six", "--store", tmp_path, "--json"))["subspaces"]}
    assert names == {"3-3-0-0", "3-4-0-0", "4-3-0-0"}


def test_store_comes_from_the_environment_or_lies_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: Callable[..., str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MERELS_STORE", raising=False)
    answer("solve", "three")
    assert (tmp_path / "tablebases" / "three" / "3-3-0-0.h5").exists()
    monkeypatch.setenv("MERELS_STORE", str(tmp_path / "elsewhere"))
    answer("solve", "three")
    assert (tmp_path / "elsewhere" / "three" / "3-3-0-0.h5").exists()


def test_own_variant_is_solved_and_asked_by_its_file(tmp_path: Path, answer: Callable[..., str]) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN_VARIANT, encoding="utf-8")
    assert "The start 'w - - 3,3': White wins in 9 plies." in answer("solve", path, "--store", tmp_path)
    assert (tmp_path / "corner" / "0-0-3-3.h5").exists()
    assert "White wins in 9 plies." in answer("query", path, "w - - 3,3", "--store", tmp_path)


def test_interrupted_build_is_resumed_and_ends_with_the_same_bytes(
    small_games: Path, tmp_path: Path, answer: Callable[..., str]
) -> None:
    arguments = ["solve", "six", "--store", str(tmp_path), "--jobs", "1"]
    command = [sys.executable, "-m", "merels", *arguments, "-v"]
    running = start_interruptible(command)
    try:
        for line in running.stderr:
            if "table 5 of " in line:
                break
        running.send_signal(signal.SIGINT)
        shown, errors = running.communicate(timeout=60)
    finally:
        running.kill()
    assert (running.returncode, shown) == (130, "")
    last = errors.splitlines()[-1]
    assert last.startswith("merels: error: interrupted. ") and "the same command goes on from there" in last
    finished = sorted((tmp_path / "six").glob("*.h5"))
    whole = sorted((small_games / "six").glob("*.h5"))
    assert 4 <= len(finished) < len(whole)
    assert f" {len(finished)} " in last
    record = json.loads(answer(*arguments, "--json"))
    assert (record["solved"], record["skipped"]) == (len(whole) - len(finished), len(finished))
    for path in whole:
        assert (tmp_path / "six" / path.name).read_bytes() == path.read_bytes(), path.name


@pytest.mark.parametrize("name", ["three", "five", "six"])
def test_estimate_knows_the_size_of_every_table(
    name: str, small_games: Path, answer: Callable[..., str]
) -> None:
    record = json.loads(answer("estimate", name, "--json"))
    assert list(record) == ["variant", "fingerprint", "metric", "placing", "moving", "total"]
    for part in ("placing", "moving", "total"):
        assert list(record[part]) == ["files", "subspaces", "positions", "slots", "disk", "memory", "core_seconds"]
    there = json.loads(answer("stats", name, "--store", small_games, "--json"))
    assert record["total"]["slots"] == there["total"]["slots"]
    assert record["total"]["positions"] == there["total"]["positions"]
    assert record["total"]["subspaces"] == len(there["subspaces"])
    for key in ("files", "subspaces", "slots", "disk"):
        assert record["placing"][key] + record["moving"][key] == record["total"][key]


def test_estimate_in_words_leaves_out_what_there_is_none_of(answer: Callable[..., str]) -> None:
    rows = [line.split()[0] for line in answer("estimate", "nine").splitlines()]
    assert rows == ["files", "placing", "moving", "total"]
    rows = [line.split()[0] for line in answer("estimate", "nine", "--moving", "--stones", "12").splitlines()]
    assert rows == ["files", "moving", "total"]
