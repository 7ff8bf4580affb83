"""Commands that make tables, and tell beforehand what that takes: estimate, solve."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from merels.cli.common import command, json_option, print_json, variant_argument
from merels.cli.limits import Interrupted, check_limit, examine_tables, limit_record, limit_text
from merels.cli.options import (
    jobs_option,
    memory_option,
    quiet_limit_of,
    quiet_limit_option,
    selection_options,
    store_option,
    wdl_option,
)
from merels.cli.wording import columns_text, duration_text, size_text, things_text, worth_sentence
from merels.solvable import require_solvable

if TYPE_CHECKING:
    from merels.retrograde.build import BuildReport
    from merels.retrograde.plan import Plan, PlannedUnit
    from merels.tables import Store
    from merels.variants import Variant


@command("estimate", example="merels estimate nine\nmerels estimate nine --moving --stones 12")
@variant_argument
@selection_options
@wdl_option("Of tables that hold values only and no distances.")
@json_option
def estimate(variant: Variant, as_json: bool, **selection: Any) -> None:
    """Estimate disk, memory and time before a build.

    The options are those of `merels solve`. Positions that symmetries of the board make equal are counted once; a slot
    is a cell of a table, and some positions have several. Several cores share the time, less a little. With three players a
    position has three values and counts once for each; the tables of the two who are left when one is out are told apart.
    """
    plan = _plan(variant, **selection)
    placing = [unit for unit in plan.units if _is_placing(unit)]
    endings = plan.endings.units if plan.endings else ()
    parts = {
        **({"two players": _sum(endings)} if plan.endings else {}),
        "placing": _sum(placing),
        "moving": _sum(unit for unit in plan.units if not _is_placing(unit)),
        "total": _sum((*endings, *plan.units)),
    }
    if as_json:
        print_json({"variant": variant.name, "fingerprint": variant.fingerprint, "metric": plan.metric, **parts})
        return
    table = [("", "files", "positions", "slots", "disk", "memory", "time on one core")]
    for name, part in parts.items():
        if part["files"] or name == "total":
            table.append(
                (
                    name,
                    f"{part['files']:,}",
                    f"{part['positions']:,}",
                    f"{part['slots']:,}",
                    size_text(part["disk"]),
                    size_text(part["memory"]),
                    duration_text(part["core_seconds"]),
                )
            )
    click.echo(columns_text(table, "lrrrrrr"))
    if variant.rules.repeat_mill != "free":
        click.echo("How many positions remember mills is estimated, too; the number of slots is exact.")


@command(
    "solve",
    example="merels solve six\nmerels solve nine --moving --stones 12 --store /data/tables --memory 8G --jobs 4\n"
    "merels solve seven --wdl --store values\nmerels solve nine --quiet-limit 100",
)
@variant_argument
@selection_options
@click.option(
    "--discard", is_flag=True, help="Keep only what is asked for, by default the start position; delete the rest as soon as it has served."
)
@wdl_option("Store values only (won, drawn, lost) and no distances: tables of about a sixth of the size.")
@quiet_limit_option(
    "Then find out which wins are cursed, and losses blessed: drawn if a game ends after so many plies in a row without a placing and "
    "without a mill."
)
@store_option
@jobs_option
@memory_option
@json_option
def solve(
    variant: Variant,
    root: Path,
    asked_limit: int | str | None,
    jobs: int,
    memory: int | None,
    as_json: bool,
    **selection: Any,
) -> None:
    """Build the tables of a variant.

    The whole game is solved, or the part that the options choose and what that leads to. Tables
    that are there already are not built again: a build that was stopped goes on with the same command. Of a game for
    three players only the moving phase can be solved; what is missing of the game of two that it ends in is built first.
    """
    plan, limit = _plan(variant, **selection), quiet_limit_of(variant, asked_limit)
    check_limit(plan, limit)
    from merels.cli.progress import progress
    from merels.retrograde.build import build
    from merels.tables import Store

    store = Store(root, variant)
    before = {unit.name for unit in store.units()}
    if not as_json:
        click.echo(_plan_text(plan, jobs), err=True)
        if any(planned.unit.name not in before for planned in plan.units):
            _tell_compiling()
    try:
        with progress() as reporter:
            report = build(variant, store, plan, jobs=jobs, memory=memory, progress=reporter)
    except KeyboardInterrupt:
        finished = {unit.name for unit in store.units()}
        raise Interrupted(
            f"interrupted. {len(finished - before)} tables were finished; all {len(finished)} in {store.folder} are "
            "kept, and the same command goes on from there"
        ) from None
    examined = examine_tables(store, plan, limit, jobs, memory) if limit else None
    if as_json:
        print_json(_solve_record(store, plan, report) | ({"quiet": limit_record(examined)} if examined else {}))
    else:
        click.echo("\n".join([_solve_text(store, plan, report), *([limit_text(examined)] if examined else [])]))


def _plan(variant: Variant, **selection: Any) -> Plan:
    require_solvable(variant)
    from merels.retrograde.plan import plan_build

    return plan_build(variant, **selection)


def _plan_text(plan: Plan, jobs: int) -> str:
    """What a build will take, before it begins."""
    plans = [plan, plan.endings] if plan.endings else [plan]
    files, slots = sum(len(part.units) for part in plans), sum(part.slots for part in plans)
    disk, seconds = sum(part.disk for part in plans), sum(part.seconds for part in plans)
    return (
        f"merels: {things_text(files, 'file')} of tables, {slots:,} slots; about {size_text(disk)} of disk, "
        f"{size_text(max(part.memory for part in plans))} of memory at most, "
        f"{duration_text(seconds / jobs)} with {things_text(jobs, 'thread')}"
    )


def _tell_compiling() -> None:
    from merels.kernels import jit

    if jit.nothing_compiled():
        kept = f"and kept in {jit.CACHE_FOLDER}" if jit.CACHE_FOLDER else "but cannot be kept, because their folder cannot be written"
        click.echo(f"merels: kernels are compiled for this processor first, {kept}; that takes a minute or so", err=True)


def _is_placing(unit: PlannedUnit) -> bool:
    first = unit.unit.subspaces[0]
    return first.hand + first.other_hand > 0


def _sum(units: Iterable[PlannedUnit]) -> dict[str, Any]:
    units = list(units)
    return {
        "files": len(units),
        "subspaces": sum(len(unit.unit.subspaces) for unit in units),
        "positions": sum(unit.positions for unit in units),
        "slots": sum(unit.slots for unit in units),
        "disk": sum(unit.disk for unit in units),
        "memory": max((unit.memory + unit.kept for unit in units), default=0),
        "core_seconds": round(sum(unit.seconds for unit in units), 3),
    }


def _solve_record(store: Store, plan: Plan, report: BuildReport) -> dict[str, Any]:
    from merels.position import Position

    start = Position.start(store.variant)
    worth = _worth_of_start(store)
    return {
        "variant": store.variant.name,
        "fingerprint": store.variant.fingerprint,
        "store": str(store.root),
        "metric": plan.metric,
        **_numbers(store, plan, report),
        "start": worth and {"position": str(start), "value": worth[0], "dtw": worth[1]},
    }


def _solve_text(store: Store, plan: Plan, report: BuildReport) -> str:
    from merels.position import Position
    from merels.search import Bounds

    numbers = _numbers(store, plan, report)
    held = f"{numbers['positions']:,} positions, {size_text(numbers['bytes'])} in {store.folder}"
    if numbers["solved"]:
        already = f", {numbers['skipped']} more were there" if numbers["skipped"] else ""
        lines = [f"Solved {things_text(numbers['solved'], 'file')} of tables in {duration_text(report.seconds)}{already}: {held}."]
    else:
        lines = [f"Nothing to do: {things_text(numbers['skipped'], 'file')} of tables, all there: {held}."]
    worth = _worth_of_start(store)
    if worth is not None:
        start = Position.start(store.variant)
        lines.append(f"The start '{start}': {worth_sentence(start, Bounds.exactly(worth))}")
    return "\n".join(lines)


def _numbers(store: Store, plan: Plan, report: BuildReport) -> dict[str, Any]:
    from merels.tables.overview import overview, total

    kept = {store.graph.unit(root) for root in plan.roots} if plan.discards else {planned.unit for planned in plan.units}
    wanted = [subspace for unit in kept for subspace in unit.subspaces]
    sums = total(overview(store, wanted), sum(store.path(unit).stat().st_size for unit in kept))
    return {
        "solved": report.solved,
        "skipped": report.skipped,
        **{name: sums[name] for name in ("positions", "slots", "bytes")},
        "seconds": round(report.seconds, 3),
        "processor_seconds": round(report.processor_seconds, 3),
        "phases": report.phases,
        "peak_memory": report.peak_memory,
    }


def _worth_of_start(store: Store) -> tuple[str, int | None] | None:
    """What the start position is worth, None where its table is not there; with three players there is none."""
    from merels.errors import MissingTableError
    from merels.position import Position
    from merels.tables import Tablebase

    if store.variant.rules.players == 3:
        return None
    try:
        with Tablebase(store) as tablebase:
            return tablebase.probe(Position.start(store.variant))
    except MissingTableError:
        return None
