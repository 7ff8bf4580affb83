"""Hitting sets: the fewest stones through which all mills of a set of stones pass; and sums over the subsets of sets.

What the numbers are good for is told in `merels.reachable`.
"""

import numpy as np

from merels.kernels.jit import kernel
from merels.kernels.ranking import rank


@kernel
def fill_hitting(masks, lines, fewer_high, fewer, hits):
    """``hits[k]`` = size of the smallest set of points that meets every line in ``masks[k]``.

    One of the points of any line has to be chosen, so the number follows from those of the sets with one point less.

    masks, lines : uint32. fewer_high, fewer : ranks of the sets with one point less, and their numbers (uint8). Modified in place: ``hits``
    (uint8).
    """
    for k in range(masks.size):
        x = np.int64(masks[k])
        choices = np.int64(0)
        for i in range(lines.size):
            line = np.int64(lines[i])
            if x & line == line:
                choices = line
                break
        if choices == 0:
            hits[k] = 0
            continue
        best = np.int64(255)
        while choices != 0:
            point = choices & -choices
            choices ^= point
            best = min(best, np.int64(fewer[rank(x ^ point, fewer_high)]))
        hits[k] = best + 1


@kernel
def sum_over_subsets(values):
    """Replace every ``values[x]`` by the sum of ``values[y]`` over all subsets ``y`` of ``x``.

    values : int32 or int64, one for each set of points, so their number is a power of two; modified in place.
    """
    step = 1
    while step < values.size:
        for base in range(0, values.size, 2 * step):
            for k in range(base, base + step):
                values[k + step] += values[k]
        step *= 2
