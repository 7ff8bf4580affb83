"""Analysis: what a player wants to know of one position: its value, its turns by merit, best play to the end.

Values come from tables, and where those are missing from a bounded search if one is asked for. How an analysis is
worded is a matter of the command line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from merels.errors import MissingTableError, TableError
from merels.position import Position
from merels.search import UNKNOWN, Bounds, Search, Worth
from merels.subspaces import Subspace
from merels.tables import WDL, Tablebase, subspace_of, turn_order


class JudgedTurn(NamedTuple):
    """A legal turn and what is known of its worth.

    Attributes
    ----------
    turn : str
        Its token.
    position : Position
        The position after it.
    bounds : Bounds
        For the player who makes the turn; distances count it.
    """

    turn: str
    position: Position
    bounds: Bounds


@dataclass(frozen=True)
class Analysis:
    """What is known of a position.

    Attributes
    ----------
    position : Position
    bounds : Bounds
        For the player to move.
    turns : tuple of JudgedTurn
        Every legal turn, the best first; none where the game is over.
    missing : tuple of MissingTableError
        One for each file that was asked for in vain.
    """

    position: Position
    bounds: Bounds
    turns: tuple[JudgedTurn, ...]
    missing: tuple[MissingTableError, ...]


class Line(NamedTuple):
    """Best play of both sides from a position.

    Attributes
    ----------
    value, dtw
        Of the position that the line begins with, for its player to move.
    turns : tuple of str
    position : Position
        Where the line ends.
    repeats : int or None
        The number of turns after which the last position had been there before, None if it is new.
    """

    value: str
    dtw: int | None
    turns: tuple[str, ...]
    position: Position
    repeats: int | None


def analyse(tablebase: Tablebase, position: Position, plies: int = 0) -> Analysis:
    """Look a position and its turns up, and search for what the tables do not tell.

    Parameters
    ----------
    tablebase : Tablebase
        Some or all of its tables may be missing.
    position : Position
        Of the tablebase's variant.
    plies : int
        How far to look ahead for values that no table tells; 0: not at all.

    Raises
    ------
    TableError
        A table that is there is damaged.
    """
    known = _Known(tablebase)
    worth = known(position)
    bounds = UNKNOWN if worth is None else Bounds.exactly(worth)
    after = {position.token(turn): position.play(turn) for turn in position.turns()}
    judged = {token: _looked_up(known, later) for token, later in after.items()}
    missing = known.missing
    search = Search(position.variant, known)
    for ahead in range(plies + 1 if after else 0):
        for token, later in after.items():
            if ahead > 0 and judged[token].low != judged[token].high:
                judged[token] = search.bounds(later, ahead - 1).before_turn().both(judged[token])
        best = Bounds(max(j.low for j in judged.values()), max(j.high for j in judged.values()))
        if ahead > 0 or best.value != "unknown":
            bounds = bounds.both(best)
        if all(turn.low == turn.high for turn in judged.values()):
            break
    turns = [JudgedTurn(token, after[token], judged[token]) for token in after]
    return Analysis(position, bounds, tuple(sorted(turns, key=_merit)), missing)


def best_line(tablebase: Tablebase, position: Position, most_plies: int) -> Line:
    """Best play: the winner takes the shortest way, the loser the longest, the first token where turns are equal.

    Parameters
    ----------
    tablebase : Tablebase
    position : Position
        Of the tablebase's variant.
    most_plies : int
        Where a drawn line is cut off if no position has come twice before. Won and lost ones go on to the end.

    Raises
    ------
    MissingTableError, TableError
        A table that is needed is missing, damaged, or holds values only: it does not tell which way is shortest.
    """
    value, dtw = tablebase.probe(position)
    turns: list[str] = []
    seen = {position: 0}
    while position.outcome() is None and (value != "draw" or len(turns) < most_plies):
        _require_distances(tablebase, position)
        best = tablebase.probe_turns(position)[0]
        turns.append(best.turn)
        position = best.position
        if position in seen:
            return Line(value, dtw, tuple(turns), position, seen[position])
        seen[position] = len(turns)
    return Line(value, dtw, tuple(turns), position, None)


def _require_distances(tablebase: Tablebase, position: Position) -> None:
    """Refuse a position whose table holds values only."""
    subspace, store = subspace_of(position), tablebase.store
    if tablebase.metric(subspace) == WDL:
        raise TableError(
            f"{store.path(store.graph.unit(subspace))}: holds values only, and best play needs distances; build tables that have them "
            f"in another folder with: {store.command_for_distances(subspace)}"
        )


class _Known:
    """What the tables tell, None where one is missing."""

    def __init__(self, tablebase: Tablebase) -> None:
        self._tablebase = tablebase
        self._missing: dict[Subspace, MissingTableError] = {}

    def __call__(self, position: Position) -> Worth | None:
        kind = subspace_of(position)
        if kind in self._missing:
            outcome = position.outcome()
            return None if outcome is None else (outcome, 0)
        try:
            return self._tablebase.probe(position)
        except MissingTableError as missing:
            self._missing[kind] = missing
            return None

    @property
    def missing(self) -> tuple[MissingTableError, ...]:
        """What has been found missing so far, one error for each file."""
        graph, found = self._tablebase.store.graph, {}
        for error in self._missing.values():
            found.setdefault(graph.unit(Subspace.parse(error.table)), error)
        return tuple(found.values())


def _looked_up(known: _Known, after: Position) -> Bounds:
    worth = known(after)
    return (UNKNOWN if worth is None else Bounds.exactly(worth)).before_turn()


def _merit(judged: JudgedTurn) -> tuple:
    """Sort key: as for known turns; a win or loss whose distance is not proven counts as the worst that it can be."""
    value = judged.bounds.value
    return turn_order(value, None if value == "unknown" else judged.bounds.worst[1], judged.turn)
