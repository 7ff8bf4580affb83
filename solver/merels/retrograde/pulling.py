"""Pulling a subspace: every position's value from the best of its turns, all of which lead to finished tables."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from merels import buffers
from merels.indexing import Geometry
from merels.kernels.pull import After, PullScratch, Rows, TurnScratch, best_turns
from merels.kernels.transpose import Target
from merels.kernels.values import fill
from merels.retrograde.removals import scatter_level
from merels.retrograde.rowfacts import lost_rows, no_turn, shielded_rows
from merels.retrograde.workers import Workers
from merels.subspaces import Graph, Subspace
from merels.tables.table import Table, draw_code

Tables = Callable[[Subspace], Table]


class Pull:
    """The best turns of one subspace, any range of rows at a time.

    Parameters
    ----------
    graph, geometry, workers : of the variant; the threads to use.
    subspace, tables : whose positions, and the tables that turns lead to.
    dtype : uint8 or uint16, of the codes.
    moves : whether moves count, or placings alone.
    plies : 1 for the codes of the positions, 0 for those after the best turn.
    """

    def __init__(
        self,
        graph: Graph,
        geometry: Geometry,
        workers: Workers,
        subspace: Subspace,
        tables: Tables,
        dtype: np.dtype,
        moves: bool = True,
        plies: int = 1,
    ):
        self.graph, self.geometry, self.workers, self.tables, self.dtype = graph, geometry, workers, tables, dtype
        space = geometry.rows(subspace.stones, subspace.other)
        self.shape = space.shape
        self._top = draw_code(dtype)
        quiet_placing, quiet_move = graph.after_quiet_placing(subspace), graph.after_quiet_move(subspace)
        self._by_placing = self._after(quiet_placing) if graph.can_place(subspace) else self._nothing(subspace)
        self._by_move = self._after(quiet_move) if moves and graph.can_move(subspace) else self._nothing(subspace)
        self._rows = Rows(
            representatives=space.orbits.representatives,
            shielded=shielded_rows(graph, geometry, subspace),
            lost=lost_rows(graph, geometry, subspace),
            high=space.columns.high,
            lines=geometry.lines,
            mills=geometry.mills,
            moves=geometry.moves,
            placing_runs=geometry.runs(subspace.other, subspace.stones + 1 if self._by_placing.masks.size else 0),
            moving_runs=geometry.runs(subspace.other, subspace.stones if self._by_move.masks.size else 0),
            flying=graph.flies(subspace),
            no_turn=no_turn(graph, subspace, self._top),
            plies=plies,
        )
        self._scratch = [self._one_scratch() for _ in range(workers.jobs)]

    def rows(self, worker: int, start: int, stop: int, codes: np.ndarray) -> None:
        """Write the codes of rows ``start`` to ``stop`` into ``codes`` (1-D), as thread ``worker``."""
        best_turns(start, stop, self._by_placing, self._by_move, self._rows, self._top, codes, self._scratch[worker])

    def all(self) -> np.ndarray:
        """The codes of the whole subspace, 1-D."""
        rows, width = self.shape
        codes = buffers.empty(rows * width, self.dtype)
        with self.workers.clock.during("pull"):
            self.workers.over_rows(
                rows, lambda worker, start, stop: self.rows(worker, start, stop, codes[start * width : stop * width])
            )
        return codes

    def _one_scratch(self) -> PullScratch:
        placing, moving = self._turn_scratch(self._by_placing), self._turn_scratch(self._by_move)
        return PullScratch(self.geometry.scratch(), placing, moving, np.empty(self.shape[1], self.dtype))

    def _turn_scratch(self, after: After) -> TurnScratch:
        sets = after.masks.size
        scores = np.empty((2, after.levels + 1, sets), self.dtype)
        return TurnScratch(scores, np.empty(sets, np.uint8), np.empty(self.shape[1], self.dtype))

    def _after(self, quiet: Subspace) -> After:
        """What follows the turns that lead to ``quiet`` unless they take stones."""
        geometry = self.geometry
        t, u = quiet.stones, quiet.other
        table = self.tables(quiet)
        masks = geometry.columns(t, u).masks
        levels = self.graph.removal_levels(u, t)
        cells = geometry.rows(u, t).slots
        removals = buffers.empty(max(1, levels * cells), self.dtype)
        with self.workers.clock.during("removals"):
            self.workers.over_cells(removals.size, lambda _, start, stop: fill(start, stop, removals, self._top))
            for level in range(1, levels + 1):
                part = removals[(level - 1) * cells : level * cells]
                scatter_level(self.graph, geometry, quiet, level, self.tables, part, masks.size, self.workers)
        return After(table.values, table.draw, self._target(quiet), masks, removals, levels, self._top)

    def _target(self, quiet: Subspace) -> Target:
        geometry = self.geometry
        columns = geometry.columns(quiet.other, quiet.stones)
        return Target(geometry.orbits(quiet.other), columns.high, columns.masks.size, geometry.images, geometry.full)

    def _nothing(self, subspace: Subspace) -> After:
        """The `After` of a player who has no turns of a kind."""
        empty = np.zeros(1, np.uint8)
        return After(empty, self._top, self._target(subspace.partner), np.empty(0, np.uint32), empty.astype(self.dtype), 0, self._top)
