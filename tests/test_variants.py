"""The rule book's variants are all there with their rules; derived and user's variants; files that are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from merels.boards import BOARDS
from merels.errors import BoardError, InputError, MerelsError, RulesError, UnknownVariantError, VariantError
from merels.position import Position
from merels.rules import Rules
from merels.variants import Variant, variant, variant_names
from merels.variants.reading import read_variant

MLYNEK = {"removals": "per-mill", "protection": "none", "stalemate": "draw"}
LASKER = {"men": 10, "placing": "place-or-move"}
CROSS = (("a1", "b2", "c3", "e5", "f6", "g7"), ("a7", "b6", "c5", "e3", "f2", "g1"))
RULE_BOOK = {
    "nine": ("morris24", {}),
    "nine-noflying": ("morris24", {"flying": 0}),
    "nine-norepeat": ("morris24", {"repeat_mill": "no-immediate"}),
    "mlynek": ("morris24", MLYNEK),
    "mlynek-different": ("morris24", MLYNEK | {"repeat_mill": "different"}),
    "mlynek-knight": ("morris24", MLYNEK | {"movement": "knight"}),
    "mlynek-rook": ("morris24", MLYNEK | {"movement": "rook"}),
    "mlynek-cross": ("morris24", {"men": 6, "placing": "none", "flying": 0, "mill": "win", "start": CROSS}),
    "mlynek-lasker": ("morris24", MLYNEK | LASKER),
    "lasker": ("morris24", LASKER),
    "morabaraba": ("morris24-diagonals", {"men": 12}),
    "twelve": ("morris24-diagonals", {"men": 12}),
    "three": ("square9", {"men": 3, "flying": 0, "mill": "win"}),
    "three-orthogonal": ("square9-orthogonal", {"men": 3, "flying": 0, "mill": "win"}),
    "five": ("morris16", {"men": 5}),
    "six": ("morris16", {"men": 6, "flying": 0}),
    "seven": ("morris17", {"men": 7}),
    "spatial": ("cube27", {}),
    "spatial-extended": ("cube27-extended", {}),
    "spatial-three": ("cube27", {"men": 6, "players": 3}),
}

OWN = """
name = "cross"
title = "A cross of five points"
board = "own"
[rules]
men = 3
flying = 0
"""
OWN_BOARD = """
name = "cross"
title = "A cross of five points and a tail"
source = "nobody"

[board]
name = "cross6"
lines = ["a2-b2-c2", "b1-b2-b3"]
edges = ["a2-b2", "b2-c2", "b1-b2", "b2-b3", "c2-d2"]

[board.points]
b1 = [2, 1]
a2 = [1, 2]
b2 = [2, 2]
c2 = [3, 2]
d2 = [4, 2]
b3 = [2, 3]

[rules]
men = 3
flying = 0
mill = "win"
"""


def test_the_rule_book_is_complete():
    assert set(variant_names()) == set(RULE_BOOK)


@pytest.mark.parametrize("name", RULE_BOOK)
def test_a_named_variant_has_the_board_and_rules_of_the_rule_book(name):
    board, rules = RULE_BOOK[name]
    found = variant(name)
    assert found.name == name
    assert found.board == BOARDS[board]
    assert found.rules == Rules(**rules)
    assert found.title
    assert found.source


def test_only_twelve_and_morabaraba_share_a_fingerprint():
    prints = {name: variant(name).fingerprint for name in variant_names()}
    assert prints["twelve"] == prints["morabaraba"]
    assert len(set(prints.values())) == len(prints) - 1


def test_a_name_may_be_written_in_any_case_and_with_blanks():
    assert variant(" Nine ") is variant("nine")


# ---------------------------------------------------------------------------------------------------------- derived


def test_a_derived_variant_tells_its_differences_sorted():
    nine = variant("nine")
    assert nine.derive(men=3).name == "nine+men=3"
    assert nine.derive(flying=0).name == "nine+flying=0"
    assert (
        variant("nine", men=4, rules={"stalemate": "draw", "flying": "0"}).name == "nine+flying=0+men=4+stalemate=draw"
    )
    assert nine.derive(men=3).derive(flying=0).name == "nine+flying=0+men=3"


def test_a_derivation_without_change_is_the_same_variant():
    nine = variant("nine")
    assert nine.derive() is nine
    assert nine.derive(men=9, flying=3) is nine
    assert nine.derive(men=3).derive(men=9) is nine
    assert variant("nine", rules={"men": "9"}) is nine


@pytest.mark.parametrize("name", ["nine+men=3", "nine+flying=0+men=4", "mlynek-cross+men=4", "lasker+placing=none"])
def test_a_derived_name_can_be_asked_for(name):
    if "placing" in name:
        name += "+men=3+start=a1.a4.b2-g7.g4.f6"
    found = variant(name)
    assert variant(found.name) == found
    assert sorted(found.name.split("+")) == sorted(name.split("+"))


def test_a_derived_variant_has_a_fingerprint_of_its_own():
    nine = variant("nine")
    assert len({nine.fingerprint, nine.derive(men=8).fingerprint, nine.derive(flying=0).fingerprint}) == 3
    assert nine.derive(flying=0).fingerprint == variant("nine-noflying").fingerprint
    assert nine.derive(flying=0) != variant("nine-noflying")


def test_fewer_men_keep_the_first_points_of_each_start():
    assert str(Position.start(variant("mlynek-cross", men=4))) == "w a1,b2,c3,e5 a7,b6,c5,e3 0,0"
    assert variant("mlynek-cross", men=4).derive(men=6) is variant("mlynek-cross")
    with pytest.raises(RulesError, match="player 1 has 6 stones, but men = 7"):
        variant("mlynek-cross", men=7)


@pytest.mark.parametrize(
    ("name", "men", "rules", "message"),
    [
        ("nine", 2, {}, "men = 2: a mill takes three stones"),
        ("nine", 13, {}, "26 stones, but morris24 has only 24 points"),
        ("nine", None, {"wings": "3"}, "unknown rule 'wings'; the rules are men"),
        ("nine", None, {"flying": "x"}, "flying = 'x': should be"),
        ("nine+flying", None, {}, "'flying' should be KEY=VALUE"),
        ("nine+wings=3", None, {}, "unknown rule 'wings'"),
        ("spatial-three", None, {"stalemate": "draw"}, "with three players it should be loss"),
    ],
)
def test_a_derivation_that_cannot_be_is_refused(name, men, rules, message):
    with pytest.raises(RulesError, match=message):
        variant(name, men, rules)


def test_derive_refuses_unknown_rules():
    with pytest.raises(RulesError, match="unknown rule 'wings'"):
        variant("nine").derive(wings=3)


def test_an_unknown_name_is_refused_with_near_names():
    with pytest.raises(UnknownVariantError, match="unknown variant 'nien': did you mean nine"):
        variant("nien")
    with pytest.raises(UnknownVariantError, match="unknown variant 'chess': The variants are five, lasker"):
        variant("chess")


# ------------------------------------------------------------------------------------------------------ user's files


@pytest.fixture
def file(tmp_path: Path):
    """Write a text as a variant file and give its path."""

    def write(text: str | bytes, name: str = "own.toml") -> Path:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_a_users_file_with_a_board_of_its_own_is_a_variant(file):
    path = file(OWN_BOARD)
    for found in (variant(path), variant(str(path))):
        assert found.name == "cross"
        assert found.source == "nobody"
        assert found.board.points == ("a2", "b1", "b2", "b3", "c2", "d2")
        assert len(found.board.edges) == 5
        assert len(found.symmetries) == 2
        assert str(Position.start(found).play("d2")) == "b d2 - 2,3"
    assert variant(path, rules={"stalemate": "draw"}).name == "cross+stalemate=draw"


def test_a_users_file_may_use_a_board_of_the_rule_book(file):
    found = variant(file(OWN.replace('"own"', '"square9"')))
    assert found.board is BOARDS["square9"]


def test_a_copy_of_a_named_variant_may_keep_its_name(file):
    text = (Path(read_variant.__code__.co_filename).parent / "six.toml").read_text(encoding="utf-8")
    assert variant(file(text)) == variant("six")


def without(line: str) -> str:
    return OWN_BOARD.replace(line, "")


WRONG_FILES = [
    ("name = ", VariantError, "not a TOML file: "),
    ("[" * 5000 + "]" * 5000, VariantError, "not a "),
    (b"\xff\xfe\x00", VariantError, "not a text file"),
    (b"\x89HDF\r\n\x1a\n", VariantError, "not a text file"),
    ("", VariantError, "name: missing"),
    (without('name = "cross"\n'), VariantError, "name: missing"),
    (OWN_BOARD.replace('name = "cross"\n', "name = 5\n"), VariantError, "name = 5: should be text in quotes"),
    (
        OWN_BOARD.replace('name = "cross"\n', 'name = "My Game"\n'),
        VariantError,
        "name = 'My Game': should be up to 64",
    ),
    (OWN_BOARD.replace('name = "cross"\n', 'name = "../up"\n'), VariantError, "name = '../up': should be"),
    (
        OWN_BOARD.replace('name = "cross"\n', 'name = "nine+men=3"\n'),
        VariantError,
        "name = 'nine\\+men=3': should be",
    ),
    (OWN_BOARD.replace('name = "cross"\n', 'name = "nine"\n'), VariantError, "has other rules under this name"),
    (OWN_BOARD.replace("source", "sauce"), VariantError, "unknown key 'sauce'; the keys here are name, title"),
    (OWN_BOARD.replace("title = ", "title = 3 #"), VariantError, "title = 3: should be text"),
    ('name = "a"\nrules = 3\nboard = "square9"', VariantError, "rules = 3: should be a table"),
    ('name = "a"', BoardError, "board: missing"),
    (OWN, BoardError, "board: unknown board 'own'; use a table"),
    (OWN.replace('"own"', "24"), BoardError, "board: missing or no board"),
    (OWN_BOARD.replace("cross6", "morris24"), BoardError, "the rule book has another board of this name"),
    (OWN_BOARD.replace('name = "cross6"', ""), BoardError, "board: name: missing"),
    (
        OWN_BOARD.replace("edges =", "edgy ="),
        BoardError,
        "board: unknown key 'edgy'; the keys here are name, points",
    ),
    (OWN_BOARD.replace('["a2-b2-c2", "b1-b2-b3"]', '"a2-b2-c2"'), BoardError, "board: lines: should be a list"),
    (OWN_BOARD.replace('"a2-b2-c2"', "3"), BoardError, "board: lines: should be a list of strokes"),
    (OWN_BOARD.replace("a2-b2-c2", "a2-b2-e2"), BoardError, "board: lines: a2-b2-e2 has the unknown point 'e2'"),
    (OWN_BOARD.replace("a2-b2-c2", "a2-b2-a2"), BoardError, "board: lines: a2-b2-a2 names a point twice"),
    (OWN_BOARD.replace("a2-b2-c2", "b3-b2-b1"), BoardError, "board: lines: b1-b2-b3 and b3-b2-b1 are the same"),
    (OWN_BOARD.replace('"c2-d2"', '"d2-d2"'), BoardError, "board: edges: d2-d2 names a point twice"),
    (OWN_BOARD.replace("[4, 2]", "[3, 2]"), BoardError, "board: points: c2 and d2 are both at"),
    (OWN_BOARD.replace("[4, 2]", '"e2"'), BoardError, "board: points: d2 is at 'e2', but should have two or three"),
    (OWN_BOARD.replace("[4, 2]", "[4, 2]\nd2 = [5, 2]"), VariantError, "not a TOML file: .*overwrite"),
    (
        OWN_BOARD.replace("[4, 2]", "[4, 2]\n" + "\n".join(f"e{k} = [5, {k}]" for k in range(30))),
        BoardError,
        "board: points: 36 points, but a board has at most 27",
    ),
    (OWN_BOARD.replace("[board.points]", "[board.dots]"), BoardError, "board: unknown key 'dots'"),
    (OWN_BOARD.replace("men = 3", "mem = 3"), RulesError, "rules: unknown rule 'mem'; the rules are men"),
    (OWN_BOARD.replace("men = 3", "men = 2"), RulesError, "rules: men = 2: a mill takes three stones"),
    (
        OWN_BOARD.replace("men = 3", "men = 4"),
        RulesError,
        "rules: men = 4: 2 players have 8 stones, but cross6 has",
    ),
    (OWN_BOARD.replace('mill = "win"', "mill = 3"), RulesError, "rules: mill = 3: should be one of remove, win"),
    (OWN_BOARD.replace("men = 3", 'men = 3\nstart = "a2"'), RulesError, "rules: start: with placing"),
    (
        OWN_BOARD.replace("men = 3", 'men = 3\nplacing = "none"\nstart = [["a2", 3, "b2"], ["b1", "b3", "d2"]]'),
        RulesError,
        "rules: start = .* should be the points of each player",
    ),
    (
        OWN_BOARD.replace("men = 3", 'men = 3\nplacing = "none"\nstart = [["a2", "b2", "c2"], ["b1", "b3", "e2"]]'),
        RulesError,
        "rules: start: unknown point 'e2'",
    ),
    (OWN_BOARD.replace("men = 3", f"men = {'9' * 5000}"), VariantError, "a number of too many digits"),
    (OWN_BOARD.replace("men = 3", f"men = 0x{'f' * 5000}"), VariantError, "a number beyond 1,000,000,000"),
    (OWN_BOARD.replace("a2 = [", f"z9 = [1, 0x{'f' * 5000}]\na2 = ["), VariantError, "a number beyond 1,000,000,000"),
]


def test_stones_at_the_start_are_lists_or_text(file):
    given = OWN_BOARD.replace("men = 3", 'men = 3\nplacing = "none"\nstart = START')
    points = list(variant(file(OWN_BOARD)).board.points)
    white, black = points[:3], points[3:6]
    texts = (f'"{",".join(white)}/{",".join(black)}"', str([white, black]).replace("'", '"'))
    lists, text = (variant(file(given.replace("START", start))) for start in texts)
    assert text.rules.start == lists.rules.start == (tuple(white), tuple(black))


@pytest.mark.parametrize(("text", "error", "message"), WRONG_FILES, ids=[message for *_, message in WRONG_FILES])
def test_a_wrong_file_is_refused_with_file_and_field(file, text, error, message):
    path = file(text)
    with pytest.raises(error, match=message) as refusal:
        variant(path)
    assert str(refusal.value).startswith(str(path))


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(UnknownVariantError, match="no such file; give a path"):
        variant(tmp_path / "none.toml")
    with pytest.raises(VariantError, match="cannot be read"):
        variant(tmp_path)


@settings(deadline=None)
@given(st.text())
@example("a = [[[[")
def test_any_text_is_a_variant_or_a_refusal(text):
    try:
        read_variant(text, "own.toml")
    except InputError as refusal:
        assert str(refusal).startswith("own.toml: ")


VALUES = st.none() | st.sampled_from(
    ["3", "-1", "true", '"a2"', "[]", "[1, 1]", '["a2-b2"]', '"win"', "{ a = 1 }", "nan", "1979-05-27", "[[1], 2]"]
)


@settings(deadline=None, max_examples=300)
@given(line=st.integers(0, OWN_BOARD.count("\n")), value=VALUES)
def test_any_change_of_a_line_is_a_variant_or_a_refusal(line, value):
    lines = OWN_BOARD.split("\n")
    key, equals, _ = lines[line].partition(" = ")
    lines[line] = f"{key} = {value}" if equals and value else ""
    try:
        Variant(*read_variant("\n".join(lines), "own.toml"))
    except MerelsError as refusal:
        assert str(refusal)
