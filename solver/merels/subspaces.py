"""Subspaces: the positions with given numbers of stones; work units: subspaces that quiet turns join in a circle.

Says which subspaces a rule set has, which lead to which, and in what order they can be solved. Sizes, values and files do not live here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from merels.errors import InputError
from merels.variants import Variant

if TYPE_CHECKING:
    from merels.indexing import Geometry, RowSpace


class Subspace(NamedTuple):
    """All positions in which the player to move has ``stones`` on the board and ``hand`` in hand.

    The other player has ``other`` on the board and ``other_hand`` in hand.
    """

    stones: int
    other: int
    hand: int
    other_hand: int

    @property
    def name(self) -> str:
        """Name as in files and options: ``u-t-hu-ht``."""
        return "-".join(map(str, self))

    @property
    def partner(self) -> Subspace:
        """The same stones with the other player to move."""
        return Subspace(self.other, self.stones, self.other_hand, self.hand)

    @property
    def order(self) -> tuple:
        """Sort key: few stones and empty hands first."""
        return self.hand + self.other_hand, sum(self), self

    @property
    def option(self) -> str:
        """What ``--subspace`` takes for it."""
        return self.name

    def space(self, geometry: Geometry) -> RowSpace:
        """The layout of its table."""
        return geometry.space(self)

    @classmethod
    def parse(cls, text: str) -> Subspace:
        """Read a name; `InputError` if it is none."""
        if not re.fullmatch(r"\d{1,2}(-\d{1,2}){3}", text.strip()):
            raise InputError(
                f"subspace {text!r}: expected four numbers u-t-hu-ht (stones on the board of the player to move and of the other, "
                "then their stones in hand), such as 5-4-0-0"
            )
        return cls(*map(int, text.strip().split("-")))


class Unit(NamedTuple):
    """One or two subspaces that are solved together; the one with more stones (then more in hand) first."""

    subspaces: tuple[Subspace, ...]

    @property
    def name(self) -> str:
        """Name of the first subspace: the unit's file name without its ending."""
        return self.subspaces[0].name


def misfit(name: str, variant: Variant) -> InputError:
    """The error for a subspace whose stones fit neither the board nor the players' boxes."""
    return InputError(f"subspace {name}: {variant.name} has {variant.rules.men} men for each player and {variant.board.size} points")


class Graph:
    """The subspaces of a variant and the turns between them.

    Only the numbers of stones are looked at, so a successor listed here is one that some position may have.
    """

    parse = staticmethod(Subspace.parse)

    def __init__(self, variant: Variant):
        self.variant = variant
        self.rules = variant.rules
        self.points = variant.board.size
        through = [sum(point in line for line in variant.board.lines) for point in range(self.points)]
        self._most_lines = max(through, default=0)
        lines = [frozenset(line) for line in variant.board.lines]
        self._lines_meet_once = all(len(a & b) <= 1 for i, a in enumerate(lines) for b in lines[:i])

    def checked(self, name: str) -> Subspace:
        """The subspace of a name given by a user; `InputError` if it is none, or one that the variant has no table of."""
        subspace = self.parse(name)
        if not self.exists(subspace):
            raise misfit(subspace.name, self.variant)
        if self.is_over(subspace):
            raise InputError(f"subspace {subspace.name}: a player has fewer than three stones, the game is over; there is no table")
        return subspace

    def tables(self, subspace: Subspace) -> list[Subspace]:
        """The subspaces that a name given by a user stands for."""
        return [subspace]

    # --- what the rules say of numbers

    def exists(self, subspace: Subspace) -> bool:
        """Whether the stones fit on the board and in the players' boxes."""
        u, t, hu, ht = subspace
        men = self.rules.men
        return min(subspace) >= 0 and u + hu <= men and t + ht <= men and sum(subspace) <= self.points

    def is_over(self, subspace: Subspace) -> bool:
        """Whether a player has too few stones: every position of the subspace is lost for that player and is not stored."""
        u, t, hu, ht = subspace
        return self.rules.mill == "remove" and (u + hu < 3 or t + ht < 3)

    def can_place(self, subspace: Subspace) -> bool:
        """Whether the player to move has stones to place."""
        return subspace.hand > 0

    def can_move(self, subspace: Subspace) -> bool:
        """Whether the player to move may move stones on the board."""
        return subspace.stones > 0 and (subspace.hand == 0 or self.rules.placing == "place-or-move")

    def flies(self, subspace: Subspace) -> bool:
        """Whether the stones of the player to move fly."""
        return 0 < self.rules.flying == subspace.stones + subspace.hand

    def is_full(self, subspace: Subspace) -> bool:
        """Whether no point is empty and both hands are."""
        return subspace.stones + subspace.other == self.points and subspace.hand == subspace.other_hand == 0

    def removal_levels(self, stones: int, other: int) -> int:
        """Most removals that one turn can earn after which the mover has ``stones`` on the board and the other had ``other``."""
        if self.rules.mill == "win" or stones < 3 or other < 1 or self._most_lines == 0:
            return 0
        if self.rules.removals == "one":
            return 1
        most = min(self._most_lines, (stones - 1) // 2) if self._lines_meet_once else self._most_lines
        return min(most, other)

    # --- turns between subspaces

    def after_removals(self, after: Subspace, removed: int) -> Subspace:
        """``after`` (the opponent to move once the mill is closed) with ``removed`` of the opponent's stones gone."""
        return after._replace(stones=after.stones - removed)

    def after_quiet_move(self, subspace: Subspace) -> Subspace:
        """Where a move without a mill leads."""
        return subspace.partner

    def after_quiet_placing(self, subspace: Subspace) -> Subspace:
        """Where placing a stone without a mill leads."""
        u, t, hu, ht = subspace
        return Subspace(t, u + 1, ht, hu - 1)

    def successors(self, subspace: Subspace) -> set[Subspace]:
        """The stored subspaces that turns out of ``subspace`` may lead to."""
        quiet = []
        if self.can_move(subspace):
            quiet.append(self.after_quiet_move(subspace))
        if self.can_place(subspace):
            quiet.append(self.after_quiet_placing(subspace))
        found = set()
        for after in quiet:
            for removed in range(self.removal_levels(after.other, after.stones) + 1):
                target = self.after_removals(after, removed)
                if not self.is_over(target):
                    found.add(target)
        return found

    def unit(self, subspace: Subspace) -> Unit:
        """The work unit of a subspace: with its partner where both players may move, so that quiet moves go round in a circle."""
        partner = subspace.partner
        if partner == subspace or not self.is_circle(subspace):
            return Unit((subspace,))
        return Unit(tuple(sorted((subspace, partner), key=_more_stones_first)))

    def is_circle(self, subspace: Subspace) -> bool:
        """Whether quiet moves lead back to the subspace."""
        return self.can_move(subspace) and self.can_move(subspace.partner)

    def needs(self, unit: Unit) -> set[Subspace]:
        """Subspaces outside the unit whose tables its solution reads."""
        return set().union(*(self.successors(s) for s in unit.subspaces)) - set(unit.subspaces)

    def closure(self, roots: Iterable[Subspace]) -> list[Unit]:
        """The units that the ``roots`` lead to, their own included, each after all that it needs."""
        seen: set[Subspace] = set()
        waiting = [root for root in roots if not self.is_over(root)]
        while waiting:
            subspace = waiting.pop()
            if subspace in seen:
                continue
            seen.add(subspace)
            waiting.extend(self.successors(subspace))
            waiting.extend(self.unit(subspace).subspaces)
        return sorted({self.unit(s) for s in seen}, key=self._solving_order)

    # --- choosing what to solve

    def start(self) -> Subspace:
        """The subspace of the start position."""
        men = self.rules.men
        return Subspace(men, men, 0, 0) if self.rules.placing == "none" else Subspace(0, 0, men, men)

    def whole(self) -> Iterator[Subspace]:
        """Every subspace of the whole game: all numbers of stones, and of stones in hand as they come about when players place in turn.

        It holds more than the start position leads to: also positions that someone sets up, or that other programs count. Where stones
        never leave the board there are no others.
        """
        if self.rules.placing == "none" or self.rules.mill == "win":
            yield from (subspace for unit in self.closure([self.start()]) for subspace in unit.subspaces)
            return
        hands = product(range(self.rules.men + 1), repeat=2)
        in_turn = self.rules.placing == "place-only"
        yield from self.with_hands((own, other) for own, other in hands if not in_turn or own - other in (0, 1))

    def with_hands(self, hands: Iterable[tuple[int, int]]) -> Iterator[Subspace]:
        """Every subspace with one of these pairs of stones in hand, of the player to move and of the other."""
        stones = range(self.rules.men + 1)
        for (own, other), u, t in product(hands, stones, stones):
            subspace = Subspace(u, t, own, other)
            if self.exists(subspace) and not self.is_over(subspace):
                yield subspace

    def moving(self) -> Iterator[Subspace]:
        """Every subspace with empty hands that fits the rules."""
        for u, t in product(range(self.rules.men + 1), repeat=2):
            subspace = Subspace(u, t, 0, 0)
            if u >= 1 and t >= 1 and self.exists(subspace) and not self.is_over(subspace):
                yield subspace

    def _solving_order(self, unit: Unit) -> tuple:
        """A turn out of a unit takes a stone from a hand or off the board, or gives the turn to a player who cannot move.

        Placings from (u, t) and (u, t + 1) lead to tables in common, so such units come one after the other.
        """
        first = unit.subspaces[0]
        u, t, hu, ht = first
        if self.can_move(first):
            return hu + ht, True, u + t, abs(u - t), first
        return hu + ht, False, hu, u, t, first


def _more_stones_first(subspace: Subspace) -> tuple:
    return -subspace.stones, -subspace.hand
