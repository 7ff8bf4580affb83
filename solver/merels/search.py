"""Bounded search: what a position is worth for certain, found by looking some plies ahead.

A search ends in finished games, in positions whose value is known from elsewhere (tables), and at its depth. What it
cannot see it takes for anything that is possible there, so its answer is a pair of bounds that hold whatever lies
beyond; where they meet, the value is proven, distance included. Running out of depth proves nothing, least of all a
draw.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from merels.position import Position, engine
from merels.reference.symmetry import Representatives
from merels.state import State
from merels.variants import Variant

Worth = tuple[str, int | None]
"""A value ("win", "draw" or "loss" for the player to move) and its DTW in plies, None for a draw or where it is not told."""

Known = Callable[[Position], Worth | None]
"""Tells what a position is worth, or None where that is not known."""

_SURE = 1 << 30  # score of a game won in 0 plies; a win in n plies has n less
MOST_PLIES = 1 << 29
"""A distance that no game has: the bound of wins and losses whose distance is not told."""


class Bounds(NamedTuple):
    """What a position is worth at least and at most to its player to move.

    Attributes
    ----------
    low, high : int
        Scores: the better for the player to move, the larger; see `score`.
    """

    low: int
    high: int

    @classmethod
    def exactly(cls, worth: Worth) -> Bounds:
        """Bounds that meet; where a win or loss comes without its distance, those of any distance."""
        value, dtw = worth
        if dtw is None and value != "draw":
            quick, slow = score((value, 1 if value == "win" else 2)), score((value, MOST_PLIES))
            return cls(min(quick, slow), max(quick, slow))
        return cls(score(worth), score(worth))

    @property
    def value(self) -> str:
        """What is proven: "win", "draw" or "loss" for the player to move, or "unknown"."""
        worst, best = self.worst[0], self.best[0]
        return worst if worst == best else "unknown"

    @property
    def dtw(self) -> int | None:
        """Plies to the end where the number is proven."""
        return self.worst[1] if self.low == self.high else None

    @property
    def endless(self) -> bool:
        """Whether a win or loss is proven without any limit to its distance."""
        return self.value in ("win", "loss") and max(self.worst[1], self.best[1]) >= MOST_PLIES

    @property
    def worst(self) -> Worth:
        """The worst that the position can be worth."""
        return _worth(self.low)

    @property
    def best(self) -> Worth:
        """The best that the position can be worth."""
        return _worth(self.high)

    def before_turn(self) -> Bounds:
        """What a turn is worth to the player who makes it, if these bounds are those of the position after it."""
        return Bounds(_before_turn(self.high), _before_turn(self.low))

    def both(self, other: Bounds) -> Bounds:
        """What two findings about the same position say together."""
        return Bounds(max(self.low, other.low), min(self.high, other.high))


def score(worth: Worth) -> int:
    """A number for a worth: the larger, the better for the player to move; quick wins above slow ones, 0 for a draw."""
    value, dtw = worth
    if value == "draw" or dtw is None:
        return 0
    return _SURE - dtw if value == "win" else dtw - _SURE


UNKNOWN = Bounds(score(("loss", 2)), score(("win", 1)))
"""Bounds of a position about which nothing is known but that its game goes on."""


class Search:
    """Searches positions of one variant and remembers what it has found.

    Parameters
    ----------
    variant : Variant
        Of two players.
    known : callable
        Tells values that need no search, those of tables for instance.
    """

    def __init__(self, variant: Variant, known: Known) -> None:
        self._variant, self._known = variant, known
        self._engine = engine(variant)
        self._representative = Representatives(variant)
        self._leaves: dict[State, Bounds | None] = {}
        self._found: dict[State, _Found] = {}

    def bounds(self, position: Position, plies: int) -> Bounds:
        """What looking ``plies`` plies ahead proves about a position.

        Parameters
        ----------
        position : Position
        plies : int
            0: the position itself is looked at, none of its turns.
        """
        return self._search(self._representative(position.state), plies, None)

    def _search(self, state: State, plies: int, enough: int | None) -> Bounds:
        """Bounds of a representative; loose once the turn that led here is seen to be worth ``enough`` at most."""
        leaf = self._leaf(state)
        if leaf is not None:
            return leaf
        found = self._found.get(state, _NOTHING)
        if found.plies >= plies or found.bounds.low == found.bounds.high or _is_refuted(found.bounds, enough):
            return found.bounds
        best = Bounds(-_SURE, -_SURE)
        for child in self._children(state):
            after = self._search(child, plies - 1, best.low).before_turn()
            best = Bounds(max(best.low, after.low), max(best.high, after.high))
            if _is_refuted(best, enough):
                bounds = Bounds(best.low, UNKNOWN.high).both(found.bounds)
                self._found[state] = _Found(found.plies, bounds)
                return bounds
        self._found[state] = _Found(plies, best.both(found.bounds))
        return self._found[state].bounds

    def _children(self, state: State) -> list[State]:
        """Representatives of the states after each turn, those first that the turn's maker would like best."""
        children = {self._representative(self._engine.play(state, turn)) for turn in self._engine.turns(state)}
        return sorted(children, key=lambda child: (self._so_far(child).high, child))

    def _so_far(self, state: State) -> Bounds:
        return self._leaf(state) or self._found.get(state, _NOTHING).bounds

    def _leaf(self, state: State) -> Bounds | None:
        """Bounds of a state that needs no search, None for others."""
        if state not in self._leaves:
            outcome = self._engine.outcome(state)
            worth = self._known(Position(self._variant, state)) if outcome is None else (outcome, 0)
            self._leaves[state] = None if worth is None else Bounds.exactly(worth)
        return self._leaves[state]


class _Found(NamedTuple):
    """Bounds of a state, and how many plies ahead of it everything has been looked at."""

    plies: int
    bounds: Bounds


_NOTHING = _Found(0, UNKNOWN)


def _is_refuted(bounds: Bounds, enough: int | None) -> bool:
    """Whether the turn that led to a position with these bounds is worth ``enough`` at most to its maker."""
    return enough is not None and _before_turn(bounds.low) <= enough


def _before_turn(after: int) -> int:
    """Score of a turn for its maker: the other player's score turned round, one ply further from the end."""
    return -after + (after > 0) - (after < 0)


def _worth(number: int) -> Worth:
    if number == 0:
        return "draw", None
    return ("win", _SURE - number) if number > 0 else ("loss", number + _SURE)
