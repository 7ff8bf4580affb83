"""Three players: subspaces by three numbers of stones, the seats that a player may have in them, and the circles they are solved in.

The counterpart of `merels.subspaces`. A value is that of one player against the two others, so a table belongs to a *seat*: a subspace and
the role of that player in it. Only positions with empty hands have tables; with stones in hand there are too many of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from merels.endings import ending_variant
from merels.errors import InputError
from merels.subspaces import Graph, Subspace, misfit
from merels.variants import Variant

if TYPE_CHECKING:
    from merels.indexing import Geometry
    from merels.indexing.triples import TripleSpace

MOVER, NEXT, PREVIOUS = range(3)
ROLES = ("mover", "next", "previous")
"""The names of the roles: who is to move, who comes next, who was the last to move."""


class Triple(NamedTuple):
    """All positions in which the player to move, the next and the previous one have so many stones on the board and in hand."""

    stones: int
    next: int
    previous: int
    hand: int = 0
    next_hand: int = 0
    previous_hand: int = 0

    @property
    def name(self) -> str:
        """Name as in files and options: ``u-n-p-hu-hn-hp``."""
        return "-".join(map(str, self))

    @property
    def board(self) -> tuple[int, int, int]:
        """The stones on the board."""
        return self.stones, self.next, self.previous

    @property
    def hands(self) -> tuple[int, int, int]:
        """The stones in hand."""
        return self.hand, self.next_hand, self.previous_hand

    def after_turn(self) -> Triple:
        """Where a quiet move leads: the next player is to move."""
        return Triple(self.next, self.previous, self.stones)

    @classmethod
    def parse(cls, text: str) -> Triple:
        """Read a name; `InputError` if it is none."""
        if not re.fullmatch(r"\d{1,2}(-\d{1,2}){5}", text.strip()):
            raise InputError(
                f"subspace {text!r}: expected six numbers u-n-p-hu-hn-hp (stones on the board of the player to move, of the next and of "
                "the previous one, then their stones in hand), such as 3-3-3-0-0-0"
            )
        return cls(*map(int, text.strip().split("-")))


class Seat(NamedTuple):
    """A subspace as one player has it, in the role `MOVER`, `NEXT` or `PREVIOUS`; its table has that player's values."""

    role: int
    stones: int
    next: int
    previous: int
    hand: int = 0
    next_hand: int = 0
    previous_hand: int = 0

    @property
    def triple(self) -> Triple:
        """The subspace."""
        return Triple(*self[1:])

    @property
    def name(self) -> str:
        """Name as in files: ``u-n-p-hu-hn-hp-role``."""
        return f"{self.triple.name}-{ROLES[self.role]}"

    @property
    def order(self) -> tuple:
        """Sort key: few stones first."""
        return 0, sum(self.board), self.triple, self.role

    @property
    def option(self) -> str:
        """What ``--subspace`` takes for it."""
        return self.triple.name

    @property
    def board(self) -> tuple[int, int, int]:
        """The stones on the board."""
        return self.stones, self.next, self.previous

    @property
    def hands(self) -> tuple[int, int, int]:
        """The stones in hand."""
        return self.hand, self.next_hand, self.previous_hand

    @property
    def other_hand(self) -> int:
        """Stones in hand of the two players who are not to move."""
        return self.next_hand + self.previous_hand

    def after_turn(self) -> Seat:
        """The player's seat after a quiet move, whoever makes it: mover, then previous, next, and mover again."""
        return Seat((self.role - 1) % 3, self.next, self.previous, self.stones)

    def before_turn(self) -> Seat:
        """The player's seat before a quiet move that leads here."""
        return Seat((self.role + 1) % 3, self.previous, self.stones, self.next)

    def space(self, geometry: Geometry) -> TripleSpace:
        """The layout of the seat's table."""
        return geometry.triples(*self.board)


class Ending(NamedTuple):
    """What a game for three becomes for one player when another is out.

    subspace : of the game of two that goes on; None where it is decided for the player. moves : whether the player is to move in that.
    next_stays : whether it is the next player who stays on, rather than the previous one. wins : whether the player has won, if decided.
    """

    subspace: Subspace | None
    moves: bool = False
    next_stays: bool = False
    wins: bool = False


class Circle(NamedTuple):
    """Subspaces that quiet moves join, with all their seats: a work unit. The subspace with most stones of the mover first."""

    subspaces: tuple[Seat, ...]

    @property
    def name(self) -> str:
        """Name of the first subspace: the circle's file name without its ending."""
        return self.subspaces[0].triple.name

    def games(self) -> list[tuple[Seat, Seat, Seat]]:
        """The seats of each player, from the one where it is to move backwards in play; players with equal prospects once."""
        movers = [seat for seat in self.subspaces if seat.role == MOVER]
        return [(seat, seat.before_turn(), seat.before_turn().before_turn()) for seat in movers]


class TripleGraph:
    """The subspaces of a variant for three and the turns between them; the counterpart of `merels.subspaces.Graph`.

    Attributes
    ----------
    variant, rules, points : whose.
    endings : the `Graph` of the variant that is played once a player is out (`merels.endings`).
    """

    parse = staticmethod(Triple.parse)

    def __init__(self, variant: Variant):
        self.variant, self.rules, self.points = variant, variant.rules, variant.board.size
        self.endings = Graph(ending_variant(variant))

    def checked(self, name: str) -> Triple:
        """The subspace of a name given by a user; `InputError` if it is none, or one that the variant does not have for three."""
        triple = self.parse(name)
        if not self.exists(triple):
            raise misfit(triple.name, self.variant)
        if self.is_over(triple):
            raise InputError(
                f"subspace {triple.name}: a player has fewer than three stones and is out; the game is then one of two players, and its "
                f"tables are those of {self.endings.variant.name}"
            )
        return triple

    def tables(self, subspace: Triple) -> list[Seat]:
        """The seats of a subspace."""
        return [Seat(role, *subspace) for role in range(3)]

    def exists(self, subspace: Triple | Seat) -> bool:
        """Whether the stones fit on the board and in the players' boxes."""
        owned = [stones + hand for stones, hand in zip(subspace.board, subspace.hands, strict=True)]
        return min(*subspace.board, *subspace.hands) >= 0 and max(owned) <= self.rules.men and sum(owned) <= self.points

    def is_over(self, subspace: Triple | Seat) -> bool:
        """Whether a player is out by its stones: the game is then one of two players, and has their tables."""
        return any(stones + hand < 3 for stones, hand in zip(subspace.board, subspace.hands, strict=True))

    def flies(self, seat: Seat) -> bool:
        """Whether the stones of the player to move fly."""
        return seat.stones == self.rules.flying

    def is_full(self, seat: Seat) -> bool:
        """Whether no point is empty."""
        return sum(seat.board) == self.points

    def is_circle(self, seat: Seat) -> bool:
        """Always: with empty hands all turns are moves."""
        return True

    def can_place(self, seat: Seat) -> bool:
        """Never, with empty hands."""
        return False

    def removal_levels(self, seat: Seat) -> int:
        """Most removals that one turn can earn."""
        return self.endings.removal_levels(seat.stones, seat.next + seat.previous)

    def removals(self, seat: Seat, level: int) -> Iterator[tuple[int, int, Seat | Ending]]:
        """Stones of the next and of the previous player that closing ``level`` mills may take, and where that leads."""
        for from_next, from_previous in product(range(level + 1), repeat=2):
            fits = from_next <= seat.next and from_previous <= seat.previous
            if 0 < from_next + from_previous <= level and fits:
                yield from_next, from_previous, self._after(seat, seat.next - from_next, seat.previous - from_previous)

    def _after(self, seat: Seat, following: int, previous: int) -> Seat | Ending:
        """Where a turn out of ``seat`` leads that leaves the two others so many stones."""
        left = {NEXT: following, PREVIOUS: previous}
        if left.get(seat.role, 3) < 3:
            return Ending(None)
        staying = [role for role in (NEXT, PREVIOUS) if left[role] >= 3]
        if len(staying) == 2:
            return Seat((seat.role - 1) % 3, following, previous, seat.stones)
        if not staying:
            return Ending(None, wins=True)
        return Ending(Subspace(left[staying[0]], seat.stones, 0, 0), seat.role == staying[0], staying[0] == NEXT)

    def stuck(self, seat: Seat) -> Ending:
        """What follows when the player to move has no turn and leaves."""
        if seat.role == MOVER:
            return Ending(None)
        return Ending(Subspace(seat.next, seat.previous, 0, 0), seat.role == NEXT)

    def successors(self, seat: Seat) -> set[Seat | Subspace]:
        """The stored tables that turns out of ``seat`` may lead to: of this game, and of two players."""
        leaves = [leaf for *_, leaf in self.removals(seat, self.removal_levels(seat))]
        found: set[Seat | Subspace] = {seat.after_turn()}
        for leaf in [*leaves, self.stuck(seat)]:
            table = leaf if isinstance(leaf, Seat) else leaf.subspace
            if table is not None:
                found.add(table)
        return found

    def unit(self, subspace: Triple | Seat) -> Circle:
        """The circle of a subspace."""
        first = Triple(*subspace.board)
        turned = {first, first.after_turn(), first.after_turn().after_turn()}
        seats = [Seat(role, *triple.board) for triple in sorted(turned, reverse=True) for role in range(3)]
        return Circle(tuple(seats))

    def needs(self, unit: Circle) -> set[Seat | Subspace]:
        """Tables outside the circle that its solution reads."""
        return set().union(*(self.successors(seat) for seat in unit.subspaces)) - set(unit.subspaces)

    def closure(self, roots: Iterable[Triple | Seat]) -> list[Circle]:
        """The circles that the ``roots`` lead to, their own included, each after all that it needs."""
        found: set[Circle] = set()
        waiting = [self.unit(root) for root in roots]
        while waiting:
            circle = waiting.pop()
            if circle not in found:
                found.add(circle)
                waiting += [self.unit(table) for table in self.needs(circle) if isinstance(table, Seat)]
        return sorted(found, key=lambda circle: (sum(circle.subspaces[0].board), circle))

    def ending_roots(self, circles: Iterable[Circle]) -> list[Subspace]:
        """The subspaces of two players that circles need."""
        return sorted({table for circle in circles for table in self.needs(circle) if isinstance(table, Subspace)})

    def moving(self) -> Iterator[Triple]:
        """Every subspace with empty hands that fits the rules."""
        for stones in product(range(3, self.rules.men + 1), repeat=3):
            if sum(stones) <= self.points:
                yield Triple(*stones)
