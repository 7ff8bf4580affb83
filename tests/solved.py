"""Small games solved in memory once a session, and stores made of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from merels.indexing import Geometry, geometry
from merels.retrograde.unit import solve_unit
from merels.retrograde.workers import Workers
from merels.subspaces import Graph, Subspace, Unit
from merels.tables import DTW, WDL, Store, Table
from merels.tables.table import value_only
from merels.variants import Variant, variant


class Solved(NamedTuple):
    """A variant with all its tables in memory."""

    variant: Variant
    graph: Graph
    geometry: Geometry
    units: list[Unit]
    tables: dict[Subspace, Table]


@cache
def solved(game: Variant | str) -> Solved:
    """All tables that the start position of a variant leads to."""
    if isinstance(game, str):
        return solved(variant(game))
    graph, board = Graph(game), geometry(game)
    units, tables = graph.closure([graph.start()]), {}
    with Workers(2) as workers:
        for unit in units:
            tables.update(solve_unit(graph, board, workers, unit, tables.__getitem__))
    return Solved(game, graph, board, units, tables)


def stored(game: Variant | str, root: Path, metric: str = DTW) -> Store:
    """A finished store of a variant."""
    known = solved(game)
    store = Store(root, known.variant)
    store.prepare()
    with Workers(2) as workers:
        for unit in known.units:
            tables = {s: known.tables[s] for s in unit.subspaces}
            store.write(unit, {s: value_only(t) for s, t in tables.items()} if metric == WDL else tables, workers)
    store.save_manifest()
    return store
