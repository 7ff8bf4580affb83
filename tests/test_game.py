"""Played games: the counted draws, to the ply, and every reason for which a game ends."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

import merels
from merels.errors import TurnError
from merels.game import Game, Result
from merels.position import Position
from merels.variants import Variant, variant


def at(game: Variant, text: str) -> Game:
    return Game.at(Position.parse(game, text))


def played(game: Game, *turns: str) -> Game:
    for turn in turns:
        game = game.play(turn)
    return game


# Two stones of either side walk to and fro; a position comes again every fourth ply.
SHUTTLES = [
    ("nine", "w a1,d1,b4 a7,d7,f4,g4 0,0", ("b4-b2", "f4-f2", "b2-b4", "f2-f4")),
    ("six", "w a1,c1,d3 a5,c5,d4,b4 0,0", ("d3-d2", "b4-b3", "d2-d3", "b3-b4")),
    ("lasker", "w a1,d1,b4 a7,d7,f4,g4 1,1", ("b4-b2", "f4-f2", "b2-b4", "f2-f4")),
    ("nine-norepeat", "w a1,d1,b4 a7,d7,f4,g4 0,0", ("b4-b2", "f4-f2", "b2-b4", "f2-f4")),
    ("mlynek-knight", "w a7,a4,d3 g1,g4,d5,e3 0,0", ("d3-b4", "d5-c3", "b4-d3", "c3-d5")),
]


@pytest.mark.parametrize(("name", "text", "circle"), SHUTTLES, ids=lambda value: value if isinstance(value, str) else "")
def test_the_third_time_of_a_position_is_a_draw_and_the_second_is_none(name: str, text: str, circle: tuple[str, ...]) -> None:
    game = at(variant(name), text)
    twice = played(game, *circle, *circle[:3])
    assert (twice.occurrences, twice.result()) == (2, None) and twice.turns()
    third = twice.play(circle[3])
    assert third.occurrences == 3 and third.position == game.position
    assert third.result() == Result("draw", "repetition", None) and third.outcome() == "draw" and third.turns() == []
    assert third.history == circle * 2 and third.quiet_plies == 8
    with pytest.raises(TurnError, match=r"the game was over after turn 8 \(repetition\)"):
        third.play(circle[0])
    with pytest.raises(TurnError, match="nothing more can be played"):
        third.play(third.position.turns()[0])


@pytest.mark.parametrize(("name", "text", "circle"), SHUTTLES, ids=lambda value: value if isinstance(value, str) else "")
@pytest.mark.parametrize("limit", [100, 7])
def test_the_last_quiet_ply_is_a_draw_and_the_one_before_is_none(name: str, text: str, circle: tuple[str, ...], limit: int) -> None:
    game = at(variant(name, rules={"repetition": "0", "quiet_limit": str(limit)}), text)
    turns = (circle * limit)[:limit]
    before = played(game, *turns[:-1])
    assert (before.quiet_plies, before.result()) == (limit - 1, None)
    last = before.play(turns[-1])
    assert (last.quiet_plies, last.result()) == (limit, Result("draw", "quiet limit", None))
    assert last.turns() == []


def test_either_is_switched_off_by_nought_and_repetition_is_told_where_both_meet() -> None:
    name, text, circle = SHUTTLES[0]
    free = played(at(variant(name, rules={"repetition": "0", "quiet_limit": "0"}), text), *circle * 30)
    assert (free.quiet_plies, free.occurrences, free.result()) == (120, 31, None) and free.turns()
    both = played(at(variant(name, rules={"repetition": "2", "quiet_limit": "4"}), text), *circle)
    assert both.result() == Result("draw", "repetition", None)
    assert played(at(variant(name, rules={"repetition": "5"}), text), *circle * 3).result() is None


def test_a_position_with_another_memory_is_another_one() -> None:
    walk = ("f2-f4", "b2-d2", "f4-f2", "d2-b2")
    opened = at(variant("nine-norepeat"), "w a7,d7,g7,b2 f2,c3,e3,d5 0,0").play("a7-a4")
    later = played(opened, *walk)
    assert opened.position.state.memory != later.position.state.memory
    assert opened.position.state._replace(memory=None) == later.position.state._replace(memory=None)
    assert later.occurrences == 1 and played(later, *walk).occurrences == 2


def test_a_placing_and_a_mill_begin_the_count_anew() -> None:
    placed = played(at(variant("lasker"), "w a1,d1,b4 a7,d7,f4,g4 1,1"), "b4-b2", "f4-f2", "b2-b4")
    assert placed.quiet_plies == 3 and placed.play("c3").quiet_plies == 0
    closing = at(variant("nine"), "w a1,d1,g4,b4 a7,d7,f4,c5 0,0")
    assert closing.play("b4-b2").quiet_plies == 1
    assert closing.play("g4-g1xf4").quiet_plies == 0


def test_a_mill_that_takes_nothing_counts_as_a_quiet_ply() -> None:
    game = at(variant("nine", rules={"protection": "mills"}), "w a1,d1,g4,b4 a7,d7,g7 0,0")
    assert game.play("g4-g1").quiet_plies == 1


@pytest.mark.parametrize(
    ("name", "rules", "text", "turn", "result"),
    [
        ("nine", {}, "w a1,d1,g4,b4 a7,d7,f4 0,0", "g4-g1xa7", Result("loss", "stones", 0)),
        ("nine", {}, "b a7,d7,f4 a1,d1,g4,b4 0,0", "g4-g1xa7", Result("loss", "stones", 1)),
        ("three", {}, "w a1,b1 a2,b2 1,1", "c1", Result("loss", "mill", 0)),
        ("mlynek-cross", {"men": "3"}, "w a1,d1,g4 a7,b6,c5 0,0", "g4-g1", Result("loss", "mill", 0)),
    ],
)
def test_an_end_by_the_rules_comes_before_the_quiet_limit(
    name: str, rules: dict[str, str], text: str, turn: str, result: Result
) -> None:
    game = at(variant(name, rules={**rules, "quiet_limit": "1"}), text).play(turn)
    assert game.result() == result and game.turns() == []


def test_a_stalemate_on_the_last_quiet_ply_is_a_win() -> None:
    """White shuts the black stones in with the very ply that reaches the limit."""
    text = "w a4,d7,g4,d2,b4 a7,g7,a1 0,0"
    for stalemate, expected in (("loss", Result("loss", "no turn", 0)), ("draw", Result("draw", "no turn", None))):
        game = at(variant("nine", rules={"flying": "0", "quiet_limit": "1", "stalemate": stalemate}), text)
        assert game.result() is None
        shut = game.play("d2-d1")
        assert (shut.quiet_plies, shut.result()) == (1, expected)
        assert game.play("b4-b2").result() == Result("draw", "quiet limit", None)


def test_three_players_play_under_the_same_rules() -> None:
    game = at(variant("spatial-three", rules={"quiet_limit": "4"}), "w a11,b11,a13 c33,c32,a33 a31,c13,b33 0,0,0")
    for ply in range(4):
        assert game.result() is None, ply
        quiet = next(turn for turn in game.turns() if not turn.removals)
        game = game.play(quiet)
    assert game.result() == Result("draw", "quiet limit", None)
    last = Game.at(Position.parse(variant("spatial-three"), "r - - a11,b22,c33 0,0,0"))
    assert last.result() == Result("win", "last player", 2)


def test_a_game_keeps_what_was_played() -> None:
    start = merels.Game.start(merels.variant("six"))
    game = played(start, "a1", "a5", " C1 ", "c5", "e1xc5")
    assert game.history == ("a1", "a5", "c1", "c5", "e1xc5") and start.history == ()
    assert [str(position) for position in game.positions[:2]] == ["w - - 6,6", "b a1 - 5,6"]
    assert str(game.position) == "b a1,c1,e1 a5 3,4"
    with pytest.raises(TurnError, match="not legal"):
        game.play("a1")


def test_command_plays_and_tells_how_the_game_stands(answer: Callable[..., str], refusal: Callable[..., str]) -> None:
    name, text, circle = SHUTTLES[0]
    command = ("game", name, "--from", text)
    shown = answer(*command, *circle)
    assert "\nThe game goes on: " in shown and "a mill: 4; 100 are a draw.\n" in shown and "come: 2; 3 times are a draw.\n" in shown
    record = json.loads(answer(*command, *circle, "--json"))
    assert list(record) == [
        *("variant", "position", "history", "quiet_plies", "occurrences", "outcome", "reason", "winner", "turns"),
    ]
    assert (record["history"], record["quiet_plies"], record["occurrences"], record["outcome"]) == (list(circle), 4, 2, None)
    assert record["turns"]
    assert answer(*command, *circle, *circle).endswith("The game is over. The position has come 3 times: a draw.\n")
    over = json.loads(answer(*command, *circle, "--rule", "quiet_limit=4", "--json"))
    assert (over["outcome"], over["reason"], over["winner"], over["turns"]) == ("draw", "quiet limit", None, [])
    shown = answer(*command, *circle, "--rule", "quiet_limit=4")
    assert shown.endswith("The game is over. 4 plies without a placing and without a mill: a draw.\n")
    won = json.loads(answer("game", "three", "--from", "w a1,b1 a2,b2 1,1", "c1", "--json"))
    assert (won["outcome"], won["reason"], won["winner"]) == ("loss", "mill", "w")
    assert "is not legal" in refusal(*command, "b4-b2", "b4-b2")
    assert "the game was over after turn 1 (mill)" in refusal("game", "three", "--from", "w a1,b1 a2,b2 1,1", "c1", "c2")
    shown = answer(*command, "--rule", "repetition=0", "--rule", "quiet_limit=0")
    assert "a mill: 0.\n" in shown and shown.endswith("come: 1.\n")
