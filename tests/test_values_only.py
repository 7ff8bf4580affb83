"""Tables without distances: the same values in less room, beside tables with distances or alone, and never taken for those."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import merels
from merels.errors import TableError
from merels.position import Position
from merels.retrograde.unit import solve_unit
from merels.retrograde.verification import verify
from merels.retrograde.workers import Workers
from merels.state import State
from merels.subspaces import Graph, Subspace, Unit
from merels.tables import DTW, WDL, Store, Table, check_file, open_tablebase, schema
from merels.tables.packing import pack, unpack, unpack_cells
from merels.tables.reading import ChunkError, TableFile
from merels.tables.table import value_only
from solved import solved, stored

GAMES = ("three", "five", "six", "six+men=4+movement=knight+placing=place-or-move")
WON = "b a1,c1,d2,e3 a3,b2,c5,e1 2,2"
"""A won position of six, whose best turn leads to 4-5-1-2."""


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Six, values only; not to be changed."""
    return stored("six", tmp_path_factory.mktemp("values"), WDL)


@pytest.fixture
def store(values: Store, tmp_path: Path) -> Store:
    """A copy that a test may change."""
    shutil.copytree(values.folder, tmp_path / "six")
    return Store(tmp_path, values.variant)


def unit(name: str = "5-4-0-0") -> Unit:
    return solved("six").graph.unit(Subspace.parse(name))


# --- packing


@given(st.integers(1, 23), st.integers(1, 9), st.integers(0, 2**32))
def test_five_rows_make_a_row_of_bytes(rows: int, columns: int, seed: int) -> None:
    digits = np.random.default_rng(seed).integers(0, 3, (rows, columns))
    codes = np.array([0, 1, 255], np.uint8)[digits]
    packed = pack(codes)
    assert packed.shape == (-(-rows // 5), columns)
    for (row, column), byte in np.ndenumerate(packed):
        assert byte == sum(int(digits[k, column]) * 3 ** (k % 5) for k in range(5 * row, min(5 * row + 5, rows)))
    back = np.empty_like(codes)
    unpack(packed, back)
    np.testing.assert_array_equal(back, codes)
    where = np.arange(rows)
    np.testing.assert_array_equal(unpack_cells(packed[where // 5, 0], where % 5), codes[:, 0])


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_distances_are_left_out(dtype: type) -> None:
    top = np.iinfo(dtype).max
    table = value_only(Table(Subspace(3, 3, 0, 0), np.array([0, 1, 2, 119, 120, top, 254], dtype), 254))
    assert (table.values.dtype, table.values.tolist()) == (np.uint8, [0, 1, 0, 1, 0, 255, 0])
    assert (table.longest, table.metric, table.draw) == (1, WDL, 255)
    assert value_only(table) is table
    assert value_only(Table(Subspace(3, 3, 0, 0), np.array([top], dtype), -1)).longest == -1
    assert value_only(Table(Subspace(3, 3, 0, 0), np.array([top, 4], dtype), 4)).longest == 0


# --- solving


@pytest.mark.parametrize("game", GAMES)
def test_values_found_without_distances_are_those_found_with_them(game: str) -> None:
    known, found = solved(game), {}
    with Workers(2) as workers:
        for unit in known.units:
            found |= solve_unit(known.graph, known.geometry, workers, unit, found.__getitem__, WDL)
    for subspace, table in known.tables.items():
        expected = np.where(table.values == table.draw, 255, table.values % 2)
        np.testing.assert_array_equal(found[subspace].values, expected, str(subspace))


def test_tables_with_distances_serve_a_build_of_values(tmp_path: Path) -> None:
    both, alone = Store(tmp_path / "both", solved("six").variant), Store(tmp_path / "alone", solved("six").variant)
    merels.solve("six", both.root, moving=True)
    report = merels.solve("six", both.root, wdl=True)
    merels.solve("six", alone.root, wdl=True)
    units = Graph(merels.variant("six")).closure(Graph(merels.variant("six")).whole())
    moving = {unit for unit in units if unit.subspaces[0][2:] == (0, 0)}
    assert (report.skipped, report.solved) == (len(moving), len(units) - len(moving))
    for unit in alone.units():
        for subspace in unit.subspaces:
            assert both.metric(subspace) == (DTW if unit in moving else WDL)
            np.testing.assert_array_equal(
                value_only(both.read(subspace)).values, alone.read(subspace).values, str(subspace)
            )
    described = both.manifest()["units"]
    assert {name: record["metric"] for name, record in described.items()} == {
        unit.name: DTW if unit in moving else WDL for unit in both.units()
    }
    assert {record["unit"]: record["metric"] for record in both.records()} == {
        name: record["metric"] for name, record in described.items()
    }
    assert verify(both.variant, both).findings == []


def test_values_do_not_serve_a_build_with_distances(store: Store) -> None:
    for action in (lambda: store.has(unit(), DTW), lambda: merels.solve("six", store.root)):
        with pytest.raises(TableError, match=r"six/.*\.h5: holds values only and no distances\. .*another.*--store.*delete"):
            action()
    assert store.has(unit()) and store.has(unit(), WDL)


def test_remedy_is_a_command_that_works_in_the_folder(store: Store, tmp_path: Path) -> None:
    store.path(unit()).unlink()
    with pytest.raises(merels.MissingTableError) as caught:
        store.read(Subspace(4, 5, 0, 0))
    assert caught.value.command == f"merels solve six --subspace 4-5-0-0 --wdl --store {tmp_path}"


# --- files


def test_file_is_what_the_page_says(values: Store) -> None:
    known = solved("six")
    with h5py.File(values.path(unit())) as file:
        assert (file.attrs["metric"], file.attrs["distance_unit"]) == (b"WDL", b"none")
        for subspace in unit().subspaces:
            dataset, rows = file[subspace.name], known.geometry.rows(subspace.stones, subspace.other).shape[0]
            digits = dataset[...][:, None, :] // 3 ** np.arange(5)[None, :, None] % 3
            codes = np.array([0, 1, 255], np.uint8)[digits].reshape(-1, dataset.shape[1])[:rows]
            expected = value_only(known.tables[subspace]).values
            np.testing.assert_array_equal(codes.reshape(-1), expected)
            assert dataset.attrs["slots"] == expected.size
            assert dataset.attrs["sha256"] == hashlib.sha256(expected.tobytes()).hexdigest().encode()
            assert (dataset.attrs["max_win"], dataset.attrs["max_loss"], dataset.attrs["draw_code"]) == (-1, -1, 255)
            assert dataset.attrs["histogram"].tolist() == [dataset.attrs["loss"], dataset.attrs["win"]]


@pytest.mark.parametrize("chunk_bytes", [64, 300, 5000])
def test_any_chunk_size_reads_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk_bytes: int) -> None:
    monkeypatch.setattr(schema, "CHUNK_BYTES", chunk_bytes)
    store = stored("six", tmp_path, WDL)
    for subspace in (s for unit in store.units()[::6] for s in unit.subspaces):
        np.testing.assert_array_equal(store.read(subspace, 2).values, value_only(solved("six").tables[subspace]).values)
    with open_tablebase(store.root, store.variant) as tablebase:
        assert_probes(tablebase, Subspace(5, 4, 0, 0))


def assert_probes(tablebase: merels.Tablebase, subspace: Subspace) -> None:
    """Many look-ups of a subspace find the values of its table, and no distance."""
    known = solved("six")
    space = known.geometry.rows(subspace.stones, subspace.other)
    dice = np.random.default_rng(5)
    rows, columns = dice.integers(0, space.shape[0], 2000), dice.integers(0, space.shape[1], 2000)
    places = [space.position(int(row), int(column)) for row, column in zip(rows, columns, strict=True)]
    movers, others = np.array(places, np.uint32).T
    wdl, dtw = tablebase.probe_many(movers, others, subspace[2:])
    table = known.tables[subspace]
    codes = table.values[rows * space.shape[1] + columns]
    np.testing.assert_array_equal(wdl, np.where(codes == table.draw, 0, np.where(codes % 2 == 1, 1, -1)))
    assert (dtw == -1).all()


def test_probes_tell_values_and_no_distance(values: Store) -> None:
    with open_tablebase(values.root, values.variant) as tablebase, open_tablebase(values.root, values.variant) as loaded:
        for name in ("5-4-0-0", "4-5-0-0", "4-4-2-2"):
            loaded.load(name)
            for open_now in (tablebase, loaded):
                assert_probes(open_now, Subspace.parse(name))
        won = Position.parse(values.variant, WON)
        assert tablebase.probe(won) == ("win", None)
        turns = tablebase.probe_turns(won)
        assert [(turn.turn, turn.value, turn.dtw) for turn in turns[:2]] == [("c4", "win", None), ("a5", "draw", None)]
        for sets, hands in (((0b111000, 0b111), (0, 0)), ((0b111, 0b11), (0, 0))):
            position = Position(values.variant, State(0, sets, hands))
            if position.outcome() is not None:
                assert tablebase.probe(position).dtw == 0


# --- damage


def change(path: Path, what: Callable[[h5py.File], None]) -> None:
    with h5py.File(path, "r+") as file:
        what(file)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("slots", 7, "attribute slots contradicts"),
        ("histogram", np.array([1, 2, 3]), "impossible counts"),
        ("max_win", 3, "attribute max_win contradicts"),
        ("sha256", np.bytes_("0" * 64), "checksum"),
    ],
)
def test_attributes_that_cannot_be_are_found(store: Store, name: str, value: object, message: str) -> None:
    change(store.path(unit()), lambda file: file["4-5-0-0"].attrs.__setitem__(name, value))
    with Workers(1) as workers:
        (damage,) = check_file(store.path(unit()), workers, remedy="delete it")
    assert message in str(damage) and str(damage).endswith("; delete it")


def test_byte_that_packs_nothing_is_refused(store: Store) -> None:
    def spoil(file: h5py.File) -> None:
        file["5-4-0-0"][3, 4] = 243

    change(store.path(unit()), spoil)
    with TableFile(store.path(unit())) as file, pytest.raises(ChunkError, match=r"rows 0 to .*no position") as caught:
        file.values("5-4-0-0", 1)
    assert caught.value.rows.stop == store.shape(Subspace(5, 4, 0, 0))[0]


def test_other_metric_or_unit_is_refused(store: Store) -> None:
    change(store.path(unit()), lambda file: file.attrs.__setitem__("distance_unit", np.bytes_("plies")))
    with pytest.raises(TableError, match=r"has distance_unit 'plies', and this merels reads 'none'; .* --wdl --store"):
        store.read(Subspace(5, 4, 0, 0))
    change(store.path(unit()), lambda file: file.attrs.__setitem__("metric", np.bytes_("DTZ")))
    with pytest.raises(TableError, match="has metric 'DTZ', and this merels reads 'DTW' and 'WDL'"):
        store.read(Subspace(5, 4, 0, 0))


def test_verification_finds_a_wrong_value(store: Store) -> None:
    right = verify(store.variant, store)
    assert (right.findings, right.proven) == ([], False)
    table = store.read(Subspace(5, 4, 0, 0))
    cell = int(np.flatnonzero(table.values == 255)[0])
    table.values[cell] = 1
    tables = {s: table if s == table.subspace else store.read(s) for s in unit().subspaces}
    with Workers(1) as workers:
        store.write(unit(), tables, workers)
    findings = verify(store.variant, store, [unit()]).findings
    assert any(f"(cell {cell})" in finding.problem and finding.table == "5-4-0-0" for finding in findings)


# --- the command line


def test_commands_say_that_there_are_values_only(values: Store, answer: Callable[..., str]) -> None:
    at = ("--store", values.root)
    shown = answer("query", "six", WON, *at)
    assert "\nBlack wins; in how many plies is not told, the tables hold values only.\n" in shown
    assert "\nc4    win           w a1,c1,d2,e3 a3,b2,c4,c5,e1 2,1\n" in shown
    for search in ("0", "3"):
        record = json.loads(answer("query", "six", WON, *at, "--json", "--search", search))
        assert (record["value"], record["dtw"]) == ("win", None)
        assert all(turn["dtw"] is None for turn in record["turns"])
        assert [turn["value"] for turn in record["turns"]] == ["win", *["draw"] * 7]
    assert answer("stats", "six", *at).endswith("77 of 77 tables hold values only, without distances.\n")
    assert answer("stats", "six", *at, "--histogram").endswith("There is no histogram: the tables hold values only.\n")
    assert answer("verify", "six", *at, "--subspace", "4-3-0-0").splitlines()[1].startswith("Tables that hold values only are not")
    assert json.loads(answer("verify", "six", *at, "--subspace", "4-3-0-0", "--json"))["proven"] is False


def test_counts_are_those_of_tables_with_distances(values: Store, small_games: Path, answer: Callable[..., str]) -> None:
    with_distances, without = (
        json.loads(answer("stats", "six", "--json", "--histogram", "--store", root)) for root in (small_games, values.root)
    )
    known = {first["name"]: first for first in with_distances["subspaces"]}
    assert len(without["subspaces"]) > 30
    for second in without["subspaces"]:
        first = known[second["name"]]
        assert (first["metric"], second["metric"]) == ("DTW", "WDL")
        assert [first[key] for key in ("name", "slots", "positions", "win", "draw", "loss")] == [
            second[key] for key in ("name", "slots", "positions", "win", "draw", "loss")
        ]
        assert (second["max_win"], second["max_loss"], second["histogram"]) == (None, None, None)
    assert without["total"]["bytes"] < sum(known[second["name"]]["bytes"] for second in without["subspaces"])


def test_line_needs_distances(values: Store, refusal: Callable[..., str], answer: Callable[..., str]) -> None:
    message = refusal("line", "six", WON, "--store", values.root, code=1)
    assert "4-4-2-2.h5: holds values only, and best play needs distances" in message
    assert message.endswith(f"merels solve six --subspace 4-4-2-2 --store {values.root}-dtw")


def test_solve_with_values_only(tmp_path: Path, answer: Callable[..., str], refusal: Callable[..., str]) -> None:
    record = json.loads(answer("solve", "three", "--wdl", "--store", tmp_path, "--json"))
    assert (record["metric"], record["solved"]) == ("WDL", 7)
    assert record["start"] == {"position": "w - - 3,3", "value": "win", "dtw": None}
    text = answer("solve", "three", "--wdl", "--store", tmp_path)
    assert text.startswith("Nothing to do") and "White wins; in how many plies is not told" in text
    assert "no distances" in refusal("solve", "three", "--store", tmp_path, code=1)


def test_estimate_of_values_only(answer: Callable[..., str]) -> None:
    values, distances = (json.loads(answer("estimate", "nine", *more, "--json")) for more in (["--wdl"], []))
    assert (values["metric"], distances["metric"]) == ("WDL", "DTW")
    assert values["total"]["slots"] == distances["total"]["slots"]
    assert values["total"]["disk"] < distances["total"]["disk"] / 3
