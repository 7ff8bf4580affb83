"""RowSpace: the layout of one table, rows by the stones of the player not to move, columns by those of the player to move."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from merels.kernels.ranking import count_orbits, fill_sets, locate, mark_mill_rows

if TYPE_CHECKING:
    from merels.indexing.geometry import Geometry


class RowSpace:
    """Rows and columns of the positions with ``u`` stones of the player to move and ``t`` of the other.

    Attributes
    ----------
    shape : (rows, columns). Rows whose representative has symmetries of its own hold some positions more than once.
    orbits : classes of the T sets (rows).
    columns : ranks and masks of the U sets among the free points (columns).
    """

    def __init__(self, geometry: Geometry, u: int, t: int):
        self.geometry, self.u, self.t = geometry, u, t
        self.orbits = geometry.orbits(t)
        self.columns = geometry.columns(t, u)
        self.shape = (self.orbits.representatives.size, self.columns.masks.size)

    @property
    def slots(self) -> int:
        """Number of cells."""
        return self.shape[0] * self.shape[1]

    @cached_property
    def positions(self) -> int:
        """Number of positions, each orbit once."""
        orbits = self.orbits
        return int(
            count_orbits(
                self.geometry.full, orbits.representatives, orbits.stabilisers, self.columns.masks, self.geometry.images
            )
        )

    @cached_property
    def mill_rows(self) -> np.ndarray:
        """bool, one a row: the row's stones hold a whole line."""
        marks = np.zeros(self.shape[0], np.bool_)
        mark_mill_rows(self.orbits.representatives, self.geometry.lines, marks)
        return marks

    def locate(self, movers: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows and columns (int64) of positions given by their sets U and T (integers, 1-D, equal length, disjoint, right sizes)."""
        movers, others = np.ascontiguousarray(movers, np.uint32), np.ascontiguousarray(others, np.uint32)
        rows, cells = np.empty(movers.size, np.int64), np.empty(movers.size, np.int64)
        geometry = self.geometry
        locate(movers, others, geometry.full, self.orbits, self.columns.high, geometry.images, rows, cells)
        return rows, cells

    def sets(self, start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
        """The sets U and T (uint32) of all cells in the rows from ``start`` to ``stop``, row after row; `locate` is the way back."""
        cells = (stop - start) * self.shape[1]
        movers, others = np.empty(cells, np.uint32), np.empty(cells, np.uint32)
        fill_sets(start, stop, self.geometry.full, self.orbits.representatives, self.columns.masks, movers, others)
        return movers, others

    def position(self, row: int, column: int) -> tuple[int, int]:
        """The sets (U, T) that the cell stands for, T being the row's representative."""
        other = int(self.orbits.representatives[row])
        free = [point for point in range(self.geometry.points) if not other >> point & 1]
        mover = int(self.columns.masks[column])
        return sum(1 << point for k, point in enumerate(free) if mover >> k & 1), other
