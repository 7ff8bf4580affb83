"""Table: the solved values of one subspace in memory, with distances or without."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from merels.subspaces import Subspace
from merels.tables.metric import DTW, WDL

LOST, WON, DRAWN = 0, 1, 255
"""The codes of a value-only table."""
_BLOCK = 1 << 18  # cells; what is worked on stays in the cache


@dataclass(frozen=True)
class Table:
    """Values of a subspace, rows by the stones of the player not to move (see `merels.indexing`).

    Attributes
    ----------
    subspace : which.
    values : uint8 or uint16, 1-D, C-ordered (rows, columns): distance in plies (odd won, even lost) or the dtype's
        largest: drawn. In a value-only table uint8: `LOST`, `WON` and `DRAWN`, so that whoever asks for values alone may
        read it like any other.
    longest : largest distance, or decided code of a value-only table; -1 if all is drawn.
    metric : `DTW` or `WDL`.
    """

    subspace: Subspace
    values: np.ndarray
    longest: int
    metric: str = DTW

    @property
    def draw(self) -> int:
        """The code for drawn."""
        return draw_code(self.values.dtype)


def draw_code(dtype: np.dtype) -> int:
    """The value code for drawn: the largest number of the dtype."""
    return int(np.iinfo(dtype).max)


def value_only(table: Table) -> Table:
    """The table without its distances: a new one, or the same if it has none."""
    if table.metric == WDL:
        return table
    codes = np.empty(table.values.size, np.uint8)
    longest = -1
    for start in range(0, codes.size, _BLOCK):
        block = value_codes(table.values[start : start + _BLOCK])
        codes[start : start + _BLOCK] = block
        longest = max(longest, LOST if (block == LOST).any() else -1, WON if (block == WON).any() else -1)
    return Table(table.subspace, codes, longest, WDL)


def value_codes(codes: np.ndarray) -> np.ndarray:
    """The codes of a value-only table (uint8) for codes of any table (uint8 or uint16)."""
    drawn = codes == draw_code(codes.dtype)
    return (codes & 1).astype(np.uint8) | np.negative(drawn.view(np.uint8))
