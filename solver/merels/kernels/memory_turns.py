"""Forward turns where players remember: the best over the turns of each position, and over the removals after a mill.

Every turn of a position is made, what its player then remembers noted, and the value of the position after it looked up: plain and slow
beside pushing (`merels.kernels.memory_sweep`), which is why sweeps ask it for nothing but what leads out of a unit. It solves what no
circle of moves joins, and verifies all. Turns are looked at once for each table that they may lead to (`Lead`).
"""

from typing import NamedTuple

import numpy as np

from merels.kernels.bits import popcount, prefetch, trailing_zeros
from merels.kernels.jit import inlined, kernel
from merels.kernels.memory import (
    DIFFERENT,
    PAIR_BITS,
    barred_pair,
    closed_mills,
    closes_now,
    is_barred,
    line_and_stones,
    moved_part,
    parts_of,
)
from merels.kernels.memory_cells import (
    GroupScratch,
    Layout,
    fill_unused,
    group_of_row,
    is_used,
    memory_cell,
    mover_of,
    open_group,
    row_index,
)
from merels.kernels.moves import Mills, Moves, moves_of, open_row, removable, stones_earning, stones_in_mills
from merels.kernels.scratch import RowScratch
from merels.kernels.values import score, scores_to_codes

WAITING = 1024
"""Positions after a turn that are looked up together."""
MOST_REMOVALS = 16


class Movers(NamedTuple):
    """The positions whose turns are looked at.

    layout : theirs. mills : lines. moves : hops. flying : whether the stones of U fly. protection : as `merels.kernels.moves.removable`.
    levels : most mills that count.
    """

    layout: Layout
    mills: Mills
    moves: Moves
    flying: bool
    protection: int
    levels: int


class Lead(NamedTuple):
    """A table that turns lead to.

    values : 1-D codes. draw : its code for drawn. layout : its. over : there is no such table, the opponent has lost. placing : the turns
    that place, or those that move. removed : stones that they take.
    """

    values: np.ndarray
    draw: int
    layout: Layout
    over: bool
    placing: bool
    removed: int


class TurnScratch(NamedTuple):
    """Scratch of one thread. row, group : as they say. All others int64.

    sources, targets : the actions of a position, as masks. after (WAITING, 4) : X, its parts, T after removals. cells (WAITING,).
    left, stone (MOST_REMOVALS + 1,) : the removals left to try, and the one that is being tried. best (1,) : the best score so far.
    """

    row: RowScratch
    group: GroupScratch
    sources: np.ndarray
    targets: np.ndarray
    after: np.ndarray
    cells: np.ndarray
    left: np.ndarray
    stone: np.ndarray
    best: np.ndarray


@kernel
def look_up(recall, lead, count, t_first, t_second, top, scratch):
    """Raise ``scratch.best`` by the first ``count`` positions of ``scratch.after``."""
    best = scratch.best[0]
    if lead.over:
        best = max(best, np.int64(top))
        count = 0
    address, size = np.int64(lead.values.ctypes.data), np.int64(lead.values.itemsize)
    after = scratch.after
    for k in range(count):
        cell = memory_cell(recall, lead.layout, after[k, 3], t_first, t_second, after[k, 0], after[k, 1], after[k, 2])
        prefetch(address + cell * size)
        scratch.cells[k] = cell
    for k in range(count):
        best = max(best, score(np.int64(lead.values[np.uint64(scratch.cells[k])]), lead.draw, top))
    scratch.best[0] = best


@inlined
def add_removals(recall, lead, movers, x, first, second, t, t_first, t_second, level, top, scratch, count):
    """Add the positions after the turn that made ``x``, closed ``level`` mills and takes as many stones as ``lead`` says; the new count.

    Fewer than were earned are taken only where no more may be. Where anything may be taken, orders of the same stones are not told apart.
    """
    removed, protection = lead.removed, movers.protection
    taken, depth = np.int64(0), 0
    if removed > 0:
        scratch.left[0] = removable(movers.mills, t, protection)
    while depth >= 0:
        if depth == removed:
            if depth == level or removable(movers.mills, t & ~taken, protection) == 0:
                if count == WAITING:
                    look_up(recall, lead, count, t_first, t_second, top, scratch)
                    count = 0
                scratch.after[count, 0] = x
                scratch.after[count, 1] = first
                scratch.after[count, 2] = second
                scratch.after[count, 3] = t & ~taken
                count += 1
        elif scratch.left[depth] != 0:
            stone = scratch.left[depth] & -scratch.left[depth]
            scratch.left[depth] ^= stone
            scratch.stone[depth] = stone
            taken |= stone
            depth += 1
            if depth < removed:
                left = removable(movers.mills, t & ~taken, protection)
                scratch.left[depth] = left & -(stone << 1) if protection == 0 else left
            continue
        depth -= 1
        if depth >= 0:
            taken ^= scratch.stone[depth]
    return count


@inlined
def list_actions(movers, placing, u, empty, row_hops, scratch):
    """Write the placings or the moves of U into ``scratch``, those that memory bars included; returns their number."""
    count = 0
    sources, targets = scratch.sources, scratch.targets
    if placing or movers.flying:
        stones = np.int64(1) if placing else u
        while stones != 0:
            stone = stones & -stones
            stones ^= stone
            left = empty
            while left != 0:
                sources[count] = 0 if placing else stone
                targets[count] = left & -left
                left &= left - 1
                count += 1
        return count
    for word in range(row_hops.size):
        hops = moves_of(movers.moves, row_hops, word, u)
        while hops != 0:
            ends = np.int64(movers.moves.ends[word, trailing_zeros(hops)])
            hops &= hops - 1
            sources[count], targets[count] = ends & u, ends & ~u
            count += 1
    return count


@inlined
def memory_after(recall, mills, u, x, source, target, first, second):
    """The parts of a player after its turn from ``source`` (0: from the hand) to ``target``, and how many mills that closed."""
    closed_first, closed_second, closed = closed_mills(recall, mills, x, target)
    if recall.kind == DIFFERENT:
        if closed > 0:
            return closed_first, closed_second, closed
        return moved_part(first, source, target), moved_part(second, source, target), closed
    if source & stones_in_mills(mills, u):
        return barred_pair(trailing_zeros(target), trailing_zeros(source)), np.int64(0), closed
    return np.int64(0), np.int64(0), closed


@kernel
def raise_by_turns(row_start, row_stop, movers, recall, lead, top, best, scratch):
    """Raise the scores ``best`` (1-D, some rows, in place) by the turns that lead to one table."""
    layout = movers.layout
    row_hops = scratch.row.hops
    for row in range(row_start, row_stop):
        plain, local = group_of_row(layout, row)
        t = np.int64(layout.orbits.representatives[plain])
        blocks, _ = open_group(recall, layout, t, scratch.group)
        held = row_index(recall, scratch.group, local)
        t_first, t_second = np.int64(0), np.int64(0)
        if held != 0:
            t_first, t_second = parts_of(recall, layout.other, t, held)
        if not lead.placing and not movers.flying:
            open_row(movers.moves, t, recall.full ^ t, row_hops, scratch.row.ends)
        base = (row - row_start) * layout.width
        for column in range(layout.width):
            u, first, second = mover_of(recall, layout, t, column, blocks, scratch.group)
            if u < 0 or not is_used(recall, layout, t, held, t_first, u):
                continue
            scratch.best[0] = np.int64(best[base + column])
            count = 0
            for action in range(list_actions(movers, lead.placing, u, recall.full & ~(u | t), row_hops, scratch)):
                source, target = scratch.sources[action], scratch.targets[action]
                x = u ^ source | target
                x_first, x_second, closed = memory_after(recall, movers.mills, u, x, source, target, first, second)
                if is_barred(recall, source, target, closed > 0, first, second):
                    continue
                level = min(closed, movers.levels)
                if lead.removed <= level:
                    count = add_removals(
                        recall, lead, movers, x, x_first, x_second, t, t_first, t_second, level, top, scratch, count
                    )
            if count > 0:
                look_up(recall, lead, count, t_first, t_second, top, scratch)
            best[base + column] = scratch.best[0]


@kernel
def raise_by_removals(start, stop, movers, recall, lead, level, top, after, scratch):
    """Raise the scores ``after`` (1-D, after-move cells, in place) by the removals that closing ``level`` mills earned.

    start, stop : groups of rows. movers : of the player who closed them; its layout has the stride of ``after``. lead : the table after
    some number of removals.
    """
    layout = movers.layout
    for row in range(start, stop):
        t = np.int64(layout.orbits.representatives[row])
        blocks, rows = open_group(recall, layout, t, scratch.group)
        for local in range(rows + 1):
            held = row_index(recall, scratch.group, local)
            t_first, t_second = np.int64(0), np.int64(0)
            if held != 0:
                t_first, t_second = parts_of(recall, layout.other, t, held)
            base = (layout.first[row] + local - 1 if local > 0 else row) * layout.stride
            for column in range(layout.width):
                x, first, second = mover_of(recall, layout, t, column, blocks, scratch.group)
                if x < 0 or not is_used(recall, layout, t, held, t_first, x):
                    continue
                if recall.kind == DIFFERENT and not (closes_now(recall, first) and (second == 0 or closes_now(recall, second))):
                    continue
                stones = stones_earning(movers.mills, x, level, movers.levels)
                if recall.kind != DIFFERENT and first != 0:
                    stones &= np.int64(1) << ((first - 1) >> PAIR_BITS)
                if stones == 0:
                    continue
                scratch.best[0] = np.int64(after[np.uint64(base + column)])
                count = add_removals(recall, lead, movers, x, first, second, t, t_first, t_second, level, top, scratch, 0)
                if count > 0:
                    look_up(recall, lead, count, t_first, t_second, top, scratch)
                after[np.uint64(base + column)] = scratch.best[0]


@inlined
def count_barred(recall, moves, row_hops, flying, u, empty, first, second):
    """Number of turns of U that memory bars; `no-immediate` bars just the one that is remembered."""
    if first == 0 or recall.kind != DIFFERENT:
        return np.int64(first != 0)
    barred = np.int64(0)
    earlier_source, earlier_target = np.int64(0), np.int64(0)
    for part in (first, second):
        if part == 0:
            continue
        line, stones = line_and_stones(recall, part)
        source, target = stones & ~line, line & ~stones
        if popcount(source) != 1 or target & empty == 0:
            continue
        if source == earlier_source and target == earlier_target:
            continue
        if not flying:
            found = np.int64(0)
            for word in range(row_hops.size):
                hops = moves_of(moves, row_hops, word, u)
                while hops != 0:
                    ends = np.int64(moves.ends[word, trailing_zeros(hops)])
                    hops &= hops - 1
                    found |= ends == source | target
            if not found:
                continue
        barred += 1
        earlier_source, earlier_target = source, target
    return barred


@kernel
def finish_rows(row_start, row_stop, movers, recall, top, no_turn, plies, unused, best, group):
    """Turn the scores ``best`` of some rows into codes, in place; ``unused``: the code of cells that stand for no position."""
    scores_to_codes(best, top, no_turn, plies, best)
    fill_unused(row_start, row_stop, best, recall, movers.layout, unused, group)


@kernel
def finish_removals(start, stop, after, top):
    """Turn the scores in a range of after-move cells into codes of the positions there, in place; ``top`` where there are none."""
    scores_to_codes(after[start:stop], top, top, 0, after[start:stop])
