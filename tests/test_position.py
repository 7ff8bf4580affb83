"""Positions and turns read back what they write, and refuse what cannot be with a message that helps."""

from __future__ import annotations

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from merels.errors import PositionError, TurnError
from merels.position import Position
from merels.state import Turn
from merels.variants import variant
from strategies import VARIANTS, placed, played

NINE = variant("nine")


def parse(text: str, name: str = "nine", **rules: str) -> Position:
    return Position.parse(variant(name, rules=rules), text)


# -------------------------------------------------------------------------------------------------- position strings


@settings(deadline=None, max_examples=200)
@given(played())
def test_a_played_position_reads_back(position):
    assert Position.parse(position.variant, str(position)) == position


@settings(deadline=None)
@given(placed())
def test_a_placed_position_reads_back(position):
    assert Position.parse(position.variant, str(position)) == position


def test_points_are_sorted_on_output_and_case_does_not_matter():
    assert str(parse("  W d7,A7   B6 7,8 ")) == "w a7,d7 b6 7,8"


def test_positions_are_values():
    one, other = parse("w a7,d7 b6 7,8"), parse("w d7,a7 b6 7,8")
    assert one == other
    assert len({one, other, parse("b a7,d7 b6 7,8")}) == 2
    assert one != parse("w a7,d7 b6 7,8", "nine-noflying")


def test_hands_may_be_smaller_than_the_rules_give():
    assert len(parse("w - - 8,9").turns()) == 24


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("nine", "", "0 fields, but a position of nine has 4, parted by blanks: player to move, White's points"),
        ("nine", "w - -", "3 fields, but .* the start is 'w - - 9,9'"),
        ("nine", "w - - 9,9 -", "5 fields"),
        ("spatial-three", "w - - 6,6", "has 5, .* Red's points, stones in hand; the start is 'w - - - 6,6,6'"),
        ("nine-norepeat", "w - - 9,9 - -", "6 fields, but .* has 5, .* stones in hand, memory"),
        ("nine", "x - - 9,9", "player to move 'x' should be w or b"),
        ("nine", "r - - 9,9", "player to move 'r' should be w or b"),
        ("spatial-three", "x - - - 6,6,6", "player to move 'x' should be w or b or r"),
        ("nine", "w a2 - 8,9", "White's points 'a2': unknown point 'a2'; should be points of morris24"),
        ("nine", "w - a1,,a4 9,7", "Black's points 'a1,,a4': unknown point ''"),
        ("nine", "w a1- - 8,9", "unknown point 'a1-'"),
        ("nine", "w a1,a4,a1 - 6,9", "a1 is named twice"),
        ("nine", "w a1,a4 a4,a7 7,7", "a4 has a stone of White and one of Black; a point holds one stone"),
        ("nine", "w a1 - 9,9", "White has 1 stones on the board and 9 in hand, but nine has 9 men a player"),
        ("nine", "w - - 9,10", "Black has 0 stones on the board and 10 in hand"),
        ("nine", "w - - 9", "stones in hand '9' should be 2 numbers parted by commas, such as 0,0"),
        ("nine", "w - - 9,9,9", "should be 2 numbers"),
        ("nine", "w - - -1,9", "should be 2 numbers"),
        ("nine", "w - - x,9", "should be 2 numbers"),
        ("nine", "w - - 9,\u0669", "should be 2 numbers"),
        ("nine", "w - - 9,9999", "should be 2 numbers"),
        ("mlynek-cross", "w a1,a4 a7 1,1", "mlynek-cross has none, all stand from the start"),
    ],
)
def test_a_wrong_position_is_refused_with_the_part_named(name, text, message):
    with pytest.raises(PositionError, match=message):
        parse(text, name)


def test_three_stones_of_two_players_need_three_points_even_for_red():
    with pytest.raises(PositionError, match="a11 has a stone of Black and one of Red"):
        parse("w a12 a11 a11 5,5,5", "spatial-three")


@settings(deadline=None, max_examples=300)
@given(VARIANTS, st.text(st.sampled_from("wbr -,/=+" + "abcdg1234567" + string.whitespace)) | st.text())
def test_any_text_is_a_position_or_a_refusal(game, text):
    try:
        position = Position.parse(game, text)
    except PositionError as refusal:
        assert repr(text) in str(refusal)
    else:
        assert Position.parse(game, str(position)) == position


# ------------------------------------------------------------------------------------------------------------ memory


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("nine-norepeat", "w a4,c3,d7,g7 b6,d2,e4,f6 0,0 a4-a7/-"),
        ("nine-norepeat", "w a1,d3,d7,g7 a7,b4,c4,f6 0,0 -/a7-a4"),
        ("mlynek-different", "w a4,c3,d7,g7 b6,d2,e4,f6 0,0 a7,d7,g7=a4,d7,g7/-"),
        ("mlynek-different", "w a1,d3,d7,g7 a7,b4,c4,f6 0,0 -/a4,b4,c4=a7,b4,c4"),
        ("mlynek-different", "w d1,d2,d3,a7,g7,d5 a1,b2,c3 0,0 a7,d7,g7=a7,d3,g7+d5,d6,d7=d2,d3,d5/-"),
    ],
)
def test_memory_reads_back(name, text):
    position = parse(text, name)
    assert Position.parse(position.variant, str(position)) == position
    assert str(position).split()[-1] == text.split()[-1]


def test_memory_that_is_left_out_is_empty():
    assert str(parse("w - - 9,9", "nine-norepeat")) == "w - - 9,9 -"


MOVE = "w a4,c3,d7,g7 b6,d2,e4,f6 0,0 "
MILL = "w a4,d5,d7,g7 b6,d2,e4,f6 0,0 "


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("nine-norepeat", MOVE + "a4-a7", "should be '-', or what each player may not do"),
        ("nine-norepeat", MOVE + "a4-a7/-/-", "should be '-', or what each player may not do"),
        ("nine-norepeat", MOVE + "-/-", "where no player remembers anything the whole field is '-'"),
        ("nine-norepeat", MOVE + "a4a7/-", "White's first: '-' or FROM-TO, as in a4-a7/-"),
        ("nine-norepeat", MOVE + "a4-a7-a1/-", "'-' or FROM-TO"),
        ("nine-norepeat", MOVE + "a4-a9/-", "unknown point 'a9'"),
        ("nine-norepeat", MOVE + "a4-a1/-", "cannot forbid anything here; write '-'"),
        ("nine-norepeat", MOVE + "a1-a7/-", "cannot forbid anything here"),
        ("nine-norepeat", MOVE + "a4-a7/b6-b4", "cannot forbid anything here; write 'a4-a7/-'"),
        ("nine-norepeat", "w a4,d7,g7 b6,d2,e4,f6 1,0 a4-a7/-", "cannot forbid anything here; write '-'"),
        ("mlynek-different", MILL + "a4-a7/-", "'-' or LINE=STONES joined by '\\+', as in a7,d7,g7=a4,d7,g7/-"),
        ("mlynek-different", MILL + "a7,d7=a4,d7/-", "LINE=STONES"),
        ("mlynek-different", MILL + "a7,d7,a4=a4,d7,g7/-", "a7,d7,a4 is no line of morris24"),
        ("mlynek-different", MILL + "a7,d7,g7=a4,d7,d7/-", "a4,d7,d7 should be three stones of the player"),
        ("mlynek-different", MILL + "a7,d7,g7=a4,d7,b6/-", "a4,d7,b6 should be three stones of the player"),
        ("mlynek-different", MILL + "a7,d7,g7=a4,d7,g7+a7,d7,g7=a4,d5,d7/-", "no turn can have made these mills"),
        ("mlynek-different", MILL + "a7,d7,g7=a4,d7,g7+b2,b4,b6=a4,d5,d7/-", "no turn can have made these mills"),
        ("mlynek-different", MILL + "a7,d7,g7=a4,d7,g7+a1,a4,a7=a4,d7,g7/-", "no turn can have made these mills"),
    ],
)
def test_wrong_memory_is_refused(name, text, message):
    with pytest.raises(PositionError, match=message):
        parse(text, name)


# ----------------------------------------------------------------------------------------------------- three players


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "w a11,b11,c12,c33 a31,b31 a13,b13,b22,c23 0,0,0",
            "is out .*; this position is 'w .* - a13,b13,b22,c23 0",
        ),
        ("b a11,b11,c12,c33 - a13,b13,b22,c23 0,0,0", "this position is 'r a11"),
        ("b b11,b12,b13,a23 a11,a12,a13,a21 a22,a31,b21,c33 0,0,0", "is out .*; this position is 'r a23"),
        ("w - - - 0,0,0", "nobody is left in the game"),
        ("w a11,b11 - - 0,0,0", "nobody is left in the game"),
    ],
)
def test_a_player_who_is_out_has_no_stones(text, message):
    with pytest.raises(PositionError, match=message):
        parse(text, "spatial-three")


def test_the_last_player_left_has_won():
    position = parse("r - - a13,b13,b22,c23 0,0,0", "spatial-three")
    assert position.outcome() == "win"
    assert position.turns() == []


# ------------------------------------------------------------------------------------------------------------- turns


@settings(deadline=None, max_examples=100)
@given(played())
def test_every_turn_reads_back_and_turns_are_sorted_by_token(position):
    turns = position.turns()
    tokens = [position.token(turn) for turn in turns]
    assert tokens == sorted(set(tokens))
    for turn, token in list(zip(turns, tokens, strict=True))[:20]:
        assert position.parse_turn(f" {token.upper()} ") == turn
        assert position.play(token) == position.play(turn)


def test_removals_may_be_named_in_any_order():
    position = parse("w a7,d5,d6,g7 a1,d1,g1,b4 5,5", removals="per-mill")
    assert position.play("d7xb4xa1") == position.play("d7xa1xb4")


def test_removals_are_named_in_the_lowest_legal_order():
    """All of Black's stones but b4 are in a mill, so a1 can go only after b4."""
    position = parse("w a7,d5,d6,g7 a1,b4,d1,g1 5,5", removals="per-mill")
    tokens = [position.token(turn) for turn in position.turns() if turn.removals]
    assert tokens == ["d7xb4xa1", "d7xb4xd1", "d7xb4xg1"]


@pytest.mark.parametrize(
    ("token", "message"),
    [
        ("", "should look like d6"),
        ("d6-", "should look like d6"),
        ("d6xd5-d7", "should look like d6"),
        ("d6 d5", "should look like d6"),
        ("d6-d9", "morris24 has no point 'd9'"),
        ("d6-d5xz1", "morris24 has no point 'z1'"),
        ("d6-d7", r"legal with this action: d6-d7xb2, d6-d7xb4, d6-d7xf2, d6-d7xf4 \(11 legal turns"),
        ("d6-d7xb2xb4", "legal with this action: d6-d7xb2, "),
        ("d6-f6xb2", "legal with this action: d6-f6 "),
        ("a1", "is not legal in 'w a7,d6,g4,g7 b2,b4,f2,f4 0,0': legal here: a7-a4, a7-d7"),
        ("d6-d6", "legal near it: d6-"),
    ],
)
def test_a_wrong_turn_is_refused_with_legal_ones_near_it(token, message):
    with pytest.raises(TurnError, match=message):
        parse("w a7,d6,g4,g7 b2,b4,f2,f4 0,0").play(token)


def test_a_turn_after_the_end_is_refused():
    with pytest.raises(TurnError, match="the game is over, there are no turns"):
        parse("w a1,a4 b2,b4,b6 0,0").play("a1-d1")


def test_a_turn_value_that_is_not_legal_is_refused():
    with pytest.raises(TurnError, match="is not legal in 'w - - 9,9'"):
        Position.start(NINE).play(Turn(0, 1))


@settings(deadline=None)
@given(st.text(st.sampled_from("abdgx-17 ")) | st.text())
def test_any_text_is_a_turn_or_a_refusal(text):
    position = parse("w a7,d6,g4,g7 b2,b4,f2,f4 0,0")
    try:
        turn = position.parse_turn(text)
    except TurnError as refusal:
        assert repr(text) in str(refusal)
    else:
        assert turn in position.turns()
