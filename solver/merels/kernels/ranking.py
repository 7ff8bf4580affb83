"""Ranks: the number of a set among the sets of its size, in numerical order of the masks; and what is found by rank.

``rank(x) = high[x >> 12] + LOW[x & 4095]``: two look-ups, both first-level cache resident for the free points of a row.
`Orbits` turns a set into its class, its representative and a symmetry that leads there. How those arrays are laid out for a board
is decided in `merels.indexing`.
"""

from typing import NamedTuple

import numpy as np

from merels.kernels.bits import deposit, extract
from merels.kernels.jit import inlined, kernel

SYMMETRY_BITS = 6
"""Low bits of an `Orbits.entry` that hold the symmetry; the next bit tells a class with symmetries of its own."""
STABILISED = 1 << SYMMETRY_BITS
_SYMMETRY = STABILISED - 1
_CLASS_SHIFT = SYMMETRY_BITS + 1


def _low_table() -> np.ndarray:
    counters = [0] * 13
    table = np.zeros(4096, np.uint16)
    for x in range(4096):
        size = x.bit_count()
        table[x] = counters[size]
        counters[size] += 1
    return table


LOW: np.ndarray = _low_table()
"""uint16, 4096: rank of a 12-bit mask among those of its size."""


class Columns(NamedTuple):
    """The k-subsets of n points.

    high : uint32, one for each value of the points from the thirteenth on: sets that come before.
    masks : uint32, C(n, k): the sets in order of rank.
    """

    high: np.ndarray
    masks: np.ndarray


class Filter(NamedTuple):
    """Which positions of a table are counted.

    rows : bool, one a row: whether any position of the row is.
    high : uint32, ranks of sets of the whole board of the columns' size.
    hits : uint8, a number for each of those sets. most : the position is counted if its set U has no more.
    """

    rows: np.ndarray
    high: np.ndarray
    hits: np.ndarray
    most: int


class Orbits(NamedTuple):
    """The classes of the k-subsets of a board under its symmetries.

    high : uint32, ranks of k-subsets of the whole board.
    entry : uint32, C(points, k): class << 7 | has symmetries of its own << 6 | a symmetry that takes the set to its representative.
    representatives : uint32, one a class: its numerically smallest set. Classes are numbered by it.
    stabilisers : int64, one a class: bit set of the symmetries that keep the representative.
    """

    high: np.ndarray
    entry: np.ndarray
    representatives: np.ndarray
    stabilisers: np.ndarray


@inlined
def rank(x, high):
    """Rank of the set ``x`` among the sets of its size."""
    return np.int64(high[np.uint64(x >> 12)]) + np.int64(LOW[np.uint64(x & 4095)])


def ranks_of(sets: np.ndarray, high: np.ndarray) -> np.ndarray:
    """`rank` of each of an array of sets (uint32), outside kernels; uint32."""
    return high[sets >> np.uint32(12)] + LOW[sets & np.uint32(4095)]


@inlined
def image(images, symmetry, x):
    """Image of the set ``x`` under a symmetry; ``images``: uint32 (symmetries, 4, 256), one table for each byte of ``x``."""
    return (
        np.int64(images[symmetry, 0, x & 255])
        | np.int64(images[symmetry, 1, (x >> 8) & 255])
        | np.int64(images[symmetry, 2, (x >> 16) & 255])
        | np.int64(images[symmetry, 3, (x >> 24) & 255])
    )


@inlined
def orbit_class(entry):
    """Class number in an entry of `Orbits`."""
    return np.int64(entry >> np.uint32(_CLASS_SHIFT))


@inlined
def orbit_symmetry(entry):
    """Symmetry in an entry of `Orbits` that takes the set to its representative."""
    return np.int64(entry & np.uint32(_SYMMETRY))


@inlined
def orbit_entry(orbits, x):
    """Entry of the set ``x``."""
    return orbits.entry[np.uint64(rank(x, orbits.high))]


@kernel
def fill_masks(size, masks):
    """Write the sets of ``size`` points in numerical order into ``masks`` (uint32, modified in place, its length tells how many)."""
    if size == 0:
        masks[0] = 0
        return
    x = (np.int64(1) << size) - 1
    for k in range(masks.size):
        masks[k] = x
        lowest = x & -x
        ripple = x + lowest
        x = (((ripple ^ x) >> 2) // lowest) | ripple


@kernel
def fill_orbits(masks, high, images, inverses, entry, representatives, stabilisers):
    """Number the classes of ``masks`` under the symmetries and return how many there are.

    The first set of a class that is met, the smallest, is its representative; its images get their entries at once, so every set
    is touched about once. Modified in place: ``entry`` (uint32, C(n, k), zero at the start), ``representatives`` (uint32),
    ``stabilisers`` (int64), both long enough. ``inverses`` (int64): the inverse of each symmetry.
    """
    unseen = np.uint32(0xFFFFFFFF)
    entry[:] = unseen
    classes = 0
    for k in range(masks.size):
        if entry[k] != unseen:
            continue
        x = np.int64(masks[k])
        stabiliser = np.int64(0)
        for g in range(images.shape[0]):
            if image(images, g, x) == x:
                stabiliser |= np.int64(1) << g
        mark = np.int64(classes) << _CLASS_SHIFT
        if stabiliser != 1:
            mark |= STABILISED
        for g in range(images.shape[0]):
            place = rank(image(images, g, x), high)
            if entry[place] == unseen:
                entry[place] = mark | inverses[g]
        representatives[classes] = x
        stabilisers[classes] = stabiliser
        classes += 1
    return classes


@kernel
def locate(movers, others, full, orbits, columns_high, images, rows, columns):
    """Row and column of positions: for each pair of sets (U, T) the class of T and the rank of U seen from T's representative.

    movers, others : uint32, equal length. Written in place: ``rows``, ``columns`` (int64, same length).
    """
    for k in range(movers.size):
        entry = orbit_entry(orbits, np.int64(others[k]))
        row = orbit_class(entry)
        free = full ^ np.int64(orbits.representatives[row])
        rows[k] = row
        columns[k] = rank(extract(image(images, orbit_symmetry(entry), np.int64(movers[k])), free), columns_high)


@kernel
def fill_sets(row_start, row_stop, full, representatives, masks, movers, others):
    """Write the sets (U, T) of all cells of rows ``row_start`` to ``row_stop`` into ``movers`` and ``others`` (uint32, in place)."""
    place = 0
    for row in range(row_start, row_stop):
        other = np.int64(representatives[row])
        for k in range(masks.size):
            movers[place] = deposit(np.int64(masks[k]), full ^ other)
            others[place] = other
            place += 1


@inlined
def is_first_of_orbit(stabiliser, images, x):
    """Whether ``x`` is the smallest of its images under the symmetries in the bit set ``stabiliser``."""
    if stabiliser != 1:
        for g in range(1, images.shape[0]):
            if (stabiliser >> g) & 1 and image(images, g, x) < x:
                return False
    return True


@kernel
def count_values(row_start, row_stop, values, full, representatives, stabilisers, masks, images, only, histograms):
    """Add the value codes of rows ``row_start`` to ``row_stop`` to ``histograms``, each orbit of positions once.

    values : 1-D, C-ordered (rows, columns) value codes. only : a `Filter`, or None for all positions. histograms : int64 (4, codes),
    modified in place; their sum is what is wanted. There are four because equal codes often follow one another, and a bin that was just
    written is slow to read.
    """
    columns = masks.size
    for row in range(row_start, row_stop):
        if only is not None and not only.rows[row]:
            continue
        free = full ^ np.int64(representatives[row])
        stabiliser = stabilisers[row]
        base = row * columns
        if only is None and stabiliser == 1:
            fours = columns & ~3
            for k in range(base, base + fours, 4):
                for lane in range(4):
                    histograms[lane, values[np.uint64(k + lane)]] += 1
            for k in range(base + fours, base + columns):
                histograms[0, values[np.uint64(k)]] += 1
            continue
        for k in range(columns):
            mover = deposit(np.int64(masks[k]), free)
            if only is not None and only.hits[rank(mover, only.high)] > only.most:
                continue
            if is_first_of_orbit(stabiliser, images, mover):
                histograms[0, values[np.uint64(base + k)]] += 1


@kernel
def count_orbits(full, representatives, stabilisers, masks, images):
    """Number of positions of a subspace, each orbit once."""
    total = np.int64(0)
    for row in range(representatives.size):
        if stabilisers[row] == 1:
            total += masks.size
            continue
        free = full ^ np.int64(representatives[row])
        for k in range(masks.size):
            total += is_first_of_orbit(stabilisers[row], images, deposit(np.int64(masks[k]), free))
    return total


@kernel
def mark_mill_rows(representatives, lines, marks):
    """``marks[row]`` (bool, modified in place) = the row's set holds a whole line."""
    for row in range(representatives.size):
        x = np.int64(representatives[row])
        for i in range(lines.size):
            line = np.int64(lines[i])
            if x & line == line:
                marks[row] = True
