"""Plans of games for three: the circles of the moving phase, and the tables of two players that they end in."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import comb

from merels.counting import Counter
from merels.errors import InputError, LimitError
from merels.retrograde.plan import PROGRAM, Plan, PlannedUnit, make_plan
from merels.tables.metric import DTD, WDL
from merels.triples import Circle, Seat, Triple, TripleGraph
from merels.variants import Variant

# Measured with `spatial-three` 3-3-3, 2-core AMD EPYC, 2026-11-30, another build beside it; per slot and core, counting and compressing
# included.
_SECONDS = 280e-9
_DISK_PER_SLOT = 0.19
_FILE_OVERHEAD = 8 << 10
_ROW_BYTES = 16
_CODES = 40
"""Codes of events that are reckoned with: two for each ply of the endings."""
_HOT_CELLS = 256


def plan_triples(
    variant: Variant,
    *,
    moving: bool = False,
    stones: int | None = None,
    subspaces: Sequence[str] = (),
    reachable: bool = False,
    discard: bool = False,
    metric: str = DTD,
) -> Plan:
    """The plan of what a user asks for, see `merels.retrograde.plan.plan_build`; `Plan.endings` are the tables of two players.

    Raises
    ------
    InputError
        A subspace that the variant does not have, options that do not go with three players, or nothing is left to solve.
    LimitError
        Positions with stones in hand are asked for, of which there are too many.
    """
    if metric == WDL:
        raise InputError("--wdl: tables of a game for three always have distances; leave it out")
    if discard:
        raise InputError("--discard: has no use in the moving phase of a game for three, where all tables are asked for; leave it out")
    if reachable:
        raise InputError("--reachable: the start of a game for three has stones in hand, and there are no tables of that; leave it out")
    if subspaces and (moving or stones is not None):
        raise InputError("choose one of single subspaces (--subspace) and the moving phase (--moving, --stones), not both")
    if stones is not None and not moving:
        raise InputError("--stones limits the moving phase: add --moving")
    graph, counter = TripleGraph(variant), Counter(variant)
    if not (subspaces or moving):
        raise _out_of_reach(graph, counter, "the whole game")
    if subspaces:
        roots = [_checked(graph, counter, name) for name in subspaces]
    else:
        roots = [triple for triple in graph.moving() if stones is None or sum(triple.board) <= stones]
    if not roots:
        raise InputError(f"{variant.name} has no positions of three players with empty hands and {stones} stones or fewer")
    circles = graph.closure(roots)
    planned = tuple(_planned(graph, counter, circle) for circle in circles)
    endings = make_plan(graph.endings.variant, graph.ending_roots(circles))
    return Plan(variant, planned, tuple(Seat(0, *root.board) for root in roots), DTD, endings=endings)


def _checked(graph: TripleGraph, counter: Counter, name: str) -> Triple:
    triple = graph.checked(name)
    if any(triple.hands):
        raise _out_of_reach(graph, counter, f"subspace {triple.name}")
    return triple


def _out_of_reach(graph: TripleGraph, counter: Counter, what: str) -> LimitError:
    return LimitError(
        f"{what}: {graph.variant.name} has {_with_hands(graph, counter):,} positions with stones in hand, and there are no tables of "
        "such: with three players they are made of the moving phase alone. Add --moving --stones N, or name a subspace such as 3-3-3-0-0-0"
    )


def _with_hands(graph: TripleGraph, counter: Counter) -> int:
    """Positions, each orbit once, with stones in hand and three stones or more for each player, as they come about when players place."""
    men = graph.rules.men
    if graph.rules.placing == "none":
        return 0
    in_turn = [(k, k - (waiting > 1), k - (waiting > 0)) for k in range(1, men + 1) for waiting in range(3)]
    hands = in_turn if graph.rules.placing == "place-only" else list(product(range(men + 1), repeat=3))[1:]
    total = 0
    for stones in product(range(men + 1), repeat=3):
        if sum(stones) <= graph.points:
            ways = sum(all(3 <= own + hand <= men for own, hand in zip(stones, held, strict=True)) for held in hands)
            total += ways * counter.positions(*stones) if ways else 0
    return total


def _planned(graph: TripleGraph, counter: Counter, circle: Circle) -> PlannedUnit:
    slots = {seat: _rows(counter, seat) * _width(graph, seat) for seat in circle.subspaces}
    played = 3 * len(circle.games())
    finished = sum(slots.values()) * (played - 3) // played
    own = sum(_side_memory(graph, counter, seat) for seat in circle.games()[0])
    leaves = [key for key in graph.needs(circle) if isinstance(key, Seat)]
    read = sum(_rows(counter, seat) * _width(graph, seat) for seat in leaves)
    total = sum(slots.values())
    return PlannedUnit(
        unit=circle,
        slots=total,
        positions=sum(counter.positions(*seat.board) for seat in circle.subspaces),
        memory=PROGRAM + own + finished + read,
        disk=round(total * _DISK_PER_SLOT) + _FILE_OVERHEAD,
        seconds=total * _SECONDS,
    )


def _rows(counter: Counter, seat: Seat) -> int:
    return counter.rows(seat.next) * comb(counter.points - seat.next, seat.previous)


def _width(graph: TripleGraph, seat: Seat) -> int:
    return comb(graph.points - seat.next - seat.previous, seat.stones)


def _side_memory(graph: TripleGraph, counter: Counter, seat: Seat) -> int:
    """Values, the after-move array, the rows' sets, and where events begin."""
    rows, width = _rows(counter, seat), _width(graph, seat)
    stride = -(-width // _HOT_CELLS) * _HOT_CELLS
    return rows * (width + stride + _ROW_BYTES + 4 * _CODES * (1 + graph.removal_levels(seat)))
