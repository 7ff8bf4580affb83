"""Counting: how many positions and rows a subspace has, from the cycles of the symmetries alone.

Burnside's lemma: the number of orbits is the mean, over the symmetries, of the number of positions that each keeps. A symmetry keeps
a position if every cycle of points is wholly one player's, or empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import comb

from merels.variants import Variant


class Counter:
    """Counts of one variant's board and movement.

    Parameters
    ----------
    variant : Variant
    symmetries : sequence of permutations, optional
        A group of them; default: those of the variant.
    """

    def __init__(self, variant: Variant, symmetries: Sequence[tuple[int, ...]] | None = None):
        self.points = variant.board.size
        group = variant.symmetries if symmetries is None else symmetries
        self._cycles = [tuple(sorted(map(len, cycles(permutation)))) for permutation in group]

    def positions(self, *stones: int) -> int:
        """Orbits of positions in which the players have so many stones."""
        return sum(_kept(lengths, stones) for lengths in self._cycles) // len(self._cycles)

    def rows(self, t: int) -> int:
        """Orbits of sets of ``t`` points."""
        return self.positions(t)

    def slots(self, u: int, t: int) -> int:
        """Cells of the table of positions with ``u`` stones of the player to move and ``t`` of the other."""
        return self.rows(t) * comb(self.points - t, u)


def cycles(permutation: Sequence[int]) -> list[list[int]]:
    """The cycles of a permutation, each a list of points in turn, fixed points included."""
    found: list[list[int]] = []
    seen: set[int] = set()
    for point in range(len(permutation)):
        cycle = []
        while point not in seen:
            seen.add(point)
            cycle.append(point)
            point = permutation[point]
        if cycle:
            found.append(cycle)
    return found


@lru_cache(maxsize=1 << 16)
def _kept(lengths: tuple[int, ...], stones: tuple[int, ...]) -> int:
    if not lengths:
        return int(not any(stones))
    length, rest = lengths[0], lengths[1:]
    kept = _kept(rest, stones)
    for player, own in enumerate(stones):
        if own >= length:
            kept += _kept(rest, (*stones[:player], own - length, *stones[player + 1 :]))
    return kept
