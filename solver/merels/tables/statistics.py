"""Counting a table: its won, drawn and lost positions, each orbit once, by all threads."""

from __future__ import annotations

import numpy as np

from merels.indexing import Geometry
from merels.kernels.ranking import count_values
from merels.retrograde.workers import Workers
from merels.tables.counts import Counts
from merels.tables.table import DTW, Table


def count(table: Table, geometry: Geometry, workers: Workers) -> Counts:
    """Count the positions of a table by value and distance.

    Parameters
    ----------
    table : of a variant that has this geometry.
    geometry : board, symmetries and row spaces of the variant.
    workers : the threads to use.
    """
    space = geometry.rows(table.subspace.stones, table.subspace.other)
    orbits, masks = space.orbits, space.columns.masks
    bins = table.draw + 1
    histograms = [np.zeros(bins, np.int64) for _ in range(workers.jobs)]

    def work(worker: int, start: int, stop: int) -> None:
        count_values(
            start,
            stop,
            table.values,
            geometry.full,
            orbits.representatives,
            orbits.stabilisers,
            masks,
            geometry.images,
            histograms[worker],
        )

    workers.over_rows(space.shape[0], work)
    total = np.sum(histograms, axis=0)
    decided = np.trim_zeros(total[: table.draw], "b")
    return Counts(tuple(decided.tolist()), int(total[table.draw]), table.metric == DTW)
