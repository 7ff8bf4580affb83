"""Turns as data: hops as sets of bits, mills as line masks, and the turns taken back that both retrograde passes walk.

A hop and its reverse share one bit; the hops of a set of stones come out of byte tables. Each table is linear: the bit set of the
hops with *exactly one* end in M is the exclusive or over the stones of M, and those are just the moves of M once hops with an end
under T are gone. A move and its taking back are the same bit. What a turn is worth does not live here.
"""

from typing import NamedTuple

import numpy as np

from merels.kernels.bits import deposit, extract, popcount, trailing_zeros
from merels.kernels.jit import inlined, kernel
from merels.kernels.ranking import rank


class Moves(NamedTuple):
    """The hops of a movement in words of 64 bits; the middle axis of the tables is the byte of the mask.

    touching : int64 (words, 4, 256), hops with an end in the byte's points.
    crossing : int64 (words, 4, 256), hops with exactly one end in them.
    blocked : int64 (words, 4, 256), hops that pass over one of them.
    everything : int64 (words,), all hops.
    ends : uint32 (words, 64), the two ends of each hop.
    passing : whether any hop passes over a point.
    """

    touching: np.ndarray
    crossing: np.ndarray
    blocked: np.ndarray
    everything: np.ndarray
    ends: np.ndarray
    passing: bool


class Mills(NamedTuple):
    """The lines of a board in words of 64 bits.

    part : int64 (words, 4, 256), for each byte of a mask the lines of which it lacks no point.
    lines : uint32 (words, 64), the points of each line.
    """

    part: np.ndarray
    lines: np.ndarray


@inlined
def hops_or(table, word, x):
    """Union over the points of ``x``."""
    return (
        table[word, 0, x & 255] | table[word, 1, (x >> 8) & 255] | table[word, 2, (x >> 16) & 255] | table[word, 3, (x >> 24) & 255]
    )


@inlined
def hops_xor(table, word, x):
    """Exclusive or over the points of ``x``."""
    return (
        table[word, 0, x & 255] ^ table[word, 1, (x >> 8) & 255] ^ table[word, 2, (x >> 16) & 255] ^ table[word, 3, (x >> 24) & 255]
    )


@inlined
def open_row(moves, others, free, row_hops, row_ends):
    """Prepare a row: the hops that the stones ``others`` leave open, and their two ends among the free points.

    Written in place: ``row_hops`` (int64, words), ``row_ends`` (int64, words * 64).
    """
    for word in range(moves.everything.size):
        hops = moves.everything[word] & ~hops_or(moves.touching, word, others) & ~hops_or(moves.blocked, word, others)
        row_hops[word] = hops
        while hops != 0:
            bit = trailing_zeros(hops)
            hops &= hops - 1
            row_ends[word * 64 + bit] = extract(np.int64(moves.ends[word, bit]), free)


@inlined
def moves_of(moves, row_hops, word, x):
    """The moves of the stones ``x`` in a row, as hops."""
    hops = hops_xor(moves.crossing, word, x) & row_hops[word]
    if moves.passing:
        hops &= ~hops_or(moves.blocked, word, x)
    return hops


@inlined
def open_low_hops(moves, row_hops, free, low_hops):
    """Write the hops of every set of the first twelve free points of a row into ``low_hops`` (int64 (words, 2, 4096), in place).

    ``low_hops[:, 0]``: those with exactly one end in the set; ``low_hops[:, 1]``: those that pass over it, where hops pass at all.
    """
    for word in range(row_hops.size):
        low_hops[word, 0, 0] = low_hops[word, 1, 0] = 0
        for point in range(12):
            stone = deposit(np.int64(1) << point, free)
            crossing = hops_xor(moves.crossing, word, stone) & row_hops[word]
            blocked = hops_or(moves.blocked, word, stone)
            half = 1 << point
            for x in range(half):
                low_hops[word, 0, half + x] = low_hops[word, 0, x] ^ crossing
            if moves.passing:
                for x in range(half):
                    low_hops[word, 1, half + x] = low_hops[word, 1, x] | blocked


@inlined
def count_row_moves(moves, row_hops, free, masks, low_hops, counts):
    """``counts[k]`` (in place) = number of moves of the k-th set of a row; ``low_hops`` is scratch, as `open_low_hops` writes it."""
    open_low_hops(moves, row_hops, free, low_hops)
    for word in range(row_hops.size):
        upper, crossing, blocked = np.int64(-1), np.int64(0), np.int64(0)
        for k in range(masks.size):
            packed = np.int64(masks[k])
            if packed >> 12 != upper:
                upper = packed >> 12
                stones = deposit(upper << 12, free)
                crossing = hops_xor(moves.crossing, word, stones) & row_hops[word]
                blocked = hops_or(moves.blocked, word, stones)
            hops = crossing ^ low_hops[word, 0, packed & 4095]
            if moves.passing:
                hops &= ~(blocked | low_hops[word, 1, packed & 4095])
            turns = popcount(hops)
            counts[k] = counts[k] + turns if word > 0 else turns


@inlined
def open_packed_lines(lines, taken, free, row_lines):
    """Write the lines free of the stones ``taken``, packed among the free points, into ``row_lines`` (int64); returns how many they are."""
    found = 0
    for k in range(lines.size):
        line = np.int64(lines[k])
        if line & taken == 0:
            row_lines[found] = extract(line, free)
            found += 1
    return found


@inlined
def whole_lines(mills, word, x):
    """The lines that ``x`` holds whole, as bits of a word."""
    return (
        mills.part[word, 0, x & 255]
        & mills.part[word, 1, (x >> 8) & 255]
        & mills.part[word, 2, (x >> 16) & 255]
        & mills.part[word, 3, (x >> 24) & 255]
    )


@inlined
def stones_in_mills(mills, x):
    """The stones of ``x`` that stand in a mill."""
    stones = np.int64(0)
    for word in range(mills.part.shape[0]):
        whole = whole_lines(mills, word, x)
        while whole != 0:
            stones |= np.int64(mills.lines[word, trailing_zeros(whole)])
            whole &= whole - 1
    return stones


@inlined
def stones_earning(mills, x, level, top):
    """The stones of ``x`` that stand in exactly ``level`` mills (``level == top``: in ``top`` or more): what they earn by arriving."""
    if top == 1:
        return stones_in_mills(mills, x)
    earning = np.int64(0)
    left = x
    while left != 0:
        stone = left & -left
        left ^= stone
        closed = 0
        for word in range(mills.part.shape[0]):
            whole = whole_lines(mills, word, x)
            while whole != 0:
                closed += np.int64(mills.lines[word, trailing_zeros(whole)]) & stone != 0
                whole &= whole - 1
        if closed == level or (closed > level and level == top):
            earning |= stone
    return earning


@inlined
def removable(mills, x, protection):
    """The stones of ``x`` that may be taken. ``protection``: 0 none, 1 mills unless all stand in mills, 2 mills always."""
    if protection == 0:
        return x
    loose = x & ~stones_in_mills(mills, x)
    if loose == 0 and protection == 1:
        return x
    return loose


@kernel
def mark_shielded_rows(representatives, mills, protection, marks):
    """``marks[row]`` (bool, modified in place) = no stone of the row's set may be taken: closing a mill is a quiet turn there."""
    for row in range(representatives.size):
        marks[row] = removable(mills, np.int64(representatives[row]), protection) == 0


@inlined
def undo_moves(moves, row_hops, row_ends, high, x, packed, stones, ranks, count):
    """Append the ranks of the sets from which one of ``stones`` (a part of ``x``) may just have moved to make ``x``.

    ``packed``: ``x`` among the free points. ``ranks`` (int64) is modified in place from ``count`` on; the new count is returned.
    """
    for word in range(row_hops.size):
        hops = moves_of(moves, row_hops, word, x)
        if stones != x:
            hops &= hops_xor(moves.crossing, word, stones)
        while hops != 0:
            bit = trailing_zeros(hops)
            hops &= hops - 1
            ranks[np.uint64(count)] = rank(packed ^ row_ends[np.uint64(word * 64 + bit)], high)
            count += 1
    return count


@inlined
def undo_flights(high, all_free, packed, stones, ranks, count):
    """`undo_moves` for stones that fly; ``all_free``: mask of the packed free points, ``stones`` packed too."""
    while stones != 0:
        stone = stones & -stones
        stones ^= stone
        empty = all_free & ~packed
        while empty != 0:
            point = empty & -empty
            empty ^= point
            ranks[np.uint64(count)] = rank(packed ^ stone ^ point, high)
            count += 1
    return count
