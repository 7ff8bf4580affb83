"""Bare game states and turns: numbers and bit masks, without the variant they belong to.

A `State` means something only together with a variant; `merels.position` joins the two and gives them their text.
"""

from __future__ import annotations

from typing import NamedTuple

WHITE, BLACK, RED = range(3)


class State(NamedTuple):
    """All that a position of a known variant consists of.

    Attributes
    ----------
    to_move : int
        The player to move: 0 White, 1 Black, 2 Red.
    stones : tuple of int
        For each player the bit mask of its stones on the board.
    hands : tuple of int
        For each player the number of its stones in hand.
    memory : tuple or None
        Under a repeated-mill rule what each player may not repeat, None for nothing: ``(source, target)`` under
        `no-immediate`, a sorted tuple of ``(line mask, stones mask)`` under `different`. None as a whole where mills
        repeat freely.
    """

    to_move: int
    stones: tuple[int, ...]
    hands: tuple[int, ...]
    memory: tuple | None = None

    def total(self, player: int) -> int:
        """Stones of a player, on the board and in hand."""
        return self.stones[player].bit_count() + self.hands[player]


class Turn(NamedTuple):
    """One action and the removals it earns.

    Attributes
    ----------
    source : int or None
        The point a stone leaves; None where a stone from the hand is placed.
    target : int
        The point where it arrives.
    removals : tuple of int
        The points that lose their stones, in the order of the turn's token.
    """

    source: int | None
    target: int
    removals: tuple[int, ...] = ()


def points_of(mask: int) -> list[int]:
    """The points of a bit mask, lowest first."""
    points = []
    while mask:
        lowest = mask & -mask
        points.append(lowest.bit_length() - 1)
        mask ^= lowest
    return points


def mask_of(points: tuple[int, ...] | list[int]) -> int:
    """The bit mask of some points."""
    mask = 0
    for point in points:
        mask |= 1 << point
    return mask
