"""Pictures: exact for the boards of the rule book, and sensible for boards that a user invents."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from merels.boards import BOARDS, Board
from merels.position import Position
from merels.render import svg_picture, text_legend, text_picture
from merels.rules import Rules
from merels.variants import Variant, variant, variant_names

SVG = "{http://www.w3.org/2000/svg}"

THREE = r"""
3  o---o---o
   | \ | / |
2  o---o---o
   | / | \ |
1  o---o---o
   a   b   c
"""

THREE_ORTHOGONAL = r"""
3  o---o---o
   |   |   |
2  o---o---o
   |   |   |
1  o---o---o
   a   b   c
"""

FIVE = r"""
5  o-------o-------o
   |       |       |
4  |   o---o---o   |
   |   |       |   |
3  o---o       o---o
   |   |       |   |
2  |   o---o---o   |
   |       |       |
1  o-------o-------o
   a   b   c   d   e
"""

SEVEN = r"""
5  o-------o-------o
   |       |       |
4  |   o---o---o   |
   |   |   |   |   |
3  o---o---o---o---o
   |   |   |   |   |
2  |   o---o---o   |
   |       |       |
1  o-------o-------o
   a   b   c   d   e
"""

NINE = r"""
7  o-----------o-----------o
   |           |           |
6  |   o-------o-------o   |
   |   |       |       |   |
5  |   |   o---o---o   |   |
   |   |   |       |   |   |
4  o---o---o       o---o---o
   |   |   |       |   |   |
3  |   |   o---o---o   |   |
   |   |       |       |   |
2  |   o-------o-------o   |
   |           |           |
1  o-----------o-----------o
   a   b   c   d   e   f   g
"""

TWELVE = r"""
7  o-----------o-----------o
   | \         |         / |
6  |   o-------o-------o   |
   |   | \     |     / |   |
5  |   |   o---o---o   |   |
   |   |   |       |   |   |
4  o---o---o       o---o---o
   |   |   |       |   |   |
3  |   |   o---o---o   |   |
   |   | /     |     \ |   |
2  |   o-------o-------o   |
   | /         |         \ |
1  o-----------o-----------o
   a   b   c   d   e   f   g
"""

SPATIAL = r"""
   level 1         level 2         level 3
3  o---o---o    3  o---o---o    3  o---o---o
   |   |   |       |   |   |       |   |   |
2  o---o---o    2  o---o---o    2  o---o---o
   |   |   |       |   |   |       |   |   |
1  o---o---o    1  o---o---o    1  o---o---o
   a   b   c       a   b   c       a   b   c
"""

SPATIAL_EXTENDED = r"""
   level 1         level 2         level 3
3  o---o---o    3  o---o---o    3  o---o---o
   | \ | / |       |   |   |       | \ | / |
2  o---o---o    2  o---o---o    2  o---o---o
   | / | \ |       |   |   |       | / | \ |
1  o---o---o    1  o---o---o    1  o---o---o
   a   b   c       a   b   c       a   b   c
"""


def of_board(board: Board, **rules: object) -> Variant:
    return Variant(name="own", board=board, rules=Rules(men=3, **rules), title="", source="")


@pytest.mark.parametrize(
    ("name", "picture"),
    [
        ("three", THREE),
        ("three-orthogonal", THREE_ORTHOGONAL),
        ("five", FIVE),
        ("six", FIVE),
        ("seven", SEVEN),
        ("nine", NINE),
        ("mlynek-rook", TWELVE),
        ("twelve", TWELVE),
        ("spatial", SPATIAL),
        ("spatial-extended", SPATIAL_EXTENDED),
    ],
)
def test_empty_board_is_drawn_as_people_draw_it(name: str, picture: str) -> None:
    assert text_picture(variant(name)) == picture.strip("\n")


def test_stones_stand_on_their_points() -> None:
    position = Position.parse(variant("nine"), "w a1,d6,g7 c4,e5 0,0")
    assert text_picture(position.variant, position.state) == r"""
7  o-----------o-----------W
   |           |           |
6  |   o-------W-------o   |
   |   |       |       |   |
5  |   |   o---o---B   |   |
   |   |   |       |   |   |
4  o---o---B       o---o---o
   |   |   |       |   |   |
3  |   |   o---o---o   |   |
   |   |       |       |   |
2  |   o-------o-------o   |
   |           |           |
1  W-----------o-----------o
   a   b   c   d   e   f   g
""".strip("\n")


def test_three_players_and_three_levels_are_told_apart() -> None:
    position = Position.parse(variant("spatial-three"), "b a11,c32 b22 a13,c33 3,4,4")
    assert text_picture(position.variant, position.state) == r"""
   level 1         level 2         level 3
3  o---o---o    3  o---o---W    3  o---o---R
   |   |   |       |   |   |       |   |   |
2  o---o---o    2  o---B---o    2  o---o---o
   |   |   |       |   |   |       |   |   |
1  W---o---o    1  o---o---o    1  R---o---o
   a   b   c       a   b   c       a   b   c
""".strip("\n")
    assert text_legend(position.variant).startswith("W White, B Black, R Red, o empty\n")


def test_legend_tells_what_the_strokes_do_not() -> None:
    assert text_legend(variant("nine")) == "W White, B Black, o empty"
    assert text_legend(variant("six")).splitlines()[1:] == ["Edges that carry no mill: a3-b3, c1-c2, c4-c5, d3-e3."]
    assert text_legend(variant("mlynek-rook")).splitlines()[1:] == [
        "Diagonals that carry no mill: a1-b2-c3, a7-b6-c5, e3-f2-g1, e5-f6-g7."
    ]
    assert text_legend(variant("spatial")).splitlines()[1:] == [
        "Edges not drawn: every point with those straight above and below it.",
        "Edges that carry no mill: every point with those straight above and below it.",
    ]
    extended = text_legend(variant("spatial-extended"))
    assert "Lines of three not drawn: a11-a12-a13, " in extended
    assert "Lines of three that no stone steps along: " in extended


def test_own_board_without_ranks_and_files_shows_its_labels() -> None:
    points = {"p1": (0, 0), "p2": (20, 0), "p3": (40, 0), "p4": (20, 20), "p5": (20, -10), "p6": (0, -10)}
    board = Board.build("kite", points, [("p1", "p2", "p3"), ("p4", "p2", "p5")], [("p1", "p2"), ("p5", "p6")])
    assert text_picture(of_board(board)) == r"""
                     labels
        o                        p4
        |                        |
        |                        |
        |                        |
o-------o-------o    p1----------p2----------p3
        |                        |
o-------o            p6----------p5
""".strip("\n")


def test_slanted_strokes_and_crossings() -> None:
    points = {"a1": (1, 1), "a3": (1, 3), "c1": (3, 1), "c3": (3, 3), "g3": (7, 3), "g2": (7, 2), "a2": (1, 2)}
    edges = [("a1", "c3"), ("a3", "c1"), ("c1", "g3")]
    board = Board.build("crossed", points, [("a1", "a2", "a3")], edges)
    assert text_picture(of_board(board)) == r"""
3  o       o              -o
   | \   /            ---/
2  o   X          ---/     o
   | /   \    ---/
1  o       o-/
   a       c               g
""".strip("\n")


def test_stroke_over_a_third_point_is_named_instead() -> None:
    points = {"a1": (1, 1), "b1": (2, 1), "c1": (3, 1), "a2": (1, 2), "b2": (2, 2), "c2": (3, 2)}
    board = Board.build("ladder", points, [("a1", "b1", "c1")], [("a1", "b1"), ("a2", "c2")])
    assert text_picture(of_board(board)) == "2  o   o   o\n\n1  o---o---o\n   a   b   c"
    assert "Edges not drawn: a2-c2." in text_legend(of_board(board))


def test_far_apart_points_do_not_make_a_huge_picture() -> None:
    points = {f"a{k}": (k * k - 99, (7 * k) % 50) for k in range(1, 14)}
    lines = [("a1", "a2", "a3"), ("a4", "a7", "a13")]
    own = of_board(Board.build("scattered", points, lines))
    picture = text_picture(own).splitlines()
    assert len(picture) <= 40
    assert max(map(len, picture)) <= 240
    assert float(ElementTree.fromstring(svg_picture(own)).attrib["width"]) <= 2000


@pytest.mark.parametrize("name", variant_names())
def test_svg_shows_every_point_stroke_and_stone(name: str) -> None:
    position = Position.start(variant(name))
    for _ in range(5):
        position = position.play(position.turns()[-1])
    root = ElementTree.fromstring(svg_picture(position.variant, position.state))
    circles = root.findall(f"{SVG}circle")
    stones = sum(mask.bit_count() for mask in position.state.stones)
    assert len(circles) == position.variant.board.size + stones
    assert len(root.findall(f"{SVG}path")) >= len(position.variant.board.edges)
    assert "href" not in svg_picture(position.variant, position.state)


def test_svg_escapes_the_name_of_a_variant() -> None:
    own = Variant(name="<&>", board=BOARDS["square9"], rules=Rules(men=3), title="", source="")
    assert ElementTree.fromstring(svg_picture(own)).findtext(f"{SVG}title") == "<&>"


def test_svg_bends_a_stroke_around_a_third_point() -> None:
    points = {"a1": (1, 1), "b1": (2, 1), "c1": (3, 1), "a2": (1, 2), "b2": (2, 2), "c2": (3, 2)}
    board = Board.build("arc", points, [("a1", "b1", "c1")], [("a1", "b1"), ("b1", "c1"), ("a1", "c1")])
    paths = [path.attrib["d"] for path in ElementTree.fromstring(svg_picture(of_board(board))).iter(f"{SVG}path")]
    assert sum("Q" in path for path in paths) == 1
