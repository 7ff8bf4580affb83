"""Pulling: the best over the turns of each position, from the positions after them. Solves what no circle of moves joins; verifies all.

In a row of T the sets X after a turn are walked once; each hands its score to the sets that it can have come from. A turn that closed
mills hands the score of its removals instead.
"""

from typing import NamedTuple

import numpy as np

from merels.kernels.bits import deposit, extract
from merels.kernels.jit import inlined, kernel
from merels.kernels.moves import Moves, open_lines, open_row, stones_earning, stones_in_mills, undo_flights, undo_moves
from merels.kernels.ranking import rank
from merels.kernels.transpose import gather_scores, open_images
from merels.kernels.values import after_turn, score


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
def open_packed_lines(lines, other, free, row_lines):
    """The lines free of ``other``, packed, into ``row_lines`` (int64, in place); their number."""
    found = open_lines(lines, other, row_lines)
    for k in range(found):
        row_lines[k] = extract(row_lines[k], free)
    return found


@inlined
def raise_placings(best, high, packed, stones, points):
    """Raise the scores ``best`` (in place) of the sets that lack one of ``stones`` from ``packed``."""
    while stones != 0:
        stone = stones & -stones
        stones ^= stone
        place = np.uint64(rank(packed ^ stone, high))
        best[place] = max(np.int64(best[place]), points)


@inlined
def pull_placings(after, row, rows, scores, row_lines, found, high, top, best):
    """Raise ``best`` (scores of the row, in place) by every placing; ``scores`` are those of the sets X."""
    for column in range(after.masks.size):
        packed = np.int64(after.masks[column])
        mills = stones_in_mills(row_lines, found, packed)
        raise_placings(best, high, packed, packed & ~mills, np.int64(scores[column]))
        if mills != 0:
            for level in range(1, after.levels + 1):
                stones = stones_earning(row_lines, found, packed, level, after.levels)
                if stones != 0:
                    raise_placings(best, high, packed, stones, removal_score(after, row, rows, column, level, top))


@inlined
def raise_moves(best, moves, flying, row_hops, row_ends, high, free, all_free, packed, stones, points, ranks):
    """Raise the scores ``best`` (in place) of the sets from which one of ``stones`` may have moved to make ``packed``."""
    if flying:
        count = undo_flights(high, all_free, packed, stones, ranks, 0)
    else:
        count = undo_moves(moves, row_hops, row_ends, high, deposit(packed, free), packed, deposit(stones, free), ranks, 0)
    for k in range(count):
        place = np.uint64(ranks[k])
        best[place] = max(np.int64(best[place]), points)


@inlined
def pull_moves(after, row, rows, scores, moves, flying, row_hops, row_ends, free, all_free, row_lines, found, high, top, ranks, best):
    """Raise ``best`` (scores of the row, in place) by every move; ``scores`` are those of the sets X."""
    for column in range(after.masks.size):
        packed = np.int64(after.masks[column])
        mills = stones_in_mills(row_lines, found, packed)
        points = np.int64(scores[column])
        raise_moves(best, moves, flying, row_hops, row_ends, high, free, all_free, packed, packed & ~mills, points, ranks)
        if mills != 0:
            for level in range(1, after.levels + 1):
                stones = stones_earning(row_lines, found, packed, level, after.levels)
                if stones != 0:
                    points = removal_score(after, row, rows, column, level, top)
                    raise_moves(best, moves, flying, row_hops, row_ends, high, free, all_free, packed, stones, points, ranks)


class Rows(NamedTuple):
    """The rows of the subspace whose positions look for their best turn.

    representatives : uint32, the sets T. shielded : bool, rows where closing a mill is quiet. lost : bool, rows lost at once.
    high : ranks of the sets U. lines : uint32. moves : hops. flying : whether the stones of U fly. no_turn : code of a position without
    a turn. plies : 1 for the codes of the positions themselves, 0 for those after the turn.
    """

    representatives: np.ndarray
    shielded: np.ndarray
    lost: np.ndarray
    high: np.ndarray
    lines: np.ndarray
    moves: Moves
    flying: bool
    no_turn: int
    plies: int


@kernel
def best_turns(row_start, row_stop, by_placing, by_move, subspace, top, scores, best, codes, scratch):
    """Value codes from the best turn of every position of some rows.

    subspace : `Rows`. top : code for drawn in ``codes``. scores, best : scratch of the longest list of sets X and of a row, of the dtype of
    codes. Written in place: ``codes`` (1-D, the rows from ``row_start`` on, ``best.size`` cells each).
    """
    full, images = by_placing.target.full, by_placing.target.images
    moves = subspace.moves
    own_images, row_lines, cells, ranks = scratch.images, scratch.lines, scratch.cells, scratch.ranks
    row_hops, row_ends = scratch.hops, scratch.ends
    rows = subspace.representatives.size
    for row in range(row_start, row_stop):
        base = (row - row_start) * best.size
        if subspace.lost[row]:
            codes[base : base + best.size] = 0
            continue
        other = np.int64(subspace.representatives[row])
        free = full ^ other
        open_images(images, other, own_images)
        found = 0 if subspace.shielded[row] else open_packed_lines(subspace.lines, other, free, row_lines)
        best[:] = 0
        if by_placing.masks.size > 0:
            gather_scores(by_placing.target, own_images, free, by_placing.masks, by_placing.values, by_placing.draw, top, cells, scores)
            pull_placings(by_placing, row, rows, scores, row_lines, found, subspace.high, top, best)
        if by_move.masks.size > 0:
            open_row(moves, other, free, row_hops, row_ends)
            gather_scores(by_move.target, own_images, free, by_move.masks, by_move.values, by_move.draw, top, cells, scores)
            pull_moves(by_move, row, rows, scores, moves, subspace.flying, row_hops, row_ends, free, extract(free, free), row_lines, found, subspace.high, top, ranks, best)  # noqa: E501
        for column in range(best.size):
            points = np.int64(best[column])
            code = after_turn(points, top)
            if points == 0:
                codes[base + column] = subspace.no_turn
            else:
                codes[base + column] = code + subspace.plies if code < top else top


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
