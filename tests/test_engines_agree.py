"""The fast engine against the plain one on every position of shrunken games, and against counts from other programs."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import FACTS
from merels.errors import RulesError
from merels.indexing import geometry
from merels.position import Position
from merels.reference.retrograde import solve
from merels.reference.symmetry import Representatives
from merels.retrograde.build import build
from merels.retrograde.plan import choose_roots, make_plan
from merels.retrograde.workers import Workers
from merels.solvable import require_solvable, require_two_players
from merels.state import State
from merels.subspaces import Graph, Subspace
from merels.tables import Store, Tablebase
from merels.tables.statistics import count
from merels.variants import Variant, variant, variant_names
from solved import solved


def _solvable(name: str) -> bool:
    """Positions that remember mills have tests of their own (`test_repeated_mills`)."""
    if variant(name).rules.repeat_mill != "free":
        return False
    try:
        require_solvable(variant(name))
        require_two_players(variant(name), "this compares")
    except RulesError:
        return False
    return True


BIG = [name for name in variant_names() if variant(name).board.size > 17 and _solvable(name)]
SMALL = [name for name in variant_names() if variant(name).board.size <= 17 and _solvable(name)]

# Combinations that no named variant has, each on a board small enough to compare all of it.
DERIVED = [
    ("three", {"mill": "remove", "flying": "3", "placing": "place-or-move"}),
    ("three", {"mill": "remove", "protection": "mills", "removals": "per-mill", "stalemate": "draw"}),
    ("three", {"mill": "remove", "protection": "none", "removals": "per-mill", "men": "4", "full_board": "loss"}),
    ("three", {"mill": "remove", "protection": "mills", "removals": "per-mill", "men": "4", "flying": "4"}),
    ("three", {"movement": "rook", "stalemate": "draw"}),
    ("three-orthogonal", {"mill": "remove", "movement": "knight", "placing": "place-or-move"}),
    ("three-orthogonal", {"mill": "remove", "men": "4", "full_board": "draw", "protection": "mills"}),
    ("five", {"men": "3", "movement": "rook", "protection": "mills", "removals": "per-mill", "stalemate": "draw"}),
    ("five", {"men": "3", "placing": "place-or-move", "removals": "per-mill", "protection": "none"}),
    ("five", {"men": "3", "movement": "knight", "mill": "win"}),
]

WHOLE_GAMES = os.environ.get("MERELS_WHOLE_GAMES", "")
"""A store with the whole of nine, for the tests that need one."""


def differences(game: Variant) -> list[str]:
    """Every cell of every table whose value is not the one that the plain engine finds for its position."""
    known = solved(game)
    cells: list[tuple[Subspace, int, State]] = []
    for subspace in known.tables:
        space = known.geometry.rows(subspace.stones, subspace.other)
        for row, column in np.ndindex(space.shape):
            state = State(0, space.position(row, column), (subspace.hand, subspace.other_hand), None)
            cells.append((subspace, row * space.shape[1] + column, state))
    values = solve(game, (state for _, _, state in cells), reduce=True)
    representative = Representatives(game)
    found = []
    for subspace, cell, state in cells:
        table = known.tables[subspace]
        code = int(table.values[cell])
        value = ("draw", None) if code == table.draw else ("win" if code % 2 else "loss", code)
        if value != values[representative(state)]:
            found.append(f"{subspace.name} {state}: {value}, should be {values[representative(state)]}")
    return found


@pytest.mark.parametrize("name", SMALL)
def test_every_position_of_a_small_board_has_the_value_of_the_plain_engine(name: str) -> None:
    assert differences(variant(name, men=3)) == []


@pytest.mark.parametrize(("name", "rules"), DERIVED, ids=lambda value: value if isinstance(value, str) else "+".join(value.values()))
def test_every_position_under_uncommon_rules_has_the_value_of_the_plain_engine(name: str, rules: dict[str, str]) -> None:
    assert differences(variant(name, rules=rules)) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", BIG)
def test_every_position_of_a_big_board_has_the_value_of_the_plain_engine(name: str) -> None:
    assert differences(variant(name, men=3)) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["five", "six", "seven"])
def test_every_position_with_four_men_has_the_value_of_the_plain_engine(name: str) -> None:
    assert differences(variant(name, men=4)) == []


def _built(game: Variant, names: list[str], folder: Path) -> Store:
    store = Store(folder, game)
    build(game, store, make_plan(game, choose_roots(Graph(game), subspaces=names)))
    return store


def _moving(keys: Any) -> list[str]:
    return [f"{key}-0-0" for key in keys]


@pytest.mark.parametrize("name", ["nine", "mlynek", "twelve", "five", "spatial", "spatial-extended"])
def test_counts_are_those_of_an_independent_program(name: str, facts: Callable[[str], Any], tmp_path: Path) -> None:
    rows = facts("counts")["counts"][name]
    store = _built(variant(name), _moving(rows), tmp_path)
    with Workers(2) as workers:
        for key, row in rows.items():
            counts = count(store.read(Subspace.parse(f"{key}-0-0")), geometry(store.variant), workers)
            found = (counts.positions, counts.win, counts.draw, counts.loss, counts.max_win, counts.max_loss)
            assert found == tuple(row[field] for field in ("positions", "win", "draw", "loss", "maxdtw_win", "maxdtw_loss")), key


@pytest.mark.slow
@pytest.mark.parametrize(("name", "fact"), [("nine", "std"), ("morabaraba", "mora_moving")])
def test_counts_and_distances_are_those_of_malom(name: str, fact: str, facts: Callable[[str], Any], tmp_path: Path) -> None:
    """The whole depth histogram of every subspace that Malom solved; with `nine` those up to twelve stones."""
    rows = facts("malom_counts")[fact]
    store = _built(variant(name), _moving(rows), tmp_path)
    with Workers(2) as workers:
        for key, row in rows.items():
            counts = count(store.read(Subspace.parse(f"{key}-0-0")), geometry(store.variant), workers)
            numbers = (counts.positions, counts.win, counts.draw, counts.loss)
            assert numbers == tuple(row[field] for field in ("positions", "win", "draw", "loss")), key
            found = {plies: number for plies, number in enumerate(counts.histogram) if number and plies}
            assert found == {int(plies): number for plies, number in row["depth_hist"].items() if int(plies)}, key


SAMPLED = [
    "nine", "mlynek", "twelve", "nine-noflying", "mlynek-knight", "mlynek-rook", "five", "six", "seven", "spatial", "spatial-extended",
]  # fmt: skip


@pytest.mark.parametrize("name", SAMPLED)
def test_samples_have_the_values_of_an_independent_program(name: str, facts: Callable[[str], Any], tmp_path: Path) -> None:
    samples = facts("samples")["samples"][name]
    store = _built(variant(name), _moving(samples), tmp_path)
    with Tablebase(store) as tablebase:
        for sample in (sample for positions in samples.values() for sample in positions):
            probe = tablebase.probe(Position.parse(store.variant, sample["position"]))
            assert (probe.value, probe.dtw) == (sample["wdl"], sample["dtw"]), sample["position"]


@pytest.mark.parametrize(
    "game", ["three", "three-orthogonal", "five", "six", "nine men=3", "lasker men=3", "morabaraba men=3", "mlynek men=3"]
)
def test_whole_games_have_the_values_of_an_independent_program(game: str, facts: Callable[[str], Any], tmp_path: Path) -> None:
    """The start, its turns, and samples out of all phases."""
    start, samples = facts("start_values")["starts"][game], facts("start_samples")["games"][game]
    changed = variant(start["variant"], **start["rules"])
    store = Store(tmp_path, changed)
    build(changed, store, make_plan(changed, [Graph(changed).start()]))
    with Tablebase(store) as tablebase:
        position = Position.parse(changed, start["position"])
        assert tuple(tablebase.probe(position)) == (start["wdl"], start["dtw"])
        for token, value in start["turns"].items():
            assert tuple(tablebase.probe(position.play(token))) == (value["wdl"], value["dtw"]), token
        for sample in samples["samples"]:
            assert tuple(tablebase.probe(Position.parse(changed, sample["position"]))) == (sample["wdl"], sample["dtw"]), sample


def _malom(file: str, most_stones: int) -> list[tuple[Subspace, str, tuple[str, int | None]]]:
    """Positions of Malom with few stones: subspace, position string, value."""
    found = []
    with (FACTS / "malom_samples" / file).open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            own, other = row["to_move_squares"].split(), row["opponent_squares"].split()
            hands = int(row.get("to_move_in_hand", 0)), int(row.get("opponent_in_hand", 0))
            if len(own) + len(other) + sum(hands) <= most_stones:
                text = f"w {','.join(own) or '-'} {','.join(other) or '-'} {hands[0]},{hands[1]}"
                value = {"W": "win", "D": "draw", "L": "loss"}[row["wdl"]]
                found.append((Subspace(len(own), len(other), *hands), text, (value, None if value == "draw" else int(row["depth"]))))
    return found


@pytest.mark.parametrize(
    ("name", "file", "stones"),
    [
        ("nine", "malom_std_samples.csv", 9),
        ("nine", "malom_std_samples_decisive.csv", 9),
        ("nine", "malom_std_samples_mirror.csv", 9),
        ("nine", "malom_std_placement_samples.csv", 8),
        ("lasker", "malom_lask_placement_samples.csv", 8),
        ("morabaraba", "malom_mora_samples.csv", 8),
        ("morabaraba", "malom_mora_placement_samples.csv", 8),
    ],
)
def test_samples_have_the_values_of_malom(name: str, file: str, stones: int, tmp_path: Path) -> None:
    samples = _malom(file, stones)
    assert samples
    store = _built(variant(name), sorted({subspace.name for subspace, _, _ in samples}), tmp_path)
    with Tablebase(store) as tablebase:
        for _, text, value in samples:
            assert tuple(tablebase.probe(Position.parse(store.variant, text))) == value, text


@pytest.mark.slow
@pytest.mark.skipif(not WHOLE_GAMES, reason="MERELS_WHOLE_GAMES names no store with the whole of nine")
@pytest.mark.parametrize("file", ["samples", "samples_decisive", "samples_mirror", "placement_samples"])
def test_every_sample_of_the_whole_game_has_the_value_of_malom(file: str) -> None:
    whole = set(Graph(variant("nine")).whole())
    samples = [sample for sample in _malom(f"malom_std_{file}.csv", 18) if sample[0] in whole]
    assert len(samples) > 250
    with Tablebase(Store(WHOLE_GAMES, variant("nine"))) as tablebase:
        for _, text, value in samples:
            assert tuple(tablebase.probe(Position.parse(tablebase.variant, text))) == value, text


def test_portable_path_makes_the_same_files(tmp_path: Path) -> None:
    folders = []
    for portable in ("0", "1"):
        folder = tmp_path / portable
        environment = {**os.environ, "MERELS_PORTABLE": portable}
        for game in (["five"], ["lasker", "--men", "3"], ["mlynek-rook", "--men", "3"]):
            subprocess.run([sys.executable, "-m", "merels", "solve", *game, "--store", str(folder)], env=environment, check=True)
        folders.append({path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.h5")})
    assert folders[0] and folders[0] == folders[1]


def test_distances_that_outgrow_a_byte_go_on_in_two(monkeypatch: pytest.MonkeyPatch) -> None:
    """The step to two bytes in the middle of a unit changes no value: forced early here, since few games need it."""
    from merels.retrograde import sweeps

    game = variant("six", men=5)
    narrow = solved(game).tables[Subspace(5, 4, 0, 0)]
    widened: list[int] = []
    widen, sweep = sweeps.Sweeps._widen, sweeps.Sweeps._sweep

    def early(self: Any, depth: int, steps: list[Any], unsolved: int, waiting: int) -> list[int]:
        if depth == 4 and self.sides[0].top == 255:
            widen(self, unsolved)
            widened.append(depth)
            unsolved += 65535 - 255
        return sweep(self, depth, steps, unsolved, waiting)

    monkeypatch.setattr(sweeps.Sweeps, "_sweep", early)
    known = solved(game)
    with Workers(1) as workers:
        unit = known.graph.unit(Subspace(5, 4, 0, 0))
        tables = sweeps.Sweeps(known.graph, known.geometry, workers, unit.subspaces, known.tables.__getitem__, np.dtype(np.uint8))
        top = tables.sides[0].top
        monkeypatch.setattr(sweeps.Sweeps, "_finish", lambda self, unsolved: [side.values for side in self.sides])
        assert top == 255
        wide = tables.run()[0]
    assert widened == [4] and wide.dtype == np.uint16
    decided = narrow.values < narrow.draw
    assert np.array_equal(wide[decided], narrow.values[decided])
    assert (wide[~decided] > 60000).all()
