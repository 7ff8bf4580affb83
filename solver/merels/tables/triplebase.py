"""TripleTablebase: what each of three players can force in a position, looked up in the finished tables of one variant."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from merels.errors import InputError, LimitError
from merels.machine import processors
from merels.position import Position
from merels.state import State
from merels.tables.lookup import CACHE_BYTES, Lookup
from merels.tables.store import Store
from merels.tables.tablebase import Probe, Tablebase, turn_order
from merels.triples import MOVER, NEXT, PREVIOUS, Seat

OUT = Probe("loss", 0)
WON = Probe("win", 0)
NEITHER = Probe("draw", None)
_FROM_WAITING = {"win": "loss", "loss": "win", "draw": "draw"}

Worths = tuple[Probe, Probe, Probe]
"""For White, Black and Red: "win" if the player can force to be the last one left, "loss" if the two others can put it out, else "draw" (it
holds); with the plies until then."""


class TripleTurn(NamedTuple):
    """A legal turn with what it leaves each player.

    Attributes
    ----------
    turn : its token.
    position : the position after it.
    worths : as `TripleTablebase.probe` of that, plies counting this turn, too, for all who were in the game before it.
    """

    turn: str
    position: Position
    worths: Worths


class TripleTablebase:
    """The tables of one variant for three players, open for look-ups; used as a context manager. Several threads may probe at once.

    Parameters
    ----------
    store : where the tables are; those of the game for two that goes on when a player is out lie below the same root.
    cache_bytes, jobs : as `merels.tables.open_tablebase`.

    Attributes
    ----------
    store : as given.
    variant : of the store.
    endings : `Tablebase` of the game for two.
    """

    def __init__(self, store: Store, cache_bytes: int = CACHE_BYTES, jobs: int | None = None):
        self.store, self.variant = store, store.variant
        self._lookup = Lookup(store, cache_bytes, jobs or processors())
        self.endings = Tablebase(store.endings, cache_bytes, jobs)

    def __enter__(self) -> TripleTablebase:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        """Close all files and free what was loaded."""
        self._lookup.close()
        self.endings.close()

    def probe(self, position: Position) -> Worths:
        """What each player can force against the two others together.

        Raises
        ------
        InputError
            The position is of a variant with other rules.
        LimitError
            There are stones in hand, for which no tables can be made.
        MissingTableError
            Its table has not been built; `command` builds it.
        TableError
            The table is damaged.
        """
        if position.variant != self.variant and position.variant.fingerprint != self.variant.fingerprint:
            raise InputError(f"'{position}' is a position of {position.variant.name}, and these are tables of {self.variant.name}")
        state = position.state
        order = [(state.to_move + k) % 3 for k in range(3)]
        left = [player for player in order if state.total(player) > 0]
        if len(left) == 1:
            return tuple(WON if player == left[0] else OUT for player in range(3))
        if position.outcome() == "draw":
            return (NEITHER,) * 3
        if len(left) == 2:
            return self._of_two(position, left)
        if any(state.hands):
            raise LimitError(
                f"'{position}': {self.variant.name} has tables of positions with empty hands alone; there are too many with stones in hand"
            )
        seats = dict(zip(order, (MOVER, NEXT, PREVIOUS), strict=True))
        board = [state.stones[player].bit_count() for player in order]
        sets = [np.array([state.stones[player]], np.uint32) for player in order]
        return tuple(self._of_three(Seat(seats[player], *board), sets) for player in range(3))

    def _of_three(self, seat: Seat, sets: list[np.ndarray]) -> Probe:
        codes, draw = self._lookup.codes(seat, *sets)
        code = int(codes[0])
        if code == draw:
            return NEITHER
        return Probe("win" if code % 2 else "loss", code // 2)

    def _of_two(self, position: Position, left: list[int]) -> Worths:
        """The game is one of two players: its tables tell."""
        mover, other = left
        stones = position.state.stones[mover], position.state.stones[other]
        hands = position.state.hands[mover], position.state.hands[other]
        worth = self.endings.probe(Position(self.endings.variant, State(0, stones, hands, None)))
        waiting = Probe(_FROM_WAITING[worth.value], worth.dtw)
        return tuple({mover: worth, other: waiting}.get(player, OUT) for player in range(3))

    def probe_turns(self, position: Position) -> list[TripleTurn]:
        """Every legal turn with what it leaves each player; the best for the player to move first (`turn_order`). Errors as `probe`."""
        mover = position.state.to_move
        probed = []
        for turn in position.turns():
            after = position.play(turn)
            worths = tuple(
                Probe(worth.value, worth.dtw + 1) if worth.dtw is not None and position.state.total(player) > 0 else worth
                for player, worth in enumerate(self.probe(after))
            )
            probed.append(TripleTurn(position.token(turn), after, worths))
        return sorted(probed, key=lambda one: turn_order(*one.worths[mover], one.turn))
