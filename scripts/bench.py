#!/usr/bin/env python3
"""Measure builds: wall and processor seconds, throughput and memory for numbers of threads, each in a fresh process and store.

    python scripts/bench.py nine --moving --stones 11 --jobs 1 --jobs 2 --json bench.json

Kernels are compiled beforehand by a small build, so that compilation is not counted. Needs an idle machine to mean anything.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

import merels


@click.command()
@click.argument("variant")
@click.option("--moving", is_flag=True, help="The moving phase alone.")
@click.option("--stones", type=int, help="With --moving: at most so many stones on the board.")
@click.option("--men", type=int)
@click.option("--jobs", type=int, multiple=True, default=(1, 2), show_default=True, help="Threads; may be given several times.")
@click.option("--json", "target", type=click.Path(path_type=Path), help="Write the figures here as well.")
def bench(variant: str, moving: bool, stones: int | None, men: int | None, jobs: tuple[int, ...], target: Path | None) -> None:
    """Measure `merels solve VARIANT`."""
    selection = [variant, *(["--men", str(men)] if men else []), *(["--moving"] if moving else [])]
    selection += ["--stones", str(stones)] if stones else []
    with tempfile.TemporaryDirectory() as folder:
        _solve([*selection, "--store", folder])
    runs = [_run(selection, number) for number in jobs]
    for run in runs:
        click.echo(
            f"{' '.join(selection)} --jobs {run['jobs']}: {run['wall_seconds']:.1f} s wall, "
            f"{run['processor_seconds']:.1f} s of processors, {run['slots'] / run['wall_seconds'] / 1e6:.1f} M slots/s, "
            f"peak {run['peak_memory'] / 2**30:.2f} GiB, {run['bytes'] / 2**20:.0f} MiB"
        )
    if target:
        machine = {"machine": platform.machine(), "processors": os.cpu_count(), "python": platform.python_version()}
        target.write_text(json.dumps({"merels": merels.__version__, **machine, "command": selection, "runs": runs}, indent=1) + "\n")


def _solve(arguments: list[str]) -> dict:
    command = [sys.executable, "-m", "merels", "solve", *arguments, "--json"]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)


def _run(selection: list[str], jobs: int) -> dict:
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        report = _solve([*selection, "--store", folder, "--jobs", str(jobs)])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "jobs": jobs,
        "wall_seconds": round(time.perf_counter() - began, 3),
        "processor_seconds": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 3),
        **{key: report[key] for key in ("slots", "positions", "bytes", "peak_memory")},
    }


if __name__ == "__main__":
    bench()
