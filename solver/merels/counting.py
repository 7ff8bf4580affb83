"""Counting: how many positions and rows a subspace has, from the cycles of the symmetries alone.

Burnside's lemma: the number of orbits is the mean, over the symmetries, of the number of positions that each keeps. A symmetry keeps
a position if every cycle of points is wholly White's, wholly Black's or empty.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb

from merels.variants import Variant


class Counter:
    """Counts of one variant's board and movement."""

    def __init__(self, variant: Variant):
        self.points = variant.board.size
        self._cycles = [_cycle_lengths(permutation) for permutation in variant.symmetries]

    def positions(self, u: int, t: int) -> int:
        """Orbits of positions with ``u`` and ``t`` stones."""
        return sum(_kept(cycles, u, t) for cycles in self._cycles) // len(self._cycles)

    def rows(self, t: int) -> int:
        """Orbits of sets of ``t`` points."""
        return self.positions(0, t)

    def slots(self, u: int, t: int) -> int:
        """Cells of the table of positions with ``u`` stones of the player to move and ``t`` of the other."""
        return self.rows(t) * comb(self.points - t, u)


def _cycle_lengths(permutation: tuple[int, ...]) -> tuple[int, ...]:
    lengths, seen = [], set()
    for point in range(len(permutation)):
        length = 0
        while point not in seen:
            seen.add(point)
            point = permutation[point]
            length += 1
        if length:
            lengths.append(length)
    return tuple(sorted(lengths))


@lru_cache(maxsize=1 << 16)
def _kept(cycles: tuple[int, ...], u: int, t: int) -> int:
    if not cycles:
        return int(u == t == 0)
    length, rest = cycles[0], cycles[1:]
    kept = _kept(rest, u, t)
    if u >= length:
        kept += _kept(rest, u - length, t)
    if t >= length:
        kept += _kept(rest, u, t - length)
    return kept
