"""Scratch: the small arrays in which one thread prepares a row. Kernels allocate nothing (see `merels.kernels.jit`)."""

from typing import NamedTuple

import numpy as np

BATCH = 256
"""Cells that are asked for before the first of them is used."""
SPARE = 64
"""One position has at most one cell for each symmetry."""
RANKS = 1024
"""More predecessors than one position can have (27 * 26 / 2), rounded up."""


class RowScratch(NamedTuple):
    """All int64.

    images : of T under each symmetry, with three players of two sets. lines : those that T leaves open. hops, ends : of the row, as
    `open_row` writes them. low_hops : (words, 2, 4096), as `open_low_hops` writes it. ranks : predecessors waiting. places, waiting : sets
    waiting, and what goes into their cells; cells, codes : the same cell by cell.
    """

    images: np.ndarray
    lines: np.ndarray
    hops: np.ndarray
    ends: np.ndarray
    ranks: np.ndarray
    places: np.ndarray
    waiting: np.ndarray
    cells: np.ndarray
    codes: np.ndarray
    low_hops: np.ndarray


def row_scratch(symmetries: int, lines: int, words: int) -> RowScratch:
    """Scratch for a board with so many symmetries, lines, and words of hops."""
    sizes = (2 * symmetries, lines, words, words * 64, BATCH + RANKS, BATCH, BATCH, BATCH + SPARE, BATCH + SPARE)
    return RowScratch(*(np.empty(max(1, size), np.int64) for size in sizes), np.empty((words, 2, 4096), np.int64))
