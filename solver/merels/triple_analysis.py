"""Analysis for three players: what each can force in a position, and a line in which everyone plays its own best turn."""

from __future__ import annotations

from typing import NamedTuple

from merels.position import Position
from merels.tables import TripleTablebase, TripleTurn
from merels.tables.triplebase import Worths


class TripleAnalysis(NamedTuple):
    """What is known of a position.

    Attributes
    ----------
    position : Position
    worths : for White, Black and Red, see `merels.tables.triplebase`.
    turns : every legal turn, the best for the player to move first; none where the game is over.
    """

    position: Position
    worths: Worths
    turns: tuple[TripleTurn, ...]


class TripleLine(NamedTuple):
    """Play in which everyone takes its own best turn.

    Attributes
    ----------
    worths : of the position that the line begins with.
    movers : the player who makes each turn.
    turns : tokens.
    position : where the line ends.
    repeats : the number of turns after which the last position had been there before, None if it is new.
    """

    worths: Worths
    movers: tuple[int, ...]
    turns: tuple[str, ...]
    position: Position
    repeats: int | None


def analyse_triple(tablebase: TripleTablebase, position: Position) -> TripleAnalysis:
    """Look a position and its turns up. Errors as `TripleTablebase.probe`."""
    worths = tablebase.probe(position)
    return TripleAnalysis(position, worths, tuple(tablebase.probe_turns(position)))


def best_triple_line(tablebase: TripleTablebase, position: Position, most_plies: int) -> TripleLine:
    """Each player plays the turn that is best for itself; where several are, the first by its token.

    A win that a player can force comes about in such a line, and by the time that is told. That the two others *could* put a player out
    need not show: they would have to play together for it, and here each of them plays for itself.

    Parameters
    ----------
    tablebase : TripleTablebase
    position : Position
        Of the tablebase's variant.
    most_plies : int
        Where a line that nobody is sure to win is cut off, if no position has come twice before.
    """
    worths = now = tablebase.probe(position)
    movers: list[int] = []
    turns: list[str] = []
    seen = {position: 0}
    while position.outcome() is None and (len(turns) < most_plies or any(worth.value == "win" for worth in now)):
        movers.append(position.state.to_move)
        best = tablebase.probe_turns(position)[0]
        turns.append(best.turn)
        position = best.position
        if position in seen:
            return TripleLine(worths, tuple(movers), tuple(turns), position, seen[position])
        seen[position] = len(turns)
        now = tablebase.probe(position)
    return TripleLine(worths, tuple(movers), tuple(turns), position, None)
