"""Pulling in a game for three: every position's value for one player from the best turn of whoever moves, from finished tables."""

from __future__ import annotations

import numpy as np

from merels.indexing import Geometry
from merels.kernels.triples import TripleRows, TripleScratch, best_triple_turns
from merels.kernels.values import fill
from merels.retrograde.triple_turns import Removals, Tables, shielded_triple_rows, sign_of, stuck_codes
from merels.retrograde.workers import Workers
from merels.tables.table import draw_code
from merels.triples import Seat, TripleGraph


class TriplePull:
    """The best turns of the positions of a seat, any range of rows at a time; as `merels.retrograde.pulling.Pull`.

    Parameters
    ----------
    graph, geometry, workers : of the variant; the threads to use.
    seat, tables : whose positions, and the tables that turns lead to.
    dtype : uint8 or uint16, of the codes.
    """

    def __init__(self, graph: TripleGraph, geometry: Geometry, workers: Workers, seat: Seat, tables: Tables, dtype: np.dtype):
        space, after = seat.space(geometry), seat.after_turn()
        self.shape, self.dtype = space.shape, dtype
        self._top = draw_code(dtype)
        levels = graph.removal_levels(seat)
        self._removals = [Removals(graph, geometry, seat, level, tables) for level in range(1, levels + 1)]
        table = tables(after)
        self._rows = TripleRows(
            representatives=space.representatives,
            nexts=space.nexts,
            shielded=shielded_triple_rows(graph, geometry, seat),
            high=space.columns.high,
            masks=space.columns.masks,
            mills=geometry.mills,
            moves=geometry.moves,
            flying=graph.flies(seat),
            levels=levels,
            target=after.space(geometry).target,
            values=table.values,
            draw=table.draw,
            sign=sign_of(seat),
            stuck=stuck_codes(graph, geometry, seat, tables, dtype),
        )
        self._scratch = [TripleScratch(geometry.scratch(), np.empty(space.shape[1], np.int32)) for _ in range(workers.jobs)]

    def rows(self, worker: int, start: int, stop: int, codes: np.ndarray) -> None:
        """Write the codes of rows ``start`` to ``stop`` into ``codes`` (1-D), as thread ``worker``."""
        width = self.shape[1]
        removals = np.empty((max(1, len(self._removals)), (stop - start) * width), self.dtype)
        fill(0, removals.size, removals.reshape(-1), self._top)
        for level, removed in enumerate(self._removals):
            removed.write(start, stop, start, width, removals[level])
        best_triple_turns(start, stop, self._rows, removals, self._top, codes, self._scratch[worker])
