"""Boards agree with the rule book; symmetries are all there are; boards that cannot be are refused."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given, settings

from merels.boards import BOARDS, MAX_POINTS, Board, Hop, hops, symmetries
from merels.errors import BoardError
from merels.variants import variant, variant_names
from strategies import small_boards

SQUARE = {f"{file}{rank}": (x, rank) for x, file in enumerate("abc", 1) for rank in (1, 2, 3)}
ROW_OF_FOUR = {f"{file}1": (x, 1) for x, file in enumerate("abcd", 1)}


def test_points_lines_and_edges_are_those_of_the_facts(facts):
    for name, said in facts("boards")["variants"].items():
        board = variant(name).board
        assert board.name == said["board"]
        assert list(board.points) == said["points"]
        assert {frozenset(board.points[i] for i in line) for line in board.lines} == {
            frozenset(line.split("-")) for line in said["lines"]
        }
        assert ["-".join(board.points[i] for i in edge) for edge in board.edges] == sorted(said["edges"])


def test_number_of_symmetries_is_that_of_the_facts(facts):
    for name, said in facts("boards")["variants"].items():
        assert len(variant(name).symmetries) == said["symmetries"], name


def test_knight_hops_are_those_of_the_facts(facts):
    game = variant("mlynek-knight")
    points = game.board.points
    reached = {point: [] for point in points}
    for hop in game.hops:
        reached[points[hop.source]].append(points[hop.target])
    assert reached == facts("boards")["variants"]["mlynek-knight"]["knight"]


def test_rook_passes_empty_points_of_lines_and_corner_diagonals_only():
    board = BOARDS["morris24"]
    a7 = board.index["a7"]
    reached = {board.points[hop.target]: hop.between for hop in hops(board, "rook") if hop.source == a7}
    between = {"a1": "a4", "g7": "d7", "c5": "b6"}
    assert reached == {
        **{near: 0 for near in ("a4", "d7", "b6")},
        **{far: 1 << board.index[middle] for far, middle in between.items()},
    }


@pytest.mark.parametrize("movement", ["step", "knight", "rook"])
@pytest.mark.parametrize("board", BOARDS.values(), ids=BOARDS)
def test_hops_are_sorted_and_every_reverse_is_there(board, movement):
    found = hops(board, movement)
    assert list(found) == sorted(found)
    assert {Hop(hop.target, hop.source, hop.between) for hop in found} == set(found)
    assert len({(hop.source, hop.target) for hop in found}) == len(found)
    assert all(hop.source != hop.target for hop in found)


@pytest.mark.parametrize("name", variant_names())
def test_symmetries_form_a_group_with_the_identity_first(name):
    group = variant(name).symmetries
    assert group[0] == tuple(range(variant(name).board.size))
    assert list(group) == sorted(set(group))
    assert {tuple(p[i] for i in q) for p in group for q in group} == set(group)


@settings(deadline=None)
@given(board=small_boards())
def test_symmetries_are_exactly_the_permutations_that_keep_lines_edges_and_hops(board):
    steps = hops(board, "step")
    lines = {(b, frozenset({a, c})) for a, b, c in board.lines}
    edges = {frozenset(edge) for edge in board.edges}
    expected = [
        p
        for p in permutations(range(board.size))
        if {(p[b], frozenset({p[a], p[c]})) for a, b, c in board.lines} == lines
        and {frozenset({p[a], p[b]}) for a, b in board.edges} == edges
    ]
    assert list(symmetries(board, steps, limit=720)) == sorted(expected)


def test_a_group_above_the_limit_is_cut_to_a_stabiliser_of_the_first_points():
    board = Board.build("loose", {f"a{k}": (1, k) for k in range(1, 28)}, [])
    group = symmetries(board, (), limit=64)
    assert len(group) == 24
    assert all(p[:23] == tuple(range(23)) for p in group)


def test_a_movement_can_have_fewer_symmetries_than_the_board():
    board = Board.build("square", SQUARE, [("a1", "a2", "a3"), ("b1", "b2", "b3")])
    one_way = [Hop(board.index["a1"], board.index["a2"], 0), Hop(board.index["a2"], board.index["a1"], 0)]
    assert len(symmetries(board, one_way)) < len(symmetries(board, hops(board, "step")))


def test_points_are_sorted_by_file_rank_and_level():
    labels = ["b1", "a10", "a9", "a2"]
    board = Board.build("tall", {label: (1, k) for k, label in enumerate(labels)}, [])
    assert board.points == ("a2", "a9", "a10", "b1")
    assert board.index == {"a2": 0, "a9": 1, "a10": 2, "b1": 3}


def test_neighbours_on_lines_are_the_edges_where_none_are_given():
    board = Board.build("square", SQUARE, [("a3", "a2", "a1")])
    assert board.lines == ((0, 1, 2),)
    assert board.edges == ((0, 1), (1, 2))
    assert Board.build("square", SQUARE, [("a1", "a2", "a3")], edges=[]).edges == ()


def test_overlapping_lines_in_a_row_give_the_rook_one_way_between_two_points():
    board = Board.build("row", ROW_OF_FOUR, [("a1", "b1", "c1"), ("b1", "c1", "d1")])
    assert len(hops(board, "rook")) == 10


@pytest.mark.parametrize(
    ("points", "lines", "edges", "message"),
    [
        ({}, [], None, "at least one point"),
        ({f"a{k}": (1, k) for k in range(MAX_POINTS + 1)}, [], None, "28 points, but a board has at most 27"),
        ({"A1": (1, 1)}, [], None, "label 'A1' should be one letter"),
        ({"a1": (1, 1), "b1": (1, 1)}, [], None, "a1 and b1 are both at"),
        ({"a1": (1, 1), "b1": (2, 1, 1)}, [], None, "some points have two coordinates and some three"),
        ({"a1": (1, 1.5)}, [], None, "should have two or three whole numbers"),
        ({"a1": (1,)}, [], None, "should have two or three whole numbers"),
        ({"a1": "11"}, [], None, "should have two or three whole numbers"),
        ({"a1": (1, 1000)}, [], None, "from -99 to 99"),
        (SQUARE, [("a1", "a2", "a4")], None, "lines: a1-a2-a4 has the unknown point 'a4'"),
        (SQUARE, [("a1", "a2")], None, "lines: 'a1-a2' should have 3 points"),
        (SQUARE, [("a1", "a2", "a2")], None, "lines: a1-a2-a2 names a point twice"),
        (SQUARE, [("a1", "a2", "a3"), ("a1", "a2", "a3")], None, "lines: a1-a2-a3 and a1-a2-a3 are the same"),
        (SQUARE, [("a1", "a2", "a3"), ("a3", "a2", "a1")], None, "lines: a3-a2-a1 and a1-a2-a3 are the same"),
        (SQUARE, [], [("a1", "d1")], "edges: a1-d1 has the unknown point 'd1'"),
        (SQUARE, [], [("a1", "a1")], "edges: a1-a1 names a point twice"),
        (SQUARE, [], [("a1", "a2"), ("a2", "a1")], "edges: a2-a1 and a1-a2 are the same"),
    ],
)
def test_a_board_that_cannot_be_is_refused_with_the_field_named(points, lines, edges, message):
    with pytest.raises(BoardError, match=r"(lines|edges|points): ") as refusal:
        Board.build("wrong", points, lines, edges)
    assert message in str(refusal.value)


def test_two_rook_ways_between_the_same_points_are_refused():
    board = Board.build("bow", SQUARE, [("a1", "a2", "a3"), ("a1", "b2", "a3")])
    with pytest.raises(BoardError, match="a1 and a3 are the ends of two lines"):
        hops(board, "rook")
