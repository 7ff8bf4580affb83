"""Verification: a proof that finished tables are right, from the files alone.

Checksums and counts say that a file is what was written. That it is *right* follows from one comparison for each position: its value must
be the best over its turns of the values they lead to. By induction over the true distance a table that passes everywhere is the solution:
a won or lost position has a turn, or all its turns, one ply nearer the end, and a drawn one no turn to a lost position.

With three players the same holds of each player's values, against the two others: the best is that for whoever moves, and the wins and
losses of the tables of two players that turns lead to are taken as they are, proven by their own verification.

Of tables that hold values only the same comparison is necessary, not sufficient: positions that quiet moves join in a circle could be
wrong together, each of them supported by the next.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from merels.errors import MerelsError
from merels.graphs import graph_of
from merels.indexing import geometry
from merels.indexing.memory import MemorySpace
from merels.kernels.pull import compare
from merels.kernels.values import LONGEST
from merels.machine import processors
from merels.position import Position
from merels.retrograde.build import Progress, Silent
from merels.retrograde.cache import TableCache
from merels.retrograde.memory_pulling import MemoryPull
from merels.retrograde.memory_sweeps import unused_code
from merels.retrograde.pulling import Pull, Tables
from merels.retrograde.triple_pulling import TriplePull
from merels.retrograde.workers import MOST_JOBS, Workers
from merels.state import State
from merels.subspaces import Graph, Subspace, Unit
from merels.tables.checking import check_file
from merels.tables.metric import CODES_A_PLY, WDL, full_metric
from merels.tables.store import Store
from merels.tables.table import Table, draw_code, value_codes, value_only
from merels.triples import Seat, TripleGraph
from merels.variants import Variant

_CHUNK_CELLS = 1 << 18
MOST_KEPT = 5 << 30
"""Bytes of tables kept for later units; of the whole of `nine` 5.3 GiB are then read again, with 2 GiB less 10.7."""


@dataclass(frozen=True)
class Finding:
    """Something wrong: the table's name and the problem in words."""

    table: str
    problem: str


@dataclass(frozen=True)
class VerifyReport:
    """What a verification looked at and found.

    Attributes
    ----------
    findings : all that is wrong; empty if the tables are right.
    units : files looked at. positions : cells compared. seconds : wall time.
    proven : whether no finding means that all is right; not so where a table holds values only.
    """

    findings: list[Finding]
    units: int
    positions: int
    seconds: float
    proven: bool = True


def verify(
    variant: Variant,
    store: Store,
    units: Sequence[Unit] | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> VerifyReport:
    """Check files and values of units in a store.

    Parameters
    ----------
    variant, store : whose tables.
    units : which; default: all that are there.
    jobs : threads; default: the processors available.
    progress : who is told.
    """
    progress = progress or Silent()
    jobs = min(jobs or processors(), MOST_JOBS)
    began = time.perf_counter()
    graph, board = graph_of(variant), geometry(variant)
    wanted = set(store.units() if units is None else units)
    ordered = [unit for unit in graph.closure({s for unit in wanted for s in unit.subspaces}) if unit in wanted]
    slots = {unit: sum(s.space(board).slots for s in unit.subspaces) for unit in ordered}
    progress.begin(sum(slots.values()), len(ordered))
    cache = TableCache(store, [graph.needs(unit) | set(unit.subspaces) for unit in ordered], jobs)
    findings = [
        Finding(unit.name, f"{store.path(unit)}: {variant.name} has no such table; delete the file")
        for unit in sorted(wanted - set(ordered))
    ]
    positions, proven = 0, True
    try:
        with Workers(jobs) as workers:
            for step, unit in enumerate(ordered):
                progress.unit(unit.name, step + 1)
                cache.begin(step, MOST_KEPT)
                remedy = partial(store.remedy, unit.subspaces[0])
                tables: dict[Subspace, Table] = {}
                damages = check_file(store.path(unit), workers, variant, remedy, tables)
                cache.add(tables)
                findings += [Finding(unit.name, str(damage)) for damage in damages]
                if not damages:
                    for subspace in unit.subspaces:
                        found, cells, metric = _check_values(graph, subspace, cache.get, workers)
                        findings += found
                        positions += cells
                        proven &= metric != WDL
                progress.advance(slots[unit])
    finally:
        progress.end()
    return VerifyReport(findings, len(wanted), positions, time.perf_counter() - began, proven)


def _check_values(
    graph: Graph | TripleGraph, subspace: Subspace | Seat, tables: Tables, workers: Workers
) -> tuple[list[Finding], int, str]:
    """Compare one table with its turns; returns what is wrong, how many cells were compared, and in which metric.

    Where the table or one that its turns lead to holds values only, values are all that can be compared.
    """
    metric = full_metric(graph.variant.rules.players)
    try:
        known = {s: tables(s) for s in {*graph.successors(subspace), subspace}}
        if any(table.metric == WDL for table in known.values()):
            metric, known = WDL, {s: value_only(table) for s, table in known.items()}
        tables, table = known.__getitem__, known[subspace]
        longest, plies = max(table.longest for table in known.values()), CODES_A_PLY[metric]
        dtype = np.dtype(np.uint8 if longest * plies + plies <= LONGEST[1] else np.uint16)  # a seat's longest is a code itself: enough
        pull = _pull(graph, workers, table, tables, dtype)
    except MerelsError as error:
        return [Finding(subspace.name, f"its values cannot be checked: {error}")], 0, metric
    rows, width = pull.shape
    size = max(1, _CHUNK_CELLS // width)
    scratch = [np.empty(size * width, dtype) for _ in range(workers.jobs)]

    def work(worker: int, start: int, stop: int) -> tuple[int, int]:
        codes = scratch[worker][: (stop - start) * width]
        pull.rows(worker, start, stop, codes)
        if metric == WDL:
            codes = value_codes(codes)
        wrong, first = compare(table.values[start * width : stop * width], table.draw, codes, draw_code(codes.dtype))
        return wrong, start * width + first if wrong else -1

    results = workers.over_rows(rows, work, size)
    wrong = sum(number for number, _ in results)
    if not wrong:
        return [], rows * width, metric
    cell = next(first for number, first in results if number)
    place = _position(graph, subspace, cell, width)
    problem = f"{wrong:,} values differ from the best over their turns, the first at '{place}' (cell {cell})"
    return [Finding(subspace.name, problem)], rows * width, metric


def _pull(graph: Graph | TripleGraph, workers: Workers, table: Table, tables: Tables, dtype: np.dtype) -> Pull | MemoryPull | TriplePull:
    board, subspace = geometry(graph.variant), table.subspace
    if isinstance(subspace, Seat):
        return TriplePull(graph, board, workers, subspace, tables, dtype)
    if graph.rules.repeat_mill == "free":
        return Pull(graph, board, workers, subspace, tables, dtype)
    return MemoryPull(graph, board, workers, subspace, tables, dtype, unused=unused_code(table.longest, draw_code(dtype)))


def _position(graph: Graph | TripleGraph, subspace: Subspace | Seat, cell: int, width: int) -> str:
    space, place = subspace.space(geometry(graph.variant)), divmod(cell, width)
    stones, memory = space.position(*place), None
    if isinstance(space, MemorySpace):
        if stones[0] < 0:
            return "no position"
        memory = space.memories(*place)
    hands = subspace.triple.hands if isinstance(subspace, Seat) else (subspace.hand, subspace.other_hand)
    return str(Position(graph.variant, State(0, stones, hands, memory)))
