"""Variants: slots a second of moving and placing for each variant that tables can be made for, against those of `nine`.

Of each variant a part is solved that takes seconds: the whole game where it is small enough, else all subspaces of at most so many
stones, board and hands together, in which a player has at most one stone in hand. So variants of one board solve the same part.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

import click

from merels import RulesError, Subspace, Variant, variant, variant_names
from merels.cli.options import jobs_option
from merels.cli.wording import columns_text, count_text
from merels.retrograde.build import build
from merels.retrograde.clock import total
from merels.retrograde.plan import Plan, make_plan
from merels.solvable import require_solvable, require_two_players
from merels.subspaces import Graph
from merels.tables import Store
from record import json_option, record, rounded, save
from runs import UnitRun, units_of

MEASURE = "nine"
DEFAULT_SLOTS = 310_000_000
"""`nine` up to ten stones has 303 M."""
WARM_UP = 50
"""Beforehand a part is solved that is smaller by so much, which compiles the kernels."""
HANDS = ((0, 0), (1, 0), (0, 1), (1, 1))


@click.command()
@click.argument("names", metavar="[VARIANT]...", nargs=-1)
@jobs_option
@click.option(
    "--slots", type=click.IntRange(min=1), default=DEFAULT_SLOTS, show_default=True, metavar="N", help="Most slots to solve of a variant."
)
@click.option(
    "--repeat", type=click.IntRange(min=1), default=1, show_default=True, metavar="N", help="Measure so many times, take the fastest."
)
@json_option
def variants(names: tuple[str, ...], jobs: int, slots: int, repeat: int, target: Path | None) -> None:
    """Measure all variants, or those named, and `nine`.

    Rates are slots by seconds of solving; writing goes on beside it. All is done in this process, so that the start of the program and the
    loading of kernels do not count.
    """
    chosen = [variant(name) for name in dict.fromkeys((MEASURE, *(names or solvable_names())))]
    for game in chosen:
        _require(game)
    figures: dict[str, Any] = {}
    for game in chosen:
        part, plan = part_of(game, slots)
        click.echo(f"{game.name}, {part}: {count_text(plan.slots)} slots", err=True)
        _solve(part_of(game, max(1, slots // WARM_UP))[1], jobs)
        wall, units = min((_solve(plan, jobs) for _ in range(repeat)), key=lambda run: run[0])
        figures[game.name] = {"part": part, "wall_seconds": rounded(wall), **_kinds(units)}
    for own in figures.values():
        for kind, rates in own.items():
            measure = figures[MEASURE].get(kind)
            if isinstance(rates, dict) and measure:
                rates["of_nine"] = rounded(rates["slots_per_second"] / measure["slots_per_second"])
    click.echo(_table(figures))
    save(target, record("variants", {"jobs": jobs, "slots": slots, "repeat": repeat}, figures))


def solvable_names() -> list[str]:
    """Names of the variants that tables can be made for."""
    found = []
    for name in variant_names():
        try:
            _require(variant(name))
        except RulesError:
            continue
        found.append(name)
    return found


def _require(game: Variant) -> None:
    """`RulesError` for a variant that is not measured."""
    require_solvable(game)
    require_two_players(game, "rates are measured")


def part_of(game: Variant, slots: int) -> tuple[str, Plan]:
    """The largest part of a game with at most so many slots (or the smallest part there is): in words, and its plan."""
    graph = Graph(game)
    whole = make_plan(game, graph.whole())
    if whole.slots <= slots:
        return "whole game", whole
    best = None
    for stones in range(1, 2 * game.rules.men + 1):
        roots = list(_up_to(graph, stones))
        if not roots:
            continue
        plan = make_plan(game, roots)
        if best is not None and plan.slots > slots:
            break
        best = f"up to {stones} stones", plan
    return best or ("whole game", whole)


def _up_to(graph: Graph, stones: int) -> Iterable[Subspace]:
    """All subspaces with at most so many stones, board and hands together, and at most one in each hand."""
    numbers = range(graph.rules.men + 1)
    hands = HANDS[:1] if graph.rules.placing == "none" else HANDS
    for u, t, (hand, other) in product(numbers, numbers, hands):
        subspace = Subspace(u, t, hand, other)
        if u + hand > 0 and t + other > 0 and sum(subspace) <= stones and graph.exists(subspace) and not graph.is_over(subspace):
            yield subspace


def _solve(plan: Plan, jobs: int) -> tuple[float, tuple[UnitRun, ...]]:
    """Solve a plan in a fresh store; returns wall seconds, and the units."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder, plan.variant)
        began = time.perf_counter()
        build(plan.variant, store, plan, jobs)
        return time.perf_counter() - began, units_of(store.folder)


def _kinds(units: Iterable[UnitRun]) -> dict[str, Any]:
    """Figures of the moving and of the placing units."""
    kinds: dict[str, list[UnitRun]] = {"moving": [], "placing": []}
    for unit in units:
        kinds["placing" if unit.placing else "moving"].append(unit)
    return {kind: _sum(some) for kind, some in kinds.items() if some}


def _sum(units: list[UnitRun]) -> dict[str, Any]:
    slots, seconds = sum(unit.slots for unit in units), sum(unit.seconds for unit in units)
    phases = {name: rounded(spent["wall"]) for name, spent in total([unit.phases for unit in units]).items()}
    rate = rounded(slots / max(seconds, 0.001))  # the log tells milliseconds
    return {"slots": slots, "seconds": rounded(seconds), "slots_per_second": rate, "phases": phases}


def _table(figures: dict[str, Any]) -> str:
    rows = [("", "part", "wall s", "moving slots", "M slots/s", "of nine", "placing slots", "M slots/s", "of nine")]
    for name, own in figures.items():
        cells = [name, own["part"], f"{own['wall_seconds']:.2f}"]
        for kind in ("moving", "placing"):
            rates = own.get(kind)
            if rates is None:
                cells += ["", "", ""]
                continue
            cells += [count_text(rates["slots"]), f"{rates['slots_per_second'] / 1e6:.1f}"]
            cells.append(f"{rates['of_nine']:.2f}" if "of_nine" in rates else "")
        rows.append(tuple(cells))
    return columns_text(rows, "llrrrrrrr")
