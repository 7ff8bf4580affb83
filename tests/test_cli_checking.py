"""Counting and proving as a user calls it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import h5py
import pytest
from click.testing import Result

from merels import variant

Merels = Callable[..., Result]

COUNT_KEYS = ["slots", "positions", "win", "draw", "loss", "max_win", "max_loss", "bytes"]


def test_stats_json_counts_every_subspace_and_all(small_games: Path, answer: Callable[..., str]) -> None:
    record = json.loads(answer("stats", "three", "--store", small_games, "--json"))
    assert list(record) == ["variant", "fingerprint", "filter", "subspaces", "total"]
    assert record["fingerprint"] == variant("three").fingerprint
    assert [list(table) for table in record["subspaces"]] == [["name", "metric", *COUNT_KEYS]] * 7
    assert list(record["total"]) == COUNT_KEYS
    start = record["subspaces"][-1]
    assert {key: start[key] for key in ("name", "slots", "positions", "win", "draw", "loss")} == {
        **{"name": "0-0-3-3", "slots": 1, "positions": 1},
        **{"win": 1, "draw": 0, "loss": 0},
    }
    assert (start["max_win"], start["max_loss"]) == (9, None)
    for key in ("slots", "positions", "win", "draw", "loss"):
        assert record["total"][key] == sum(table[key] for table in record["subspaces"])
    for table in [*record["subspaces"], record["total"]]:
        assert table["positions"] == table["win"] + table["draw"] + table["loss"] <= table["slots"]
    assert (record["total"]["max_win"], record["total"]["max_loss"]) == (9, 10)
    files = sum(path.stat().st_size for path in (small_games / "three").glob("*.h5"))
    assert sum(table["bytes"] for table in record["subspaces"]) < record["total"]["bytes"] == files


def test_stats_is_a_table_with_a_total(small_games: Path, answer: Callable[..., str]) -> None:
    lines = answer("stats", "six", "--store", small_games).splitlines()
    assert re.split(r" {2,}", lines[0]) == [
        *("subspace", "slots", "positions", "win", "draw", "loss", "longest win", "longest loss", "bytes")
    ]
    assert [lines[1].split()[0], lines[-2].split()[0], lines[-1].split()[0]] == ["3-3-0-0", "0-0-6-6", "total"]
    assert len({len(line) for line in lines}) == 1


def test_histogram_counts_what_is_decided(small_games: Path, answer: Callable[..., str]) -> None:
    command = ("stats", "three", "--subspace", "3-3-0-0", "--histogram", "--store", small_games)
    (table,) = json.loads(answer(*command, "--json"))["subspaces"]
    assert sum(table["histogram"][1::2]) == table["win"] and sum(table["histogram"][0::2]) == table["loss"]
    assert len(table["histogram"]) - 1 == max(table["max_win"], table["max_loss"])
    shown = answer(*command)
    assert re.search(rf"\n +0  lost +{table['histogram'][0]}  #+\n +1  won ", shown)
    assert shown.endswith(f"the longest after 10 plies; {table['draw']} more are drawn.\n")
    drawn = answer("stats", "six", "--subspace", "0-0-6-6", "--histogram", "--store", small_games)
    assert drawn.endswith("\nDecided positions by distance; 1 more are drawn.\n")


def test_stats_of_a_table_that_is_missing(tmp_path: Path, merels: Merels, refusal: Callable[..., str]) -> None:
    assert "table 3-3-0-0 of six is missing" in refusal(
        "stats", "six", "--subspace", "3-3-0-0", "--store", tmp_path, code=1
    )
    for command in ("stats", "verify"):
        result = merels(command, "six", "--store", tmp_path)
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr == (
            f"merels: {tmp_path / 'six'} holds no tables of six; build them with: merels solve six --store {tmp_path}\n"
        )


def test_finished_tables_are_proved(small_games: Path, answer: Callable[..., str]) -> None:
    shown = answer("verify", "three", "--store", small_games)
    assert re.fullmatch(r"three: all is right \(7 files, \d+ slots, .* s\)\n", shown)
    record = json.loads(answer("verify", "six", "--subspace", "4-3-0-0", "--store", small_games, "--json"))
    assert list(record) == ["variant", "fingerprint", "units", "positions", "seconds", "proven", "findings"]
    assert (record["units"], record["findings"]) == (1, [])


def test_one_changed_byte_is_found(copied: Path, merels: Merels) -> None:
    path = copied / "five" / "4-3-0-0.h5"
    with h5py.File(path) as file:
        chunk = file["3-4-0-0"].id.get_chunk_info(0)
    data = bytearray(path.read_bytes())
    data[chunk.byte_offset + chunk.size // 2] ^= 1
    path.write_bytes(data)
    result = merels("verify", "five", "--subspace", "3-4-0-0", "--store", copied)
    assert result.exit_code == 1 and "4-3-0-0" in result.stdout.splitlines()[0]
    record = json.loads(merels("verify", "five", "--subspace", "3-4-0-0", "--store", copied, "--json").stdout)
    assert record["findings"] and list(record["findings"][0]) == ["table", "problem"]


@pytest.mark.parametrize("command", ["stats", "verify"])
def test_subspaces_that_the_variant_cannot_have_are_wrong_input(command: str, small_games: Path, refusal: Callable[..., str]) -> None:
    assert "six has 6 men for each player" in refusal(command, "six", "--subspace", "9-9-0-0", "--store", small_games)
    assert "the game is over; there is no table" in refusal(command, "six", "--subspace", "4-2-0-0", "--store", small_games)


def test_damaged_kernel_is_told_with_its_folder(tmp_path: Path, small_games: Path) -> None:
    command = [sys.executable, "-m", "merels", "query", "three", "w - - 3,3", "--store", str(small_games)]
    environment = {**os.environ, "MERELS_CACHE_DIR": str(tmp_path)}
    assert subprocess.run(command, env=environment, capture_output=True, check=False).returncode == 0
    for kept in tmp_path.rglob("*.nbi"):
        kept.write_bytes(kept.read_bytes()[:-40])
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert re.fullmatch(r"merels: error: \S+: a compiled kernel is damaged \(.*\); delete this folder, .*\n", ended.stderr)
