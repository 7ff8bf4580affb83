"""The command line as a user calls it: solving, asking, counting and proving, and what goes wrong on the way."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import h5py
import pytest
from click.testing import Result

from conftest import start_interruptible
from merels import Position, variant

Merels = Callable[..., Result]

SOLVING = ("estimate", "solve", "query", "line", "stats", "verify")
QUERY_KEYS = ["variant", "fingerprint", "position", "value", "dtw", "turns"]
TURN_KEYS = ["turn", "position", "value", "dtw"]
COUNT_KEYS = ["slots", "positions", "win", "draw", "loss", "max_win", "max_loss", "bytes"]
TURNED = {"win": "loss", "draw": "draw", "loss": "win"}

OWN_VARIANT = """
name = "corner"
board = "square9"
[rules]
men = 3
flying = 0
mill = "win"
stalemate = "draw"
"""


@pytest.fixture
def answer(merels: Merels) -> Callable[..., str]:
    """Call the command line, check that all is well, and get what it prints."""

    def call(*arguments: Any) -> str:
        result = merels(*arguments)
        assert result.exit_code == 0, result.output
        return result.stdout

    return call


@pytest.fixture
def refusal(merels: Merels) -> Callable[..., str]:
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


def sort_key(turn: dict[str, Any]) -> tuple:
    """The order of turns, written down a second time."""
    if turn["value"] == "win":
        return 0, turn["dtw"], turn["turn"]
    return (1, 0, turn["turn"]) if turn["value"] == "draw" else (2, -turn["dtw"], turn["turn"])


def ends(record: dict[str, Any]) -> tuple[str, int | None]:
    return record["value"], record["dtw"]


# -- solve


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
    assert re.fullmatch(r"Nothing to do: all \d+ files of tables are there: [\d,]+ positions, .*iB in .*\.", lines[0])
    assert lines[1:] == [f"The start 'w - - {men},{men}': {sentence}"]
    assert sentence in answer("query", name, f"w - - {men},{men}", "--store", small_games).splitlines()


def test_solve_json_tells_what_was_built(tmp_path: Path, answer: Callable[..., str]) -> None:
    command = ("solve", "three", "--store", tmp_path, "--json", "--jobs", "1", "--memory", "500M")
    first, second = json.loads(answer(*command)), json.loads(answer(*command))
    assert list(first) == [
        *("variant", "fingerprint", "store", "solved", "skipped", "positions", "slots", "bytes", "seconds"),
        *("peak_memory", "start"),
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


# -- estimate


@pytest.mark.parametrize("name", ["three", "five", "six"])
def test_estimate_knows_the_size_of_every_table(
    name: str, small_games: Path, answer: Callable[..., str]
) -> None:
    record = json.loads(answer("estimate", name, "--json"))
    assert list(record) == ["variant", "fingerprint", "placing", "moving", "total"]
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


# -- query


@pytest.mark.parametrize("name", ["three", "three-orthogonal", "five", "six"])
def test_start_and_its_turns_have_the_values_of_the_facts(
    name: str, small_games: Path, answer: Callable[..., str], facts: Callable[[str], Any]
) -> None:
    fact = facts("start_values")["starts"][name]
    record = json.loads(answer("query", name, fact["position"], "--store", small_games, "--json"))
    assert list(record) == QUERY_KEYS
    assert (record["variant"], record["fingerprint"]) == (name, variant(name).fingerprint)
    assert (record["position"], *ends(record)) == (fact["position"], fact["wdl"], fact["dtw"])
    assert all(list(turn) == TURN_KEYS for turn in record["turns"])
    expected = {
        turn: (TURNED[after["wdl"]], None if after["dtw"] is None else after["dtw"] + 1)
        for turn, after in fact["turns"].items()
    }
    assert {turn["turn"]: ends(turn) for turn in record["turns"]} == expected
    assert record["turns"] == sorted(record["turns"], key=sort_key)


@pytest.mark.parametrize("name", ["three", "three-orthogonal", "five", "six"])
def test_positions_have_the_values_of_the_facts(
    name: str, small_games: Path, answer: Callable[..., str], facts: Callable[[str], Any]
) -> None:
    for sample in facts("start_samples")["games"][name]["samples"]:
        record = json.loads(answer("query", name, sample["position"], "--store", small_games, "--json"))
        assert ends(record) == (sample["wdl"], sample["dtw"]), sample
        assert record["turns"] == sorted(record["turns"], key=sort_key)
        if record["turns"]:
            assert ends(record["turns"][0]) == ends(record)


def test_query_shows_picture_value_and_turns(small_games: Path, answer: Callable[..., str]) -> None:
    assert answer("query", "three", "w a1,a2 b2,c3 1,1", "--store", small_games) == (
        "3  o---o---B\n"
        "   | \\ | / |\n"
        "2  W---B---o\n"
        "   | / | \\ |\n"
        "1  W---o---o\n"
        "   a   b   c\n"
        "\n"
        "w a1,a2 b2,c3 1,1\n"
        "W White, B Black, o empty\n"
        "\n"
        "White wins in 1 ply.\n"
        "\n"
        "turn  value  plies  position after it\n"
        "a3    win        1  b a1,a2,a3 b2,c3 0,1\n"
        "b3    draw          b a1,a2,b3 b2,c3 0,1\n"
        "b1    loss       4  b a1,a2,b1 b2,c3 0,1\n"
        "c1    loss       4  b a1,a2,c1 b2,c3 0,1\n"
        "c2    loss       4  b a1,a2,c2 b2,c3 0,1\n"
    )


def test_lost_position_names_the_winner(small_games: Path, answer: Callable[..., str]) -> None:
    assert "\nBlack wins in 2 plies.\n" in answer("query", "three", "w a2,c1,c2 b1,b2,c3 0,0", "--store", small_games)


def test_finished_game_is_told_with_its_reason_and_needs_no_table(tmp_path: Path, answer: Callable[..., str]) -> None:
    arguments = ("query", "nine", "b a1,d7 a4,b2,g7 0,0", "--store", tmp_path)
    assert answer(*arguments).endswith(
        "\n\nThe game is over. White has fewer than three stones: Black has won.\n"
    )
    record = json.loads(answer(*arguments, "--json"))
    assert (ends(record), record["turns"]) == (("win", 0), [])
    record = json.loads(answer("query", "nine", "w a1,d7 a4,b2,g7 0,0", "--store", tmp_path, "--json"))
    assert ends(record) == ("loss", 0)


# -- query where tables are missing


def test_missing_table_is_told_with_the_command_that_builds_it(
    tmp_path: Path, merels: Merels, answer: Callable[..., str]
) -> None:
    arguments = ("query", "three", "w a1,b2 a3,c3 1,1", "--store", tmp_path)
    result = merels(*arguments)
    assert result.exit_code == 1
    assert "\nThe value is unknown.\n" in result.stdout and "\na2    unknown         b " in result.stdout
    assert "table 2-2-1-1 of three is missing in " in result.stderr
    assert len(result.stderr.splitlines()) == 1
    as_json = merels(*arguments, "--json")
    assert as_json.exit_code == 1
    record = json.loads(as_json.stdout)
    assert list(record) == QUERY_KEYS and ends(record) == ("unknown", None)
    assert {ends(turn) for turn in record["turns"]} == {("unknown", None)}
    command = shlex.split(result.stderr.split("build it with: ")[1])
    assert command[0] == "merels"
    answer(*command[1:])
    assert "\nb3    draw          b " in answer(*arguments)


def test_command_names_a_derived_variant_with_its_rules(tmp_path: Path, merels: Merels) -> None:
    result = merels("query", "nine", "w - - 4,4", "--men", "4", "--rule", "flying=0", "--store", tmp_path)
    assert f"merels solve nine --rule flying=0 --men 4 --subspace 0-0-4-4 --store {tmp_path}" in result.stderr


def test_turns_with_tables_are_told_though_the_position_has_none(copied: Path, merels: Merels) -> None:
    arguments = ("query", "three", "w a1,b2 a3,b3,c2 1,0", "--store", copied)
    whole = json.loads(merels(*arguments, "--json").stdout)
    (copied / "three" / "2-3-1-0.h5").unlink()
    result = merels(*arguments, "--json")
    assert result.exit_code == 1 and "--subspace 2-3-1-0 " in result.stderr
    record = json.loads(result.stdout)
    assert ends(record) == ("unknown", None)
    assert record["turns"] == whole["turns"]


def test_known_position_with_unknown_turns_says_which_table_is_missing(copied: Path, merels: Merels) -> None:
    (copied / "three" / "3-3-0-0.h5").unlink()
    result = merels("query", "three", "w a1,b2 a3,b3,c2 1,0", "--store", copied, "--json")
    assert result.exit_code == 0 and "table 3-3-0-0 of three is missing" in result.stderr
    record = json.loads(result.stdout)
    assert record["value"] == "win"
    assert [turn["value"] for turn in record["turns"]] == ["win", "unknown", "unknown", "unknown"]


def test_search_ends_in_the_tables_that_are_there(copied: Path, merels: Merels, answer: Callable[..., str]) -> None:
    arguments = ("query", "three", "w - - 3,3", "--store", copied, "--json")
    whole = json.loads(answer(*arguments))
    for name in ("0-0-3-3", "0-1-3-2", "1-1-2-2"):
        (copied / "three" / f"{name}.h5").unlink()
    assert merels(*arguments, "--search", "2").exit_code == 1
    assert json.loads(answer(*arguments, "--search", "3")) == whole


def test_search_without_tables_proves_wins_and_says_what_it_does_not_know(tmp_path: Path, merels: Merels) -> None:
    found = merels("query", "nine", "w a1,d1,b4 a7,d7,c5 0,0", "--store", tmp_path, "--search", "1")
    assert found.exit_code == 0
    assert "\nWhite wins in 1 ply.\n" in found.stdout and "\nb4-g1xa7  win " in found.stdout
    sought = merels("query", "nine", "w - - 9,9", "--store", tmp_path, "--search", "1")
    assert sought.exit_code == 1
    assert "\nUnknown: White cannot force a win in fewer than 3 plies, Black not in fewer than 2.\n" in sought.stdout


def test_search_never_misleads_when_tables_are_missing(
    copied: Path, merels: Merels, facts: Callable[[str], Any]
) -> None:
    for number, path in enumerate(sorted((copied / "five").glob("*.h5"))):
        if number % 3:
            path.unlink()
    decided = 0
    for sample in facts("start_samples")["games"]["five"]["samples"][:20]:
        result = merels("query", "five", sample["position"], "--store", copied, "--search", "2", "--json")
        record = json.loads(result.stdout)
        assert result.exit_code == (record["value"] == "unknown")
        assert record["value"] in (sample["wdl"], "unknown"), sample
        assert record["dtw"] in (sample["dtw"], None), sample
        decided += record["value"] != "unknown"
    assert decided


# -- line


def test_line_of_a_won_position_is_best_play_to_the_end(small_games: Path, answer: Callable[..., str]) -> None:
    record = json.loads(answer("line", "six", "w a1,a3 a5,c5 4,4", "--store", small_games, "--json"))
    assert list(record) == ["variant", "position", "value", "dtw", "turns", "end"]
    assert answer("line", "three", "w - - 3,3", "--store", small_games) == (
        "White wins in 9 plies.\n"
        "\n"
        "1.  White  b2\n"
        "2.  Black  a1\n"
        "3.  White  b3\n"
        "4.  Black  b1\n"
        "5.  White  c1\n"
        "6.  Black  a3\n"
        "7.  White  b2-c2\n"
        "8.  Black  a1-a2\n"
        "9.  White  b3-c3\n"
        "\n"
        "b c1,c2,c3 a2,a3,b1 0,0\n"
        "The game is over. White has closed a mill: Black has lost.\n"
    )


@pytest.mark.parametrize("name", ["three", "five"])
def test_lines_are_as_long_as_they_say_and_every_turn_is_a_best_one(
    name: str, small_games: Path, answer: Callable[..., str], facts: Callable[[str], Any]
) -> None:
    game = variant(name)
    decided = [sample for sample in facts("start_samples")["games"][name]["samples"] if sample["dtw"] is not None]
    for sample in decided[:12]:
        record = json.loads(answer("line", name, sample["position"], "--store", small_games, "--json"))
        assert (*ends(record), len(record["turns"])) == (sample["wdl"], sample["dtw"], sample["dtw"])
        position = Position.parse(game, sample["position"])
        for turn in record["turns"]:
            best = json.loads(answer("query", name, str(position), "--store", small_games, "--json"))["turns"][0]
            assert best["turn"] == turn
            position = position.play(turn)
        assert position.outcome() == "loss"
        assert record["end"]["position"] == str(position) and record["end"]["outcome"] == "loss"
        assert "has lost" in record["end"]["reason"]


def test_drawn_line_stops_where_it_is_told_or_comes_round(small_games: Path, answer: Callable[..., str]) -> None:
    arguments = ("line", "three-orthogonal", "w - - 3,3", "--store", small_games)
    shown = answer(*arguments, "--plies", "4")
    assert shown.startswith("A draw: neither side can force a win.\n\n1.  White  a1\n")
    assert shown.endswith("\nThe line is cut off here; --plies N shows more.\n")
    assert len(json.loads(answer(*arguments, "--plies", "4", "--json"))["turns"]) == 4
    shown = answer(*arguments, "--plies", "500")
    assert re.search(r"\nThe position after \d+ plies has come again: this can go on for ever\.\n$", shown)
    record = json.loads(answer(*arguments, "--plies", "500", "--json"))
    assert len(record["turns"]) < 500
    assert (record["end"]["outcome"], record["end"]["reason"]) == (None, None)


def test_line_of_a_finished_game_is_empty(tmp_path: Path, answer: Callable[..., str]) -> None:
    shown = answer("line", "nine", "w a1,d7 a4,b2,g7 0,0", "--store", tmp_path)
    assert shown == "The game is over. White has fewer than three stones: White has lost.\n"


def test_line_needs_its_tables(tmp_path: Path, refusal: Callable[..., str]) -> None:
    message = refusal("line", "three", "w - - 3,3", "--store", tmp_path, code=1)
    assert message.endswith(f"build it with: merels solve three --subspace 0-0-3-3 --store {tmp_path}")


# -- stats


def test_stats_json_counts_every_subspace_and_all(small_games: Path, answer: Callable[..., str]) -> None:
    record = json.loads(answer("stats", "three", "--store", small_games, "--json"))
    assert list(record) == ["variant", "fingerprint", "subspaces", "total"]
    assert record["fingerprint"] == variant("three").fingerprint
    assert [list(table) for table in record["subspaces"]] == [["name", *COUNT_KEYS]] * 7
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


# -- verify


def test_finished_tables_are_proved(small_games: Path, answer: Callable[..., str]) -> None:
    shown = answer("verify", "three", "--store", small_games)
    assert re.fullmatch(r"three: all is right \(7 files, \d+ positions, .* s\)\n", shown)
    record = json.loads(answer("verify", "six", "--subspace", "4-3-0-0", "--store", small_games, "--json"))
    assert list(record) == ["variant", "fingerprint", "units", "positions", "seconds", "findings"]
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


# -- mistakes


@pytest.mark.parametrize("command", SOLVING)
@pytest.mark.parametrize(
    ("name", "position", "words"),
    [
        ("spatial-three", "w - - - 6,6,6", "spatial-three has players = 3, and tables are made for two players only"),
        ("nine-norepeat", "w - - 9,9", "--rule repeat_mill=free derives a variant that can be solved"),
        ("mlynek-different", "w - - 9,9", "mlynek-different has repeat_mill = different, and tables are made where"),
    ],
)
def test_rules_that_have_no_tables_are_refused(
    command: str, name: str, position: str, words: str, refusal: Callable[..., str]
) -> None:
    arguments = [position] if command in ("query", "line") else []
    assert words in refusal(command, name, *arguments)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["solve", "six", "--subspace", "7-7-0-0"], "7-7-0-0"),
        (["solve", "six", "--subspace", "3-3"], "subspace '3-3': expected four numbers"),
        (["solve", "six", "--moving", "--stones", "5"], "six has no positions with empty hands and 5 stones or fewer"),
        (["solve", "six", "--stones", "7"], "--stones limits the moving phase: add --moving"),
        (["solve", "six", "--moving", "--subspace", "3-3-0-0"], "choose either single subspaces or the moving phase"),
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


# -- help


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
