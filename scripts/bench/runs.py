"""Runs: builds in fresh processes and fresh stores, with what they took as a whole and unit by unit."""

from __future__ import annotations

import functools
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from merels.cli.common import derivation_options, load_variant
from merels.cli.options import selection_options

Function = Callable[..., Any]


@dataclass(frozen=True)
class UnitRun:
    """What one unit took.

    Attributes
    ----------
    name : of the unit.
    slots : cells of its tables.
    seconds : wall time of its solution; it is written while the next one is solved.
    phases : by phase the seconds of ``wall`` time and those that threads were ``busy``.
    """

    name: str
    slots: int
    seconds: float
    phases: dict[str, dict[str, float]]

    @property
    def placing(self) -> bool:
        """Whether a player has stones in hand."""
        return not self.name.endswith("-0-0")


@dataclass(frozen=True)
class Run:
    """What a build took.

    Attributes
    ----------
    wall_seconds, processor_seconds : of the whole process, the program's start included.
    report : what `merels solve --json` printed.
    units : unit by unit.
    """

    wall_seconds: float
    processor_seconds: float
    report: dict[str, Any]
    units: tuple[UnitRun, ...]

    @property
    def phases(self) -> dict[str, dict[str, float]]:
        """By phase the seconds of ``wall`` time and those that threads were ``busy``, of the whole build."""
        return self.report["phases"]


def build_options(function: Function) -> Function:
    """Add VARIANT and the options of `merels solve` that choose a part; the function gets `selection`, arguments of that command."""

    @click.argument("variant_name", metavar="VARIANT")
    @derivation_options
    @selection_options
    @functools.wraps(function)
    def with_selection(
        *,
        variant_name: str,
        men: int | None,
        rules: dict[str, str],
        moving: bool,
        stones: int | None,
        subspaces: tuple[str, ...],
        reachable: bool,
        **options: Any,
    ) -> Any:
        load_variant(variant_name, men, rules)  # what is wrong with it is told at once
        selection = [variant_name, *(["--men", str(men)] if men else []), *(["--moving"] if moving else [])]
        selection += ["--stones", str(stones)] if stones else []
        selection += ["--reachable"] if reachable else []
        selection += [part for key, value in rules.items() for part in ("--rule", f"{key}={value}")]
        selection += [part for name in subspaces for part in ("--subspace", name)]
        return function(selection=selection, **options)

    return with_selection


def fastest(selection: Sequence[str], jobs: int, repeat: int) -> Run:
    """The fastest of some builds of a part of a game with a number of threads."""
    return min((build(selection, jobs) for _ in range(repeat)), key=lambda run: run.wall_seconds)


def build(selection: Sequence[str], jobs: int) -> Run:
    """Build a part of a game with a number of threads, in a fresh process and store.

    Raises
    ------
    click.ClickException
        The build failed; it has told why.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "merels", "solve", *selection, "--jobs", str(jobs), "--store", folder, "--json"]
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        ended = subprocess.run(command, capture_output=True, text=True)
        wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        if ended.returncode:
            raise click.ClickException(f"merels solve {' '.join(selection)} failed: {ended.stderr.strip()}")
        (made,) = Path(folder).iterdir()
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return Run(wall, spent, json.loads(ended.stdout), units_of(made))


def units_of(folder: Path) -> tuple[UnitRun, ...]:
    """The units of a finished build, in the order in which they were solved."""
    content = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    slots = {name: sum(table["slots"] for table in unit["subspaces"].values()) for name, unit in content["units"].items()}
    lines = [json.loads(line) for line in (folder / "build.jsonl").read_text(encoding="utf-8").splitlines()]
    return tuple(UnitRun(line["unit"], slots[line["unit"]], line["seconds"], line["phases"]) for line in lines)
