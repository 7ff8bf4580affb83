"""The sweeps of a game for three: one player against the two others, its three seats in a circle."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from merels.indexing import Geometry
from merels.kernels.events import Events
from merels.kernels.sweep import QUIET, Side, Step
from merels.kernels.transpose import PairTarget
from merels.kernels.triples import scatter_stuck
from merels.retrograde.sweeps import Sweeps, join
from merels.retrograde.triple_turns import Removals, Tables, largest_event, shielded_triple_rows, sign_of, stuck_codes
from merels.retrograde.workers import Workers
from merels.tables.metric import DTD
from merels.tables.table import Table, draw_code
from merels.triples import Circle, Seat, TripleGraph

_CHUNK_CELLS = 1 << 18
_TURNS_IN_A_BYTE = 150  # counters start below this, so that codes have the rest of the byte


def solve_circle(
    graph: TripleGraph,
    geometry: Geometry,
    workers: Workers,
    circle: Circle,
    tables: Tables,
    tell: Callable[[int], None] = lambda slots: None,
) -> dict[Seat, Table]:
    """The tables of a circle: for each of its players the game against the two others, one after the other.

    Parameters as those of `merels.retrograde.unit.solve_unit`.
    """
    solved: dict[Seat, Table] = {}
    for seats in circle.games():
        if seats[0] not in solved:
            solved |= TripleSweeps(graph, geometry, workers, seats, tables).run(tell)
    return {seat: solved[seat] for seat in circle.subspaces}


class TripleSweeps(Sweeps):
    """The solution of one player's game in a circle.

    A position solved in one seat's rows is looked for by the sweeps of the seat before it in play. Codes are those of
    `merels.kernels.triples`: with each ply they grow by two.

    Parameters
    ----------
    graph, geometry, workers : of the variant; the threads to use.
    seats : of the player, from the one where it is to move backwards in play.
    tables : gives the tables that turns lead to.
    """

    graph: TripleGraph

    def __init__(self, graph: TripleGraph, geometry: Geometry, workers: Workers, seats: tuple[Seat, Seat, Seat], tables: Tables):
        self._largest = largest_event(graph, list(seats), tables)
        turns = max(seat.stones * (graph.points - sum(seat.board)) if graph.flies(seat) else len(graph.variant.hops) // 2 for seat in seats)
        fits = self._largest + 2 < draw_code(np.uint8) - turns and turns < _TURNS_IN_A_BYTE
        super().__init__(graph, geometry, workers, seats, tables, np.dtype(np.uint8 if fits else np.uint16))

    def _levels(self, seat: Seat) -> int:
        return self.graph.removal_levels(seat)

    def _shielded(self, seat: Seat) -> np.ndarray:
        return shielded_triple_rows(self.graph, self.geometry, seat)

    def _scatter_removals(self, seat: Seat, level: int, after: np.ndarray, stride: int) -> None:
        removals = Removals(self.graph, self.geometry, seat, level, self.tables)
        rows, width = seat.space(self.geometry).shape
        self.workers.over_rows(
            rows, lambda _, start, stop: removals.write(start, stop, 0, stride, after), max(1, _CHUNK_CELLS // width)
        )

    def _table(self, seat: Seat, values: np.ndarray, longest: int) -> Table:
        return Table(seat, values, longest, DTD)

    def _depths(self) -> int:
        return 1 + self._largest

    def _target(self, number: int) -> PairTarget:
        """The rows of the seat before, as seen from a row of seat ``number``."""
        seat, other, geometry = self.subspaces[number], self._other(number), self.geometry
        before = seat.before_turn().space(geometry).target
        return before._replace(stride=other.stride, nexts=seat.space(geometry).nexts)

    def _step(self, number: int, depth: int) -> Step:
        """A turn to a position won for the player decides where it is to move and is counted elsewhere, and the other way round."""
        won, own_turn = depth % 2 == 1, sign_of(self.subspaces[number]) > 0
        return Step(depth + 2, won != own_turn)

    # --- players without a turn

    def _no_turn(self, seat: Seat, top: int) -> int:
        """For the time being nothing is decided; `_start` sees to it."""
        return top

    def _lost(self, seat: Seat) -> np.ndarray:
        return np.zeros(seat.space(self.geometry).shape[0], np.bool_)

    def _start(self) -> int:
        most = super()._start()
        for number, seat in enumerate(self.subspaces):
            flying = self.graph.flies(seat) and not self.graph.is_full(seat)
            if not flying:
                self._settle_stuck(number)
        return most

    def _settle_stuck(self, number: int) -> None:
        """Who has no turn leaves: give such positions of a side their codes, and the side before it the events."""
        side, before = self.sides[number], self._other(number)
        seat, target = self.subspaces[number], self._target(number)
        stuck = stuck_codes(self.graph, self.geometry, seat, self.tables, side.values.dtype)
        self.workers.over_rows(
            seat.space(self.geometry).shape[0],
            lambda worker, start, stop: scatter_stuck(start, stop, side, stuck, before.after, target, self.scratch[worker].row),
        )
        place = (number + 1) % len(self.sides)
        rows, width = self.subspaces[place].space(self.geometry).shape
        packed = self._pack(before.after, rows, width, before.stride, before.top)
        self.sides[place] = _with_event(before, join([(QUIET, *packed)], rows, width))


def _with_event(side: Side, more: Events) -> Side:
    """The side with the one list of ``more`` added to its events."""
    events = side.events
    joined = Events(
        np.concatenate([events.base, more.base + events.columns.size]),
        np.concatenate([events.offsets, more.offsets]) if events.levels.size else more.offsets,
        np.concatenate([events.columns, more.columns]),
        np.concatenate([events.levels, more.levels]),
    )
    return side._replace(events=joined)
