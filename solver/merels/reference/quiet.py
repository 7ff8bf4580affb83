"""The limited game over explicit states: values under a draw after so many quiet plies in a row.

Plain backward induction on pairs (state, quiet plies so far): a quiet turn leads to one quiet ply more, any other to fewer stones in hand
or on the board and a count of nought, so nothing goes round in a circle and no search for a fixed point is needed.
"""

from __future__ import annotations

from collections.abc import Iterable

from merels.reference.engine import Engine
from merels.reference.symmetry import Representatives
from merels.state import State
from merels.variants import Variant

_WORTH = {"win": 1, "draw": 0, "loss": -1}
_VALUES = {worth: value for value, worth in _WORTH.items()}


def solve_limited(variant: Variant, roots: Iterable[State], limit: int) -> dict[State, str]:
    """Values, with no quiet ply played yet, of every state that play from the roots can reach.

    Parameters
    ----------
    variant : Variant
        Of two players.
    roots : iterable of State
    limit : int
        Quiet plies in a row after which the game is drawn if it is not over.

    Returns
    -------
    dict of State to str
        "win", "draw" or "loss" for the player to move. The keys are `Representatives`.
    """
    engine, representative = Engine(variant), Representatives(variant)
    quiet: dict[State, set[State]] = {}
    other: dict[State, set[State]] = {}
    waiting = [representative(root) for root in roots]
    while waiting:
        state = waiting.pop()
        if state not in quiet:
            quiet[state], other[state] = set(), set()
            for turn in engine.turns(state):
                after = quiet if engine.is_quiet(turn) else other
                after[state].add(representative(engine.play(state, turn)))
            waiting += quiet[state] | other[state]
    groups: dict[tuple[int, int], list[State]] = {}
    for state in quiet:
        groups.setdefault((sum(state.hands), sum(own.bit_count() for own in state.stones)), []).append(state)
    values: dict[State, int] = {}
    for group in sorted(groups):
        over = {state: _WORTH[outcome] for state in groups[group] if (outcome := engine.outcome(state))}
        best = {state: max((-values[after] for after in other[state]), default=-1) for state in groups[group]}
        later = {state: over.get(state, 0) for state in groups[group]}  # with ``limit`` quiet plies played
        for _ in range(limit):
            later = {
                state: over[state] if state in over else max(best[state], max((-later[after] for after in quiet[state]), default=-1))
                for state in groups[group]
            }
        values.update(later)
    return {state: _VALUES[worth] for state, worth in values.items()}
