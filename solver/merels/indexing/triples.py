"""TripleSpace: the layout of one table of a game for three, rows by the stones of the two players who are not to move."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from merels.kernels.ranking import count_orbits
from merels.kernels.transpose import PairTarget
from merels.kernels.triples import fill_pairs, locate_triples

if TYPE_CHECKING:
    from merels.indexing.geometry import Geometry


class TripleSpace:
    """Rows and columns of the positions with so many stones of the player to move, of the next and of the previous one.

    A row is a class of the next player's set N and the rank of the previous player's set P among the points that N's representative leaves
    free. A turn of the mover leaves N and P alone, and what follows it lies, for all of a row, in the rows of one class, that of P.

    Attributes
    ----------
    shape : (rows, columns). Some positions have several cells: where the representative of N has symmetries of its own.
    columns : ranks and masks of the mover's sets among the points left.
    target : where a position lies, as kernels ask it.
    """

    def __init__(self, geometry: Geometry, stones: int, following: int, previous: int):
        self.geometry = geometry
        self._orbits, self._pairs = geometry.orbits(following), geometry.columns(following, previous)
        self.columns = geometry.columns(following + previous, stones)
        self.width = self._pairs.masks.size
        self.shape = (self._orbits.representatives.size * self.width, self.columns.masks.size)
        self.target = PairTarget(
            orbits=self._orbits,
            next_high=self._pairs.high,
            width=self.width,
            high=self.columns.high,
            stride=self.columns.masks.size,
            nexts=np.empty(0, np.uint32),
            images=geometry.images,
            full=geometry.full,
        )

    @property
    def slots(self) -> int:
        """Number of cells."""
        return self.shape[0] * self.shape[1]

    @cached_property
    def _rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        rows, orbits = self.shape[0], self._orbits
        filled = np.empty(rows, np.uint32), np.empty(rows, np.uint32), np.empty(rows, np.int64)
        fill_pairs(orbits.representatives, orbits.stabilisers, self._pairs.masks, self.geometry.full, self.geometry.images, *filled)
        return filled

    @property
    def representatives(self) -> np.ndarray:
        """uint32, one a row: N and P together."""
        return self._rows[0]

    @property
    def nexts(self) -> np.ndarray:
        """uint32, one a row: N."""
        return self._rows[1]

    @property
    def stabilisers(self) -> np.ndarray:
        """int64, one a row: bit set of the symmetries that keep N and P; 0 where the positions are those of another row."""
        return self._rows[2]

    @cached_property
    def positions(self) -> int:
        """Number of positions, each orbit once."""
        geometry = self.geometry
        return int(count_orbits(geometry.full, self.representatives, self.stabilisers, self.columns.masks, geometry.images))

    def locate(self, movers: np.ndarray, nexts: np.ndarray, previous: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows and columns (int64) of positions given by their three sets (integers, 1-D, equal length, disjoint, right sizes)."""
        sets = [np.ascontiguousarray(part, np.uint32) for part in (movers, nexts, previous)]
        rows, cells = np.empty(sets[0].size, np.int64), np.empty(sets[0].size, np.int64)
        locate_triples(*sets, self.target, rows, cells)
        return rows, cells

    def position(self, row: int, column: int) -> tuple[int, int, int]:
        """The sets of the player to move, the next and the previous one that the cell stands for."""
        others, following = int(self.representatives[row]), int(self.nexts[row])
        free = [point for point in range(self.geometry.points) if not others >> point & 1]
        mover = int(self.columns.masks[column])
        return sum(1 << point for k, point in enumerate(free) if mover >> k & 1), following, others ^ following
