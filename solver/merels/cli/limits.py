"""What `merels solve --quiet-limit` does after the tables are built, and how it is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from merels.cli.app import EXIT_INTERRUPTED
from merels.cli.wording import duration_text, plies_text, things_text
from merels.solvable import require_quiet_limit

if TYPE_CHECKING:
    from merels.retrograde.examination import QuietReport
    from merels.retrograde.plan import Plan
    from merels.tables import Store


class Interrupted(click.ClickException):
    """Ctrl-C during a build or an examination."""

    exit_code = EXIT_INTERRUPTED


def check_limit(plan: Plan, limit: int) -> None:
    """Refuse what goes with no limit: tables without distances, and tables that are deleted."""
    from merels.tables.metric import DTW

    if not limit:
        return
    if plan.metric != DTW:
        raise click.UsageError("--quiet-limit needs distances, and --wdl leaves them out; choose one of the two.")
    if plan.discards:
        raise click.UsageError("--quiet-limit needs all tables, and --discard deletes them; choose one of the two.")
    require_quiet_limit(plan.variant, limit)


def examine_tables(store: Store, plan: Plan, limit: int, jobs: int, memory: int | None) -> QuietReport:
    """Examine the tables of a plan; progress is shown."""
    from merels.cli.progress import progress
    from merels.retrograde.examination import examine
    from merels.tables.quiet import QuietStore

    quiet = QuietStore(store, limit)
    try:
        with progress() as reporter:
            return examine(quiet, plan, jobs=jobs, memory=memory, progress=reporter)
    except KeyboardInterrupt:
        raise Interrupted(
            f"interrupted. All tables are built, and {len(quiet.units())} of {len(plan.units)} files examined for the quiet limit; that is "
            "kept, and the same command goes on from there"
        ) from None


def limit_record(report: QuietReport) -> dict[str, Any]:
    """The examination as JSON."""
    return {
        "quiet_limit": report.limit,
        "examined": report.examined,
        "skipped": report.skipped,
        "solved": report.solved,
        "cursed_win": report.cursed_win,
        "blessed_loss": report.blessed_loss,
        "subspaces": report.subspaces,
        "seconds": round(report.seconds, 3),
        "processor_seconds": round(report.processor_seconds, 3),
        "phases": report.phases,
        "peak_memory": report.peak_memory,
    }


def limit_text(report: QuietReport) -> str:
    """The examination in a sentence."""
    already = f", {report.skipped} before" if report.skipped else ""
    return (
        f"Quiet limit of {plies_text(report.limit)}: {report.cursed_win:,} cursed wins and {report.blessed_loss:,} blessed losses in "
        f"{report.subspaces} subspaces ({things_text(report.examined, 'file')} examined in {duration_text(report.seconds)}{already})."
    )
