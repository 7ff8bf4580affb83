"""Three players: ranks of positions, the removals of a turn, and the pull over turns.

A value is that of one player, A, against the two others together. Its code is ``2 * plies + 1`` where A wins, ``2 * plies`` where A is put
out, and the dtype's largest number where neither can be forced. A *score* orders codes from A's view: the larger, the better for A; times
``sign`` (1 where A is to move, -1 elsewhere) from the view of whoever moves.
"""

from typing import NamedTuple

import numpy as np

from merels.kernels.bits import deposit
from merels.kernels.jit import chosen_by_type, inlined, kernel
from merels.kernels.moves import Mills, Moves, open_row, removable, stones_earning, stones_in_mills
from merels.kernels.pull import raise_moves
from merels.kernels.ranking import image, is_first_of_orbit, orbit_class, orbit_entry, orbit_symmetry
from merels.kernels.scratch import RowScratch
from merels.kernels.transpose import (
    PairTarget,
    Target,
    append_cells,
    cell_of,
    open_images,
    open_others,
    pair_cell,
    place_of,
)

SURE = 1 << 20
"""Score of a game that A has won; a win in n plies has n less."""
UNSEEN = -(1 << 24)
"""Below all scores: nothing is known yet, or there is no turn."""
MOST_SETS = 2048
"""More sets of stones than one turn can take from one player."""


# --- codes and scores


@inlined
def triple_score(code, draw):
    """Score of a code; ``draw``: the code for neither."""
    half = code >> 1
    decided = SURE - half if code & 1 else half - SURE
    return 0 if code == draw else decided


@inlined
def triple_code(score, draw, plies):
    """The code of a score, ``plies`` later; the reverse of `triple_score`."""
    if score == 0:
        return np.int64(draw)
    return 2 * (SURE - score + plies) + 1 if score > 0 else 2 * (score + SURE + plies)


# --- the layout


@kernel
def fill_pairs(nexts, stabilisers, masks, full, images, others, following, kept):
    """The rows of a table: for each class N of ``nexts`` (uint32) every set P of the free points, in order of rank (``masks``, uint32).

    Written in place, one a row: ``others`` (uint32, both sets), ``following`` (uint32, N), ``kept`` (int64, the symmetries that keep both;
    0 where another row of the class has the same positions). ``stabilisers`` : int64, one a class.
    """
    for k in range(nexts.size):
        mask_next = np.int64(nexts[k])
        free = full ^ mask_next
        for column in range(masks.size):
            previous = deposit(np.int64(masks[column]), free)
            row = k * masks.size + column
            both = np.int64(0)
            if is_first_of_orbit(stabilisers[k], images, previous):
                for g in range(images.shape[0]):
                    if (stabilisers[k] >> g) & 1 and image(images, g, previous) == previous:
                        both |= np.int64(1) << g
            others[row] = mask_next | previous
            following[row] = mask_next
            kept[row] = both


@kernel
def locate_triples(movers, nexts, previous, target, rows, columns):
    """Row and column of positions given by three sets each (uint32, equal length).

    target : `PairTarget` with the classes of ``nexts``, the ranks of ``previous`` as its ``next_high`` and those of ``movers`` as ``high``;
    its stride is the number of columns. Written in place: ``rows``, ``columns`` (int64).
    """
    for k in range(movers.size):
        entry = orbit_entry(target.orbits, np.int64(nexts[k]))
        g = orbit_symmetry(entry)
        last = image(target.images, g, np.int64(previous[k]))
        cell = pair_cell(target, orbit_class(entry), last, image(target.images, g, np.int64(movers[k])))
        rows[k] = cell // target.stride
        columns[k] = cell % target.stride


# --- removals


class TripleLeaf(NamedTuple):
    """Where a removal leads that leaves all three players in: ``target`` as in `locate_triples`, the next player now to move."""

    target: PairTarget


class PairLeaf(NamedTuple):
    """Where a removal leads that puts one player out: a table of two players. next_moves : whether the next player is to move there, or,
    that one being out, the previous player."""

    target: Target
    next_moves: bool


class EndLeaf(NamedTuple):
    """Where a removal leads that decides the game for A: one value for all."""

    nothing: int


def open_leaf(leaf, following, previous, own):
    """Prepare for the sets N and P as they are after the removals; ``own`` (int64) is scratch, written in place.

    This is the way of a `TripleLeaf`; kernels take those of the other leaves below where they are given one.
    """
    target = leaf.target
    entry = orbit_entry(target.orbits, previous)
    own[0], own[1] = orbit_class(entry), orbit_symmetry(entry)
    own[2] = image(target.images, own[1], following)


def leaf_cell(leaf, own, x):
    """Cell of the position in which the stones X of the player who made the turn join those of `open_leaf`; of a `TripleLeaf`."""
    return pair_cell(leaf.target, own[0], image(leaf.target.images, own[1], x), own[2])


@chosen_by_type(open_leaf)
def _open_leaf(leaf, following, previous, own):
    def pair(leaf, following, previous, own):
        open_images(leaf.target.images, following if leaf.next_moves else previous, own)

    def end(leaf, following, previous, own):
        pass

    return {TripleLeaf: open_leaf, PairLeaf: pair, EndLeaf: end}[leaf.instance_class]


@chosen_by_type(leaf_cell)
def _leaf_cell(leaf, own, x):
    def pair(leaf, own, x):
        return cell_of(leaf.target, own, orbit_entry(leaf.target.orbits, x))

    def end(leaf, own, x):
        return np.int64(0)

    return {TripleLeaf: leaf_cell, PairLeaf: pair, EndLeaf: end}[leaf.instance_class]


class Closings(NamedTuple):
    """Positions after a turn that closed mills. rows, columns : int64, where they are. sets : int64, the stones X of who made the turn.
    scores : int64, the best that the removals give, times ``sign``."""

    rows: np.ndarray
    columns: np.ndarray
    sets: np.ndarray
    scores: np.ndarray


@kernel
def list_closings(row_start, row_stop, others, shielded, masks, full, mills, level, levels, closings):
    """List the cells of some rows in which a stone of X may just have closed ``level`` mills; returns how many they are.

    Modified in place: ``closings``, with `UNSEEN` scores. others : uint32, by row all stones that stay put.
    """
    count = 0
    for row in range(row_start, row_stop):
        if shielded[row]:
            continue
        free = full ^ np.int64(others[row])
        for column in range(masks.size):
            x = deposit(np.int64(masks[column]), free)
            if stones_in_mills(mills, x) != 0 and stones_earning(mills, x, level, levels) != 0:
                closings.rows[count], closings.columns[count], closings.sets[count] = row, column, x
                closings.scores[count] = UNSEEN
                count += 1
    return count


@inlined
def list_takings(mills, stones, size, protection, sets):
    """Write every set of ``size`` of the ``stones`` that may be taken one after the other into ``sets[0]``; returns how many they are.

    ``sets`` : int64 (2, MOST_SETS), modified in place.
    """
    count = 1
    sets[0, 0] = 0
    for _ in range(size):
        found = 0
        for k in range(count):
            choices = removable(mills, stones ^ sets[0, k], protection)
            while choices != 0:
                taken = sets[0, k] | (choices & -choices)
                choices &= choices - 1
                known = False
                for i in range(found):
                    known |= sets[1, i] == taken
                if not known:
                    sets[1, found] = taken
                    found += 1
        for i in range(found):
            sets[0, i] = sets[1, i]
        count = found
    return count


@kernel
def raise_removals(count, closings, others, nexts, mills, protection, level, from_next, from_previous, leaf, values, draw, sign, scratch):
    """Raise the scores of the first ``count`` closings by every legal way to take so many stones from the next and the previous player.

    others, nexts : uint32, by row all stones that stay put and those of the next player. leaf, values, draw : where that leads, codes of A
    (1-D) and their code for neither. Fewer than ``level`` stones are taken only where no more may be. Modified in place: ``closings`` and
    ``scratch`` : `RowScratch` and two arrays int64 (2, MOST_SETS).
    """
    row_scratch, next_sets, previous_sets = scratch
    own = row_scratch.images
    whole = from_next + from_previous == level
    first = 0
    while first < count:
        row = closings.rows[first]
        stop = first
        while stop < count and closings.rows[stop] == row:
            stop += 1
        following = np.int64(nexts[row])
        previous = np.int64(others[row]) ^ following
        next_count = list_takings(mills, following, from_next, protection, next_sets)
        previous_count = list_takings(mills, previous, from_previous, protection, previous_sets)
        for i in range(next_count):
            rest_next = following ^ next_sets[0, i]
            if not whole and removable(mills, rest_next, protection) != 0:
                continue
            for j in range(previous_count):
                rest_previous = previous ^ previous_sets[0, j]
                if not whole and removable(mills, rest_previous, protection) != 0:
                    continue
                open_leaf(leaf, rest_next, rest_previous, own)
                for k in range(first, stop):
                    code = np.int64(values[np.uint64(leaf_cell(leaf, own, closings.sets[k]))])
                    closings.scores[k] = max(closings.scores[k], sign * triple_score(code, draw))
        first = stop


@kernel
def write_closings(count, closings, sign, first_row, stride, top, after):
    """Write the first ``count`` closings as codes of A into ``after``.

    Modified in place: ``after``, 1-D, from the row ``first_row`` on, ``stride`` cells a row; ``top`` is its code for neither.
    """
    for k in range(count):
        score = closings.scores[k]
        after[np.uint64((closings.rows[k] - first_row) * stride + closings.columns[k])] = triple_code(sign * score, top, 0)


# --- players without a turn


@kernel
def scatter_stuck(row_start, row_stop, side, stuck, other_after, target, scratch):
    """The positions without a turn of some rows get their codes, which are those of the game that the mover has left.

    stuck : codes, one a row. Modified in place: the side's values, where its code for neither stands in cells without turns and nowhere
    else; the after-move array of the side before it, where decided. scratch : `RowScratch`.
    """
    own_images, cells = scratch.images, scratch.cells
    size = side.masks.size
    for row in range(row_start, row_stop):
        opened = False
        code = np.int64(stuck[row])
        others = np.int64(side.representatives[row])
        for column in range(size):
            cell = np.uint64(row * size + column)
            if np.int64(side.values[cell]) != side.top:
                continue
            side.values[cell] = code
            if code == side.top:
                continue
            if not opened:
                open_others(target, row, others, own_images)
                opened = True
            x = deposit(np.int64(side.masks[column]), target.full ^ others)
            count = append_cells(target, own_images, place_of(target, x), cells, 0)
            for k in range(count):
                other_after[np.uint64(cells[k])] = code


# --- the pull


class TripleRows(NamedTuple):
    """The rows of a table whose positions look for their best turn.

    representatives : uint32, both sets that stay put. nexts : uint32, that of the next player. shielded : bool, closing a mill is quiet.
    high : ranks of the sets U. masks : uint32, they and as well the sets X after a turn. mills, moves, flying : as everywhere. levels :
    most mills that count. target, values, draw : the table after a quiet turn, as in `TripleLeaf`. sign : 1 where A is to move, else -1.
    stuck : by row the code of a position without a turn.
    """

    representatives: np.ndarray
    nexts: np.ndarray
    shielded: np.ndarray
    high: np.ndarray
    masks: np.ndarray
    mills: Mills
    moves: Moves
    flying: bool
    levels: int
    target: PairTarget
    values: np.ndarray
    draw: int
    sign: int
    stuck: np.ndarray


class TripleScratch(NamedTuple):
    """Scratch of one thread. row : as everywhere. best : int32, a row."""

    row: RowScratch
    best: np.ndarray


@kernel
def best_triple_turns(row_start, row_stop, rows, removals, top, codes, scratch):
    """Codes of A from the best turn of whoever moves, for every position of some rows.

    removals : (levels, cells from ``row_start`` on) codes of A after so many mills, ``top`` for neither. scratch : `TripleScratch`.
    Written in place: ``codes`` (1-D, the rows from ``row_start`` on), ``top`` their code for neither.
    """
    target, images = rows.target, rows.target.images
    best, size = scratch.best, rows.masks.size
    row_hops, row_ends, ranks = scratch.row.hops, scratch.row.ends, scratch.row.ranks
    for row in range(row_start, row_stop):
        others = np.int64(rows.representatives[row])
        following = np.int64(rows.nexts[row])
        free = target.full ^ others
        entry = orbit_entry(target.orbits, others ^ following)
        row_class, symmetry = orbit_class(entry), orbit_symmetry(entry)
        mover = image(images, symmetry, following)
        base = (row - row_start) * size
        levels = 0 if rows.shielded[row] else rows.levels
        if not rows.flying:
            open_row(rows.moves, others, free, row_hops, row_ends)
        best[:] = UNSEEN
        for column in range(size):
            packed = np.int64(rows.masks[column])
            x = deposit(packed, free)
            closed = stones_in_mills(rows.mills, x) if levels > 0 else np.int64(0)
            cell = pair_cell(target, row_class, image(images, symmetry, x), mover)
            score = rows.sign * triple_score(np.int64(rows.values[np.uint64(cell)]), rows.draw)
            raise_moves(best, rows, row_hops, row_ends, free, x, packed, x & ~closed, score, ranks)
            if closed != 0:
                for level in range(1, levels + 1):
                    stones = stones_earning(rows.mills, x, level, levels)
                    if stones != 0:
                        score = rows.sign * triple_score(np.int64(removals[level - 1, base + column]), top)
                        raise_moves(best, rows, row_hops, row_ends, free, x, packed, stones, score, ranks)
        for column in range(size):
            score = np.int64(best[column])
            code = np.int64(rows.stuck[row]) if score == UNSEEN else triple_code(rows.sign * score, top, 1)
            codes[np.uint64(base + column)] = code
