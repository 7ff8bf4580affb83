"""A played game: a position, how it came about, and whether the game is over, counted draws included.

Infinite play is a draw. A played game is cut short by two rules that need its history: `repetition`, the same position for the n-th
time, and `quiet_limit`, so many plies in a row without a placing and without a mill. Neither changes the value of a position; what the
second does to wins is told by `merels.retrograde.quiet`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from merels.errors import TurnError
from merels.position import Position, engine
from merels.state import Turn
from merels.variants import Variant

MILL = "mill"
STONES = "stones"
FULL_BOARD = "full board"
NO_TURN = "no turn"
LAST_PLAYER = "last player"
REPETITION = "repetition"
QUIET_LIMIT = "quiet limit"


class Result(NamedTuple):
    """How a game has ended.

    Attributes
    ----------
    outcome : "win", "draw" or "loss" for the player to move at the end.
    reason : "mill" (one is closed and wins), "stones" (a player has fewer than three), "full board", "no turn", "last player" (of
        three), "repetition" or "quiet limit".
    winner : number of the player who has won, None for a draw.
    """

    outcome: str
    reason: str
    winner: int | None


def result_by_rules(position: Position) -> Result | None:
    """How the game is over by the position alone, None where it is not."""
    outcome = position.outcome()
    if outcome is None:
        return None
    player = position.state.to_move
    winner = {"win": player, "loss": 1 - player, "draw": None}[outcome]
    return Result(outcome, _reason(position), winner)


def _reason(position: Position) -> str:
    """Why it is over; asked in the order in which the rules judge."""
    state, variant = position.state, position.variant
    player = state.to_move
    if variant.rules.players == 3:
        if position.outcome() == "win":
            return LAST_PLAYER
    elif variant.rules.mill == "win":
        if any(state.stones[1 - player] & line == line for line in variant.board.line_masks):
            return MILL
    elif min(state.total(player), state.total(1 - player)) < 3:
        return STONES
    full = sum(stones.bit_count() for stones in state.stones) == variant.board.size and not any(state.hands)
    return FULL_BOARD if full else NO_TURN


@dataclass(frozen=True)
class Game:
    """A game as it stands: immutable; a turn gives a new one. `start` and `at` make the first.

    Attributes
    ----------
    positions : all positions, the one that the game began with first.
    history : the tokens of the turns that were played.
    quiet_plies : plies in a row, up to now, in which no stone was placed and none taken. A mill counts as one by the stone that it
        takes: one that takes nothing, because all are protected, changes nothing that could not be changed back **[choice]**.
    """

    positions: tuple[Position, ...]
    history: tuple[str, ...] = ()
    quiet_plies: int = 0

    @classmethod
    def start(cls, variant: Variant) -> Game:
        """A game from the start position."""
        return cls.at(Position.start(variant))

    @classmethod
    def at(cls, position: Position) -> Game:
        """A game that begins with this position; what was played before does not count."""
        return cls((position,))

    @property
    def position(self) -> Position:
        """The present position."""
        return self.positions[-1]

    @property
    def occurrences(self) -> int:
        """How often the present position has been there: the same stones, player to move, hands, and memory of repeated mills."""
        return self.positions.count(self.position)

    def result(self) -> Result | None:
        """How the game has ended, None while it goes on.

        An end by the rules comes before the counted draws on the same ply, as mate does in chess **[choice]**; where both counted draws
        meet, repetition is told.
        """
        rules = self.position.variant.rules
        over = result_by_rules(self.position)
        if over is not None:
            return over
        if rules.repetition and self.occurrences >= rules.repetition:
            return Result("draw", REPETITION, None)
        if rules.quiet_limit and self.quiet_plies >= rules.quiet_limit:
            return Result("draw", QUIET_LIMIT, None)
        return None

    def outcome(self) -> str | None:
        """How the game has ended for the player to move: "win", "draw" or "loss"; None while it goes on."""
        result = self.result()
        return None if result is None else result.outcome

    def turns(self) -> list[Turn]:
        """All legal turns, sorted by token; none where the game is over."""
        return [] if self.result() else self.position.turns()

    def play(self, turn: Turn | str) -> Game:
        """The game after a turn, given as `Turn` or as text.

        Raises
        ------
        TurnError
            The turn is malformed or not legal, or the game is over.
        """
        position, over = self.position, self.result()
        if over is not None:
            text = turn if isinstance(turn, str) else position.token(turn)
            raise TurnError(f"turn {text!r}: the game was over after turn {len(self.history)} ({over.reason}); nothing more can be played")
        if isinstance(turn, str):
            turn = position.parse_turn(turn)
        quiet = self.quiet_plies + 1 if engine(position.variant).is_quiet(turn) else 0
        return Game((*self.positions, position.play(turn)), (*self.history, position.token(turn)), quiet)
