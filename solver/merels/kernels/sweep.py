"""Pushing: the retrograde sweeps over a unit that moves join in a circle.

Each side keeps, for each of its rows T, the values of its own positions (value code and counter share a cell) and the *after-move* array:
the depth of the position that the opponent faces when the mover's stones are X. A quiet move leaves T alone, so all predecessors of
an after-move cell lie in one row. In sweep d the cells that hold code d, and the events due at d, push to their predecessors; what is
newly solved gets a later code, told by `Step`, and is scattered, once, into the other side's after-move array, where that sweep finds it.

A code of at least ``unsolved`` is a counter: ``top`` less the turns that are not refuted yet.
"""

from typing import NamedTuple

import numpy as np

from merels.kernels.bits import deposit, extract, popcount, prefetch, prefetch_to_write, trailing_zeros
from merels.kernels.jit import inlined, kernel
from merels.kernels.moves import Mills, Moves, count_row_moves, open_row, stones_earning, stones_in_mills, undo_flights, undo_moves
from merels.kernels.scratch import BATCH, RowScratch
from merels.kernels.transpose import append_cells, open_others, place_of

HOT_CELLS = 256
"""Cells of the after-move array that share a flag; the stride of its rows is a multiple."""
PLANES = 4
"""Sets of flags, by code modulo this: a sweep writes to codes that come less than so much later."""
QUIET, PLACING = -1, 0
"""What an event, or a found cell, has closed: a move without a mill, or a placing; larger: so many mills."""


class Lanes(NamedTuple):
    """How to find a value in 64-bit words of cells.

    low : all bits but each cell's highest. ones : a one in each cell. shift : log2 of a cell's bits. words : words in HOT_CELLS cells.
    """

    low: int
    ones: int
    shift: int
    words: int


class Step(NamedTuple):
    """What a sweep does to the positions whose turns lead to its code.

    code : the code that they get. counting : whether only when all their turns are refuted, rather than at once.
    """

    code: int
    counting: bool


class Side(NamedTuple):
    """One side of a unit. The arrays of the first line are modified by kernels.

    values : 1-D codes, rows * columns. after : 1-D codes, rows * stride. words : ``after`` as uint64.
    hot : uint8 (PLANES, rows * stride / 256), by code.
    stride : cells of a row of ``after``. representatives : uint32, T (with three players N and P together). shielded : bool, rows where
    mills are quiet. masks, high : the columns. flying : whether the stones fly. mills : lines. moves : hops. levels : most mills that
    count. events : what waits.
    """

    values: np.ndarray
    after: np.ndarray
    words: np.ndarray
    hot: np.ndarray
    stride: int
    representatives: np.ndarray
    shielded: np.ndarray
    masks: np.ndarray
    high: np.ndarray
    flying: bool
    mills: Mills
    moves: Moves
    levels: int
    events: tuple
    top: int


class SweepScratch(NamedTuple):
    """Scratch of one thread. row: as everywhere. frontier and solved (uint32, a row and some more), blocks (int64, hot blocks of a row)."""

    row: RowScratch
    frontier: np.ndarray
    solved: np.ndarray
    blocks: np.ndarray


@inlined
def collect_frontier(side, lanes, hot, row, depth, scratch):
    """Columns of the row whose after-move cell holds ``depth``, into ``scratch.frontier``; their number. Clears the row's flags."""
    blocks = side.stride // HOT_CELLS
    first = row * blocks
    flags = np.uint8(0)
    for block in range(first, first + blocks):
        flags |= hot[block]
    if flags == 0:
        return 0
    address, hot_bytes = np.int64(side.words.ctypes.data), lanes.words * 8
    waiting = 0
    for block in range(first, first + blocks):
        if hot[block]:
            hot[block] = 0
            for line in range(0, hot_bytes, 64):
                prefetch(address + block * hot_bytes + line)
            scratch.blocks[waiting] = block
            waiting += 1
    count = 0
    low, pattern = np.uint64(lanes.low), np.uint64(lanes.ones) * np.uint64(depth)
    per_word = HOT_CELLS // lanes.words
    for k in range(waiting):
        block = scratch.blocks[k]
        for word in range(block * lanes.words, (block + 1) * lanes.words):
            differing = side.words[np.uint64(word)] ^ pattern
            equal = ~(((differing & low) + low) | differing | low)
            while equal != 0:
                scratch.frontier[np.uint64(count)] = word * per_word - row * side.stride + (trailing_zeros(np.int64(equal)) >> lanes.shift)
                count += 1
                equal &= equal - np.uint64(1)
    return count


@inlined
def settle(values, base, ranks, count, step, unsolved, top, solved, solved_count):
    """One turn of each listed position leads to a decided one: that decides the position, or is counted.

    Modified in place: ``values``; ``solved`` gets the ranks newly solved, whose new number is returned.
    """
    if step.counting:
        for k in range(count):
            cell = np.uint64(base + ranks[np.uint64(k)])
            code = np.int64(values[cell])
            code += code >= unsolved
            done = code == top
            solved[np.uint64(solved_count)] = ranks[np.uint64(k)]
            solved_count += done
            values[cell] = step.code if done else code
    else:
        for k in range(count):
            cell = np.uint64(base + ranks[np.uint64(k)])
            code = np.int64(values[cell])
            open_cell = code >= unsolved
            solved[np.uint64(solved_count)] = ranks[np.uint64(k)]
            solved_count += open_cell
            values[cell] = step.code if open_cell else code
    return solved_count


@inlined
def write_cells(count, cells, after, hot, code):
    """Write ``code`` into the first ``count`` of ``cells`` of an after-move array, and their flags."""
    for i in range(count):
        cell = cells[np.uint64(i)]
        after[np.uint64(cell)] = code
        hot[np.uint64(cell >> 8)] = 1


@inlined
def scatter_solved(solved, count, masks, free, own_images, target, after, hot, code, scratch):
    """Write ``code`` into every after-move cell of the positions just solved, and their flags. ``scratch``: `RowScratch`."""
    address, size = np.int64(after.ctypes.data), np.int64(after.itemsize)
    places, cells = scratch.places, scratch.cells
    for start in range(0, count, BATCH):
        stop = min(start + BATCH, count)
        for k in range(start, stop):
            places[np.uint64(k - start)] = place_of(target, deposit(np.int64(masks[solved[np.uint64(k)]]), free))
        filled = 0
        for k in range(start, stop):
            first = filled
            filled = append_cells(target, own_images, places[np.uint64(k - start)], cells, filled)
            for i in range(first, filled):
                prefetch_to_write(address + cells[np.uint64(i)] * size)
            if filled >= BATCH or k == stop - 1:
                write_cells(filled, cells, after, hot, code)
                filled = 0


@inlined
def push(side, level, count, step, unsolved, base, free, row_hops, row_ends, shielded, ranks, scratch, solved_count):
    """Push the first ``count`` columns of ``scratch.frontier`` in one row to their predecessors; returns the new number of solved.

    ``level``: `QUIET`, `PLACING` (the columns are the positions themselves), or the number of mills that the moves closed.
    """
    dense = count * 16 >= side.masks.size
    address, size = np.int64(side.values.ctypes.data), np.int64(side.values.itemsize)
    if dense:
        for cell in range(0, side.masks.size * size, 64):
            prefetch_to_write(address + base * size + cell)
    all_free = extract(free, free)
    waiting = 0
    for k in range(count):
        packed = np.int64(side.masks[scratch.frontier[np.uint64(k)]])
        if level == PLACING:
            ranks[waiting] = np.int64(scratch.frontier[k])
            waiting += 1
        else:
            x = deposit(packed, free)
            if level > 0:
                stones = stones_earning(side.mills, x, level, side.levels)
            else:
                stones = x if shielded else x & ~stones_in_mills(side.mills, x)
            if stones != 0:
                if side.flying:
                    waiting = undo_flights(side.high, all_free, packed, extract(stones, free), ranks, waiting)
                else:
                    waiting = undo_moves(side.moves, row_hops, row_ends, side.high, x, packed, stones, ranks, waiting)
        if waiting >= BATCH or k == count - 1:
            if not dense:
                for i in range(waiting):
                    prefetch_to_write(address + (base + ranks[np.uint64(i)]) * size)
            solved_count = settle(side.values, base, ranks, waiting, step, unsolved, side.top, scratch.solved, solved_count)
            waiting = 0
    return solved_count


@kernel
def sweep_rows(row_start, row_stop, depth, step, unsolved, side, lanes, other_after, other_hot, target, scratch):
    """Sweep the code ``depth`` over some rows of one side; returns how many of its cells were solved.

    Modified in place: the side's values and flags, the other side's after-move array and flags for the code of ``step``.
    target : the other side's rows.
    """
    events = side.events
    total = np.int64(0)
    own_images, ranks = scratch.row.images, scratch.row.ranks
    row_hops, row_ends = scratch.row.hops, scratch.row.ends
    hot = side.hot[depth % PLANES]
    next_hot = other_hot[step.code % PLANES]
    for row in range(row_start, row_stop):
        count = collect_frontier(side, lanes, hot, row, depth, scratch)
        due = np.int64(0)
        if depth + 1 < events.offsets.shape[2]:
            for source in range(events.levels.size):
                due += np.int64(events.offsets[source, row, depth + 1]) - np.int64(events.offsets[source, row, depth])
        if count + due == 0:
            continue
        other = np.int64(side.representatives[row])
        free = target.full ^ other
        base = row * side.masks.size
        if not side.flying:
            open_row(side.moves, other, free, row_hops, row_ends)
        solved = 0
        for source in range(-1, events.levels.size if due > 0 else 0):
            level = np.int64(QUIET)
            if source >= 0:
                level = events.levels[source]
                start = np.int64(events.offsets[source, row, depth])
                count = np.int64(events.offsets[source, row, depth + 1]) - start
                for k in range(count):
                    scratch.frontier[k] = events.columns[np.uint64(events.base[source, row] + start + k)]
            solved = push(
                side, level, count, step, unsolved, base, free, row_hops, row_ends, side.shielded[row], ranks, scratch, solved
            )
        total += solved
        if solved > 0:
            open_others(target, row, other, own_images)
            scatter_solved(scratch.solved, solved, side.masks, free, own_images, target, other_after, next_hot, step.code, scratch.row)
    return total


@kernel
def start_rows(row_start, row_stop, side, extra, no_turn, lost, other_after, other_hot, target, scratch):
    """Set up the rows: each cell a counter of its turns (moves and ``extra``), or decided at once; returns the largest counter.

    Without a turn a cell gets ``no_turn`` (0 lost, ``top`` drawn); a row in ``lost`` (bool) gets 0 throughout. What is lost is scattered
    as in `sweep_rows`, for depth 0. Modified in place: the side's values, the other side's after-move array and flags.
    """
    own_images, row_hops, row_ends = scratch.row.images, scratch.row.hops, scratch.row.ends
    counts = scratch.frontier
    most = np.int64(0)
    size = side.masks.size
    for row in range(row_start, row_stop):
        other = np.int64(side.representatives[row])
        free = target.full ^ other
        base = row * size
        if side.flying:
            stones = popcount(np.int64(side.masks[0]))
            counts[:size] = stones * (popcount(free) - stones)
        else:
            open_row(side.moves, other, free, row_hops, row_ends)
            count_row_moves(side.moves, row_hops, free, side.masks, scratch.row.low_hops, counts)
        decided = 0
        for column in range(size):
            turns = np.int64(counts[column]) + extra
            most = max(most, turns)
            code = side.top - turns if turns > 0 else no_turn
            if lost[row]:
                code = np.int64(0)
            side.values[np.uint64(base + column)] = code
            scratch.solved[decided] = column
            decided += code == 0
        if decided > 0:
            open_others(target, row, other, own_images)
            scatter_solved(scratch.solved, decided, side.masks, free, own_images, target, other_after, other_hot[0], 0, scratch.row)
    return most
