"""Pairs of value codes: what each position is worth in two tables at once."""

from typing import NamedTuple

import numpy as np

from merels.kernels.bits import deposit
from merels.kernels.jit import kernel
from merels.kernels.ranking import is_first_of_orbit


class Block(NamedTuple):
    """The value codes of rows and columns that may be the first ones of more.

    cells : uint8 or uint16, 1-D. stride : cells from a row to the next. drawn : the number of a draw, more than every distance; a larger
    code is taken for it.
    """

    cells: np.ndarray
    stride: int
    drawn: int


@kernel
def count_pairs(row_start, row_stop, one, two, full, representatives, stabilisers, masks, images, counts, first):
    """Count the pairs of codes in rows ``row_start`` to ``row_stop`` of two blocks that hold the same positions, each orbit once.

    one, two : `Block`. Modified in place, 1-D, int64, (one.drawn + 1) * (two.drawn + 1) long, with the pair (a, b) at
    ``a * (two.drawn + 1) + b``: ``counts``, to which the positions are added, and ``first``, the number of the first cell (row after
    row, without the stride) among those that were added to a count of 0.
    """
    columns = masks.size
    width = two.drawn + 1
    for row in range(row_start, row_stop):
        free = full ^ np.int64(representatives[row])
        stabiliser = stabilisers[row]
        base_one, base_two = row * one.stride, row * two.stride
        for k in range(columns):
            if stabiliser != 1 and not is_first_of_orbit(stabiliser, images, deposit(np.int64(masks[k]), free)):
                continue
            a = min(np.int64(one.cells[np.uint64(base_one + k)]), one.drawn)
            b = min(np.int64(two.cells[np.uint64(base_two + k)]), two.drawn)
            pair = np.uint64(a * width + b)
            if counts[pair] == 0:
                first[pair] = row * columns + k
            counts[pair] += 1
