"""The format page is enough to read the tables: the reader that it prints finds the values that merels finds."""

from __future__ import annotations

import random
import re
from pathlib import Path

import h5py
import pytest

from merels.position import Position
from merels.state import State, points_of
from merels.tables import open_tablebase, schema
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
