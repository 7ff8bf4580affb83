"""Retrograde analysis for three players over explicit states: what each can force against the two others playing together.

For each player A it is a game of two sides with three outcomes: A wins (is the last one left), A is put out, or neither can be forced. A
*value* is a pair: ``"win"``, ``"loss"`` (put out) or ``"hold"``, and the plies until that, None for a hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from merels.reference.engine import Engine
from merels.state import State, mask_of, points_of
from merels.variants import Variant

Value = tuple[str, int | None]


def solve_triples(variant: Variant, roots: Iterable[State]) -> dict[State, tuple[Value, Value, Value]]:
    """Values, of White, Black and Red, of the roots and of every state that play from them can reach, as `Representative` gives them.

    Parameters
    ----------
    variant : Variant
        Of three players.
    roots : iterable of State
        Settled (`Engine.settle`).
    """
    engine, representative = Engine(variant), Representative(variant)
    number_of: dict[State, int] = {}
    states: list[State] = []
    successors: list[set[tuple[int, int]]] = []  # number of a state, and how many places on its players have been turned

    def number(state: State) -> tuple[int, int]:
        state, turned = representative(state)
        if state not in number_of:
            number_of[state] = len(states)
            states.append(state)
        return number_of[state], turned

    for root in roots:
        number(root)
    for state in states:  # grows while it is walked
        successors.append({number(engine.play(state, turn)) for turn in engine.turns(state)})
    values = _values(states, successors)
    return {state: tuple(values.get((k, player), ("hold", None)) for player in range(3)) for k, state in enumerate(states)}


def _values(states: list[State], successors: list[set[tuple[int, int]]]) -> dict[tuple[int, int], Value]:
    """Decided values by number of state and player, depth by depth.

    In one game (the player A fixed) a node is a state and A's place in it. White is to move in every state kept, so A moves where it is
    White.
    The side to move needs one turn to what it wants; what it does not want comes true when all turns lead there, the last of them.
    """
    predecessors: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for k, following in enumerate(successors):
        for after, turned in following:
            for player in range(3):
                predecessors.setdefault((after, (player - turned) % 3), []).append((k, player))
    values: dict[tuple[int, int], Value] = {}
    for k, state in enumerate(states):
        for player in range(3):
            if state.total(player) == 0:
                values[k, player] = ("loss", 0)
            elif not any(state.total(other) for other in range(3) if other != player):
                values[k, player] = ("win", 0)
    unrefuted: dict[tuple[int, int], int] = {}
    frontier, depth = list(values), 0
    while frontier:
        depth += 1
        found = []
        for node in frontier:
            outcome = values[node][0]
            for before in predecessors.get(node, ()):
                wanted = "win" if before[1] == 0 else "loss"
                if outcome != wanted:
                    unrefuted[before] = unrefuted.get(before, len(successors[before[0]])) - 1
                if before not in values and (outcome == wanted or unrefuted[before] == 0):
                    values[before] = (outcome, depth)
                    found.append(before)
        frontier = found
    return values


class Representative:
    """Maps a state to one for all that symmetry and turning the players about make equal, in which White is to move."""

    def __init__(self, variant: Variant) -> None:
        self._symmetries = variant.symmetries
        self._known: dict[int, list[int]] = {}

    def __call__(self, state: State) -> tuple[State, int]:
        """The representative, and the number of the player who is White in it."""
        first = state.to_move
        order = [(first + k) % 3 for k in range(3)]
        images = [self._images(state.stones[player]) for player in order]
        stones = min(zip(*images, strict=True))
        return State(0, stones, tuple(state.hands[player] for player in order)), first

    def _images(self, mask: int) -> list[int]:
        if mask not in self._known:
            self._known[mask] = [mask_of([symmetry[point] for point in points_of(mask)]) for symmetry in self._symmetries]
        return self._known[mask]


def all_triples(variant: Variant, white: int, black: int, red: int) -> Iterator[State]:
    """Every state with White to move, empty hands, and these numbers of stones on the board; not settled."""
    points = set(range(variant.board.size))
    for own in combinations(sorted(points), white):
        for second in combinations(sorted(points.difference(own)), black):
            for third in combinations(sorted(points.difference(own, second)), red):
                yield State(0, (mask_of(own), mask_of(second), mask_of(third)), (0, 0, 0))
