"""Counting a table: its won, drawn and lost positions, each orbit once, by all threads."""

from __future__ import annotations

import numpy as np

from merels.indexing import Geometry
from merels.indexing.memory import MemorySpace
from merels.kernels.memory_cells import count_memory_values
from merels.kernels.ranking import Filter, count_values, ranks_of
from merels.retrograde.workers import Workers
from merels.subspaces import Subspace
from merels.tables.counts import Counts
from merels.tables.table import Table


def count(table: Table, geometry: Geometry, workers: Workers, men: int | None = None) -> Counts:
    """Count the positions of a table by value and distance.

    Parameters
    ----------
    table : of a variant that has this geometry.
    geometry : board, symmetries and row spaces of the variant.
    workers : the threads to use.
    men : if given, only positions that the filter of `merels.reachable` keeps in a game with so many men a player.
    """
    space = table.subspace.space(geometry)
    if isinstance(space, MemorySpace):
        return _count_remembering(table, space, workers)
    masks = space.columns.masks
    only = None if men is None else _reachable(table.subspace, geometry, men)
    bins = table.draw + 1
    histograms = [np.zeros((4, bins), np.int64) for _ in range(workers.jobs)]

    def work(worker: int, start: int, stop: int) -> None:
        count_values(
            start,
            stop,
            table.values,
            geometry.full,
            space.representatives,
            space.stabilisers,
            masks,
            geometry.images,
            only,
            histograms[worker],
        )

    workers.over_rows(space.shape[0], work)
    total = np.sum(histograms, axis=(0, 1))
    decided = np.trim_zeros(total[: table.draw], "b")
    return Counts.of(decided.tolist(), int(total[table.draw]), table.metric)


def _count_remembering(table: Table, space: MemorySpace, workers: Workers) -> Counts:
    histograms = np.zeros((workers.jobs, table.draw + 1), np.int64)
    fixed = (table.values, space.recall, space.layout(), len(space.geometry.images))
    scratch = [space.group_scratch() for _ in range(workers.jobs)]

    def work(worker: int, start: int, stop: int) -> None:
        count_memory_values(start, stop, *fixed, histograms[worker], scratch[worker])

    workers.over_rows(space.orbits.representatives.size, work)
    total = histograms.sum(axis=0)
    return Counts.of(np.trim_zeros(total[: table.draw], "b").tolist(), int(total[table.draw]), table.metric)


def count_raw(table: Table, geometry: Geometry) -> Counts:
    """Count the positions of a table with all their images under the symmetries.

    A row stands for as many sets T as there are symmetries for each that keeps its representative, and has one cell for every set U.
    """
    space = geometry.rows(table.subspace.stones, table.subspace.other)
    values = table.values.reshape(space.shape)
    kept = np.array([int(stabiliser).bit_count() for stabiliser in space.orbits.stabilisers])
    total = np.zeros(table.draw + 1, np.int64)
    for number in np.unique(kept):
        images = len(geometry.images) // int(number)
        for row in np.flatnonzero(kept == number):
            total += images * np.bincount(values[row], minlength=total.size)
    decided = np.trim_zeros(total[: table.draw], "b")
    return Counts.of(decided.tolist(), int(total[table.draw]), table.metric)


def _reachable(subspace: Subspace, geometry: Geometry, men: int) -> Filter:
    u, t = subspace.stones, subspace.other
    representatives = geometry.orbits(t).representatives
    rows = geometry.hitting(t)[ranks_of(representatives, geometry.columns(0, t).high)] <= men - u
    return Filter(rows, geometry.columns(0, u).high, geometry.hitting(u), men - t)
