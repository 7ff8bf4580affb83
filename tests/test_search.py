"""A bounded search proves what it says: its bounds hold, they meet where the end is in sight, depth proves no draw."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import cache

import pytest

from merels import Position
from merels.reference.retrograde import Value, solve
from merels.reference.symmetry import Representatives
from merels.search import UNKNOWN, Bounds, Search, score
from merels.state import State
from merels.variants import variant

GAMES = [
    "three",
    "three-orthogonal",
    "six+men=3",
    "three+flying=3+mill=remove+placing=place-or-move+stalemate=draw",
]
SAMPLES = 60


@cache
def solved(name: str) -> dict[State, Value]:
    """The value of every representative that play from the start can reach."""
    return solve(variant(name), [Position.start(variant(name)).state], reduce=True)


def positions(name: str) -> Iterator[tuple[Position, Value]]:
    values = solved(name)
    for state in random.Random(name).sample(sorted(values), min(SAMPLES, len(values))):
        yield Position(variant(name), state), values[state]


def nothing(position: Position) -> None:
    """Know no value."""


def knowing(name: str, known: Callable[[State], bool]) -> Callable[[Position], Value | None]:
    """Know the values of those states alone that `known` says yes to."""
    values, representative = solved(name), Representatives(variant(name))

    def look_up(position: Position) -> Value | None:
        state = representative(position.state)
        return values[state] if known(state) else None

    return look_up


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("plies", [0, 1, 3])
def test_bounds_hold_and_are_exact_where_the_end_is_in_sight(name: str, plies: int) -> None:
    search = Search(variant(name), nothing)
    for position, value in positions(name):
        bounds = search.bounds(position, plies)
        assert bounds.low <= score(value) <= bounds.high, position
        if value[1] is not None and value[1] <= plies:
            assert bounds == Bounds.exactly(value), position


@pytest.mark.parametrize("name", GAMES)
def test_search_that_ends_in_known_positions_gives_their_exact_values(name: str) -> None:
    representative = Representatives(variant(name))
    for position, value in positions(name):
        search = Search(variant(name), knowing(name, lambda state, own=position.state: state != representative(own)))
        assert search.bounds(position, 1) == Bounds.exactly(value), position


@pytest.mark.parametrize("name", GAMES)
def test_every_second_known_position_never_misleads(name: str) -> None:
    search = Search(variant(name), knowing(name, lambda state: hash(state.stones) % 2 == 0))
    for position, value in positions(name):
        for plies in range(4):
            bounds = search.bounds(position, plies)
            assert bounds.low <= score(value) <= bounds.high, position
            assert bounds.value in (value[0], "unknown")
            assert bounds.dtw in (value[1], None)


@pytest.mark.parametrize("name", ["three", "three-orthogonal"])
def test_looking_further_never_loosens_the_bounds(name: str) -> None:
    for position, _ in positions(name):
        search = Search(position.variant, nothing)
        before = UNKNOWN if position.outcome() is None else search.bounds(position, 0)
        for plies in range(6):
            bounds = search.bounds(position, plies)
            assert before.low <= bounds.low <= bounds.high <= before.high
            fresh = Search(position.variant, nothing).bounds(position, plies)
            assert fresh.low <= bounds.low and bounds.high <= fresh.high
            before = bounds


def test_no_depth_proves_a_draw_that_has_no_end() -> None:
    start = Position.start(variant("three-orthogonal"))
    bounds = Search(start.variant, nothing).bounds(start, 30)
    assert (bounds.value, bounds.dtw) == ("unknown", None)
    assert bounds.worst[0] == "loss" and bounds.best[0] == "win"


def test_win_is_proven_with_its_distance() -> None:
    start = Position.start(variant("three"))
    assert Search(start.variant, nothing).bounds(start, 8).value == "unknown"
    exact = Search(start.variant, nothing).bounds(start, 9)
    assert (exact.value, exact.dtw) == ("win", 9)


def test_draw_by_a_full_board_is_proven() -> None:
    crowded = variant("five+men=8")
    position = Position.parse(crowded, "b a1,b2,c1,c4,d3,e1,e3,a5 a3,b3,b4,c2,c5,d2,d4 0,1")
    assert Search(crowded, nothing).bounds(position, 0) == UNKNOWN
    assert Search(crowded, nothing).bounds(position, 1) == Bounds.exactly(("draw", None))


def test_bounds_in_words_of_value_and_distance() -> None:
    loose = Bounds(score(("win", 9)), score(("win", 5)))
    assert (loose.value, loose.dtw, loose.worst, loose.best) == ("win", None, ("win", 9), ("win", 5))
    assert loose.before_turn() == Bounds(score(("loss", 6)), score(("loss", 10)))
    assert Bounds.exactly(("draw", None)).before_turn() == Bounds.exactly(("draw", None))
    assert loose.both(Bounds(score(("win", 7)), score(("win", 1)))) == Bounds(score(("win", 7)), score(("win", 5)))
    assert Bounds(0, score(("win", 3))).value == "unknown"
    assert score(("win", 1)) > score(("win", 3)) > score(("draw", None)) > score(("loss", 4)) > score(("loss", 2))
