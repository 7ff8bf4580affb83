"""Table: the solved values of one subspace in memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from merels.subspaces import Subspace


@dataclass(frozen=True)
class Table:
    """Values of a subspace, rows by the stones of the player not to move (see `merels.indexing`).

    Attributes
    ----------
    subspace : which.
    values : uint8 or uint16, 1-D, C-ordered (rows, columns): distance in plies (odd won, even lost) or the dtype's
        largest: drawn.
    longest : largest distance, -1 if all is drawn.
    """

    subspace: Subspace
    values: np.ndarray
    longest: int

    @property
    def draw(self) -> int:
        """The code for drawn."""
        return draw_code(self.values.dtype)


def draw_code(dtype: np.dtype) -> int:
    """The value code for drawn: the largest number of the dtype."""
    return int(np.iinfo(dtype).max)
