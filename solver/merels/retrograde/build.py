"""Build: the units of a plan solved in order and stored, each as soon as it is finished.

While a unit is solved the one before it is compressed and written. What is in the store is not solved again, so a build that was stopped
goes on where it was. A build that discards deletes its own files once nothing needs them any more. What a unit is made of belongs to
`merels.retrograde.unit`.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Collection, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

from merels import buffers
from merels.errors import LimitError
from merels.graphs import graph_of
from merels.indexing import geometry
from merels.machine import processors
from merels.retrograde.cache import TableCache
from merels.retrograde.clock import Clock, total
from merels.retrograde.plan import Plan, PlannedUnit
from merels.retrograde.pulling import Tables
from merels.retrograde.unit import solve_unit
from merels.retrograde.workers import MOST_JOBS, Workers
from merels.solvable import require_solvable
from merels.subspaces import Graph, Subspace, Unit
from merels.tables.store import Store
from merels.tables.table import Table
from merels.triples import TripleGraph
from merels.variants import Variant

_MOST_WAITING = 64 << 20
"""Slots of solved units that may wait for the one that is being written: many small units follow a large one."""


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
    seconds : wall time. processor_seconds : of all threads together.
    peak_memory : most bytes that the process has held so far.
    phases : by phase the seconds of ``wall`` time and those that threads were ``busy``; writing goes on beside the other phases.
    """

    solved: int
    skipped: int
    slots: int
    seconds: float
    processor_seconds: float
    peak_memory: int
    phases: dict[str, dict[str, float]]


def build(
    variant: Variant,
    store: Store,
    plan: Plan,
    jobs: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> BuildReport:
    """Solve and store the units of a plan that the store lacks; before them, with three players, those of `Plan.endings`.

    Parameters
    ----------
    variant, store, plan : of the same variant. Where the plan is to store values only, tables with distances that are there serve as well.
    jobs : threads; default: the processors available.
    memory : most bytes to take; None: as many as it takes.
    progress : who is told.

    Raises
    ------
    RulesError
        No table can be made for these rules.
    LimitError
        A unit cannot fit in ``memory``, told before anything is solved; or the disk is full.
    TableError
        A file in the store is damaged, of other rules, or holds values only where distances are asked for.
    BusyError
        Another build is at work in the store.
    """
    require_solvable(variant)
    store.prepare()
    with store.locked():
        return _build(variant, store, plan, min(jobs or processors(), MOST_JOBS), memory, progress or Silent())


def _build(variant: Variant, store: Store, plan: Plan, jobs: int, memory: int | None, progress: Progress) -> BuildReport:
    began, processor_began = time.perf_counter(), time.process_time()
    graph = graph_of(variant)
    endings = None
    if plan.endings is not None and store.endings is not None:
        check_memory(_missing(graph, store, plan), memory)
        endings = build(plan.endings.variant, store.endings, plan.endings, jobs, memory, progress)
    missing = _missing(graph, store, plan)
    check_memory(missing, memory)
    if not plan.discards:
        _adopt(store, plan)
    progress.begin(plan.slots, len(plan.units))
    numbers = {planned.unit: number for number, planned in enumerate(plan.units, start=1)}
    progress.advance(plan.slots - sum(planned.slots for planned in missing))
    cache = TableCache(store, [graph.needs(planned.unit) for planned in missing], jobs, plan.metric)
    clocks = []
    try:
        with Workers(jobs) as workers, ThreadPoolExecutor(1, thread_name_prefix="merels-write") as writer:
            writing: list[tuple[Future, int]] = []
            for step, planned in enumerate(missing):
                progress.unit(planned.unit.name, numbers[planned.unit])
                clock = Clock()
                clocks.append(clock)
                workers.timed(clock)
                cache.begin(step, planned.room(memory))
                told = Told(progress, planned.slots)
                tables = solve_unit(graph, geometry(variant), workers, planned.unit, timed(cache.get, clock), plan.metric, told.some)
                with clock.during("wait"):
                    _settle(writing, 0 if plan.discards else _MOST_WAITING - planned.slots)
                cache.add(tables)
                written = writer.submit(_write, store, plan, planned, tables, workers, clock, cache.unused())
                writing.append((written, planned.slots))
                told.rest()
            _settle(writing, 0)
            _discard(store, plan, {subspace for planned in plan.units for subspace in planned.unit.subspaces})
    finally:
        buffers.release()
        progress.end()
        store.save_manifest()
    return BuildReport(
        solved=len(missing) + (endings.solved if endings else 0),
        skipped=len(plan.units) - len(missing) + (endings.skipped if endings else 0),
        slots=sum(planned.slots for planned in missing) + (endings.slots if endings else 0),
        seconds=time.perf_counter() - began,
        processor_seconds=time.process_time() - processor_began,
        peak_memory=peak_memory(),
        phases=total([clock.record() for clock in clocks] + ([endings.phases] if endings else [])),
    )


def _settle(writing: list[tuple[Future, int]], room: int) -> None:
    """Wait until the units behind the one being written have less than ``room`` slots (0 or less: until none is). Raises their errors."""
    while writing and (writing[0][0].done() or room <= 0 or sum(slots for _, slots in writing[1:]) >= room):
        writing.pop(0)[0].result()


class Told:
    """The part of a unit that its progress has been told of."""

    def __init__(self, progress: Progress, slots: int):
        self._progress, self._left = progress, slots

    def some(self, slots: int) -> None:
        """So many more are done."""
        slots = min(slots, self._left)
        self._left -= slots
        self._progress.advance(slots)

    def rest(self) -> None:
        """All are done."""
        self.some(self._left)


def _missing(graph: Graph | TripleGraph, store: Store, plan: Plan) -> list[PlannedUnit]:
    """The units to solve: all that the store lacks; where a build discards, those that are asked for and what they need."""
    absent = [planned for planned in plan.units if not store.has(planned.unit, plan.metric)]
    if not plan.discards:
        return absent
    wanted: set[Unit] = {graph.unit(root) for root in plan.roots}
    missing = []
    for planned in reversed(absent):
        if planned.unit in wanted:
            missing.append(planned)
            wanted.update(graph.unit(subspace) for subspace in graph.needs(planned.unit))
    return missing[::-1]


def timed(tables: Tables, clock: Clock) -> Tables:
    """``tables`` whose reading is a phase of its own."""

    def read(subspace: Subspace) -> Table:
        with clock.during("read"):
            return tables(subspace)

    return read


def _adopt(store: Store, plan: Plan) -> None:
    """What a discarding build has left is asked for now, and stays."""
    for unit in store.discardable() & {planned.unit for planned in plan.units}:
        store.record(unit, discardable=False)


def _discard(store: Store, plan: Plan, subspaces: Collection[Subspace]) -> None:
    """Where a build discards, delete the files of ``subspaces`` that such builds wrote; those that are asked for stay."""
    if not plan.discards:
        return
    kept = {store.graph.unit(root) for root in plan.roots}
    units = {store.graph.unit(subspace) for subspace in subspaces} - kept
    for unit in units & store.discardable():
        store.delete(unit)


def peak_memory() -> int:
    """Most bytes that this process has held in memory so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _write(
    store: Store,
    plan: Plan,
    planned: PlannedUnit,
    tables: Mapping[Subspace, Table],
    workers: Workers,
    clock: Clock,
    unused: Collection[Subspace],
) -> None:
    """Write a unit; only then discard what it was the last to need."""
    own = Clock()
    workers.timed(own)
    with own.during("write"):
        store.write(planned.unit, tables, workers)
    clock.wall["write"], clock.busy["write"] = own.wall["write"], own.wall["write"]
    phases = clock.record()
    store.record(
        planned.unit,
        metric=plan.metric,
        slots=planned.slots,
        seconds=round(sum(seconds["wall"] for phase, seconds in phases.items() if phase != "write"), 3),
        peak_memory_bytes=peak_memory(),
        phases=phases,
        discardable=plan.discards,
    )
    _discard(store, plan, unused)


def check_memory(missing: list[PlannedUnit], memory: int | None) -> None:
    """`LimitError` for the first unit that takes more than ``memory`` bytes; None: nothing does."""
    if memory is None:
        return
    for planned in missing:
        if planned.memory > memory:
            raise LimitError(
                f"unit {planned.unit.name} takes about {planned.memory / (1 << 20):,.0f} MiB of memory, {memory / (1 << 20):,.0f} MiB "
                "may be used; free some, allow more with --memory, or solve a part of the game (--moving --stones N, or --subspace)"
            )
