"""Transposition: from a row of T to the cells of the same positions where the rows are those of the other player's stones.

One canonicalisation a cell, none a turn. Cells are visited in batches, asked for in advance (`prefetch`): without that the look-ups wait
for memory one by one.
"""

from typing import NamedTuple

import numpy as np

from merels.kernels.bits import deposit, extract, prefetch
from merels.kernels.jit import inlined
from merels.kernels.ranking import STABILISED, image, orbit_class, orbit_entry, orbit_symmetry, rank
from merels.kernels.scratch import BATCH
from merels.kernels.values import codes_to_scores


class Target(NamedTuple):
    """The rows of the stones X that move in a row of T, seen as a table in which X is not to move.

    orbits : classes of X. high : ranks of T among the points that X leaves free. stride : cells of a row.
    images : the symmetries' byte tables. full : mask of all points.
    """

    orbits: tuple
    high: np.ndarray
    stride: int
    images: np.ndarray
    full: int


@inlined
def open_images(images, x, own_images):
    """Write all images of ``x`` into ``own_images`` (int64): a row needs them once."""
    for g in range(images.shape[0]):
        own_images[g] = image(images, g, x)


@inlined
def cell_of(target, own_images, entry):
    """Cell of the position (X, T); ``entry``: that of X, ``own_images``: those of T."""
    row = orbit_class(entry)
    free = target.full ^ np.int64(target.orbits.representatives[row])
    return row * target.stride + rank(extract(own_images[orbit_symmetry(entry)], free), target.high)


@inlined
def place_of(target, x):
    """Where the entry of the set X is; it is asked for, so that a batch of them is at hand when `append_cells` wants it."""
    place = rank(x, target.orbits.high)
    prefetch(np.int64(target.orbits.entry.ctypes.data) + place * 4)
    return place


@inlined
def append_cells(target, own_images, place, cells, count):
    """Append every cell of the position (X, T) to ``cells`` (int64, modified in place); the new count. ``place``: see `place_of`.

    There are several where X has symmetries of its own.
    """
    entry = target.orbits.entry[np.uint64(place)]
    cells[np.uint64(count)] = cell_of(target, own_images, entry)
    count += 1
    if entry & np.uint32(STABILISED):
        row = orbit_class(entry)
        stabiliser = target.orbits.stabilisers[row]
        free = target.full ^ np.int64(target.orbits.representatives[row])
        seen = own_images[orbit_symmetry(entry)]
        for g in range(1, target.images.shape[0]):
            if (stabiliser >> g) & 1:
                cells[count] = row * target.stride + rank(extract(image(target.images, g, seen), free), target.high)
                count += 1
    return count


@inlined
def gather_scores(target, own_images, free, masks, values, draw, top, cells, scores):
    """``scores[k]`` = score of a turn that leads to the position (X, T) for the k-th set X of a row.

    values : 1-D value codes of the table whose rows are those of X, T to move; ``draw`` its code for drawn.
    Written in place: ``scores`` (as many as ``masks``); ``cells`` (int64, BATCH) is scratch.
    """
    address = np.int64(values.ctypes.data)
    size = np.int64(values.itemsize)
    for start in range(0, masks.size, BATCH):
        stop = min(start + BATCH, masks.size)
        for k in range(start, stop):
            x = deposit(np.int64(masks[k]), free)
            cell = cell_of(target, own_images, orbit_entry(target.orbits, x))
            prefetch(address + cell * size)
            cells[np.uint64(k - start)] = cell
        for k in range(start, stop):
            scores[k] = values[np.uint64(cells[np.uint64(k - start)])]
    codes_to_scores(scores, draw, top)
