"""The format page is enough to read the tables: the reader that it prints finds the values that merels finds."""

from __future__ import annotations

import random
import re
from pathlib import Path

import h5py
import pytest

from merels.position import Position
from merels.state import State, points_of
from merels.subspaces import Subspace
from merels.tables import WDL, open_tablebase, schema
from merels.variants import variant
from solved import solved, stored

PAGE = (Path(__file__).parent.parent / "tablebases" / "README.md").read_text(encoding="utf-8")
GAMES = ("three", "five", "six", "six+men=4+movement=knight+placing=place-or-move")


@pytest.fixture(scope="module")
def reader() -> dict:
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    names: dict = {}
    exec(compile(code, "tablebases/README.md", "exec"), names)
    return names


@pytest.mark.parametrize("game", GAMES)
def test_reader_of_the_page_finds_the_values(tmp_path: Path, reader: dict, game: str) -> None:
    store = stored(game, tmp_path)
    known, dice = solved(game), random.Random(11)
    labels = known.variant.board.points
    with open_tablebase(tmp_path, known.variant) as tablebase:
        for subspace in dice.sample(sorted(known.tables), min(7, len(known.tables))):
            for _ in range(4):
                points = dice.sample(range(len(labels)), subspace.stones + subspace.other)
                own, other = points[: subspace.stones], points[subspace.stones :]
                sets = tuple(sum(1 << point for point in stones) for stones in (own, other))
                code, draw = reader["look_up"](
                    store.folder,
                    [labels[p] for p in own],
                    [labels[p] for p in other],
                    subspace.hand,
                    subspace.other_hand,
                )
                position = Position(known.variant, State(0, sets, (subspace.hand, subspace.other_hand)))
                value, dtw = tablebase.probe(position)
                if position.outcome() != "win":
                    assert (value, dtw) == (("draw", None) if code == draw else ("win" if code % 2 else "loss", code))
                assert points_of(sets[0]) == sorted(own)


def test_reader_of_the_page_finds_values_without_distances(tmp_path: Path, reader: dict) -> None:
    store, dice = stored("six", tmp_path, WDL), random.Random(12)
    known = solved("six")
    labels = known.variant.board.points
    for subspace in (Subspace(4, 3, 0, 0), Subspace(3, 5, 1, 0)):
        space, table = known.geometry.rows(subspace.stones, subspace.other), known.tables[subspace]
        for _ in range(8):
            row, column = (dice.randrange(size) for size in space.shape)
            own, other = ([labels[p] for p in points_of(stones)] for stones in space.position(row, column))
            code = int(table.values[row * space.shape[1] + column])
            expected = 255 if code == table.draw else code % 2
            assert reader["look_up"](store.folder, own, other, subspace.hand, subspace.other_hand) == (expected, 255)


@pytest.mark.parametrize("game", ["three", "five", "six", "seven", "nine", "spatial"])
def test_symmetries_of_the_page_are_those_of_merels(reader: dict, game: str) -> None:
    known = variant(game)
    header = schema.Header.of(known, solved("three").units[0])
    assert sorted(reader["symmetries"](header.rules)) == sorted(known.symmetries)


def test_page_names_every_attribute(tmp_path: Path) -> None:
    store = stored("three", tmp_path)
    with h5py.File(store.path(store.units()[0])) as file:
        names = set(file.attrs) | {name for dataset in file.values() for name in dataset.attrs}
    told = {
        name for row in PAGE.splitlines() if row.startswith("| `") for name in re.findall("`(.*?)`", row.split("|")[1])
    }
    assert names == told
