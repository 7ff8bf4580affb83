"""Cursed wins and blessed losses: what becomes of won and lost positions when so many quiet plies in a row end a game as a draw.

A ply is quiet if no stone is placed and none taken. In the *limited game* the game is drawn after ``limit`` quiet plies in a row, unless it
is over by the rules on that very ply. A position is asked about with none of them played. It is truly won if its player can force a win in
the limited game; a *cursed win* is won in the plain game and drawn in the limited one, a *blessed loss* lost in the plain game and drawn in
the limited one. (The terms, and values told for a count of nought, are those of Syzygy's chess tablebases, where the limit is 100 plies
without a capture or a move of a pawn.)

Whoever wins has to place, to take, or to end the game again and again before the limit is reached. For one unit let d be the ply on which
that happens first when the winner hurries and the loser holds out. Turns that place or take lead to positions, whose limited values are
known, with the count at nought: d = 1 before them. Quiet turns stay within the unit: a position with such a turn to a lost one has one ply
more than that, and one all of whose turns lead to won ones one ply more than the longest of these. A position is truly decided if and only
if d <= limit. So d is found by sweeps as distances are, with the code 2 d for lost and 2 d + 1 for won; codes above that of the limit are
never given, and what is left is drawn.

Where no position of a unit takes more plies than the limit to the end of the game, there is nothing to find.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from merels.errors import TableError
from merels.indexing import Geometry
from merels.kernels.sweep import Step
from merels.retrograde.pulling import Pull, Tables
from merels.retrograde.rowfacts import lost_rows, no_turn
from merels.retrograde.sweeps import Sweeps
from merels.retrograde.unit import most_moves
from merels.retrograde.workers import Workers
from merels.subspaces import Graph, Subspace, Unit
from merels.tables.metric import WDL
from merels.tables.quiet import QuietStore, contradictions, drawn_where_decided
from merels.tables.table import DRAWN, LOST, Table, draw_code, value_only


class LimitedSweeps(Sweeps):
    """`Sweeps` of the limited game; ``tables`` give limited values. The codes found are those of this module."""

    def __init__(self, graph: Graph, board: Geometry, workers: Workers, unit: Unit, tables: Tables, limit: int):
        self.codes = 2 * limit
        super().__init__(graph, board, workers, unit.subspaces, tables, limited_dtype(graph, unit, limit))

    def _step(self, number: int, depth: int) -> Step:
        """A turn to a position lost at d wins at d + 1; one more turn to a position won at d is counted."""
        return Step(depth + 1, True) if depth % 2 else Step(depth + 3, False)

    def _depths(self) -> int:
        """Turns out of the unit lead to limited values alone, `LOST` and `WON`: d = 0."""
        return 2


def limited_dtype(graph: Graph, unit: Unit, limit: int) -> np.dtype:
    """One byte a position where codes and counters fit into it together."""
    return np.dtype(np.uint8 if 2 * limit + 4 + most_moves(graph, unit) < draw_code(np.uint8) else np.uint16)


def limited_unit(
    graph: Graph,
    board: Geometry,
    workers: Workers,
    unit: Unit,
    tables: Tables,
    limit: int,
    tell: Callable[[int], None] = lambda slots: None,
) -> dict[Subspace, Table]:
    """The values of the limited game, value-only tables of a unit.

    Parameters
    ----------
    graph, board, workers : of the variant; the threads to use.
    unit, limit : what to solve; plies.
    tables : gives the limited values of `Graph.needs`.
    tell : as `merels.retrograde.unit.solve_unit`.
    """
    if graph.is_circle(unit.subspaces[0]):
        solved = LimitedSweeps(graph, board, workers, unit, tables, limit).run(tell)
        return {subspace: value_only(table) for subspace, table in solved.items()}
    (subspace,) = unit.subspaces
    if limit == 1 and graph.can_move(subspace):
        # After a quiet move the opponent would have to place, on the second ply; with a limit of one the game is drawn by then.
        after = graph.after_quiet_move(subspace)
        later, ended = tables, _ended(graph, board, after)
        tables = lambda wanted: ended if wanted == after else later(wanted)  # noqa: E731
    codes = Pull(graph, board, workers, subspace, tables, np.dtype(np.uint8)).all()
    return {subspace: value_only(Table(subspace, codes, 0))}


def _ended(graph: Graph, board: Geometry, subspace: Subspace) -> Table:
    """The values of those positions of a subspace in which the game is over, all others drawn."""
    values = np.full(board.rows(subspace.stones, subspace.other).shape, DRAWN, np.uint8)
    if not graph.can_place(subspace) and not graph.can_move(subspace):
        values[:] = no_turn(graph, subspace, DRAWN)
    values[lost_rows(graph, board, subspace)] = LOST
    return Table(subspace, values.reshape(-1), LOST, WDL)


def find_changes(
    graph: Graph,
    board: Geometry,
    workers: Workers,
    unit: Unit,
    quiet: QuietStore,
    tables: Tables,
    tell: Callable[[int], None] = lambda slots: None,
) -> tuple[dict[Subspace, Table], dict[Subspace, Table]]:
    """The limited values of a unit and what they change in it, as `QuietStore.changed`; both empty where nothing can be changed.

    Parameters
    ----------
    graph, board, workers, tables, tell : as `limited_unit`.
    unit : one with a distance above the limit; in others nothing is changed.
    quiet : tells the limit and what it changes in the units that this one leads to.

    Raises
    ------
    MissingTableError, TableError
        As `QuietStore.read`; or a limited value contradicts the plain one, because a table is wrong.
    """
    if _follows_plain(graph, unit, quiet.limit) and not any(quiet.effect(subspace) for subspace in graph.needs(unit)):
        return {}, {}
    limited, changed = limited_unit(graph, board, workers, unit, tables, quiet.limit, tell), {}
    for subspace in unit.subspaces:
        with workers.clock.during("read"):
            table = quiet.plain.read(subspace, workers.jobs)
        with workers.clock.during("compare"):
            wrong = contradictions(table, limited[subspace])
            changed[subspace] = drawn_where_decided(table, limited[subspace])
        if wrong:
            raise TableError(
                f"{quiet.plain.path(unit)}: table {subspace.name}: {wrong:,} values contradict those of the game limited to "
                f"{quiet.limit} quiet plies; find out with merels verify which table is wrong"
            )
    return limited, changed


def _follows_plain(graph: Graph, unit: Unit, limit: int) -> bool:
    """Whether nothing is changed in the unit unless something is in those that it leads to."""
    first = unit.subspaces[0]
    return not graph.is_circle(first) and (limit > 1 or not graph.can_move(first))
