"""Pulling: the best over the turns of each position, from the positions after them. Solves what no circle of moves joins; verifies all.

In a row of T the sets X after a turn are walked once; each hands its score to the sets that it can have come from. A turn that closed
mills hands the score of its removals instead. Placings and moves are worked through in runs (`merels.kernels.runs`), moves
set by set where stones fly or pass over others.
"""

from typing import NamedTuple

import numpy as np

from merels.kernels.bits import deposit, extract, trailing_zeros
from merels.kernels.jit import inlined, kernel
from merels.kernels.moves import Mills, Moves, open_packed_lines, open_row, stones_earning, stones_in_mills, undo_flights, undo_moves
from merels.kernels.runs import Runs, mirrored_set, raise_fewer, raise_hop, raise_mirrored
from merels.kernels.scratch import RowScratch
from merels.kernels.transpose import gather_scores, open_images
from merels.kernels.values import codes_to_scores, copy_codes, scores_to_codes


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
def open_scores(after, row, rows, own_images, free, levels, top, cells, scores):
    """Write the scores of the sets X of a row, by mills closed, into ``scores`` (levels + 1, sets X)."""
    gather_scores(after.target, own_images, free, after.masks, after.values, after.draw, top, cells, scores[0])
    size = after.masks.size
    for level in range(1, levels + 1):
        start = ((level - 1) * rows + row) * size
        copy_codes(after.removals[start : start + size], scores[level])
        codes_to_scores(scores[level], after.undecided, top)


@inlined
def mirror_scores(upright, mirror, levels, mirrored):
    """Write the scores (levels + 1, sets X) in the mirrored numbering."""
    for level in range(levels + 1):
        for k in range(mirror.size):
            mirrored[level, np.uint64(mirror[k])] = upright[level, k]


@inlined
def mirror_lines(row_lines, found, points):
    """Mirror the lines of a row, in place."""
    for i in range(found):
        row_lines[i] = mirrored_set(row_lines[i], points)


@inlined
def pull_placings(runs, row_lines, found, levels, scratch, best):
    """Raise ``best`` (scores of the row, in place) by every placing. Modified in place: ``row_lines``, which are mirrored."""
    upright, mirrored, fewer = scratch.scores[0], scratch.scores[1], scratch.mirrored
    mirror_scores(upright, runs.mirror, levels, mirrored)
    raise_fewer(runs, runs.points // 2, row_lines, found, levels, upright, scratch.mills, best)
    mirror_lines(row_lines, found, runs.points)
    fewer[:] = 0
    raise_fewer(runs, runs.points - runs.points // 2, row_lines, found, levels, mirrored, scratch.mills, fewer)
    raise_mirrored(best, fewer, runs.mirror_fewer)


@inlined
def pull_hops(runs, row_hops, row_ends, row_lines, found, levels, scratch, best):
    """`pull_placings` for moves along hops that pass over no point; each is done in the numbering in which its runs are longer."""
    upright, mirrored, moved = scratch.scores[0], scratch.scores[1], scratch.mirrored
    mirror_scores(upright, runs.mirror, levels, mirrored)
    moved[:] = 0
    for turned in range(2):
        for word in range(row_hops.size):
            hops = row_hops[word]
            while hops != 0:
                ends = row_ends[word * 64 + trailing_zeros(hops)]
                hops &= hops - 1
                low = trailing_zeros(ends)
                high = trailing_zeros(ends & (ends - 1))
                if turned != (low < runs.points - 1 - high):
                    continue
                if turned:
                    raise_hop(runs, runs.points - 1 - high, runs.points - 1 - low, row_lines, found, levels, mirrored, scratch.mills, moved)
                else:
                    raise_hop(runs, low, high, row_lines, found, levels, upright, scratch.mills, best)
        if not turned:
            mirror_lines(row_lines, found, runs.points)
    raise_mirrored(best, moved, runs.mirror)


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
def pull_moves(masks, subspace, scores, levels, row_hops, row_ends, free, ranks, best):
    """`pull_hops` for moves of any kind, set by set. ``scores``: (levels + 1, sets X). ``levels``: most mills that count, 0 for none."""
    for column in range(masks.size):
        packed = np.int64(masks[column])
        x = deposit(packed, free)
        closed = stones_in_mills(subspace.mills, x) if levels > 0 else np.int64(0)
        raise_moves(best, subspace, row_hops, row_ends, free, x, packed, x & ~closed, np.int64(scores[0, column]), ranks)
        if closed != 0:
            for level in range(1, levels + 1):
                stones = stones_earning(subspace.mills, x, level, levels)
                if stones != 0:
                    raise_moves(best, subspace, row_hops, row_ends, free, x, packed, stones, np.int64(scores[level, column]), ranks)


class Rows(NamedTuple):
    """The rows of the subspace whose positions look for their best turn.

    representatives : uint32, the sets T. shielded : bool, rows where closing a mill is quiet. lost : bool, rows lost at once.
    high : ranks of the sets U. lines : uint32; mills : the same as sets of bits. moves : hops. placing_runs, moving_runs : of the sets X.
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
    placing_runs: Runs
    moving_runs: Runs
    flying: bool
    no_turn: int
    plies: int


class TurnScratch(NamedTuple):
    """Scratch of one thread for turns of one kind, of the dtype of scores.

    scores : (2, levels + 1, sets X): upright and mirrored; by mills closed, none first. mills : uint8 (sets X,). mirrored : (sets U,).
    """

    scores: np.ndarray
    mills: np.ndarray
    mirrored: np.ndarray


class PullScratch(NamedTuple):
    """Scratch of one thread. row, placing, moving: as they say. best : scores (columns,)."""

    row: RowScratch
    placing: TurnScratch
    moving: TurnScratch
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
        lines = 0 if subspace.shielded[row] else subspace.lines.size
        if by_move.masks.size > 0:
            levels = by_move.levels if lines > 0 else 0
            open_row(subspace.moves, other, free, row_hops, row_ends)
            open_scores(by_move, row, rows, own_images, free, levels, top, cells, scratch.moving.scores[0])
            if subspace.flying or subspace.moves.passing:
                pull_moves(by_move.masks, subspace, scratch.moving.scores[0], levels, row_hops, row_ends, free, ranks, best)
            else:
                found = open_packed_lines(subspace.lines, other, free, row_lines) if levels > 0 else 0
                pull_hops(subspace.moving_runs, row_hops, row_ends, row_lines, found, levels, scratch.moving, best)
        if by_placing.masks.size > 0:
            found = open_packed_lines(subspace.lines, other, free, row_lines) if lines > 0 else 0
            levels = by_placing.levels if found > 0 else 0
            open_scores(by_placing, row, rows, own_images, free, levels, top, cells, scratch.placing.scores[0])
            pull_placings(subspace.placing_runs, row_lines, found, levels, scratch.placing, best)
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
