"""Sizes: rows, columns and positions of a subspace's table, for plans."""

from __future__ import annotations

from functools import cached_property
from math import comb
from typing import TYPE_CHECKING

from merels.counting import Counter
from merels.subspaces import Subspace
from merels.variants import Variant

if TYPE_CHECKING:
    from merels.indexing.memory import MemoryGeometry, MemorySpace


class Sizes:
    """The sizes of one variant's tables.

    Where positions remember nothing they follow from the board's symmetries alone (`merels.counting`). Where they do, rows and columns are
    those of the layout itself, and numbers of positions are estimates: all that can be remembered over the number of symmetries.
    """

    def __init__(self, variant: Variant):
        self.counter, self._variant = Counter(variant), variant

    def shape(self, subspace: Subspace) -> tuple[int, int]:
        """Rows and columns of a table."""
        if self._remembers:
            return self._space(subspace).shape
        return self.counter.rows(subspace.other), comb(self.counter.points - subspace.other, subspace.stones)

    def slots(self, subspace: Subspace) -> int:
        """Cells of a table."""
        rows, width = self.shape(subspace)
        return rows * width

    def positions(self, subspace: Subspace) -> int:
        """Positions of a subspace, each orbit once; an estimate where they remember mills."""
        plain = self.counter.positions(subspace.stones, subspace.other)
        if not self._remembers:
            return plain
        space = self._space(subspace)
        own, other = (
            1 + self._share(records, stones, theirs)
            for records, stones, theirs in ((space.own, space.u, space.t), (space.other, space.t, space.u))
        )
        return round(plain * own * other)

    @property
    def _remembers(self) -> bool:
        return self._variant.rules.repeat_mill != "free"

    def _share(self, records, stones: int, others: int) -> float:
        """Things that a player may remember, for each position."""
        if self._variant.rules.repeat_mill == "different":
            return records.count
        points = self.counter.points
        holding = comb(points - 4, stones - 3) * comb(points - 1 - stones, others) if stones >= 3 else 0
        return records.count * holding / (comb(points, stones) * comb(points - stones, others))

    @cached_property
    def _geometry(self) -> MemoryGeometry:
        from merels.indexing import geometry  # Numba takes its time, and plans of other variants do not need it

        return geometry(self._variant)

    def _space(self, subspace: Subspace) -> MemorySpace:
        return self._geometry.space(subspace)
