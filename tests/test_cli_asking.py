"""Asking the tables as a user does it: query, searches, lines."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from merels import Position, variant

Merels = Callable[..., Result]

QUERY_KEYS = ["variant", "fingerprint", "position", "value", "dtw", "turns"]
TURN_KEYS = ["turn", "position", "value", "dtw"]
TURNED = {"win": "loss", "draw": "draw", "loss": "win"}


def sort_key(turn: dict[str, Any]) -> tuple:
    """The order of turns, written down a second time."""
    if turn["value"] == "win":
        return 0, turn["dtw"], turn["turn"]
    return (1, 0, turn["turn"]) if turn["value"] == "draw" else (2, -turn["dtw"], turn["turn"])


def ends(record: dict[str, Any]) -> tuple[str, int | None]:
    return record["value"], record["dtw"]


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
    assert result.exit_code == 0 and "--subspace 2-3-1-0 " in result.stderr
    assert json.loads(result.stdout) == whole  # the value follows from the turns


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
