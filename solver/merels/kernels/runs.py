"""A stone more, fewer or moved, for a whole row at once: sets X handed on to the sets U that lack one stone, and the other way round.

For a given stone the sets X that hold it come in *runs*: while the points above it stay the same, both the sets X and the sets U = X
without it are consecutive in rank, so the row is worked through run by run with vector instructions. Runs are long where the stone is a
high point and short where it is a low one; the lower half of the points is therefore done in a mirrored numbering, in which it is the
upper half. For a hop the sets with a stone at one end, and those with it at the other, come in runs of the lower end likewise. What is
handed on, and what for, is decided by turns (`merels.kernels.pull`) and removals (`merels.kernels.removals`).
"""

from typing import NamedTuple

import numpy as np

from merels.kernels.bits import popcount, trailing_zeros
from merels.kernels.jit import inlined, kernel
from merels.kernels.ranking import rank


class Runs(NamedTuple):
    """The runs of the X sets of ``size`` of ``points`` points.

    points : number of points.
    runs : int64 (number, 5): rank of the first X, rank of the first U, length, the points of X above the stone, first column in ``holds``.
    starts : int64 (points + 1,), the runs of stone p are those from ``starts[p]`` to ``starts[p + 1]``; none for p below ``points // 2``.
    holds : uint8 (points, columns): whether the points below the stone, in the order of the run's sets, hold a point.
    below : int64 (size + 1,), by the number of points below the stone, the first column in ``holds``.
    binomials : int64 (points + 1, size + 2). high : ranks of the sets X.
    mirror : uint32, for each X the rank of its mirror image (`mirrored_set`). mirror_fewer : the same for each U.
    """

    points: int
    runs: np.ndarray
    starts: np.ndarray
    holds: np.ndarray
    below: np.ndarray
    binomials: np.ndarray
    high: np.ndarray
    mirror: np.ndarray
    mirror_fewer: np.ndarray


@inlined
def mirrored_set(x, points):
    """Mirror image of the set ``x``: point k to points - 1 - k."""
    image = np.int64(0)
    while x != 0:
        image |= np.int64(1) << (points - 1 - trailing_zeros(x))
        x &= x - 1
    return image


@kernel
def fill_mirror(points, masks, high, mirror):
    """``mirror[k]`` (uint32, modified in place) = rank of the mirror image of the k-th set; ``masks``, ``high`` as in `Columns`."""
    for k in range(masks.size):
        mirror[k] = rank(mirrored_set(np.int64(masks[k]), points), high)


@kernel
def fill_runs(points, size, binomials, starts_below, runs, starts):
    """Write `Runs.runs` and `Runs.starts`; returns the number of runs.

    binomials : int64 (points + 1, size + 1). starts_below : int64, by number of points below the stone, where they begin in `Runs.holds`.
    """
    count = np.int64(0)
    for stone in range(points):
        starts[stone] = count
        if stone < points // 2:
            continue
        for upper in range(np.int64(1) << (points - 1 - stone)):
            below = size - 1 - popcount(np.int64(upper))
            if below < 0 or below > stone:
                continue
            first = binomials[stone, below + 1]
            fewer = np.int64(0)
            index = below + 1
            for point in range(stone + 1, points):
                if upper >> (point - stone - 1) & 1:
                    first += binomials[point, index + 1]
                    fewer += binomials[point, index]
                    index += 1
            runs[count, 0] = first
            runs[count, 1] = fewer
            runs[count, 2] = binomials[stone, below]
            runs[count, 3] = upper << (stone + 1)
            runs[count, 4] = starts_below[below]
            count += 1
    starts[points] = count
    return count


@inlined
def raise_run(best, scores, length):
    """``best`` = the larger of both, cell by cell, in place."""
    for k in range(length):
        points = scores[k]
        before = best[k]
        best[k] = points if points > before else before


@inlined
def raise_mirrored(best, scores, mirror):
    """`raise_run` with scores in the mirrored numbering, in place; ``mirror``: where each cell is there."""
    for k in range(best.size):
        points = scores[np.uint64(mirror[k])]
        before = best[k]
        best[k] = points if points > before else before


@inlined
def raise_where(best, scores, mills, level, length):
    """`raise_run` in the cells where ``mills`` holds ``level``."""
    nothing = scores.dtype.type(0)
    for k in range(length):
        points = scores[k]  # loaded whether needed or not: only so can it be a vector instruction
        closed = mills[k]
        before = best[k]
        points = points if closed == level else nothing
        best[k] = points if points > before else before


@inlined
def count_mills(mills, holds, lines, found, stone, floor, above, most, length):
    """``mills[k]`` (uint8, in place) = mills through ``stone`` in the k-th set of a run, ``most`` or fewer.

    above : the other points from ``floor`` on that all sets of the run have; ``holds`` tells of those below. Returns -1, or the number
    where it is the same for all sets: then ``mills`` is not written.
    """
    bit, below = np.int64(1) << stone, (np.int64(1) << floor) - 1
    certain, depending = 0, 0
    for i in range(found):
        line = lines[i]
        if line & bit and line & ~below & ~bit & ~above == 0:
            low = line & below
            if low == 0:
                certain += 1
                continue
            first = holds[trailing_zeros(low)]
            second = holds[trailing_zeros(low & (low - 1))] if low & (low - 1) else first
            if depending == 0:
                for k in range(length):
                    mills[k] = first[k] & second[k]
            else:
                for k in range(length):
                    mills[k] += first[k] & second[k]
            depending += 1
    if depending == 0:
        return min(certain, most)
    if certain > 0 or depending > most:
        more, limit = np.uint8(certain), np.uint8(most)
        for k in range(length):
            closed = np.uint8(mills[k] + more)
            mills[k] = closed if closed < limit else limit
    return -1


@inlined
def raise_earning(best, scores, mills, same, levels, length):
    """`raise_run` with the scores (levels + 1, length) of the mills closed; ``mills`` and ``same`` are those of `count_mills`."""
    if same >= 0:
        raise_run(best, scores[same], length)
    else:
        for level in range(levels + 1):
            raise_where(best, scores[level], mills, np.uint8(level), length)


@inlined
def raise_fewer(runs, first_stone, lines, found, levels, scores, mills, best):
    """Raise the scores ``best`` of the sets U (in place) by adding each stone from ``first_stone`` on.

    scores : (levels + 1, sets X), by the number of lines through the stone that X holds (``levels``: or more). mills : uint8 (sets X,),
    scratch.
    """
    for stone in range(first_stone, runs.points):
        for number in range(runs.starts[stone], runs.starts[stone + 1]):
            x, u, length, start = runs.runs[number, 0], runs.runs[number, 1], runs.runs[number, 2], runs.runs[number, 4]
            holds = runs.holds[:, start : start + length]
            same = count_mills(mills, holds, lines, found, stone, stone, runs.runs[number, 3], levels, length)
            raise_earning(best[u : u + length], scores[:, x : x + length], mills, same, levels, length)


@inlined
def raise_more(runs, first_stone, lines, found, scores, mills, best):
    """Raise the scores ``best`` of the sets X (in place) by taking away each stone from ``first_stone`` on.

    Stones that stand in one of the ``lines`` are not taken. scores : (sets U,). mills : uint8 (sets X,), scratch.
    """
    for stone in range(first_stone, runs.points):
        for number in range(runs.starts[stone], runs.starts[stone + 1]):
            x, u, length, start = runs.runs[number, 0], runs.runs[number, 1], runs.runs[number, 2], runs.runs[number, 4]
            holds = runs.holds[:, start : start + length]
            same = count_mills(mills, holds, lines, found, stone, stone, runs.runs[number, 3], 1, length)
            if same == 0:
                raise_run(best[x : x + length], scores[u : u + length], length)
            elif same < 0:
                raise_where(best[x : x + length], scores[u : u + length], mills, np.uint8(0), length)


@inlined
def raise_hop(runs, low, high, lines, found, levels, scores, mills, best):
    """Raise the scores ``best`` of sets (in place) by moving a stone along a hop, from either end to the other.

    low, high : its ends. scores : (levels + 1, sets), by the number of lines through the stone that has arrived. mills : uint8, scratch.
    """
    size = runs.below.size - 1
    gap = (np.int64(1) << (high - low - 1)) - 1
    for upper in range(np.int64(1) << (runs.points - 2 - low)):
        below = size - 1 - popcount(np.int64(upper))
        if below < 0 or below > low:
            continue
        above = (upper & gap) << (low + 1) | (upper & ~gap) << (low + 2)
        lowest = (np.int64(1) << below) - 1
        length, start = runs.binomials[low, below], runs.below[below]
        first, second = rank(above | np.int64(1) << low | lowest, runs.high), rank(above | np.int64(1) << high | lowest, runs.high)
        holds = runs.holds[:, start : start + length]
        same = count_mills(mills, holds, lines, found, low, low, above, levels, length)
        raise_earning(best[second : second + length], scores[:, first : first + length], mills, same, levels, length)
        same = count_mills(mills, holds, lines, found, high, low, above, levels, length)
        raise_earning(best[first : first + length], scores[:, second : second + length], mills, same, levels, length)
