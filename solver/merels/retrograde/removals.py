"""The removal states of one kind of turn: what closing mills leads to, scattered into rows of the player who loses stones."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from merels.indexing import Geometry
from merels.kernels.removals import RemovalScratch, scatter_removals, score_rows, take_one
from merels.kernels.transpose import Target
from merels.retrograde.workers import Workers
from merels.subspaces import Graph, Subspace
from merels.tables.table import Table

PROTECTION = {"none": 0, "mills-unless-all": 1, "mills": 2}
"""How kernels know `Rules.protection`."""
_CHUNK_CELLS = 1 << 18


def scatter_level(
    graph: Graph,
    geometry: Geometry,
    after: Subspace,
    level: int,
    tables: Callable[[Subspace], Table],
    codes: np.ndarray,
    stride: int,
    workers: Workers,
) -> None:
    """Fill ``codes`` with the best of ``level`` removals.

    Parameters
    ----------
    after : the subspace after the turn, were it quiet; its player to move loses the stones.
    tables : the tables after removals.
    codes : modified in place, 1-D, rows by that player's stones T, ``stride`` cells a row, columns by the mover's: codes of the
        positions after the removals, that player to move. Only decided cells are written.
    """
    u, t = after.other, after.stones
    top = int(np.iinfo(codes.dtype).max)
    space = geometry.rows(t, u)
    rows = np.flatnonzero(space.mill_rows)
    movers = space.orbits.representatives
    protection = PROTECTION[graph.rules.protection]
    target = Target(geometry.orbits(t), geometry.columns(t, u).high, stride, geometry.images, geometry.full)
    scratch = [geometry.scratch() for _ in range(workers.jobs)]
    runs = [geometry.runs(u, t - level + step) for step in range(1, level + 1)]
    columns = [geometry.columns(u, t - level + step) for step in range(level + 1)]

    def scores_of(chunk: np.ndarray, removed: int) -> np.ndarray:
        width = columns[level - removed].masks.size
        scores = np.empty(chunk.size * width, codes.dtype)
        subspace = graph.after_removals(after, removed)
        if graph.is_over(subspace):
            scores.fill(top)
        else:
            table = tables(subspace)
            score_rows(chunk, table.values, width, table.draw, top, scores)
        return scores

    def work(worker: int, start: int, stop: int) -> None:
        chunk = rows[start:stop]
        scores = scores_of(chunk, level)
        for step in range(1, level + 1):
            fewer, here = columns[step - 1], columns[step]
            partial = step < level and protection == PROTECTION["mills"]
            without = scores_of(chunk, level - step) if partial else np.empty(0, codes.dtype)
            result = np.empty(chunk.size * here.masks.size, codes.dtype)
            take_one(
                chunk, movers, geometry.lines, geometry.full, protection, runs[step - 1], scores, fewer.high, without, here.masks, result,
                RemovalScratch(
                    scratch[worker].lines,
                    np.empty(here.masks.size, np.uint8),
                    np.empty(here.masks.size, codes.dtype),
                    np.empty(fewer.masks.size, codes.dtype),
                ),
            )  # fmt: skip
            scores = result
        scatter_removals(chunk, movers, columns[level].masks, scores, top, target, codes, scratch[worker])

    workers.over_rows(rows.size, work, max(1, _CHUNK_CELLS // columns[level].masks.size))
