"""Pushing where players remember: `merels.kernels.sweep` with the cells of `merels.kernels.memory_cells`.

A cell of the after-move array tells what the mover remembers after its turn, so it tells much of the turn itself. Under `no-immediate` a
barred turn from b to a was left by the turn from a to b, and by nothing else; where nothing is remembered the turn opened no mill. What the
mover remembered before is free, but for the turn that it barred. Under `different` a turn that closed no mill carried the memory along,
so it is carried back; a turn that closed mills left just these, and before it may have remembered anything that did not bar it.

What the other player remembers stays the row's, with one exception: a turn to a point that must be empty for it leads out of the row,
into the plain row of the same group (`dropping`).
"""

from typing import NamedTuple

import numpy as np

from merels.kernels.bits import extract, popcount, prefetch_to_write, trailing_zeros
from merels.kernels.jit import inlined, kernel
from merels.kernels.memory import (
    NO_IMMEDIATE,
    PAIR_BITS,
    barred_index,
    barred_pair,
    closed_mills,
    image_part,
    is_barred,
    memory_index,
    moved_part,
    parts_of,
    records_and,
)
from merels.kernels.memory_cells import GroupScratch, Layout, image_cell, is_used, mover_of, open_group, row_index
from merels.kernels.memory_turns import count_barred
from merels.kernels.moves import Mills, Moves, count_row_moves, hops_or, hops_xor, moves_of, open_row, stones_earning, stones_in_mills
from merels.kernels.ranking import STABILISED, image, orbit_class, orbit_entry, orbit_symmetry, rank
from merels.kernels.scratch import BATCH, RowScratch
from merels.kernels.sweep import PLACING, PLANES, collect_frontier, settle, write_cells


class MemorySide(NamedTuple):
    """One side of a unit, as `merels.kernels.sweep.Side`. The arrays of the first line are modified by kernels.

    layout : of ``values``, whose stride is the width. shielded : bool, by class of T.
    """

    values: np.ndarray
    after: np.ndarray
    words: np.ndarray
    hot: np.ndarray
    stride: int
    layout: Layout
    shielded: np.ndarray
    flying: bool
    mills: Mills
    moves: Moves
    levels: int
    events: tuple
    top: int


class MemorySweepScratch(NamedTuple):
    """Scratch of one thread: as `merels.kernels.sweep.SweepScratch`, and what a group needs. sources, targets : int64, moves taken back."""

    row: RowScratch
    frontier: np.ndarray
    solved: np.ndarray
    blocks: np.ndarray
    group: GroupScratch
    sources: np.ndarray
    targets: np.ndarray


@kernel
def settle_waiting(values, base, ranks, count, step, unsolved, top, solved, solved_count):
    """`settle` for cells that were not asked for yet."""
    address, size = np.int64(values.ctypes.data), np.int64(values.itemsize)
    for i in range(count):
        prefetch_to_write(address + (base + ranks[np.uint64(i)]) * size)
    return settle(values, base, ranks, count, step, unsolved, top, solved, solved_count)


@inlined
def list_moves_back(side, x, stones, sources, empty, row_hops, scratch):
    """Write the moves by which one of ``stones`` may have come from one of ``sources`` to make ``x``; returns their number."""
    count = 0
    if side.flying:
        while stones != 0:
            stone = stones & -stones
            stones ^= stone
            left = empty & sources
            while left != 0:
                scratch.sources[count], scratch.targets[count] = left & -left, stone
                left &= left - 1
                count += 1
        return count
    for word in range(row_hops.size):
        hops = moves_of(side.moves, row_hops, word, x) & hops_xor(side.moves.crossing, word, stones)
        while hops != 0:
            ends = np.int64(side.moves.ends[word, trailing_zeros(hops)])
            hops &= hops - 1
            if ends & sources and ends & stones:
                scratch.sources[count], scratch.targets[count] = ends & ~x, ends & x
                count += 1
    return count


@inlined
def append_rememberings(recall, layout, u, t, free, source, target, closing, group, ranks, count):
    """Append the columns of U with whatever it may remember under `no-immediate`, the turn that it makes not barred; the new count."""
    ranks[count] = rank(extract(u, free), layout.high)
    count += 1
    pair = barred_pair(trailing_zeros(source), trailing_zeros(target))
    own = layout.own
    for word in range(own.holding.shape[0]):
        bits = group.words[word] & records_and(own.holding, word, u) & ~hops_or(own.leaving, word, u)
        while bits != 0:
            number = word * 64 + trailing_zeros(bits)
            bits &= bits - 1
            part = own.pairs[number] + 1
            if (closing and part == pair) or barred_index(own, u, u | t, part) != number + 1:
                continue
            rest = extract(u & ~own.required[number], free & ~own.aside[number])
            ranks[count] = layout.masks.size + group.block[number] * layout.rest_masks.size + rank(rest, layout.rest_high)
            count += 1
    return count


@kernel
def push_row(side, recall, row, level, count, step, unsolved, base, barrier, dropping, blocks, row_hops, scratch):
    """Push the first ``count`` columns of ``scratch.frontier`` to their predecessors in the row whose cells begin at ``base``.

    ``level``: as in `merels.kernels.sweep.push`. ``barrier``: points that must be empty in that row; ``dropping``: whether the columns
    are those of the plain row, and the turn took one of these points. Returns the number of columns that were solved, which
    ``scratch.solved`` lists.
    """
    layout = side.layout
    ranks, group = scratch.row.ranks, scratch.group
    t = np.int64(layout.orbits.representatives[row])
    free = recall.full ^ t
    size = layout.masks.size
    waiting, solved = 0, 0
    for k in range(count):
        column = np.int64(scratch.frontier[np.uint64(k)])
        actions = 0
        x, first, second, closing = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
        if level == PLACING:
            ranks[waiting] = column
            waiting += 1
        else:
            x, first, second = mover_of(recall, layout, t, column, blocks, group)
            if dropping and x & barrier == 0:
                continue
            closing = stones_in_mills(side.mills, x)
            stones, sources = x & ~closing, free & ~x
            if level > 0:
                stones = stones_earning(side.mills, x, level, side.levels)
            elif side.shielded[row]:
                stones = x
            if recall.kind == NO_IMMEDIATE and first != 0:
                stones &= np.int64(1) << ((first - 1) >> PAIR_BITS)
                sources &= np.int64(1) << ((first - 1) & 31)
            if stones != 0:
                actions = list_moves_back(side, x, stones, sources, free & ~x, row_hops, scratch)
        for action in range(actions):
            source, target = scratch.sources[action], scratch.targets[action]
            u = x ^ source ^ target
            closes = closing & target != 0
            if recall.kind == NO_IMMEDIATE:
                opened = source & stones_in_mills(side.mills, u) != 0
                if u & barrier == 0 and opened == (first != 0):
                    waiting = append_rememberings(recall, layout, u, t, free, source, target, closes, group, ranks, waiting)
            elif closes:
                made_first, made_second, _ = closed_mills(recall, side.mills, x, target)
                if made_first == first and made_second == second:
                    plain = rank(extract(u, free), layout.high)
                    for index in range(layout.own.count + 1):
                        if index > 0:
                            before_first, before_second = parts_of(recall, layout.own, u, index)
                            if is_barred(recall, source, target, True, before_first, before_second):
                                continue
                        ranks[waiting] = index * size + plain
                        waiting += 1
                        if waiting >= BATCH:
                            solved = settle_waiting(
                                side.values, base, ranks, waiting, step, unsolved, side.top, scratch.solved, solved
                            )
                            waiting = 0
            else:
                index = memory_index(
                    recall, layout.own, u, u | t, moved_part(first, target, source), moved_part(second, target, source)
                )
                ranks[waiting] = index * size + rank(extract(u, free), layout.high)
                waiting += 1
            if waiting >= BATCH:
                solved = settle_waiting(side.values, base, ranks, waiting, step, unsolved, side.top, scratch.solved, solved)
                waiting = 0
        if waiting >= BATCH or k == count - 1:
            solved = settle_waiting(side.values, base, ranks, waiting, step, unsolved, side.top, scratch.solved, solved)
            waiting = 0
    if waiting > 0:
        solved = settle_waiting(side.values, base, ranks, waiting, step, unsolved, side.top, scratch.solved, solved)
    return solved


@kernel
def scatter_row(recall, layout, row, t_first, t_second, count, target, after, hot, code, blocks, scratch):
    """Write ``code`` into every after-move cell of the first ``count`` columns of ``scratch.solved``, of a row of the class ``row``.

    target : `Layout` of the other side, with the stride of its after-move array ``after``, which is modified like ``hot``, its flags.
    """
    address, size = np.int64(after.ctypes.data), np.int64(after.itemsize)
    cells = scratch.row.cells
    t = np.int64(layout.orbits.representatives[row])
    filled = 0
    for k in range(count):
        u, first, second = mover_of(recall, layout, t, np.int64(scratch.solved[np.uint64(k)]), blocks, scratch.group)
        entry = orbit_entry(target.orbits, u)
        place, g = orbit_class(entry), orbit_symmetry(entry)
        seen_t, seen_first, seen_second = image(recall.images, g, t), image_part(recall, g, t_first), image_part(recall, g, t_second)
        own_first, own_second = image_part(recall, g, first), image_part(recall, g, second)
        stabiliser = target.orbits.stabilisers[place] if entry & np.uint32(STABILISED) else np.int64(1)
        while stabiliser != 0:
            h = trailing_zeros(stabiliser)
            stabiliser &= stabiliser - 1
            cell = image_cell(recall, target, place, h, seen_t, seen_first, seen_second, own_first, own_second)
            prefetch_to_write(address + cell * size)
            cells[filled] = cell
            filled += 1
        if filled >= BATCH or k == count - 1:
            write_cells(filled, cells, after, hot, code)
            filled = 0


@inlined
def place_of_row(layout, row, local):
    """Number of the ``local``-th row of a group."""
    return layout.first[row] + local - 1 if local > 0 else np.int64(row)


@inlined
def barrier_of(recall, layout, held):
    """The points that must be empty for what the player of T remembers."""
    return layout.other.excluded[held - 1] if held != 0 and recall.kind == NO_IMMEDIATE else np.int64(0)


@kernel
def sweep_groups(start, stop, depth, step, unsolved, side, recall, lanes, other_after, other_hot, target, scratch):
    """`merels.kernels.sweep.sweep_rows` for groups of rows."""
    events, layout, group = side.events, side.layout, scratch.group
    total = np.int64(0)
    row_hops = scratch.row.hops
    hot, next_hot = side.hot[depth % PLANES], other_hot[step.code % PLANES]
    depths = events.offsets.shape[2]
    for row in range(start, stop):
        t = np.int64(layout.orbits.representatives[row])
        blocks, rows = open_group(recall, layout, t, group)
        opened = side.flying
        for local in range(rows + 1):
            place = place_of_row(layout, row, local)
            count = collect_frontier(side, lanes, hot, place, depth, scratch)
            due = np.int64(0)
            if depth + 1 < depths:
                for source in range(events.levels.size):
                    due += np.int64(events.offsets[source, place, depth + 1]) - np.int64(events.offsets[source, place, depth])
            if count + due == 0:
                continue
            if not opened:
                open_row(side.moves, t, recall.full ^ t, row_hops, scratch.row.ends)
                opened = True
            for source in range(-1, events.levels.size if due > 0 else 0):
                level = np.int64(-1)
                if source >= 0:
                    level = events.levels[source]
                    begin = np.int64(events.offsets[source, place, depth])
                    count = np.int64(events.offsets[source, place, depth + 1]) - begin
                    for k in range(count):
                        scratch.frontier[k] = events.columns[np.uint64(events.base[source, place] + begin + k)]
                if count == 0:
                    continue
                drops = rows if local == 0 and level != 0 and recall.kind == NO_IMMEDIATE else 0
                for lane in range(drops + 1):
                    behind = lane if lane > 0 else local
                    held = row_index(recall, group, behind)
                    t_first, t_second = np.int64(0), np.int64(0)
                    if held != 0:
                        t_first, t_second = parts_of(recall, layout.other, t, held)
                    if not is_used(recall, layout, t, held, t_first, np.int64(0)):
                        continue
                    base = place_of_row(layout, row, behind) * layout.stride
                    barrier = barrier_of(recall, layout, held)
                    solved = push_row(
                        side, recall, row, level, count, step, unsolved, base, barrier, lane > 0, blocks, row_hops, scratch
                    )
                    total += solved
                    if solved > 0:
                        scatter_row(
                            recall, layout, row, t_first, t_second, solved, target, other_after, next_hot, step.code, blocks, scratch
                        )
    return total


@kernel
def start_groups(start, stop, side, recall, extra, no_turn, other_after, other_hot, target, scratch):
    """`merels.kernels.sweep.start_rows` for groups of rows. Cells that stand for no position get the code ``top`` and keep it."""
    layout, group = side.layout, scratch.group
    row_hops, counts = scratch.row.hops, scratch.frontier
    most = np.int64(0)
    size = layout.masks.size
    for row in range(start, stop):
        t = np.int64(layout.orbits.representatives[row])
        free = recall.full ^ t
        blocks, rows = open_group(recall, layout, t, group)
        if side.flying:
            stones = popcount(np.int64(layout.masks[0]))
            counts[:size] = stones * (popcount(free) - stones)
        else:
            open_row(side.moves, t, free, row_hops, scratch.row.ends)
            count_row_moves(side.moves, row_hops, free, layout.masks, scratch.row.low_hops, counts)
        for local in range(rows + 1):
            held = row_index(recall, group, local)
            t_first, t_second = np.int64(0), np.int64(0)
            if held != 0:
                t_first, t_second = parts_of(recall, layout.other, t, held)
            base = place_of_row(layout, row, local) * layout.stride
            decided = 0
            for column in range(layout.width):
                u, first, second = mover_of(recall, layout, t, column, blocks, group)
                if u < 0 or not is_used(recall, layout, t, held, t_first, u):
                    side.values[np.uint64(base + column)] = side.top
                    continue
                plain = column if column < size else rank(extract(u, free), layout.high)
                barred = count_barred(recall, side.moves, row_hops, side.flying, u, free & ~u, first, second)
                turns = np.int64(counts[plain]) + extra - barred
                most = max(most, turns)
                code = side.top - turns if turns > 0 else no_turn
                side.values[np.uint64(base + column)] = code
                scratch.solved[decided] = column
                decided += code == 0
            if decided > 0:
                scatter_row(recall, layout, row, t_first, t_second, decided, target, other_after, other_hot[0], 0, blocks, scratch)
    return most
