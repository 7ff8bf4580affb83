"""Events: results that wait, row by row, for the sweep of their depth.

A removal, or a placing in a game where moves are allowed too, leads out of the unit; its value is known beforehand. A dense array of such
values is packed here into one list of columns, ordered by row and depth, so that a sweep touches just the events that are due.
"""

from typing import NamedTuple

import numpy as np

from merels.kernels.jit import inlined, kernel


class Events(NamedTuple):
    """Events of one side from one or more sources.

    base : int64 (sources, rows), where each row's events begin in ``columns``.
    offsets : uint32 (sources, rows, depths + 1), where each depth's begin within the row.
    columns : uint16 or uint32.
    levels : int64 (sources,), mills that the turn closed; `merels.kernels.sweep` has names for -1, none, and 0, where the turn is a placing
        and the column the position itself.
    """

    base: np.ndarray
    offsets: np.ndarray
    columns: np.ndarray
    levels: np.ndarray


@inlined
def holds_event(dense, start, stop, undecided):
    """Whether any of some cells is decided; most are not, and this look is cheap."""
    lowest = undecided
    for cell in range(start, stop):
        lowest = min(lowest, np.int64(dense[cell]))
    return lowest < undecided


@kernel
def count_events(row_start, row_stop, width, stride, dense, undecided, counts):
    """``counts[row, depth]`` (uint32, modified in place, zero at the start) = cells of the row that hold ``depth``."""
    for row in range(row_start, row_stop):
        base = row * stride
        for start in range(base, base + width, 64):
            stop = min(start + 64, base + width)
            if holds_event(dense, start, stop, undecided):
                for cell in range(start, stop):
                    code = np.int64(dense[cell])
                    if code < undecided:
                        counts[row, code] += 1


@kernel
def fill_events(row_start, row_stop, width, stride, dense, undecided, base, offsets, columns, place):
    """Write the columns of the decided cells in order of depth and set the cells back to ``undecided``.

    Modified in place: ``columns`` and ``dense``. base : int64 (rows,). offsets : uint32 (rows, depths + 1). place : int64
    scratch (depths + 1).
    """
    for row in range(row_start, row_stop):
        first = row * stride
        for depth in range(offsets.shape[1]):
            place[depth] = base[row] + np.int64(offsets[row, depth])
        for start in range(first, first + width, 64):
            stop = min(start + 64, first + width)
            if holds_event(dense, start, stop, undecided):
                for cell in range(start, stop):
                    code = np.int64(dense[cell])
                    if code < undecided:
                        columns[place[code]] = cell - first
                        place[code] += 1
                for cell in range(start, stop):
                    dense[cell] = undecided
