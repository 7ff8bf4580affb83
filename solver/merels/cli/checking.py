"""Commands that look at what a store holds: stats, verify."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from merels.cli.common import command, json_option, load_variant, print_json, variant_argument
from merels.cli.comparing import against_options, show_differences
from merels.cli.options import jobs_option, quiet_limit_of, quiet_limit_option, store_option, subspace_option
from merels.cli.wording import columns_text, count_text, duration_text, plies_text, things_text
from merels.solvable import require_solvable, require_two_players

if TYPE_CHECKING:
    from collections.abc import Iterable

    from merels.retrograde.build import Progress
    from merels.retrograde.verification import VerifyReport
    from merels.subspaces import Subspace, Unit
    from merels.tables import Store
    from merels.tables.overview import Row
    from merels.variants import Variant

_COLUMNS = ("slots", "positions", "win", "draw", "loss", "max_win", "max_loss", "bytes")
_BAR_WIDTH = 50
_UNPROVEN = (
    "Tables that hold values only are not proven by that: every value is the best over its turns, but without distances wrong "
    "ones could support each other in a circle."
)


@command(
    "stats",
    example="merels stats six\nmerels stats six --subspace 5-4-0-0 --histogram\nmerels stats six --reachable\n"
    "merels stats nine --against nine-noflying --subspace 5-4-0-0",
)
@variant_argument
@store_option
@subspace_option("This subspace alone. May be given several times.")
@click.option("--histogram", is_flag=True, help="Count positions by their distance to the end, too.")
@click.option(
    "--reachable",
    is_flag=True,
    help="Count only positions that a game can come to by the number of stones taken: for each player, the opponent's stones on the "
    "board and the fewest stones through which all the player's mills pass are not more than a player's men. Empty hands only.",
)
@against_options
@quiet_limit_option(
    "Count the cursed wins and blessed losses too, which are drawn if a game ends after so many plies in a row without a placing and "
    "without a mill. Told unasked for the variant's own limit where `merels solve --quiet-limit` has examined it."
)
@jobs_option
@json_option
@click.pass_context
def stats(
    ctx: click.Context,
    variant: Variant,
    root: Path,
    subspaces: tuple[str, ...],
    histogram: bool,
    reachable: bool,
    against: str | None,
    against_root: Path | None,
    examples: int | None,
    asked_limit: int | str | None,
    jobs: int,
    as_json: bool,
) -> None:
    """Count the won, drawn and lost positions of each table.

    Won and lost are meant for the player to move. Positions that symmetries of the board make equal are counted once. A
    subspace u-t-hu-ht has u stones of the player to move and t of the other on the board, and hu and ht in hand.

    --against compares two rule sets: each line has the positions that are won (drawn, lost) under VARIANT, and how many of these are won,
    drawn and lost under VARIANT2. For each kind of change there are examples.

    Of three players each has a table of its own values, told by its role: to move, next, or previous. Won means that it can
    force a win against the two others together, lost that they can put it out; the total counts values.
    """
    require_solvable(variant)
    if reachable or against is not None:
        require_two_players(variant, "--reachable counts" if reachable else "--against compares")
    if against is None and (against_root is not None or examples is not None):
        raise click.UsageError("--against-store and --examples go with --against VARIANT2.", ctx)
    if against is not None and (histogram or reachable or asked_limit is not None):
        raise click.UsageError("--histogram, --reachable and --quiet-limit do not go with --against.", ctx)
    from merels.tables.overview import overview, reachable_overview, total

    asked = quiet_limit_of(variant, asked_limit)
    if asked and reachable:
        raise click.UsageError("--quiet-limit counts all positions, --reachable some; choose one of the two.")
    store, chosen = _open(variant, root, subspaces)
    if against is not None:
        other, _ = _open(_solvable(against), against_root or root, ())
        show_differences(store, other, chosen, jobs, 1 if examples is None else examples, as_json)
        return
    rows = reachable_overview(store, chosen, jobs) if reachable else overview(store, chosen)
    limit, rows = (0, rows) if reachable else _with_changes(store, rows, asked)
    whole = not (chosen or reachable)
    numbers = total(rows, store.bytes() if whole else sum(row.numbers["bytes"] for row in rows))
    if as_json:
        print_json(_stats_record(variant, rows, numbers, histogram, reachable, limit))
    elif rows:
        click.echo(_stats_text(rows, numbers, limit))
        if histogram:
            click.echo(f"\n{_histogram_text(rows)}")
    if not rows:
        _tell_empty(store)
        ctx.exit(1)
    if reachable and not chosen and len(overview(store)) > len(rows):
        click.echo(
            "merels: tables of positions with stones in hand are left out: the filter is defined for the moving phase only", err=True
        )


@command("verify", example="merels verify six\nmerels verify nine --subspace 5-4-0-0 --jobs 4")
@variant_argument
@store_option
@subspace_option("The file with this subspace alone. May be given several times.")
@jobs_option
@json_option
@click.pass_context
def verify(
    ctx: click.Context, variant: Variant, root: Path, subspaces: tuple[str, ...], jobs: int, as_json: bool
) -> None:
    """Prove that the finished tables are right.

    Every checksum and count is computed anew, and every value compared with those that its turns lead to. What is wrong
    is listed on standard output, and the exit code is then 1. Tables that hold values only can be found wrong, but not
    be proven right: without distances, wrong values could support each other in a circle. What quiet limits change is
    worked out anew. With three players the tables of two that the game ends in are proven, too.
    """
    require_solvable(variant)
    from merels.cli.progress import progress
    from merels.retrograde.examination import verify_quiet
    from merels.retrograde.verification import verify as verify_store
    from merels.tables.quiet import quiet_stores

    store, chosen = _open(variant, root, subspaces)
    units = sorted({store.graph.unit(subspace) for subspace in chosen}) if chosen else store.units()
    if not units:
        _tell_empty(store)
        ctx.exit(1)
    with progress() as reporter:
        report = verify_store(variant, store, units, jobs=jobs, progress=reporter)
        limits = {quiet.limit: verify_quiet(quiet, units, jobs, reporter) for quiet in quiet_stores(store)}
        endings = _verify_endings(store, units, jobs, reporter)
    parts = [report, *limits.values(), *([endings] if endings else [])]
    findings = [finding for part in parts for finding in part.findings]
    if as_json:
        print_json(
            {
                "variant": variant.name,
                "fingerprint": variant.fingerprint,
                "units": report.units,
                "positions": report.positions,
                "seconds": round(report.seconds, 3),
                "proven": all(part.proven and not part.findings for part in parts),
                "findings": [{"table": finding.table, "problem": finding.problem} for finding in findings],
            }
            | ({"quiet_limits": [_limit_record(*item) for item in limits.items()]} if limits else {})
            | ({"endings": {"variant": store.endings.variant.name, **_part_record(endings)}} if endings else {})
        )
    else:
        for finding in findings:
            click.echo(f"{finding.table}: {finding.problem}")
        click.echo(f"{variant.name}: {_verdict(report, 'file')}")
        for limit, part in limits.items():
            click.echo(f"{variant.name}, quiet limit of {plies_text(limit)}: {_verdict(part, 'record')}")
        if endings:
            click.echo(f"{store.endings.variant.name}, which it ends in: {_verdict(endings, 'file')}")
        if not findings and not all(part.proven for part in parts):
            click.echo(_UNPROVEN)
    ctx.exit(1 if findings else 0)


def _verdict(report: VerifyReport, thing: str) -> str:
    looked_at = f"{things_text(report.units, thing)}, {count_text(report.positions)} slots, {duration_text(report.seconds)}"
    right = "all is right" if report.proven else "nothing is wrong"
    return f"{things_text(len(report.findings), 'finding') if report.findings else right} ({looked_at})"


def _limit_record(limit: int, report: VerifyReport) -> dict[str, Any]:
    return {"quiet_limit": limit, **_part_record(report)}


def _part_record(report: VerifyReport) -> dict[str, Any]:
    return {
        "units": report.units,
        "positions": report.positions,
        "seconds": round(report.seconds, 3),
        "findings": len(report.findings),
    }


def _verify_endings(store: Store, units: Iterable[Unit], jobs: int, reporter: Progress) -> VerifyReport | None:
    """The tables of two players that those of three are made from; None where there are no three."""
    from merels.retrograde.verification import verify as verify_store

    if store.endings is None:
        return None
    graph, there = store.endings.graph, set(store.endings.units())
    needed = [unit for unit in graph.closure(store.graph.ending_roots(units)) if unit in there]
    return verify_store(store.endings.variant, store.endings, needed, jobs=jobs, progress=reporter)


def _solvable(name: str) -> Variant:
    found = load_variant(name, None, {})
    require_solvable(found)
    require_two_players(found, "--against compares")
    return found


def _open(variant: Variant, root: Path, names: tuple[str, ...]) -> tuple[Store, list[Subspace]]:
    from merels.tables import Store

    store = Store(root, variant)
    return store, [table for name in names for table in store.graph.tables(store.graph.checked(name))]


def _tell_empty(store: Store) -> None:
    from merels.tables.remedies import solve_command

    build = solve_command(store.variant, store.root)
    click.echo(f"merels: {store.folder} holds no tables of {store.variant.name}; build them with: {build}", err=True)


def _with_changes(store: Store, rows: list[Row], asked: int) -> tuple[int, list[Row]]:
    """The quiet limit of which is told, 0 for none, and the rows with what it changes."""
    from merels.tables.overview import with_changes
    from merels.tables.quiet import QuietStore

    limit = asked or store.variant.rules.quiet_limit
    if not limit or not (asked or QuietStore(store, limit).begun()):
        return 0, rows
    return limit, with_changes(rows, QuietStore(store, limit), lenient=not asked)


def _stats_record(
    variant: Variant, rows: list[Row], numbers: dict[str, Any], histogram: bool, reachable: bool, limit: int
) -> dict[str, Any]:
    subspaces = [{"name": row.subspace.name, "metric": row.metric, **row.numbers} for row in rows]
    if histogram:
        for record, row in zip(subspaces, rows, strict=True):
            record["histogram"] = None if row.histogram is None else list(row.histogram)
    return {
        "variant": variant.name,
        "fingerprint": variant.fingerprint,
        "filter": "reachable" if reachable else None,
        **({"quiet_limit": limit} if limit else {}),
        "subspaces": subspaces,
        "total": numbers,
    }


def _stats_text(rows: list[Row], numbers: dict[str, Any], limit: int) -> str:
    from merels.tables.metric import WDL
    from merels.tables.overview import CHANGES

    columns = (*_COLUMNS, *(CHANGES if limit else ()))

    def cells(name: str, record: dict[str, Any]) -> tuple[str, ...]:
        return (name, *("-" if record[column] is None else f"{record[column]:,}" for column in columns))

    header = ("subspace", *(column.replace("max_", "longest ").replace("_", " ") for column in columns))
    table = [header, *(cells(row.subspace.name, row.numbers) for row in rows), cells("total", numbers)]
    without = sum(row.metric == WDL for row in rows)
    note = f"\n{without} of {len(rows)} tables hold values only, without distances." if without else ""
    if limit:
        note += (
            f"\nCursed wins and blessed losses: drawn where {plies_text(limit)} in a row without a placing and without a mill "
            "are a draw."
        )
    return columns_text(table, "l" + "r" * len(columns)) + note


def _histogram_text(rows: list[Row]) -> str:
    from merels.tables.metric import CODES_A_PLY

    histograms = [row.histogram for row in rows if row.histogram is not None]
    if not histograms:
        return "There is no histogram: the tables hold values only."
    counts = [0] * max(map(len, histograms))
    for histogram in histograms:
        for plies, number in enumerate(histogram):
            counts[plies] += number
    largest = max(counts, default=0)
    table = [("plies", "", "positions", "")]
    step = CODES_A_PLY[rows[0].metric]
    for code, number in enumerate(counts):
        bar = "#" * -(-number * _BAR_WIDTH // largest) if number else ""
        table.append((str(code // step), "won" if code % 2 else "lost", f"{number:,}", bar))
    drawn = sum(row.numbers["draw"] or 0 for row in rows if row.histogram is not None)
    longest = f", the longest after {plies_text((len(counts) - 1) // step)}" if counts else ""
    without = len(rows) - len(histograms)
    left_out = f" Left out: {without} tables that hold values only." if without else ""
    return f"{columns_text(table, 'rlrl')}\nDecided positions by distance{longest}; {drawn:,} more are drawn.{left_out}"
