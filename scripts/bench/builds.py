"""Whole builds: wall and processor seconds, throughput, memory and disk for numbers of threads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from merels.cli.wording import columns_text, size_text
from record import jobs_option, json_option, record, repeat_option, rounded, save
from runs import Run, build, build_options, fastest


@click.command()
@build_options
@jobs_option
@repeat_option
@json_option
def builds(selection: list[str], jobs: tuple[int, ...], repeat: int, target: Path | None) -> None:
    """Measure `merels solve VARIANT`, the start of the program included.

    One build that is not counted compiles the kernels beforehand.
    """
    build(selection, max(jobs))
    runs = {number: fastest(selection, number, repeat) for number in jobs}
    rows = [("threads", "wall s", "processor s", "M slots/s", "memory", "disk")]
    for number, run in runs.items():
        rate, report = run.report["slots"] / run.wall_seconds / 1e6, run.report
        rows.append(
            (
                str(number),
                f"{run.wall_seconds:.2f}",
                f"{run.processor_seconds:.2f}",
                f"{rate:.1f}",
                size_text(report["peak_memory"]),
                size_text(report["bytes"]),
            )
        )
    click.echo(f"merels solve {' '.join(selection)}")
    click.echo(columns_text(rows, "rrrrrr"))
    figures = {"threads": {str(number): whole(run) for number, run in runs.items()}}
    save(target, record("builds", {"selection": selection, "repeat": repeat}, figures))


def whole(run: Run) -> dict[str, Any]:
    """The figures of a build as a whole."""
    return {
        "wall_seconds": rounded(run.wall_seconds),
        "processor_seconds": rounded(run.processor_seconds),
        "slots_per_second": rounded(run.report["slots"] / run.wall_seconds),
        **{key: run.report[key] for key in ("slots", "positions", "bytes", "peak_memory")},
    }
