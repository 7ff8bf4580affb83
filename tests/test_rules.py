"""Rules that cannot be are refused with the field named; the fingerprint tells rule sets apart by what matters."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from merels.boards import BOARDS, Board
from merels.errors import RulesError
from merels.rules import CHOICES, RULE_NAMES, Rules, canonical, fingerprint, text_of

CROSS = (("a1", "b2", "c3"), ("a7", "b6", "c5"))


@pytest.mark.parametrize(
    ("values", "field", "message"),
    [
        ({"men": 2}, "men", "a mill takes three stones"),
        ({"men": -1}, "men", "should be a whole number"),
        ({"men": "9"}, "men", "should be a whole number"),
        ({"men": True}, "men", "should be a whole number"),
        ({"men": 9.0}, "men", "should be a whole number"),
        ({"placing": "never"}, "placing", "place-only, place-or-move, none"),
        ({"movement": "queen"}, "movement", "step, knight, rook"),
        ({"movement": ["step"]}, "movement", "step, knight, rook"),
        ({"mill": "lose"}, "mill", "remove, win"),
        ({"removals": "two"}, "removals", "one, per-mill"),
        ({"protection": "all"}, "protection", "mills-unless-all, none, mills"),
        ({"stalemate": "win"}, "stalemate", "loss, draw"),
        ({"full_board": "win"}, "full_board", "draw, loss"),
        ({"repeat_mill": "never"}, "repeat_mill", "free, no-immediate, different"),
        ({"players": 1}, "players", "2 or 3"),
        ({"players": 4}, "players", "2 or 3"),
        ({"flying": -3}, "flying", "0 (no flying)"),
        ({"flying": 1}, "flying", "never applies"),
        ({"flying": 2}, "flying", "never applies"),
        ({"flying": 10}, "flying", "a player has 9 men"),
        ({"repetition": 1}, "repetition", "draw at once"),
        ({"repetition": -1}, "repetition", "0 (never)"),
        ({"quiet_limit": -1}, "quiet_limit", "0 (never)"),
        ({"mill": "win", "repeat_mill": "different"}, "repeat_mill", "the first mill ends the game"),
        ({"players": 3, "mill": "win"}, "mill", "with three players it should be remove"),
        ({"players": 3, "stalemate": "draw"}, "stalemate", "with three players it should be loss"),
        ({"players": 3, "repeat_mill": "no-immediate"}, "repeat_mill", "with three players it should be free"),
        ({"start": CROSS}, "start", "the board is empty at the start"),
        ({"placing": "none"}, "start", "placing = none needs"),
        ({"placing": "none", "men": 3, "start": "a1"}, "start", "should be the points of each player"),
        ({"placing": "none", "men": 3, "start": CROSS[:1]}, "start", "has stones of 1 players"),
        ({"placing": "none", "men": 4, "start": CROSS}, "start", "player 1 has 3 stones, but men = 4"),
        ({"placing": "none", "men": 3, "start": (CROSS[0], CROSS[0])}, "start", "two stones on a1, b2, c3"),
    ],
)
def test_rules_that_cannot_be_are_refused_with_the_field_named(values, field, message):
    with pytest.raises(RulesError) as refusal:
        Rules(**values)
    assert refusal.value.field == field
    assert str(refusal.value).startswith(field)
    assert message in str(refusal.value)


@pytest.mark.parametrize(
    ("rules", "field", "message"),
    [
        (Rules(men=13), "men", "2 players have 26 stones, but morris24 has only 24 points; at most 12"),
        (Rules(men=9, players=3), "men", "3 players have 27 stones"),
        (
            Rules(men=3, placing="none", start=(CROSS[0], ("a7", "b6", "z9"))),
            "start",
            "unknown point 'z9'; the points of morris24 are a1, a4",
        ),
    ],
)
def test_rules_that_do_not_fit_the_board_are_refused(rules, field, message):
    with pytest.raises(RulesError) as refusal:
        rules.check(BOARDS["morris24"])
    assert refusal.value.field == field
    assert message in str(refusal.value)


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("men", "7", 7),
        (" Flying ", " 0 ", 0),
        ("placing", "place-or-move", "place-or-move"),
        ("start", "none", None),
        ("start", "a1,b2,c3/a7,b6,c5", CROSS),
        ("start", "a1.b2.c3-a7.b6.c5", CROSS),
    ],
)
def test_a_rule_is_read_from_text(key, text, value):
    assert Rules.parse(key, text) == value


@pytest.mark.parametrize(
    ("key", "text", "message"),
    [
        ("mens", "7", "unknown rule 'mens'; the rules are men, placing"),
        ("men", "seven", "men = 'seven': should be a whole number"),
        ("men", "-7", "should be a whole number"),
        ("men", "7" * 5000, "should be a whole number"),
        ("men", "\u0667", "should be a whole number"),
        ("placing", "", "placing = '': should be one of place-only"),
    ],
)
def test_a_rule_that_cannot_be_read_is_refused(key, text, message):
    with pytest.raises(RulesError, match=message):
        Rules.parse(key, text)


@pytest.mark.parametrize("key", [name for name in RULE_NAMES if name not in ("start",)])
def test_text_of_a_rule_reads_back(key):
    values = CHOICES.get(key, (3, 100))
    assert all(Rules.parse(key, text_of(key, value)) == value for value in values)


def test_text_of_a_start_reads_back():
    assert Rules.parse("start", text_of("start", CROSS)) == CROSS
    assert Rules.parse("start", text_of("start", None)) is None


def test_fingerprint_of_nine_never_changes():
    """Tables are found by it: a change makes every table that exists useless."""
    assert fingerprint(BOARDS["morris24"], Rules()) == (
        "6fba55e1b43a0d9c1d46f808f3ad22df71fb122a9a1b503a14bb705c5b75d474"
    )


def test_canonical_form_is_json_and_holds_no_names_or_coordinates():
    form = canonical(BOARDS["morris24"], Rules())
    assert json.loads(json.dumps(form)) == form
    assert set(form) == {"points", "lines", "edges", "diagonals", "rules"}


@pytest.mark.parametrize(
    ("board", "one", "other"),
    [
        ("morris24", {}, {"quiet_limit": 0, "repetition": 0}),
        ("morris24", {}, {"full_board": "loss"}),
        ("morris24", {"mill": "win"}, {"mill": "win", "removals": "per-mill", "protection": "none"}),
    ],
)
def test_parameters_without_effect_leave_the_fingerprint_alone(board, one, other):
    assert fingerprint(BOARDS[board], Rules(**one)) == fingerprint(BOARDS[board], Rules(**other))


@pytest.mark.parametrize(
    "changed",
    [
        {"men": 8},
        {"placing": "place-or-move"},
        {"movement": "knight"},
        {"movement": "rook"},
        {"flying": 0},
        {"mill": "win"},
        {"removals": "per-mill"},
        {"protection": "none"},
        {"protection": "mills"},
        {"stalemate": "draw"},
        {"repeat_mill": "no-immediate"},
        {"repeat_mill": "different"},
        {"men": 12},
        {"men": 12, "full_board": "loss"},
        {"men": 8, "players": 3},
    ],
)
def test_every_parameter_with_effect_changes_the_fingerprint(changed):
    others = [{}, {"men": 12}] if changed != {"men": 12} else [{}]
    board = BOARDS["morris24"]
    assert all(fingerprint(board, Rules(**changed)) != fingerprint(board, Rules(**other)) for other in others)


def test_boards_with_other_lines_have_other_fingerprints():
    prints = {fingerprint(board, Rules(men=3)) for board in BOARDS.values()}
    assert len(prints) == len(BOARDS)


def test_coordinates_and_name_of_a_board_leave_the_fingerprint_alone():
    board = BOARDS["morris24"]
    places = {label: (y, x) for label, (x, y) in zip(board.points, board.coordinates, strict=True)}
    lines, edges = ([[board.points[i] for i in stroke] for stroke in part] for part in (board.lines, board.edges))
    twin = Board.build("turned", places, lines, edges)
    assert fingerprint(twin, Rules()) == fingerprint(board, Rules())


@settings(deadline=None)
@given(st.sampled_from(RULE_NAMES) | st.text(max_size=12), st.text(max_size=20) | st.integers().map(str))
def test_any_text_is_a_value_or_a_refusal(key, text):
    try:
        Rules.parse(key, text)
    except RulesError as refusal:
        assert str(refusal)
