"""Transposition: from a row to the cells of the same positions where the rows are those of another player's stones.

One canonicalisation a cell, none a turn. Cells are visited in batches, asked for in advance (`prefetch`): without that the look-ups wait
for memory one by one. A row holds the stones of all players but the one to move: one set T, or with three players two of them. `Target`
and `PairTarget` stand for the two, and Numba chooses between the two ways at compile time, by the type.
"""

from typing import NamedTuple

import numpy as np

from merels.kernels.bits import deposit, extract, prefetch
from merels.kernels.jit import chosen_by_type, inlined
from merels.kernels.ranking import STABILISED, image, orbit_class, orbit_symmetry, rank
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


class PairTarget(NamedTuple):
    """`Target` with three players: in a row the stones N of the next player and P of the previous one stay put and X moves.

    X is seen as the next player's set of a table in which P's owner is to move and N's was the last to do so: rows by the class of X and
    the rank of N among the points that X leaves free, columns by the rank of P among the rest.

    orbits : classes of X. next_high : ranks of N. width : sets N that there are beside X. high : ranks of P. stride : cells of a row.
    nexts : uint32, by row the set N. images, full : as in `Target`.
    """

    orbits: tuple
    next_high: np.ndarray
    width: int
    high: np.ndarray
    stride: int
    nexts: np.ndarray
    images: np.ndarray
    full: int


@inlined
def open_images(images, x, own_images):
    """Write all images of ``x`` into ``own_images`` (int64): a row needs them once."""
    for g in range(images.shape[0]):
        own_images[g] = image(images, g, x)


@inlined
def open_pair(images, first, second, own_images):
    """`open_images` for two sets, one after the other."""
    open_images(images, first, own_images)
    open_images(images, second, own_images[images.shape[0] :])


def open_others(target, row, others, own_images):
    """Write the images of the stones that stay put in a row, ``others`` all together, into ``own_images`` (int64).

    This is the way of a `Target`; kernels take that of `PairTarget` below where they are given one.
    """
    open_images(target.images, others, own_images)


@chosen_by_type(open_others)
def _open_others(target, row, others, own_images):
    def pair(target, row, others, own_images):
        following = np.int64(target.nexts[row])
        open_pair(target.images, following, others ^ following, own_images)

    return pair if target.instance_class is PairTarget else open_others


@inlined
def cell_of(target, own_images, entry):
    """Cell of the position (X, T); ``entry``: that of X, ``own_images``: those of T."""
    row = orbit_class(entry)
    free = target.full ^ np.int64(target.orbits.representatives[row])
    return row * target.stride + rank(extract(own_images[orbit_symmetry(entry)], free), target.high)


@inlined
def place_of(target, x):
    """Where the entry of the set X is; it is asked for, so that a batch of them is at hand when it is wanted."""
    place = rank(x, target.orbits.high)
    prefetch(np.int64(target.orbits.entry.ctypes.data) + place * 4)
    return place


@inlined
def pair_cell(target, row_class, following, previous):
    """Cell of a position in a row class of a `PairTarget`: its other two sets as the class's representative sees them."""
    free = target.full ^ np.int64(target.orbits.representatives[row_class])
    row = row_class * target.width + rank(extract(following, free), target.next_high)
    return row * target.stride + rank(extract(previous, free ^ following), target.high)


def append_cells(target, own_images, place, cells, count):
    """Append every cell of the position of X and the stones of ``own_images`` to ``cells`` (int64, modified in place); the new count.

    There are several where X has symmetries of its own. ``place``: see `place_of`. This is the way of a `Target`.
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


@chosen_by_type(append_cells)
def _append_cells(target, own_images, place, cells, count):
    return _append_pair_cells if target.instance_class is PairTarget else append_cells


def _append_pair_cells(target, own_images, place, cells, count):
    entry = target.orbits.entry[np.uint64(place)]
    row_class, symmetries = orbit_class(entry), target.images.shape[0]
    following = own_images[orbit_symmetry(entry)]
    previous = own_images[symmetries + orbit_symmetry(entry)]
    cells[np.uint64(count)] = pair_cell(target, row_class, following, previous)
    count += 1
    if entry & np.uint32(STABILISED):
        stabiliser = target.orbits.stabilisers[row_class]
        for g in range(1, symmetries):
            if (stabiliser >> g) & 1:
                cells[count] = pair_cell(target, row_class, image(target.images, g, following), image(target.images, g, previous))
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
            cells[np.uint64(k - start)] = place_of(target, deposit(np.int64(masks[k]), free))
        for k in range(stop - start):
            cell = cell_of(target, own_images, target.orbits.entry[np.uint64(cells[np.uint64(k)])])
            prefetch(address + cell * size)
            cells[np.uint64(k)] = cell
        for k in range(start, stop):
            scores[k] = values[np.uint64(cells[np.uint64(k - start)])]
    codes_to_scores(scores, draw, top)
