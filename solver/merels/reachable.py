"""Reachable: the filter by which published counts leave out positions that no game can come to.

With empty hands, every stone that a player lacks was taken by a mill that the other closed. A closing puts one stone on a point of the
new mill, and a mill that stands now was closed by a stone on one of its points; one stone closes all mills through it at once. So a
position is kept if for each player the opponent's stones on the board and the fewest points that meet all of the player's own mills
are not more than the men of a player. This is necessary for a game to come to the position, not sufficient. It says nothing of
positions with stones in hand.

Gasser (1996) and Takeda and Hoki (2020) count such positions. Here they are counted without tables; `merels.tables.statistics` counts
their values.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np

from merels.counting import Counter, cycles
from merels.errors import InputError
from merels.indexing import Geometry, geometry
from merels.kernels.hitting import sum_over_subsets
from merels.kernels.ranking import ranks_of
from merels.subspaces import Subspace
from merels.variants import Variant


def require_filter(variant: Variant, subspace: Subspace) -> None:
    """Do nothing where the filter is defined.

    Raises
    ------
    InputError
        The subspace has stones in hand, no stone is ever removed in the variant, or its positions remember mills.
    """
    if variant.rules.mill != "remove":
        raise InputError(f"{variant.name}: a mill wins and removes nothing, so the filter of reachable positions is not defined")
    if variant.rules.repeat_mill != "free":
        raise InputError(
            f"{variant.name}: positions remember mills (repeat_mill = {variant.rules.repeat_mill}), and the filter of reachable positions "
            "is defined for stones alone"
        )
    if variant.rules.removals != "one":
        raise InputError(
            f"{variant.name}: a turn may remove several stones (removals = {variant.rules.removals}), and the filter of reachable "
            "positions counts one for each closing turn"
        )
    if subspace.hand or subspace.other_hand:
        raise InputError(
            f"subspace {subspace.name}: the filter of reachable positions is defined for empty hands, the moving phase, only"
        )


class ReachableCounter:
    """Numbers of positions with empty hands that pass the filter.

    Burnside's lemma, as in `merels.counting`: for each symmetry the pairs of disjoint sets U and T that it keeps are counted, U and T
    taken from the sets whose mills are few enough. Where the filter bars nothing, the cycles alone tell the number.

    Parameters
    ----------
    variant : Variant
    symmetries : sequence of permutations, optional
        A group under which positions are one; default: the variant's.
    """

    def __init__(self, variant: Variant, symmetries: Sequence[tuple[int, ...]] | None = None):
        self.men, self.points = variant.rules.men, variant.board.size
        self._geometry = geometry(variant)
        self._all = Counter(variant, symmetries)
        self._symmetries = variant.symmetries if symmetries is None else symmetries
        self._unions: list[_Unions] | None = None

    def positions(self, u: int, t: int) -> int:
        """Orbits of positions with ``u`` stones of the player to move and ``t`` of the other that pass the filter."""
        bars_u, bars_t = (self._most_hits(size) > self.men - other for size, other in ((u, t), (t, u)))
        if not (bars_u or bars_t):
            return self._all.positions(u, t)
        if self._unions is None:
            self._unions = [_Unions(permutation) for permutation in self._symmetries]
        kept = sum(unions.pairs(self._geometry, (u, self.men - t), (t, self.men - u)) for unions in self._unions)
        return kept // len(self._unions)

    def _most_hits(self, size: int) -> int:
        return int(self._geometry.hitting(size).max())


class _Unions:
    """The sets of points that a permutation keeps: all unions of its cycles, numbered by the cycles in them.

    Attributes
    ----------
    masks : uint32, the sets. sizes : uint8, their numbers of points.
    """

    def __init__(self, permutation: Sequence[int]):
        self.is_identity = all(point == image for point, image in enumerate(permutation))
        self.masks, self.sizes = np.zeros(1, np.uint32), np.zeros(1, np.uint8)
        for cycle in cycles(permutation):
            mask = np.uint32(sum(1 << point for point in cycle))
            self.masks = np.concatenate([self.masks, self.masks | mask])
            self.sizes = np.concatenate([self.sizes, self.sizes + np.uint8(len(cycle))])

    def pairs(self, board: Geometry, first: tuple[int, int], second: tuple[int, int]) -> int:
        """Pairs of disjoint sets; ``first`` and ``second``: their size and the most points that meeting all their lines may take."""
        one, other = self._numbers(board, *first), self._numbers(board, *second)
        if self.is_identity and one.size == comb(board.points, first[0]):
            return other.size * comb(board.points - second[0], first[0])
        if self.is_identity and other.size == comb(board.points, second[0]):
            return one.size * comb(board.points - first[0], second[0])
        within = np.zeros(self.masks.size, np.int32)
        within[one] = 1
        sum_over_subsets(within)
        return int(within[self.masks.size - 1 - other].sum(dtype=np.int64))

    def _numbers(self, board: Geometry, size: int, most_hits: int) -> np.ndarray:
        numbers = np.flatnonzero(self.sizes == size)
        masks = self.masks[numbers]
        return numbers[board.hitting(size)[ranks_of(masks, board.columns(0, size).high)] <= most_hits]
