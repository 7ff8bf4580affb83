"""Removals: the best that a player who has just closed mills gets by taking stones.

After the mill the mover's stones U' are fixed and stones leave T, so the work is done in rows by U': from the table of the positions with
one stone of T fewer (scores of its rows), one step for each removal, then each result is scattered into rows by T.
"""

import numpy as np

from merels.kernels.bits import deposit, extract, prefetch_to_write
from merels.kernels.jit import inlined, kernel
from merels.kernels.moves import removable
from merels.kernels.ranking import rank
from merels.kernels.scratch import BATCH
from merels.kernels.transpose import append_cells, open_images, place_of
from merels.kernels.values import after_turn, score


@kernel
def score_rows(rows, values, columns, draw, top, scores):
    """Scores of turns that lead into the given rows of a table.

    rows : int64 row numbers. values : 1-D value codes, rows of ``columns`` cells. Written in place: ``scores`` (1-D, rows.size * columns).
    """
    for k in range(rows.size):
        base = rows[k] * columns
        for column in range(columns):
            scores[k * columns + column] = score(np.int64(values[base + column]), draw, top)


@kernel
def take_one(rows, movers, mills, full, protection, fewer, fewer_high, without, masks, scores):
    """One removal: the best score over the stones of T that may be taken, for each T of each row.

    rows : int64, rows by U' (classes of ``movers``, uint32 representatives). fewer : scores of the sets with one stone fewer, 1-D.
    without : scores where nothing may be taken, 1-D like ``scores``; empty for none: then 0, no such turn. masks : uint32, the sets T among
    the free points. Written in place: ``scores`` (1-D, rows.size * masks.size).
    """
    fewer_columns = fewer.size // max(1, rows.size)
    for k in range(rows.size):
        mover = np.int64(movers[rows[k]])
        free = full ^ mover
        base, fewer_base = k * masks.size, k * fewer_columns
        for column in range(masks.size):
            packed = np.int64(masks[column])
            stones = packed if protection == 0 else extract(removable(mills, deposit(packed, free), protection), free)
            best = np.int64(0)
            if stones == 0 and without.size > 0:
                best = np.int64(without[base + column])
            while stones != 0:
                stone = stones & -stones
                stones ^= stone
                best = max(best, np.int64(fewer[np.uint64(fewer_base + rank(packed ^ stone, fewer_high))]))
            scores[base + column] = best


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
    positions after the removals, the opponent to move; draws are left alone.
    """
    own_images = scratch.images
    for k in range(rows.size):
        mover = np.int64(movers[rows[k]])
        open_images(target.images, mover, own_images)
        waiting = 0
        for column in range(masks.size):
            code = after_turn(np.int64(scores[k * masks.size + column]), top)
            if code != top:
                scratch.places[waiting] = place_of(target, deposit(np.int64(masks[column]), target.full ^ mover))
                scratch.waiting[waiting] = code
                waiting += 1
            if waiting == BATCH or column == masks.size - 1:
                scatter_batch(target, own_images, waiting, scratch, after)
                waiting = 0
