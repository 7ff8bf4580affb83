"""Forward: every position that play from a start comes to, by exhaustive search with arrays, on boards of up to sixteen points.

Colours are kept apart and symmetries disregarded, as published counts of reachable states do. The rules are those of variants in which each
player must place while it has stones in hand, and a turn removes one stone at most.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from merels.variants import Variant

MOST_POINTS = 16


class Layer(NamedTuple):
    """Positions with the same player to move and the same hands.

    own, other : uint32, equal length, each pair once: the stones of the player to move and of the other. hands : theirs, in this order.
    """

    own: np.ndarray
    other: np.ndarray
    hands: tuple[int, int]


def can_search(variant: Variant) -> bool:
    """Whether `reachable` knows the rules and has room for the board."""
    rules = variant.rules
    return (
        variant.board.size <= MOST_POINTS
        and (rules.players, rules.placing, rules.mill, rules.removals) == (2, "place-only", "remove", "one")
        and (rules.protection, rules.repeat_mill, rules.movement) == ("mills-unless-all", "free", "step")
    )


def reachable(variant: Variant, men: int) -> Iterator[Layer]:
    """The positions that play from the empty board with ``men`` stones each comes to, finished games included; see `can_search`."""
    turns = _Turns(variant)
    sets = np.zeros(1, np.uint32), np.zeros(1, np.uint32)
    hands = (men, men)
    while hands != (0, 0):
        yield Layer(*sets, hands)
        after = turns.place(*sets, hands)
        hands = (hands[1], hands[0] - 1)
        sets = turns.pairs(np.unique(turns.numbers(*after)))
    seen = np.zeros((2, 3**variant.board.size), np.bool_)
    player, frontier = 0, turns.numbers(*sets)
    waiting = [frontier, frontier[:0]]
    seen[0, frontier] = True
    while waiting[0].size or waiting[1].size:
        reached = turns.numbers(*turns.move(*turns.pairs(waiting[player])))
        waiting[player] = frontier[:0]
        player = 1 - player
        new = np.unique(reached[~seen[player, reached]])
        seen[player, new] = True
        waiting[player] = np.concatenate([waiting[player], new])
    for numbers in seen:
        yield Layer(*turns.pairs(np.flatnonzero(numbers)), (0, 0))


class _Turns:
    """Turns of many positions at once; every result has the other player to move."""

    def __init__(self, variant: Variant):
        self.points, self.flying = variant.board.size, variant.rules.flying
        self.lines = [np.uint32(line) for line in variant.board.line_masks]
        self.hops = [(hop.source, hop.target) for hop in variant.hops]
        subsets = np.arange(1 << self.points, dtype=np.uint32)
        self._ternary = sum((subsets >> point & 1).astype(np.int64) * 3**point for point in range(self.points))
        self._sizes = sum((subsets >> point & 1).astype(np.uint8) for point in range(self.points))

    def numbers(self, own: np.ndarray, other: np.ndarray) -> np.ndarray:
        """A number below 3 ** points for each position."""
        return self._ternary[own] + 2 * self._ternary[other]

    def pairs(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The positions that `numbers` have."""
        own, other = np.zeros(numbers.size, np.uint32), np.zeros(numbers.size, np.uint32)
        rest = numbers
        for point in range(self.points):
            rest, digit = np.divmod(rest, 3)
            own |= (digit == 1).astype(np.uint32) << np.uint32(point)
            other |= (digit == 2).astype(np.uint32) << np.uint32(point)
        return own, other

    def place(self, own: np.ndarray, other: np.ndarray, hands: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        """All positions after a placing."""
        going_on = (self._sizes[own] + hands[0] >= 3) & (self._sizes[other] + hands[1] >= 3)
        own, other = own[going_on], other[going_on]
        found = []
        for target in range(self.points):
            free = (own | other) >> np.uint32(target) & 1 == 0
            found += self._after(own[free] | np.uint32(1 << target), other[free], target)
        return _joined(found)

    def move(self, own: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All positions after a move, empty hands."""
        going_on = (self._sizes[own] >= 3) & (self._sizes[other] >= 3)
        own, other = own[going_on], other[going_on]
        flies = self._sizes[own] == self.flying if self.flying else np.zeros(own.size, np.bool_)
        found = []
        everywhere = [(a, b) for a in range(self.points) for b in range(self.points) if a != b]
        for chosen, ways in ((flies, everywhere), (~flies, self.hops)):
            mine, theirs = own[chosen], other[chosen]
            for source, target in ways:
                legal = (mine >> np.uint32(source) & 1 == 1) & ((mine | theirs) >> np.uint32(target) & 1 == 0)
                found += self._after(mine[legal] ^ np.uint32(1 << source | 1 << target), theirs[legal], target)
        return _joined(found)

    def _after(self, own: np.ndarray, other: np.ndarray, target: int) -> list[tuple[np.ndarray, np.ndarray]]:
        """The turn is made but for the removal; ``target`` is where the stone stands now."""
        closed = np.zeros(own.size, np.bool_)
        for line in self.lines:
            if int(line) >> target & 1:
                closed |= own & line == line
        mover, opponent = own[closed], other[closed]
        in_mills = np.zeros(opponent.size, np.uint32)
        for line in self.lines:
            in_mills[opponent & line == line] |= line
        loose = opponent & ~in_mills
        removable = np.where(loose != 0, loose, opponent)
        nothing = removable == 0
        found = [(other[~closed], own[~closed]), (opponent[nothing], mover[nothing])]
        for point in range(self.points):
            taken = removable >> np.uint32(point) & 1 == 1
            found.append((opponent[taken] ^ np.uint32(1 << point), mover[taken]))
        return found


def _joined(parts: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    return np.concatenate([own for own, _ in parts]), np.concatenate([other for _, other in parts])
