"""Phases of a build: seconds, throughput and speed-up of each for numbers of threads, beside what the machine itself gains."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from builds import whole
from ceiling import ceilings
from merels.cli.wording import columns_text
from record import jobs_option, json_option, record, repeat_option, rounded, save
from runs import Run, build, build_options, fastest


@click.command()
@build_options
@jobs_option
@repeat_option
@json_option
def phases(selection: list[str], jobs: tuple[int, ...], repeat: int, target: Path | None) -> None:
    """Measure the phases of `merels solve VARIANT`.

    Speed-ups are against the first number of threads. A phase cannot gain more than the machine does: below the phases stand three
    plain loops that only compute, only stream through memory, or only read it at random places. Compressing and writing go on
    beside the solution of the next unit, so that phases together may take longer than the build.
    """
    build(selection, max(jobs))
    runs = {number: fastest(selection, number, repeat) for number in jobs}
    names = list(dict.fromkeys(name for run in runs.values() for name in run.phases))
    slots = next(iter(runs.values())).report["slots"]
    nothing = {"wall": 0.0, "busy": 0.0}
    seconds = {name: {number: run.phases.get(name, nothing)["wall"] for number, run in runs.items()} for name in names}
    shares = {name: {number: _share(run.phases.get(name, nothing), number) for number, run in runs.items()} for name in names}
    seconds["whole build"] = {number: run.wall_seconds for number, run in runs.items()}
    machine = ceilings(jobs)

    click.echo(f"merels solve {' '.join(selection)}: {slots:,} slots")
    click.echo(_table(seconds, "seconds") + "\n")
    busy = {name: share for name, share in shares.items() if seconds[name][max(jobs)] > 0}
    click.echo(_table(busy, "share of the threads that is busy", gains=False) + "\n")
    for number, run in runs.items():
        click.echo(_use(number, run, runs[jobs[0]]))
    click.echo("\n" + _table(machine, "seconds for the same work"))
    figures = {
        "build": {str(number): whole(run) for number, run in runs.items()},
        "phases": {
            name: _figures(by_jobs, slots) | {"busy": {str(n): rounded(share) for n, share in shares.get(name, {}).items()}}
            for name, by_jobs in seconds.items()
        },
        "machine": {name: _figures(by_jobs, None) for name, by_jobs in machine.items()},
    }
    save(target, record("phases", {"selection": selection, "repeat": repeat}, figures))


def _share(phase: dict[str, float], number: int) -> float:
    return phase["busy"] / phase["wall"] / number if phase["wall"] > 0 else 0.0


def _speed_up(by_jobs: dict[int, float], number: int) -> float | None:
    first = next(iter(by_jobs.values()))
    return first / by_jobs[number] if by_jobs[number] > 0 else None


def _figures(by_jobs: dict[int, float], slots: int | None) -> dict[str, Any]:
    figures: dict[str, Any] = {"seconds": {str(number): rounded(seconds) for number, seconds in by_jobs.items()}}
    if slots is not None:
        figures["slots_per_second"] = {str(number): rounded(slots / seconds) for number, seconds in by_jobs.items() if seconds > 0}
    gains = {str(number): _speed_up(by_jobs, number) for number in list(by_jobs)[1:]}
    figures["speed_up"] = {number: rounded(gain) for number, gain in gains.items() if gain is not None}
    return figures


def _table(seconds: dict[str, dict[int, float]], title: str, gains: bool = True) -> str:
    numbers = list(next(iter(seconds.values())))
    compared = numbers[1:] if gains else []
    rows = [(title, *(f"{number} thr." for number in numbers), *(f"speed-up {number}" for number in compared))]
    for name, by_jobs in seconds.items():
        gained = [_speed_up(by_jobs, number) for number in compared]
        cells = [f"{by_jobs[number]:.3f}" for number in numbers] + ["" if gain is None else f"{gain:.2f}" for gain in gained]
        rows.append((name, *cells))
    return columns_text(rows, "l" + "r" * (len(rows[0]) - 1))


def _use(number: int, run: Run, first: Run) -> str:
    """How much of the threads a build uses, and how its work grows against the first number of threads."""
    busy = run.processor_seconds / run.wall_seconds / number
    return (
        f"{number} thr.: {run.processor_seconds:.2f} processor seconds, {run.processor_seconds / first.processor_seconds:.2f} times the "
        f"first; threads busy {busy:.0%} of the wall time"
    )
