"""Pulling: the best over the turns of each position, from the positions after them. Solves what no circle of moves joins; verifies all.

In a row of T the sets X after a turn are walked once; each hands its score to the sets that it can have come from. A turn that closed
mills hands the score of its removals instead. Placings are worked through in runs (`merels.kernels.runs`), moves set by set.
"""

from typing import NamedTuple

import numpy as np

from merels.kernels.bits import deposit, extract
from merels.kernels.jit import inlined, kernel
from merels.kernels.moves import Mills, Moves, open_packed_lines, open_row, stones_earning, stones_in_mills, undo_flights, undo_moves
from merels.kernels.runs import Runs, mirrored_set, raise_fewer, raise_mirrored
from merels.kernels.scratch import RowScratch
from merels.kernels.transpose import gather_scores, open_images
from merels.kernels.values import codes_to_scores, copy_codes, score, scores_to_codes


class After(NamedTuple):
    """What follows the turns of one kind (all placings, or all moves) in the rows of T. No sets X: no such turns.

    values : 1-D value codes of the table after a quiet turn, the opponent to move. draw : its code for drawn. target : its rows.
    masks : uint32, the sets X after the turn among the free points, in order of rank.
    removals : 1-D codes after removals, levels * rows * masks.size, rows by T. levels : most mills that count. undecided : code
    of a draw in ``removals``.
    """

    values: np.ndarray
    draw: int
    target: tuple
    masks: np.ndarray
    removals: np.ndarray
    levels: int
    undecided: int


@inlined
def removal_score(after, row, rows, column, level, top):
    """Score of closing ``level`` mills with the ``column``-th set X."""
    cell = ((level - 1) * rows + row) * after.masks.size + column
    return score(np.int64(after.removals[np.uint64(cell)]), after.undecided, top)


@inlined
def pull_placings(after, runs, row, rows, own_images, free, row_lines, found, top, scratch, best):
    """Raise ``best`` (scores of the row, in place) by every placing."""
    levels = after.levels if found > 0 else 0
    upright, mirrored = scratch.placing.scores[0], scratch.placing.scores[1]
    gather_scores(after.target, own_images, free, after.masks, after.values, after.draw, top, scratch.row.cells, upright[0])
    size = after.masks.size
    for level in range(1, levels + 1):
        start = ((level - 1) * rows + row) * size
        copy_codes(after.removals[start : start + size], upright[level])
        codes_to_scores(upright[level], after.undecided, top)
    for level in range(levels + 1):
        for k in range(size):
            mirrored[level, np.uint64(runs.mirror[k])] = upright[level, k]
    raise_fewer(runs, runs.points // 2, row_lines, found, levels, upright, scratch.placing.mills, best)
    for i in range(found):
        row_lines[i] = mirrored_set(row_lines[i], runs.points)
    fewer = scratch.placing.mirrored
    fewer[:] = 0
    raise_fewer(runs, runs.points - runs.points // 2, row_lines, found, levels, mirrored, scratch.placing.mills, fewer)
    raise_mirrored(best, fewer, runs.mirror_fewer)


@inlined
def raise_moves(best, subspace, row_hops, row_ends, free, x, packed, stones, points, ranks):
    """Raise the scores ``best`` (in place) of the sets from which one of ``stones`` may have moved to make ``x``."""
    if subspace.flying:
        count = undo_flights(subspace.high, extract(free, free), packed, extract(stones, free), ranks, 0)
    else:
        count = undo_moves(subspace.moves, row_hops, row_ends, subspace.high, x, packed, stones, ranks, 0)
    offered = best.dtype.type(points)
    for k in range(count):
        place = np.uint64(ranks[np.uint64(k)])
        before = best[place]
        best[place] = offered if offered > before else before


@inlined
def pull_moves(after, subspace, row, scores, row_hops, row_ends, free, top, ranks, best):
    """Raise ``best`` (scores of the row, in place) by every move; ``scores`` are those of the sets X."""
    levels = 0 if subspace.shielded[row] else after.levels
    rows = subspace.representatives.size
    for column in range(after.masks.size):
        packed = np.int64(after.masks[column])
        x = deposit(packed, free)
        closed = stones_in_mills(subspace.mills, x) if levels > 0 else np.int64(0)
        raise_moves(best, subspace, row_hops, row_ends, free, x, packed, x & ~closed, np.int64(scores[column]), ranks)
        if closed != 0:
            for level in range(1, levels + 1):
                stones = stones_earning(subspace.mills, x, level, levels)
                if stones != 0:
                    points = removal_score(after, row, rows, column, level, top)
                    raise_moves(best, subspace, row_hops, row_ends, free, x, packed, stones, points, ranks)


class Rows(NamedTuple):
    """The rows of the subspace whose positions look for their best turn.

    representatives : uint32, the sets T. shielded : bool, rows where closing a mill is quiet. lost : bool, rows lost at once.
    high : ranks of the sets U. lines : uint32; mills : the same as sets of bits. moves : hops. runs : of the sets after a placing.
    flying : whether the stones of U fly. no_turn : code of a position without a turn. plies : 1 for the codes of the positions
    themselves, 0 for those after the turn.
    """

    representatives: np.ndarray
    shielded: np.ndarray
    lost: np.ndarray
    high: np.ndarray
    lines: np.ndarray
    mills: Mills
    moves: Moves
    runs: Runs
    flying: bool
    no_turn: int
    plies: int


class PlacingScratch(NamedTuple):
    """Scratch of one thread, of the dtype of scores.

    scores : (2, levels + 1, sets X): upright and mirrored; by mills closed, none first. mills : uint8 (sets X,). mirrored : (sets U,).
    """

    scores: np.ndarray
    mills: np.ndarray
    mirrored: np.ndarray


class PullScratch(NamedTuple):
    """Scratch of one thread. row, placing: as they say. moved (sets X after a move,) and best (columns,): scores."""

    row: RowScratch
    placing: PlacingScratch
    moved: np.ndarray
    best: np.ndarray


@kernel
def best_turns(row_start, row_stop, by_placing, by_move, subspace, top, codes, scratch):
    """Value codes from the best turn of every position of some rows.

    subspace : `Rows`. top : code for drawn in ``codes``. scratch : `PullScratch` of the dtype of codes. Written in place: ``codes`` (1-D,
    the rows from ``row_start`` on, a column for each set U).
    """
    full, images = by_placing.target.full, by_placing.target.images
    best = scratch.best
    own_images, row_lines, cells, ranks = scratch.row.images, scratch.row.lines, scratch.row.cells, scratch.row.ranks
    row_hops, row_ends = scratch.row.hops, scratch.row.ends
    rows = subspace.representatives.size
    for row in range(row_start, row_stop):
        base = (row - row_start) * best.size
        if subspace.lost[row]:
            codes[base : base + best.size] = 0
            continue
        other = np.int64(subspace.representatives[row])
        free = full ^ other
        open_images(images, other, own_images)
        best[:] = 0
        if by_move.masks.size > 0:
            open_row(subspace.moves, other, free, row_hops, row_ends)
            gather_scores(by_move.target, own_images, free, by_move.masks, by_move.values, by_move.draw, top, cells, scratch.moved)
            pull_moves(by_move, subspace, row, scratch.moved, row_hops, row_ends, free, top, ranks, best)
        if by_placing.masks.size > 0:
            found = 0 if subspace.shielded[row] else open_packed_lines(subspace.lines, other, free, row_lines)
            pull_placings(by_placing, subspace.runs, row, rows, own_images, free, row_lines, found, top, scratch, best)
        scores_to_codes(best, top, subspace.no_turn, subspace.plies, codes[base : base + best.size])


@kernel
def compare(values, draw, codes, top):
    """Number of cells in which two arrays of value codes differ, and the first (-1: none); ``draw`` and ``top``: their codes for drawn."""
    wrong, first = np.int64(0), np.int64(-1)
    for cell in range(values.size):
        value = np.int64(values[cell])
        if value == draw:
            value = top
        if value != np.int64(codes[cell]):
            wrong += 1
            if first < 0:
                first = cell
    return wrong, first
