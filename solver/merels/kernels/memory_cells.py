"""Cells of positions that remember.

A table has a *group* of rows for each class of T: the plain row, and in the second part of the table a row for each thing that the player
of T may remember. Each row has the plain columns and after them a *block* of columns for each thing that the player of U may remember.
So a position in which nobody remembers anything lies at its plain row and column, and a turn, which leaves T alone, leads to a cell of
the same group. Tables are laid out by `merels.indexing.memory`; the page docs/repeated-mills.md tells the same to people.
"""

from typing import NamedTuple

import numpy as np

from merels.kernels.bits import deposit, extract, popcount, trailing_zeros
from merels.kernels.jit import inlined, kernel
from merels.kernels.memory import (
    DIFFERENT,
    NO_IMMEDIATE,
    Records,
    barred_index,
    count_held,
    held_below,
    image_part,
    memory_index,
    open_below,
    parts_of,
    records_and,
)
from merels.kernels.moves import hops_or
from merels.kernels.ranking import Orbits, image, orbit_class, orbit_entry, orbit_symmetry, rank


class Layout(NamedTuple):
    """Rows and columns of one subspace, in an array with ``stride`` cells a row.

    orbits : classes of T. first : int64, one more than there are classes: number of the first row of each class that remembers. high,
    masks : plain ranks of U. rest_high, rest_masks : under `no-immediate` those of U without the stones of a record. width : cells that
    are meant, of ``stride``. own, other : records of the players of U and of T.
    """

    orbits: Orbits
    first: np.ndarray
    high: np.ndarray
    masks: np.ndarray
    rest_high: np.ndarray
    rest_masks: np.ndarray
    width: int
    stride: int
    own: Records
    other: Records


class GroupScratch(NamedTuple):
    """Scratch of one thread for a group of rows. All int64.

    open : records of the columns, in order of their blocks. block : block of each open record. words : the open records as bits. rows :
    records of the rows, in order.
    """

    open: np.ndarray
    block: np.ndarray
    words: np.ndarray
    rows: np.ndarray


@inlined
def cell_in_group(recall, layout, row, u, u_first, u_second, t_first, t_second):
    """Cell of a position whose T is the representative of the class ``row``; the other arguments are seen from there."""
    t = np.int64(layout.orbits.representatives[row])
    occupied, free = u | t, recall.full ^ t
    place = np.int64(row)
    held = memory_index(recall, layout.other, t, occupied, t_first, t_second)
    if held != 0:
        place = layout.first[row] + (held_below(layout.other, t, held - 1) if recall.kind == NO_IMMEDIATE else held - 1)
    own = memory_index(recall, layout.own, u, occupied, u_first, u_second)
    if own != 0 and recall.kind == NO_IMMEDIATE:
        number = own - 1
        rest = extract(u & ~layout.own.required[number], free & ~layout.own.aside[number])
        column = layout.masks.size + open_below(layout.own, t, number) * layout.rest_masks.size + rank(rest, layout.rest_high)
    else:
        column = own * layout.masks.size + rank(extract(u, free), layout.high)
    return place * layout.stride + column


@inlined
def image_cell(recall, layout, row, g, u, u_first, u_second, t_first, t_second):
    """`cell_in_group` of the image of a position under the symmetry ``g``, which takes its T to the representative of ``row``."""
    return cell_in_group(
        recall,
        layout,
        row,
        image(recall.images, g, u),
        image_part(recall, g, u_first),
        image_part(recall, g, u_second),
        image_part(recall, g, t_first),
        image_part(recall, g, t_second),
    )


@inlined
def memory_cell(recall, layout, u, u_first, u_second, t, t_first, t_second):
    """Cell of any position, U to move."""
    entry = orbit_entry(layout.orbits, t)
    g = orbit_symmetry(entry)
    return image_cell(recall, layout, orbit_class(entry), g, u, u_first, u_second, t_first, t_second)


@inlined
def open_group(recall, layout, t, group):
    """Prepare the rows of T; returns how many blocks and how many rows that remember there are. ``group``: `GroupScratch`, in place."""
    if recall.kind == DIFFERENT:
        return layout.own.count, layout.other.count
    found = 0
    for word in range(layout.own.touching.shape[0]):
        group.words[word] = ~hops_or(layout.own.touching, word, t)
        bits = group.words[word]
        while bits != 0:
            number = word * 64 + trailing_zeros(bits)
            bits &= bits - 1
            group.open[found] = number
            group.block[number] = found
            found += 1
    rows = 0
    for word in range(layout.other.holding.shape[0]):
        bits = records_and(layout.other.holding, word, t) & ~hops_or(layout.other.leaving, word, t)
        while bits != 0:
            group.rows[rows] = word * 64 + trailing_zeros(bits)
            bits &= bits - 1
            rows += 1
    return found, rows


@inlined
def row_index(recall, group, local):
    """`memory_index` of the player of T in the ``local``-th row of a group; 0 in the plain row."""
    if local == 0:
        return np.int64(0)
    return group.rows[local - 1] + 1 if recall.kind == NO_IMMEDIATE else np.int64(local)


@inlined
def mover_of(recall, layout, t, column, blocks, group):
    """The stones U and their parts in a column; U is -1 where the column is not used."""
    free, size = recall.full ^ t, layout.masks.size
    if column < size:
        return deposit(np.int64(layout.masks[column]), free), np.int64(0), np.int64(0)
    if recall.kind == NO_IMMEDIATE:
        rest = layout.rest_masks.size
        block = (column - size) // rest
        if block >= blocks:
            return np.int64(-1), np.int64(0), np.int64(0)
        number = group.open[block]
        u = deposit(np.int64(layout.rest_masks[(column - size) - block * rest]), free & ~layout.own.aside[number])
        u |= layout.own.required[number]
        part = layout.own.pairs[number] + 1
        if barred_index(layout.own, u, u | t, part) != number + 1:
            return np.int64(-1), np.int64(0), np.int64(0)
        return u, part, np.int64(0)
    index = column // size
    u = deposit(np.int64(layout.masks[column - index * size]), free)
    first, second = parts_of(recall, layout.own, u, index)
    return u, first, second


@inlined
def is_used(recall, layout, t, held, t_first, u):
    """Whether the player of T can remember the row's record, with U on the board."""
    return held == 0 or recall.kind == DIFFERENT or barred_index(layout.other, t, u | t, t_first) == held


@kernel
def count_rows(representatives, records, counts):
    """``counts[row]`` (int64, in place) = rows that remember of each class under `no-immediate`; returns nothing."""
    for row in range(representatives.size):
        counts[row] = count_held(records, np.int64(representatives[row]))


@kernel
def most_blocks(representatives, records):
    """Most blocks that a class leaves open under `no-immediate`."""
    most = np.int64(0)
    for row in range(representatives.size):
        found = np.int64(0)
        for word in range(records.touching.shape[0]):
            found += popcount(~hops_or(records.touching, word, np.int64(representatives[row])))
        most = max(most, found)
    return most


@kernel
def locate_memory(movers, others, parts, recall, layout, cells):
    """``cells[k]`` (int64, in place) = cell of the k-th position.

    movers, others : uint32 sets. parts : int64 (positions, 4), those of the mover, then those of the other.
    """
    for k in range(movers.size):
        cells[k] = memory_cell(
            recall, layout, np.int64(movers[k]), parts[k, 0], parts[k, 1], np.int64(others[k]), parts[k, 2], parts[k, 3]
        )


@kernel
def group_of_row(layout, row):
    """Class of a row and its place in the group, 0 for the plain row."""
    plain = layout.orbits.representatives.size
    if row < plain:
        return row, 0
    low, high = 0, plain
    while high - low > 1:
        middle = (low + high) // 2
        if layout.first[middle] <= row:
            low = middle
        else:
            high = middle
    return low, row - layout.first[low] + 1


@kernel
def describe_cells(row, start, stop, recall, layout, group, found):
    """What the columns from ``start`` to ``stop`` of a row stand for.

    Written in place: ``found`` (int64 (columns, 6)): U, its two parts, T, its two parts; U is -1 where the cell stands for no position.
    """
    plain, local = group_of_row(layout, row)
    t = np.int64(layout.orbits.representatives[plain])
    blocks, _ = open_group(recall, layout, t, group)
    held = row_index(recall, group, local)
    t_first, t_second = np.int64(0), np.int64(0)
    if held != 0:
        t_first, t_second = parts_of(recall, layout.other, t, held)
    for column in range(start, stop):
        u, first, second = mover_of(recall, layout, t, column, blocks, group)
        if u >= 0 and not is_used(recall, layout, t, held, t_first, u):
            u = np.int64(-1)
        cell = found[column - start]
        cell[0], cell[1], cell[2], cell[3], cell[4], cell[5] = u, first, second, t, t_first, t_second


@kernel
def count_memory_values(start, stop, values, recall, layout, symmetries, histogram, group):
    """Add the value codes of the groups from ``start`` to ``stop`` to ``histogram`` (int64, in place), each orbit of positions once."""
    for row in range(start, stop):
        t = np.int64(layout.orbits.representatives[row])
        stabiliser = layout.orbits.stabilisers[row]
        blocks, rows = open_group(recall, layout, t, group)
        for local in range(rows + 1):
            held = row_index(recall, group, local)
            t_first, t_second = np.int64(0), np.int64(0)
            if held != 0:
                t_first, t_second = parts_of(recall, layout.other, t, held)
            base = (layout.first[row] + local - 1 if local > 0 else row) * layout.stride
            for column in range(layout.width):
                u, first, second = mover_of(recall, layout, t, column, blocks, group)
                if u < 0 or not is_used(recall, layout, t, held, t_first, u):
                    continue
                counted = True
                if stabiliser != 1:
                    for g in range(1, symmetries):
                        if (stabiliser >> g) & 1 and counted:
                            twin = image_cell(recall, layout, row, g, u, first, second, t_first, t_second)
                            counted = base + column <= twin
                if counted:
                    histogram[values[np.uint64(base + column)]] += 1


@kernel
def fill_unused(row_start, row_stop, values, recall, layout, code, group):
    """Write ``code`` into the cells of some rows that stand for no position. ``values``: 1-D, those rows, modified in place."""
    for row in range(row_start, row_stop):
        plain, local = group_of_row(layout, row)
        t = np.int64(layout.orbits.representatives[plain])
        blocks, _ = open_group(recall, layout, t, group)
        held = row_index(recall, group, local)
        t_first = parts_of(recall, layout.other, t, held)[0] if held != 0 else np.int64(0)
        base = (row - row_start) * layout.width
        for column in range(layout.width):
            u = mover_of(recall, layout, t, column, blocks, group)[0]
            if u < 0 or not is_used(recall, layout, t, held, t_first, u):
                values[np.uint64(base + column)] = code
