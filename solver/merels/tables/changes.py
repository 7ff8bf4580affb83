"""Changes: how many positions have which value under one rule set and under another, from the numbers of pairs of value codes.

The pairs come as a matrix: rows are the codes of the first table, columns those of the second, the last of each stands for a draw
(see `merels.kernels.pairs`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

VALUES = ("win", "draw", "loss")
_WON, _DRAWN, _LOST = range(3)


@dataclass(frozen=True)
class Shift:
    """Positions that are won (or lost) under both rules, but not in the same number of plies.

    Attributes
    ----------
    longer, shorter : int
        Positions whose distance is larger under the second rules, and smaller.
    most_longer, most_shorter : int or None
        Largest such difference in plies, None without any.
    """

    longer: int = 0
    shorter: int = 0
    most_longer: int | None = None
    most_shorter: int | None = None

    def __add__(self, other: Shift) -> Shift:
        return Shift(
            self.longer + other.longer,
            self.shorter + other.shorter,
            max((m for m in (self.most_longer, other.most_longer) if m is not None), default=None),
            max((m for m in (self.most_shorter, other.most_shorter) if m is not None), default=None),
        )


@dataclass(frozen=True)
class Changes:
    """How many positions have which value under the first rules and under the second, each orbit once.

    Attributes
    ----------
    values : dict of dict of int
        ``values["win"]["draw"]``: positions that are won for the player to move under the first rules and drawn under the second.
    distances : dict of Shift, or None
        By "win" and "loss". None where one of the tables holds values only.
    """

    values: dict[str, dict[str, int]]
    distances: dict[str, Shift] | None

    @property
    def positions(self) -> int:
        """All positions."""
        return sum(number for row in self.values.values() for number in row.values())

    @property
    def changed(self) -> int:
        """Positions that have another value."""
        return self.positions - sum(self.values[value][value] for value in VALUES)


def changes_of(counts: np.ndarray, with_distances: bool) -> Changes:
    """The numbers of changes in the numbers of pairs (2-D); ``with_distances``: the codes of both are distances, not values only."""
    kinds_one, kinds_two = _kinds(counts.shape[0]), _kinds(counts.shape[1])
    values = {
        value: {other: int(counts[np.ix_(kinds_one == kind, kinds_two == other_kind)].sum()) for other_kind, other in enumerate(VALUES)}
        for kind, value in enumerate(VALUES)
    }
    if not with_distances:
        return Changes(values, None)
    pairs = np.argwhere(counts)
    numbers = counts[pairs[:, 0], pairs[:, 1]]
    shifts = {}
    for kind in (_WON, _LOST):
        same = (kinds_one[pairs[:, 0]] == kind) & (kinds_two[pairs[:, 1]] == kind)
        more = pairs[same, 1] - pairs[same, 0]
        shifts[VALUES[kind]] = Shift(
            int(numbers[same][more > 0].sum()),
            int(numbers[same][more < 0].sum()),
            int(more.max()) if (more > 0).any() else None,
            int(-more.min()) if (more < 0).any() else None,
        )
    return Changes(values, shifts)


def exemplary(counts: np.ndarray, with_distances: bool, most: int) -> Iterator[tuple[int, int]]:
    """The pairs of codes that show what has changed, at most so many of each kind; kinds come as in `differences.Compared.examples`.

    Of other values the pairs with the fewest plies come first, of other distances those that differ most.
    """
    a, b = np.nonzero(counts)
    one, two = _kinds(counts.shape[0])[a], _kinds(counts.shape[1])[b]
    other_value = one != two
    plies = np.where(one == _DRAWN, 0, a) + np.where(two == _DRAWN, 0, b)
    kinds = np.where(other_value, 3 * one + two, 9 + 2 * one + (b < a))
    preference = np.where(other_value, plies, -np.abs(b - a))
    told = other_value | ((one != _DRAWN) & (a != b)) if with_distances else other_value
    chosen = np.flatnonzero(told)
    chosen = chosen[np.lexsort((b[chosen], a[chosen], preference[chosen], kinds[chosen]))]
    for kind in np.unique(kinds[chosen]):
        for place in chosen[kinds[chosen] == kind][:most]:
            yield int(a[place]), int(b[place])


def sum_of(parts: Iterable[Changes]) -> Changes:
    """The numbers of several subspaces together; distances of those that have them, None where none has."""
    parts = list(parts)
    values = {one: {two: sum(part.values[one][two] for part in parts) for two in VALUES} for one in VALUES}
    told = [part.distances for part in parts if part.distances is not None]
    if not told:
        return Changes(values, None)
    return Changes(values, {value: sum((shifts[value] for shifts in told), Shift()) for value in ("win", "loss")})


def _kinds(codes: int) -> np.ndarray:
    """Of each code whether it is won, drawn or lost; the last is drawn."""
    kinds = np.where(np.arange(codes) % 2 == 1, _WON, _LOST)
    kinds[-1] = _DRAWN
    return kinds
