"""One work unit: from the tables that its turns lead to, to its own.

Where quiet moves go round in a circle the unit is solved by sweeps over both of its sides; elsewhere it is one pull over finished tables.
The order of units, files and progress belong to `merels.retrograde.build`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from merels.indexing import Geometry
from merels.kernels.values import LONGEST, largest_distance
from merels.retrograde.memory_pulling import MemoryPull
from merels.retrograde.memory_sweeps import MemorySweeps, settle_unused
from merels.retrograde.pulling import Pull, Tables
from merels.retrograde.sweeps import Sweeps
from merels.retrograde.triple_sweeps import solve_circle
from merels.retrograde.workers import Workers
from merels.subspaces import Graph, Subspace, Unit
from merels.tables.metric import DTW, WDL
from merels.tables.table import Table, draw_code, value_only
from merels.triples import Circle, Seat, TripleGraph

_TURNS_IN_A_BYTE = 150  # counters start below this, so that distances have the rest of the byte


def solve_unit(
    graph: Graph | TripleGraph,
    geometry: Geometry,
    workers: Workers,
    unit: Unit | Circle,
    tables: Tables,
    metric: str = DTW,
    tell: Callable[[int], None] = lambda slots: None,
) -> dict[Subspace, Table] | dict[Seat, Table]:
    """The tables of a unit.

    To solve for values alone (`WDL`) is to solve as ever and to leave the distances out at the end: a value-only table says "won in 1"
    and "lost in 0", and values do not depend on the distances of the tables that they are found from.

    Parameters
    ----------
    graph, geometry, workers : of the variant; the threads to use.
    unit : what to solve.
    tables : gives the tables of `Graph.needs`; those without distances serve `WDL` alone.
    metric : `DTW` or `WDL`; with three players there is but one.
    tell : hears now and then how many more cells are solved; not of all, and nothing where a unit is done at one go.
    """
    if isinstance(graph, TripleGraph):
        return solve_circle(graph, geometry, workers, unit, tables, tell)
    solved = _solved(graph, geometry, workers, unit, tables, tell)
    return {s: value_only(table) for s, table in solved.items()} if metric == WDL else solved


def _solved(
    graph: Graph, geometry: Geometry, workers: Workers, unit: Unit, tables: Tables, tell: Callable[[int], None]
) -> dict[Subspace, Table]:
    dtype = _dtype(graph, unit, tables)
    remembers = graph.rules.repeat_mill != "free"
    if graph.is_circle(unit.subspaces[0]):
        return (MemorySweeps if remembers else Sweeps)(graph, geometry, workers, unit.subspaces, tables, dtype).run(tell)
    (subspace,) = unit.subspaces
    values = (MemoryPull if remembers else Pull)(graph, geometry, workers, subspace, tables, dtype).all()
    draw = draw_code(dtype)
    with workers.clock.during("finish"):
        longest = max(workers.over_cells(values.size, lambda _, start, stop: largest_distance(start, stop, values, draw)))
        if remembers:
            settle_unused(geometry.space(subspace), workers, values, longest)
    return {subspace: Table(subspace, values, int(longest))}


def _dtype(graph: Graph, unit: Unit, tables: Tables) -> np.dtype:
    """One byte a position where distances and counters are sure to begin within it."""
    longest = max((tables(subspace).longest for subspace in graph.needs(unit)), default=0)
    return np.dtype(np.uint8 if longest + 1 <= LONGEST[1] and most_moves(graph, unit) < _TURNS_IN_A_BYTE else np.uint16)


def most_moves(graph: Graph, unit: Unit) -> int:
    """No position of the unit has more moves."""
    return max(
        s.stones * (graph.points - s.stones - s.other) if graph.flies(s) else len(graph.variant.hops) // 2
        for s in unit.subspaces
    )
