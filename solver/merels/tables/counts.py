"""Counts: how many positions of a table are won, drawn and lost, and in how many plies. Orbits are counted once.

How they are counted is a matter of `statistics`; where they are kept, of `schema`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from merels.tables.metric import CODES_A_PLY, WDL


@dataclass(frozen=True)
class Counts:
    """Numbers of positions, each orbit under the board's symmetries once.

    Attributes
    ----------
    histogram : tuple of int
        Decided positions by their distance: index = plies, odd: won, even: lost. Ends with the longest distance; empty
        if all is drawn. Of a value-only table: lost and won positions.
    draw : int
        Drawn positions.
    distances : bool
        False for those of a value-only table.
    codes_a_ply : int
        1; 2 with three players, where the index is twice the plies, and 1 more for won (see `merels.tables.metric`).
    """

    histogram: tuple[int, ...]
    draw: int
    distances: bool = True
    codes_a_ply: int = 1

    @classmethod
    def of(cls, histogram: Iterable[int], draw: int, metric: str) -> Counts:
        """The counts of a table of this metric."""
        return cls(tuple(histogram), draw, metric != WDL, CODES_A_PLY[metric])

    @property
    def positions(self) -> int:
        """All positions."""
        return self.win + self.draw + self.loss

    @property
    def win(self) -> int:
        """Positions won for the player to move."""
        return sum(self.histogram[1::2])

    @property
    def loss(self) -> int:
        """Positions lost for the player to move."""
        return sum(self.histogram[0::2])

    @property
    def longest(self) -> int:
        """Largest distance, or decided code of a value-only table; -1 if all is drawn."""
        return len(self.histogram) - 1

    @property
    def max_win(self) -> int | None:
        """Distance of the longest win in plies, None without a win or without distances."""
        return self._largest(1)

    @property
    def max_loss(self) -> int | None:
        """Distance of the longest loss in plies, None without a loss or without distances."""
        return self._largest(0)

    def _largest(self, parity: int) -> int | None:
        if not self.distances:
            return None
        codes = (code for code in range(parity, len(self.histogram), 2) if self.histogram[code])
        return max((code // self.codes_a_ply for code in codes), default=None)

    def summary(self) -> dict[str, int | None]:
        """The numbers by the names that files, the manifest and ``stats --json`` give them."""
        return {
            "positions": self.positions,
            "win": self.win,
            "draw": self.draw,
            "loss": self.loss,
            "max_win": self.max_win,
            "max_loss": self.max_loss,
        }
