"""The limited game over explicit states: values where so many quiet plies in a row end a game as a draw.

Plain backward induction on pairs (state, quiet plies so far): a quiet turn leads to one quiet ply more, any other to fewer stones in hand
or on the board and a count of nought, so nothing goes round in a circle and no fixed point has to be found.
"""

from __future__ import annotations

from collections.abc import Iterable

from merels.reference.engine import Engine
from merels.reference.symmetry import Representatives
from merels.state import State
from merels.variants import Variant

_WORTH = {"win": 1, "draw": 0, "loss": -1}
_VALUES = {worth: value for value, worth in _WORTH.items()}


class LimitedGame:
    """The states that some roots lead to, with the turns between them. All states are `Representatives`.

    Parameters
    ----------
    variant : Variant
        Of two players.
    roots : iterable of State
    """

    def __init__(self, variant: Variant, roots: Iterable[State]) -> None:
        engine, representative = Engine(variant), Representatives(variant)
        self._quiet: dict[State, set[State]] = {}
        self._other: dict[State, set[State]] = {}
        waiting = [representative(root) for root in roots]
        while waiting:
            state = waiting.pop()
            if state in self._quiet:
                continue
            self._quiet[state], self._other[state] = set(), set()
            for turn in engine.turns(state):
                after = self._quiet if engine.is_quiet(turn) else self._other
                after[state].add(representative(engine.play(state, turn)))
            waiting += self._quiet[state] | self._other[state]
        self._over = {state: _WORTH[outcome] for state in self._quiet if (outcome := engine.outcome(state))}

    def values(self, limit: int) -> dict[State, str]:
        """What each state is worth with no quiet ply played yet: "win", "draw" or "loss" for the player to move.

        Parameters
        ----------
        limit : int
            Quiet plies in a row after which the game is drawn if it is not over.
        """
        groups: dict[tuple[int, int], list[State]] = {}
        for state in self._quiet:
            groups.setdefault((sum(state.hands), sum(own.bit_count() for own in state.stones)), []).append(state)
        values: dict[State, int] = {}
        for _, group in sorted(groups.items()):
            best = {state: max((-values[after] for after in self._other[state]), default=-1) for state in group}
            later = {state: self._over.get(state, 0) for state in group}  # with ``limit`` quiet plies played
            for _ in range(limit):
                played = {state: max([best[state], *(-later[after] for after in self._quiet[state])]) for state in group}
                later = {state: self._over.get(state, worth) for state, worth in played.items()}
            values.update(later)
        return {state: _VALUES[worth] for state, worth in values.items()}
