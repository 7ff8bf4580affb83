"""Cursed wins and blessed losses of an analysis: what a quiet limit makes of a position and of its turns."""

from __future__ import annotations

from typing import NamedTuple

from merels.analysis import Analysis
from merels.errors import MissingTableError
from merels.position import Position
from merels.tables import Tablebase


class Cursed(NamedTuple):
    """What a limit does to the values of an analysis.

    Attributes
    ----------
    limit : plies in a row without a placing and without a mill after which a game is drawn.
    position : whether the position is a cursed win or a blessed loss; None where that is not known.
    turns : the same for each turn, in the order of the analysis, judged by the position after it with the count begun anew. Where the
        position is a cursed win, each turn that wins is one.
    missing : what has been asked for in vain for the position itself.
    """

    limit: int
    position: bool | None
    turns: tuple[bool | None, ...]
    missing: MissingTableError | None


def judge(tablebase: Tablebase, analysis: Analysis, limit: int) -> Cursed:
    """What a limit does to the values of an analysis; it may not have been examined for all of them.

    Raises
    ------
    TableError
        A file that is there is damaged.
    """
    own, missing = _cursed(tablebase, analysis.position, analysis.bounds.value, limit)
    turns = []
    for turn in analysis.turns:
        after, _ = _cursed(tablebase, turn.position, turn.bounds.value, limit)
        turns.append(True if own and turn.bounds.value == analysis.bounds.value == "win" else after)
    return Cursed(limit, own, tuple(turns), missing)


def _cursed(tablebase: Tablebase, position: Position, value: str, limit: int) -> tuple[bool | None, MissingTableError | None]:
    if value == "draw":
        return False, None
    if value == "unknown":
        return None, None
    try:
        return tablebase.cursed(position, limit), None
    except MissingTableError as missing:
        return None, missing
