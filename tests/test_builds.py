"""Builds that are short of memory, and proofs that catch a single wrong value."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import merels
from merels.counting import Counter
from merels.errors import LimitError
from merels.indexing import geometry
from merels.retrograde.build import build
from merels.retrograde.plan import choose_roots, make_plan, plan_build
from merels.retrograde.verification import verify
from merels.retrograde.workers import Workers
from merels.subspaces import Graph, Subspace
from merels.tables import Store, Table
from merels.variants import variant, variant_names
from solved import solved, stored


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.h5")}


def test_one_thread_and_little_memory_make_the_same_bytes(small_games: Path, tmp_path: Path) -> None:
    six = variant("six")
    plan = make_plan(six, Graph(six).whole())
    build(six, Store(tmp_path, six), plan, jobs=1, memory=plan.memory)
    assert _files(tmp_path / "six") == _files(small_games / "six")


def test_unit_that_cannot_fit_is_refused_before_anything_is_solved(tmp_path: Path) -> None:
    nine = variant("nine")
    store = Store(tmp_path, nine)
    with pytest.raises(LimitError, match=r"unit 7-5-0-0 takes about .* MiB of memory, 1,024 MiB may be used"):
        build(nine, store, make_plan(nine, choose_roots(Graph(nine), subspaces=["9-8-0-0"])), memory=1 << 30)
    assert store.units() == []


@pytest.mark.parametrize("cell", [0, 1, -1])
@pytest.mark.parametrize("name", ["3-3-0-0", "3-3-2-1"])
def test_a_single_wrong_value_is_found_even_if_its_file_is_sound(name: str, cell: int, tmp_path: Path) -> None:
    """The altered table is written with checksum and counts of its own, so only the values of the turns betray it."""
    subspace = Subspace.parse(name)
    store = stored("five", tmp_path)
    known = solved("five")
    values = known.tables[subspace].values.copy()
    values[cell] = values[cell] + 2 if values[cell] < 200 else 3
    unit = known.graph.unit(subspace)
    tables = {s: known.tables[s] for s in unit.subspaces} | {subspace: Table(subspace, values, int(values[values < 255].max()))}
    with Workers(2) as workers:
        store.write(unit, tables, workers)
    findings = verify(store.variant, store).findings
    assert any(finding.table == name and "differ from the best over their turns" in finding.problem for finding in findings)


@pytest.mark.parametrize("name", variant_names())
def test_burnside_counts_what_the_index_enumerates(name: str) -> None:
    game = variant(name)
    if game.rules.players != 2:
        return
    counter, board = Counter(game), geometry(game)
    for u, t in ((0, 0), (1, 2), (3, 3), (2, 4)):
        space = board.rows(u, t)
        assert (counter.positions(u, t), counter.slots(u, t)) == (space.positions, space.slots), (u, t)


def test_discarding_build_keeps_what_is_asked_for(tmp_path: Path) -> None:
    report = merels.solve("five", tmp_path, discard=True)
    store = Store(tmp_path, variant("five"))
    assert report.solved == len(Graph(store.variant).closure([Graph(store.variant).start()]))
    assert [unit.name for unit in store.units()] == ["0-0-5-5"]
    assert merels.solve("five", tmp_path, discard=True).solved == 0
    named = merels.solve("five", tmp_path, discard=True, subspaces=["4-4-0-0", "3-3-1-1"])
    assert named.solved > 2 and [unit.name for unit in store.units()] == ["0-0-5-5", "3-3-1-1", "4-4-0-0"]


def test_discarding_build_leaves_tables_of_other_builds(tmp_path: Path, small_games: Path) -> None:
    merels.solve("five", tmp_path, subspaces=["3-3-0-0"])
    merels.solve("five", tmp_path, discard=True)
    assert [unit.name for unit in Store(tmp_path, variant("five")).units()] == ["0-0-5-5", "3-3-0-0"]
    with merels.open_tablebase(tmp_path) as kept, merels.open_tablebase(small_games, "five") as whole:
        start = merels.Position.start(variant("five"))
        assert kept.probe(start) == whole.probe(start)


def test_discarding_build_that_was_stopped_goes_on_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped at every unit once: a file goes only when all that were made from it are written, so no unit is solved twice."""
    from merels.retrograde import build as building

    solved, solve_unit = [], building.solve_unit

    def once(graph: Any, board: Any, workers: Any, unit: Any, *rest: Any) -> Any:
        if unit not in solved:
            solved.append(unit)
            raise KeyboardInterrupt
        return solve_unit(graph, board, workers, unit, *rest)

    monkeypatch.setattr(building, "solve_unit", once)
    five = variant("five", men=4)
    plan = plan_build(five, discard=True)
    finished = 0
    for _ in range(len(plan.units)):
        with pytest.raises(KeyboardInterrupt):
            building.build(five, Store(tmp_path, five), plan, jobs=1)
        finished += 1
    report = building.build(five, Store(tmp_path, five), plan, jobs=1)
    assert finished == len(plan.units) and report.solved <= 1
    assert [unit.name for unit in Store(tmp_path, five).units()] == ["0-0-4-4"]


def test_tables_that_a_stopped_discarding_build_left_stay_once_they_are_asked_for(tmp_path: Path) -> None:
    five = variant("five")
    store = Store(tmp_path, five)
    build(five, store, replace(plan_build(five, subspaces=["4-3-0-0"]), discards=True, roots=plan_build(five, moving=True).roots))
    assert store.discardable()
    merels.solve("five", tmp_path, subspaces=["3-3-0-0"])
    merels.solve("five", tmp_path, discard=True)
    assert [unit.name for unit in store.units()] == ["0-0-5-5", "3-3-0-0"]
