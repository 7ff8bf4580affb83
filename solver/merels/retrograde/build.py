"""Build: the units of a plan solved in order and stored, each as soon as it is finished.

While a unit is solved the one before it is compressed and written. What is in the store is not solved again, so a build that was stopped
goes on where it was. What a unit is made of belongs to `merels.retrograde.unit`.
"""

from __future__ import annotations

import resource
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

from merels.errors import LimitError
from merels.indexing import geometry
from merels.machine import processors
from merels.retrograde.cache import TableCache
from merels.retrograde.plan import Plan, PlannedUnit
from merels.retrograde.unit import solve_unit
from merels.retrograde.workers import MOST_JOBS, Workers
from merels.solvable import require_solvable
from merels.subspaces import Graph
from merels.tables.store import Store
from merels.tables.table import DTW
from merels.variants import Variant


class Progress(Protocol):
    """Who wants to know how far long work is; called from the thread that does it."""

    def begin(self, total_slots: int, units: int) -> None:
        """The work begins."""

    def unit(self, name: str, number: int) -> None:
        """The unit with this number, from 1, is next."""

    def advance(self, slots: int) -> None:
        """So many more slots are done."""

    def end(self) -> None:
        """The work is over."""


class Silent:
    """A `Progress` that tells nobody."""

    def begin(self, total_slots: int, units: int) -> None:
        """Nothing."""

    def unit(self, name: str, number: int) -> None:
        """Nothing."""

    def advance(self, slots: int) -> None:
        """Nothing."""

    def end(self) -> None:
        """Nothing."""


@dataclass(frozen=True)
class BuildReport:
    """What a build did.

    Attributes
    ----------
    solved, skipped : units solved now, and there already.
    slots : cells of the tables solved now.
    seconds : wall time.
    peak_memory : most bytes that the process has held so far.
    """

    solved: int
    skipped: int
    slots: int
    seconds: float
    peak_memory: int


def build(
    variant: Variant,
    store: Store,
    plan: Plan,
    jobs: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
    metric: str = DTW,
) -> BuildReport:
    """Solve and store the units of a plan that the store lacks.

    Parameters
    ----------
    variant, store, plan : of the same variant.
    jobs : threads; default: the processors available.
    memory : most bytes to take; None: as many as it takes.
    progress : who is told.
    metric : `DTW`, or `WDL` for tables that hold values only. Tables with distances that are there serve for both.

    Raises
    ------
    RulesError
        No table can be made for these rules.
    LimitError
        A unit cannot fit in ``memory``, told before anything is solved; or the disk is full.
    TableError
        A file in the store is damaged, of other rules, or holds values only where distances are asked for.
    """
    require_solvable(variant)
    progress = progress or Silent()
    jobs = min(jobs or processors(), MOST_JOBS)
    began = time.perf_counter()
    store.prepare()
    missing = [planned for planned in plan.units if not store.has(planned.unit, metric)]
    _check_memory(missing, memory)
    progress.begin(plan.slots, len(plan.units))
    numbers = {planned.unit: number for number, planned in enumerate(plan.units, start=1)}
    progress.advance(plan.slots - sum(planned.slots for planned in missing))
    graph = Graph(variant)
    cache = TableCache(store, [graph.needs(planned.unit) for planned in missing], jobs, metric)
    try:
        with Workers(jobs) as workers, ThreadPoolExecutor(1, thread_name_prefix="merels-write") as writer:
            written: Future = writer.submit(int)
            for step, planned in enumerate(missing):
                progress.unit(planned.unit.name, numbers[planned.unit])
                unit_began = time.perf_counter()
                cache.begin(step, _room(memory, planned))
                tables = solve_unit(graph, geometry(variant), workers, planned.unit, cache.get, metric)
                seconds = time.perf_counter() - unit_began
                written.result()  # before its tables may go
                cache.add(tables)
                written = writer.submit(_write, store, planned, tables, workers, seconds)
                progress.advance(planned.slots)
            written.result()
    finally:
        progress.end()
        store.save_manifest()
    return BuildReport(
        solved=len(missing),
        skipped=len(plan.units) - len(missing),
        slots=sum(planned.slots for planned in missing),
        seconds=time.perf_counter() - began,
        peak_memory=peak_memory(),
    )


def peak_memory() -> int:
    """Most bytes that this process has held in memory so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _write(store: Store, planned: PlannedUnit, tables, workers: Workers, seconds: float) -> None:
    store.write(planned.unit, tables, workers)
    store.record(planned.unit, metric=next(iter(tables.values())).metric, seconds=round(seconds, 3), peak_memory_bytes=peak_memory())


def _check_memory(missing: list[PlannedUnit], memory: int | None) -> None:
    if memory is None:
        return
    for planned in missing:
        if planned.memory > memory:
            raise LimitError(
                f"unit {planned.unit.name} takes about {planned.memory / (1 << 20):,.0f} MiB of memory, {memory / (1 << 20):,.0f} MiB "
                "may be used; free some, allow more with --memory, or solve a part of the game (--moving --stones N, or --subspace)"
            )


def _room(memory: int | None, planned: PlannedUnit) -> int | None:
    """Bytes for tables that later units read, beside all that this one takes."""
    if memory is None:
        return None
    return max(0, memory - planned.memory)
