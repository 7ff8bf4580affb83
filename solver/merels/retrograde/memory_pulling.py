"""Turns that lead to finished tables, where players remember: `merels.retrograde.pulling` for repeated-mill rules."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from merels import buffers
from merels.indexing.memory import MemoryGeometry
from merels.kernels.memory_turns import MOST_REMOVALS, WAITING, Lead, Movers, TurnScratch, finish_rows, raise_by_turns
from merels.kernels.scratch import RANKS
from merels.retrograde.pulling import Tables
from merels.retrograde.removals import PROTECTION
from merels.retrograde.rowfacts import no_turn
from merels.retrograde.workers import Workers
from merels.subspaces import Graph, Subspace
from merels.tables.table import draw_code

_CHUNK_CELLS = 1 << 16


class MemoryPull:
    """The best turns of one subspace, any range of rows at a time, as `merels.retrograde.pulling.Pull`.

    Parameters
    ----------
    graph, geometry, workers : of the variant; the threads to use.
    subspace, tables : whose positions, and the tables that turns lead to.
    dtype : uint8 or uint16, of the codes.
    moves : whether moves count, or placings alone.
    plies : 1 for the codes of the positions, 0 for those after the best turn.
    unused : code for cells that stand for no position; default: drawn.
    """

    def __init__(
        self,
        graph: Graph,
        geometry: MemoryGeometry,
        workers: Workers,
        subspace: Subspace,
        tables: Tables,
        dtype: np.dtype,
        moves: bool = True,
        plies: int = 1,
        unused: int | None = None,
    ):
        self.workers, self.dtype, self._plies = workers, dtype, plies
        self._top = draw_code(dtype)
        self._unused = self._top if unused is None else unused
        self._no_turn = no_turn(graph, subspace, self._top)
        self._space = geometry.space(subspace)
        self.shape = self._space.shape
        self._turns = []
        if graph.can_place(subspace):
            self._turns += _turns(graph, geometry, subspace, graph.after_quiet_placing(subspace), tables)
        if moves and graph.can_move(subspace):
            self._turns += _turns(graph, geometry, subspace, graph.after_quiet_move(subspace), tables)
        self._movers = movers_of(graph, geometry, subspace, 0)
        self._scratch = [turn_scratch(geometry, subspace) for _ in range(workers.jobs)]

    def rows(self, worker: int, start: int, stop: int, codes: np.ndarray) -> None:
        """Write the codes of rows ``start`` to ``stop`` into ``codes`` (1-D), as thread ``worker``."""
        scratch, recall = self._scratch[worker], self._space.recall
        codes[:] = 0
        for movers, lead in self._turns:
            raise_by_turns(start, stop, movers, recall, lead, self._top, codes, scratch)
        finish_rows(start, stop, self._movers, recall, self._top, self._no_turn, self._plies, self._unused, codes, scratch.group)

    def all(self) -> np.ndarray:
        """The codes of the whole subspace, 1-D."""
        rows, width = self.shape
        codes = buffers.empty(rows * width, self.dtype)

        def work(worker: int, start: int, stop: int) -> None:
            self.rows(worker, start, stop, codes[start * width : stop * width])

        with self.workers.clock.during("pull"):
            self.workers.over_rows(rows, work, max(1, _CHUNK_CELLS // width))
        return codes


def leads_of(
    graph: Graph, geometry: MemoryGeometry, quiet: Subspace, removals: Iterable[int], placing: bool, tables: Tables
) -> list[Lead]:
    """The tables after a turn, were it quiet in ``quiet``, and each of these numbers of removals."""
    leads = []
    for removed in removals:
        subspace = graph.after_removals(quiet, removed)
        if graph.is_over(subspace):
            layout = geometry.space(quiet).layout()
            leads.append(Lead(np.zeros(1, np.uint8), 255, layout, True, placing, removed))
        else:
            table = tables(subspace)
            leads.append(Lead(table.values, table.draw, geometry.space(subspace).layout(), False, placing, removed))
    return leads


def movers_of(graph: Graph, geometry: MemoryGeometry, subspace: Subspace, levels: int, stride: int | None = None) -> Movers:
    """The positions of a subspace as kernels want them; ``levels``: most mills that count; ``stride``: of the array at hand."""
    return Movers(
        layout=geometry.space(subspace).layout(stride),
        mills=geometry.mills,
        moves=geometry.moves,
        flying=graph.flies(subspace),
        protection=PROTECTION[graph.rules.protection],
        levels=levels,
    )


def turn_scratch(geometry: MemoryGeometry, subspace: Subspace) -> TurnScratch:
    """Fresh scratch for one thread."""
    sizes = (RANKS, RANKS, (WAITING, 4), WAITING, MOST_REMOVALS + 1, MOST_REMOVALS + 1, 1)
    return TurnScratch(geometry.scratch(), geometry.space(subspace).group_scratch(), *(np.empty(size, np.int64) for size in sizes))


def _turns(
    graph: Graph, geometry: MemoryGeometry, subspace: Subspace, quiet: Subspace, tables: Tables
) -> list[tuple[Movers, Lead]]:
    levels = graph.removal_levels(quiet.other, quiet.stones)
    movers = movers_of(graph, geometry, subspace, levels)
    placing = quiet.other > subspace.stones
    return [(movers, lead) for lead in leads_of(graph, geometry, quiet, range(levels + 1), placing, tables)]
