"""Removals: the best that a player who has just closed mills gets by taking stones.

After the mill the mover's stones U' are fixed and stones leave T, so the work is done in rows by U': from the table of the positions with
one stone of T fewer (scores of its rows), one step for each removal, then each result is scattered into rows by T.
"""

from typing import NamedTuple

import numpy as np

from merels.kernels.bits import deposit, prefetch_to_write
from merels.kernels.jit import inlined, kernel
from merels.kernels.moves import open_packed_lines
from merels.kernels.ranking import rank
from merels.kernels.runs import mirrored_set, raise_mirrored, raise_more
from merels.kernels.scratch import BATCH
from merels.kernels.transpose import append_cells, open_images, place_of
from merels.kernels.values import codes_to_scores, copy_codes, scores_to_codes


@kernel
def score_rows(rows, values, columns, draw, top, scores):
    """Scores of turns that lead into the given rows of a table.

    rows : int64 row numbers. values : 1-D value codes, rows of ``columns`` cells. Written in place: ``scores`` (1-D, rows.size * columns).
    """
    for k in range(rows.size):
        base = rows[k] * columns
        copy_codes(values[base : base + columns], scores[k * columns : (k + 1) * columns])
    codes_to_scores(scores, draw, top)


class RemovalScratch(NamedTuple):
    """Scratch of one thread. lines : int64, those of a row. mills : uint8 (sets T,). more (sets T,) and fewer (sets with one stone less):
    mirrored scores."""

    lines: np.ndarray
    mills: np.ndarray
    more: np.ndarray
    fewer: np.ndarray


@kernel
def take_one(rows, movers, lines, full, protection, runs, fewer, fewer_high, without, masks, scores, scratch):
    """One removal: the best score over the stones of T that may be taken, for each T of each row.

    rows : int64, rows by U' (classes of ``movers``, uint32 representatives). protection : 0 none, 1 mills unless all stand in mills,
    2 mills always. runs : of the sets T among the free points, whose ``masks`` are uint32. fewer : scores of the sets with one stone
    fewer, 1-D. without : scores where nothing may be taken, 1-D like ``scores``; empty for none: then 0, no such turn. scratch :
    `RemovalScratch`. Written in place: ``scores`` (1-D, rows.size * masks.size).
    """
    size, fewer_size = masks.size, scratch.fewer.size
    row_lines, mills = scratch.lines, scratch.mills
    half = runs.points // 2
    for k in range(rows.size):
        mover = np.int64(movers[rows[k]])
        found = open_packed_lines(lines, mover, full ^ mover, row_lines) if protection != 0 else 0
        base, fewer_base = k * size, k * fewer_size
        best, one_fewer = scores[base : base + size], fewer[fewer_base : fewer_base + fewer_size]
        best[:] = 0
        raise_more(runs, half, row_lines, found, one_fewer, mills, best)
        for i in range(found):
            row_lines[i] = mirrored_set(row_lines[i], runs.points)
        for i in range(fewer_size):
            scratch.fewer[np.uint64(runs.mirror_fewer[i])] = one_fewer[i]
        scratch.more[:] = 0
        raise_more(runs, runs.points - half, row_lines, found, scratch.fewer, mills, scratch.more)
        raise_mirrored(best, scratch.more, runs.mirror)
        if protection == 1:
            for i in range(size):
                if best[i] == 0:
                    best[i] = best_of_all(np.int64(masks[i]), one_fewer, fewer_high)
        elif without.size > 0:
            for i in range(size):
                if best[i] == 0:
                    best[i] = without[base + i]


@inlined
def best_of_all(packed, fewer, fewer_high):
    """The best score over all stones of a set, protected or not."""
    best, stones = np.int64(0), packed
    while stones != 0:
        stone = stones & -stones
        stones ^= stone
        best = max(best, np.int64(fewer[np.uint64(rank(packed ^ stone, fewer_high))]))
    return best


@inlined
def scatter_batch(target, own_images, waiting, scratch, after):
    """Write ``scratch.waiting`` into every cell of the first sets of ``scratch.places``, ``waiting`` of them; ``after`` is modified."""
    cells, codes = scratch.cells, scratch.codes
    address, size = np.int64(after.ctypes.data), np.int64(after.itemsize)
    filled = 0
    for k in range(waiting):
        first = filled
        filled = append_cells(target, own_images, scratch.places[k], cells, filled)
        for i in range(first, filled):
            prefetch_to_write(address + cells[i] * size)
            codes[i] = scratch.waiting[k]
        if filled >= BATCH or k == waiting - 1:
            for i in range(filled):
                after[np.uint64(cells[i])] = codes[i]
            filled = 0


@kernel
def scatter_removals(rows, movers, masks, scores, top, target, after, scratch):
    """Write the decided results into rows by T.

    scores : 1-D, rows.size * masks.size, from `take_one`. target : where T is the row. Modified in place: ``after``, value codes of the
    positions after the removals, the opponent to move; draws are left alone. ``scores`` are codes in the end.
    """
    own_images = scratch.images
    scores_to_codes(scores, top, top, 0, scores)
    for k in range(rows.size):
        mover = np.int64(movers[rows[k]])
        open_images(target.images, mover, own_images)
        waiting = 0
        for column in range(masks.size):
            code = np.int64(scores[np.uint64(k * masks.size + column)])
            if code != top:
                scratch.places[waiting] = place_of(target, deposit(np.int64(masks[column]), target.full ^ mover))
                scratch.waiting[waiting] = code
                waiting += 1
            if waiting == BATCH or column == masks.size - 1:
                scatter_batch(target, own_images, waiting, scratch, after)
                waiting = 0
