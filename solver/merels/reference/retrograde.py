"""Retrograde analysis over explicit states: who wins, and in how many plies.

Every state that the roots lead to is listed with its successors; then values spread backwards, one depth at a time. A
*value* is a pair (``"win"``, ``"draw"`` or ``"loss"`` for the player to move, DTW in plies or None for a draw).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations

from merels.reference.engine import Engine
from merels.reference.symmetry import Representatives
from merels.state import State, mask_of
from merels.variants import Variant

Value = tuple[str, int | None]


def solve(variant: Variant, roots: Iterable[State], reduce: bool = False) -> dict[State, Value]:
    """Values of the roots and of every state that play from them can reach.

    Parameters
    ----------
    variant : Variant
        Of two players; the repeated-mill rules included.
    roots : iterable of State
    reduce : bool
        Keep only representatives under symmetry and exchange of colours: far fewer states, the same values. The keys
        are then representatives; look a state up through `Representatives`.

    Returns
    -------
    dict of State to (str, int or None)
    """
    engine = Engine(variant)
    states, successors = _closure(engine, roots, Representatives(variant) if reduce else _itself)
    values = _values(engine, states, successors)
    return {state: values.get(number, ("draw", None)) for number, state in enumerate(states)}


def all_states(variant: Variant, own: int, other: int, own_hand: int = 0, other_hand: int = 0) -> Iterator[State]:
    """Every state with White to move, these numbers of stones on the board and in hand, and nothing remembered.

    Parameters
    ----------
    variant : Variant
        Of two players.
    own, own_hand : int
        White's stones on the board and in hand.
    other, other_hand : int
        Black's.
    """
    points = set(range(variant.board.size))
    memory = None if variant.rules.repeat_mill == "free" else (None, None)
    for white in combinations(sorted(points), own):
        for black in combinations(sorted(points.difference(white)), other):
            yield State(0, (mask_of(white), mask_of(black)), (own_hand, other_hand), memory)


def _itself(state: State) -> State:
    return state


def _closure(
    engine: Engine, roots: Iterable[State], representative: Callable[[State], State]
) -> tuple[list[State], list[set[int]]]:
    """All states reached from the roots, and for each the numbers of the states its turns lead to."""
    number_of: dict[State, int] = {}
    states: list[State] = []
    successors: list[set[int]] = []

    def number(state: State) -> int:
        state = representative(state)
        if state not in number_of:
            number_of[state] = len(states)
            states.append(state)
        return number_of[state]

    for root in roots:
        number(root)
    for state in states:  # grows while it is walked
        successors.append({number(engine.play(state, turn)) for turn in engine.turns(state)})
    return states, successors


def _values(engine: Engine, states: list[State], successors: list[set[int]]) -> dict[int, Value]:
    """Values of all states that are won or lost, by number of state; the rest are drawn.

    Depth by depth: a state with a turn to a lost state is won one ply later; a state all of whose turns lead to won
    states is lost one ply after the last of them. Depths rise, so the first win found is the quickest, and the last
    turn refuted is the longest defence.
    """
    predecessors: list[list[int]] = [[] for _ in states]
    for number, following in enumerate(successors):
        for successor in following:
            predecessors[successor].append(number)
    unrefuted = [len(following) for following in successors]
    values: dict[int, Value] = {}
    for number, state in enumerate(states):
        if not successors[number]:
            outcome = engine.outcome(state)
            if outcome in ("win", "loss"):
                values[number] = (outcome, 0)
    frontier = list(values)
    depth = 0
    while frontier:
        depth += 1
        found = []
        for successor in frontier:
            lost = values[successor][0] == "loss"
            for number in predecessors[successor]:
                unrefuted[number] -= 1
                if number not in values and (lost or unrefuted[number] == 0):
                    values[number] = ("win" if lost else "loss", depth)
                    found.append(number)
        frontier = found
    return values
