"""Examination: every unit of a plan searched for what a quiet limit changes, and what was found checked again.

What is searched for, and how, is a matter of `merels.retrograde.quiet`; where it is kept, of `merels.tables.quiet`.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace

import numpy as np

from merels import buffers
from merels.errors import MerelsError, TableError
from merels.indexing import geometry
from merels.machine import processors
from merels.retrograde.build import Progress, Silent, Told, check_memory, peak_memory, timed
from merels.retrograde.cache import TableCache
from merels.retrograde.clock import Clock, total
from merels.retrograde.plan import Plan, PlannedUnit
from merels.retrograde.quiet import find_changes, limited_dtype
from merels.retrograde.verification import Finding, VerifyReport
from merels.retrograde.workers import MOST_JOBS, Workers
from merels.solvable import require_quiet_limit
from merels.subspaces import Subspace, Unit
from merels.tables.checking import check_file
from merels.tables.metric import WDL
from merels.tables.quiet import QuietStore, Record
from merels.tables.store import Store
from merels.tables.table import Table

_MOST_KEPT = 2 << 30
"""Bytes of tables kept for later units while results are checked, beside all that solving the largest unit takes."""


@dataclass(frozen=True)
class QuietReport:
    """What an examination did, and what there is now.

    Attributes
    ----------
    limit : plies.
    examined, skipped : units examined now, and before. solved : those of the examined in which the limited game had to be solved.
    cursed_win, blessed_loss : positions of all units, each orbit once. subspaces : how many have any.
    seconds : wall time. processor_seconds : of all threads together. peak_memory : most bytes that the process has held so far.
    phases : as those of `merels.retrograde.build.BuildReport`.
    """

    limit: int
    examined: int
    skipped: int
    solved: int
    cursed_win: int
    blessed_loss: int
    subspaces: int
    seconds: float
    processor_seconds: float
    peak_memory: int
    phases: dict[str, dict[str, float]]


@dataclass(frozen=True)
class Source:
    """What the effect on a unit is found from.

    Attributes
    ----------
    basis : checksum of its plain values and of those of all units that it leads to.
    longest : largest distance in it, in plies.
    """

    basis: str
    longest: int


def source(store: Store, unit: Unit, earlier: Mapping[Unit, Source]) -> Source:
    """The source of a unit; ``earlier`` has those of all that it needs.

    Raises
    ------
    MissingTableError, TableError
        As `Store.open`; or the table has no distances.
    """
    graph = store.graph
    with store.open(unit) as file:
        if file.header.metric == WDL:
            raise TableError(
                f"{file.path}: holds values only, and a quiet limit is examined with distances; build tables that have them in another "
                f"folder with: {store.command_for_distances(unit.subspaces[0])}"
            )
        sums = {subspace.name: file.entries[subspace.name].sha256 for subspace in unit.subspaces}
        longest = max(file.entries[subspace.name].counts.longest for subspace in unit.subspaces)
    below = sorted({earlier[graph.unit(subspace)].basis for subspace in graph.needs(unit)})
    return Source(hashlib.sha256(json.dumps([sums, below], sort_keys=True).encode()).hexdigest(), longest)


def _sources(store: Store, units: Sequence[Unit]) -> dict[Unit, Source]:
    sources: dict[Unit, Source] = {}
    for unit in units:
        sources[unit] = source(store, unit, sources)
    return sources


def examine(
    quiet: QuietStore, plan: Plan, jobs: int | None = None, memory: int | None = None, progress: Progress | None = None
) -> QuietReport:
    """Find out, and store, what a limit changes in the units of a plan, all of which are built.

    Units that have been examined since they were built are left alone, so that an examination that was stopped goes on where it was.

    Parameters
    ----------
    quiet, plan : of the same variant; the plan with all that its units lead to.
    jobs : threads; default: the processors available.
    memory : most bytes to take; None: as many as it takes.
    progress : who is told.

    Raises
    ------
    RulesError, InputError
        As `require_quiet_limit`.
    MissingTableError
        A unit is not built.
    LimitError
        A unit cannot fit in ``memory``, told before anything is solved; or the disk is full.
    TableError
        A file is damaged, of other rules, without distances, or wrong.
    BusyError
        A build is at work in the store.
    """
    require_quiet_limit(quiet.variant, quiet.limit)
    quiet.files.prepare()
    with quiet.plain.locked():
        return _examine(quiet, plan, min(jobs or processors(), MOST_JOBS), memory, progress or Silent())


def _examine(quiet: QuietStore, plan: Plan, jobs: int, memory: int | None, progress: Progress) -> QuietReport:
    began, processor_began = time.perf_counter(), time.process_time()
    graph, board = quiet.graph, geometry(quiet.variant)
    sources = _sources(quiet.plain, [planned.unit for planned in plan.units])
    missing = [planned for planned in plan.units if not _is_examined(quiet, planned.unit, sources[planned.unit])]
    work = [_as_solved(quiet, planned) for planned in missing if sources[planned.unit].longest > quiet.limit]
    check_memory(work, memory)
    steps = {planned.unit: step for step, planned in enumerate(work)}
    numbers = {planned.unit: number for number, planned in enumerate(plan.units, start=1)}
    cache = TableCache(quiet, [graph.needs(planned.unit) for planned in work], jobs, WDL)
    clocks, solved = [], 0
    with _progressing(progress, plan), Workers(jobs) as workers:
        progress.advance(plan.slots - sum(planned.slots for planned in missing))
        for planned in missing:
            unit, clock, changed = planned.unit, Clock(), {}
            progress.unit(unit.name, numbers[unit])
            clocks.append(clock)
            workers.timed(clock)
            told = Told(progress, planned.slots)
            if unit in steps:
                cache.begin(steps[unit], work[steps[unit]].room(memory))
                limited, changed = find_changes(graph, board, workers, unit, quiet, timed(cache.get, clock), told.some)
                cache.add(limited)
                solved += bool(limited)
            with clock.during("write"):
                quiet.write(unit, sources[unit].basis, changed, workers)
            told.rest()
            phases = clock.record()
            seconds = round(sum(phase["wall"] for phase in phases.values()), 3)
            quiet.files.record(unit, slots=planned.slots, seconds=seconds, peak_memory_bytes=peak_memory(), phases=phases)
    effects = [quiet.effect(subspace) for planned in plan.units for subspace in planned.unit.subspaces]
    return QuietReport(
        limit=quiet.limit,
        examined=len(missing),
        skipped=len(plan.units) - len(missing),
        solved=solved,
        cursed_win=sum(effect.cursed_win for effect in effects),
        blessed_loss=sum(effect.blessed_loss for effect in effects),
        subspaces=sum(map(bool, effects)),
        seconds=time.perf_counter() - began,
        processor_seconds=time.process_time() - processor_began,
        peak_memory=peak_memory(),
        phases=total([clock.record() for clock in clocks]),
    )


def _is_examined(quiet: QuietStore, unit: Unit, known: Source) -> bool:
    record = quiet.record(unit)
    return _is_of(quiet, record, known) and quiet.is_whole(unit, record)


def _is_of(quiet: QuietStore, record: Record | None, known: Source) -> bool:
    """Whether there is a record, of the tables that are there now."""
    return record is not None and record.basis == known.basis and all(map(quiet.is_current, record.effects, record.effects.values()))


def _as_solved(quiet: QuietStore, planned: PlannedUnit) -> PlannedUnit:
    """The unit with what solving the limited game takes: codes of two bytes double values and after-move arrays."""
    wider = limited_dtype(quiet.graph, planned.unit, quiet.limit).itemsize - 1
    return replace(planned, memory=planned.memory + 2 * planned.slots * wider)


@contextmanager
def _progressing(progress: Progress, plan: Plan) -> Iterator[None]:
    progress.begin(plan.slots, len(plan.units))
    try:
        yield
    finally:
        buffers.release()
        progress.end()


def verify_quiet(quiet: QuietStore, units: Sequence[Unit], jobs: int | None = None, progress: Progress | None = None) -> VerifyReport:
    """Check what is stored of units: files, counts, whether the tables have changed since, and every position, solved anew.

    Parameters
    ----------
    quiet : where.
    units : which; those without a record are left out, those whose record cannot be read are told.
    jobs : threads; default: the processors available.
    progress : who is told.

    Returns
    -------
    VerifyReport
        ``units`` and ``positions`` that were looked at. The plain tables are taken for right: `merels.retrograde.verification` proves them.
    """
    progress = progress or Silent()
    jobs = min(jobs or processors(), MOST_JOBS)
    began, graph, board = time.perf_counter(), quiet.graph, geometry(quiet.variant)
    wanted = set(units) & set(quiet.units())
    closure = graph.closure({subspace for unit in wanted for subspace in unit.subspaces})
    ordered = [unit for unit in closure if unit in wanted]
    slots = {unit: sum(board.rows(s.stones, s.other).slots for s in unit.subspaces) for unit in ordered}
    findings = [
        Finding(unit.name, f"{quiet.files.folder}: its record cannot be read; delete it and run: {quiet.command(unit.subspaces[0])}")
        for unit in units
        if quiet.is_unreadable(unit)
    ]
    cache = TableCache(quiet, [graph.needs(unit) for unit in ordered], jobs, WDL)
    progress.begin(sum(slots.values()), len(ordered))
    try:
        sources = _sources(quiet.plain, closure)
        with Workers(jobs) as workers:
            for step, unit in enumerate(ordered):
                progress.unit(unit.name, step + 1)
                cache.begin(step, _MOST_KEPT)
                findings += [Finding(unit.name, problem) for problem in _problems(quiet, unit, sources[unit], cache, workers)]
                progress.advance(slots[unit])
    except MerelsError as error:
        findings.append(Finding(f"quiet limit {quiet.limit}", f"cannot be checked: {error}"))
    finally:
        buffers.release()
        progress.end()
    return VerifyReport(findings, len(ordered), sum(slots.values()), time.perf_counter() - began)


def _problems(quiet: QuietStore, unit: Unit, known: Source, cache: TableCache, workers: Workers) -> list[str]:
    """What is wrong with the record and the file of a unit."""
    remedy = f"run: {quiet.command(unit.subspaces[0])}"
    record = quiet.record(unit)
    if not _is_of(quiet, record, known):
        return [f"{quiet.files.folder}: {unit.name} was examined with other tables than are there now; {remedy}"]
    if not quiet.is_whole(unit, record):
        what = "is there though nothing is changed" if quiet.files.path(unit).exists() else "is missing"
        return [f"{quiet.files.path(unit)}: {what}; {remedy}"]
    stored: dict[Subspace, Table] = {}
    if any(record.effects.values()):
        damages = check_file(quiet.files.path(unit), workers, quiet.variant, f"delete it and {remedy}", stored)
        if damages:
            return [str(damage) for damage in damages]
    problems = []
    try:
        with quiet.files.open(unit) if stored else nullcontext() as file:
            for subspace, effect in record.effects.items():
                counts = file.entries[subspace.name].counts if stored else None
                if counts is not None and (counts.win, counts.loss) != (effect.cursed_win, effect.blessed_loss):
                    problems.append(f"{quiet.files.path(unit)}: {subspace.name}: other counts than the record's; delete it and {remedy}")
        limited, changed = {}, {}
        if known.longest > quiet.limit:
            limited, changed = find_changes(quiet.graph, geometry(quiet.variant), workers, unit, quiet, cache.get)
        cache.add(limited)
    except MerelsError as error:
        return [f"cannot be checked: {error}"]
    for subspace in unit.subspaces:
        wrong = _differences(stored.get(subspace), changed.get(subspace))
        if wrong:
            where = f"{quiet.files.path(unit)}: {subspace.name}"
            problems.append(f"{where}: {wrong:,} positions are not what they should be; delete it and {remedy}")
    return problems


def _differences(stored: Table | None, found: Table | None) -> int:
    if stored is None or found is None:
        other = stored or found
        return 0 if other is None else int(np.count_nonzero(other.values != other.draw))
    return int(np.count_nonzero(stored.values != found.values))
