"""Damaged and foreign files end in an error that names the file and the remedy, never in a wrong value."""

from __future__ import annotations

import shutil
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from merels.errors import MerelsError, RuleMismatchError, TableError
from merels.retrograde.workers import Workers
from merels.subspaces import Subspace, Unit
from merels.tables import Store, Table, check_file, checking, manifest
from merels.tables.reading import ChunkError, TableFile
from merels.variants import variant
from solved import solved, stored

SIX = "six"
UNIT = "4-3-0-0"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return stored(SIX, tmp_path_factory.mktemp("finished"))


@pytest.fixture
def store(finished: Store, tmp_path: Path) -> Store:
    """A copy of the finished store that a test may damage."""
    shutil.copytree(finished.folder, tmp_path / SIX)
    return Store(tmp_path, finished.variant)


def unit(name: str = UNIT) -> Unit:
    known = solved(SIX)
    return known.graph.unit(Subspace.parse(name))


def check(path: Path) -> list[str]:
    with Workers(1) as workers:
        return [str(damage) for damage in check_file(path, workers)]


def assert_refused(store: Store, match: str) -> None:
    """Reading, looking for and checking the unit's tables all tell what is wrong and what to do."""
    command = rf"delete it and run: merels solve six --subspace {UNIT} --store .*"
    for action in (lambda: store.read(unit().subspaces[1]), lambda: store.read(unit().subspaces[0])):
        with pytest.raises(TableError, match=rf"{UNIT}\.h5: .*{match}.*; {command}"):
            action()
    assert check(store.path(unit()))


# --- files of every wrong kind


@pytest.mark.parametrize("content", [b"", b"hello", b"\x89HDF\r\n\x1a\n", b"\x89HDF\r\n\x1a\n" + bytes(1000)])
def test_foreign_file_is_refused(store: Store, content: bytes) -> None:
    store.path(unit()).write_bytes(content)
    with pytest.raises(TableError, match=UNIT):
        store.has(unit())
    assert_refused(store, "(is empty|is not an HDF5 file|damaged)")


def test_other_hdf5_file_is_refused(store: Store) -> None:
    with h5py.File(store.path(unit()), "w") as file:
        file["4-3-0-0"] = np.zeros((3, 3), np.uint8)
    assert_refused(store, "is an HDF5 file but no table of merels")


def test_folder_in_place_of_a_file_is_refused(store: Store) -> None:
    store.path(unit()).unlink()
    store.path(unit()).mkdir()
    assert_refused(store, "")


@pytest.mark.parametrize("part", [0.01, 0.3, 0.6, 0.9, 0.999])
def test_truncated_file_is_refused(store: Store, part: float) -> None:
    path = store.path(unit())
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * part)])
    assert_refused(store, "(truncated|not an HDF5 file)")


def test_file_under_another_name_is_refused(store: Store) -> None:
    shutil.copy(store.path(unit("5-3-0-0")), store.path(unit()))
    assert_refused(store, "holds work unit 5-3-0-0, which is not its name")


def test_file_of_other_rules_is_refused(store: Store, tmp_path: Path) -> None:
    other = stored(variant("six", rules={"stalemate": "draw"}), tmp_path / "other")
    shutil.copy(other.path(unit()), store.path(unit()))
    with pytest.raises(RuleMismatchError, match=r"other rules.*six\+stalemate=draw.*'six' here"):
        store.read(Subspace(4, 3, 0, 0))
    with Workers(1) as workers:
        assert "other rules" in str(check_file(store.path(unit()), workers, store.variant)[0])


def test_folder_of_other_rules_is_refused_before_anything_is_done(store: Store) -> None:
    before = sorted(store.folder.iterdir())
    other = variant("six", rules={"stalemate": "draw"})
    with pytest.raises(RuleMismatchError, match="another folder with --store") as caught:
        Store(store.root, other, store.folder)
    assert other.fingerprint[:12] in str(caught.value)
    assert store.variant.fingerprint[:12] in str(caught.value)
    assert sorted(store.folder.iterdir()) == before


# --- files whose parts contradict one another


def set_attribute(name: str, value: object, dataset: str | None = None):
    def change(file: h5py.File) -> None:
        (file[dataset] if dataset else file).attrs[name] = value

    return change


def replace_dataset(change, **options):
    def replace(file: h5py.File) -> None:
        values, attributes = file["4-3-0-0"][...], dict(file["4-3-0-0"].attrs)
        del file["4-3-0-0"]
        file.create_dataset("4-3-0-0", data=change(values), **{"chunks": True, "compression": "gzip", **options})
        for name, value in attributes.items():
            file["4-3-0-0"].attrs[name] = value

    return replace


def delete(name: str):
    def change(file: h5py.File) -> None:
        del file[name]

    return change


def delete_attribute(name: str, dataset: str | None = None):
    def change(file: h5py.File) -> None:
        del (file[dataset] if dataset else file).attrs[name]

    return change


def same(values: np.ndarray) -> np.ndarray:
    return values


CONTRADICTIONS = {
    "newer version": (set_attribute("format_version", 99), "has format version 99, and this merels reads version 1"),
    "other index": (set_attribute("index_scheme", np.bytes_("x")), "has index_scheme 'x'"),
    "other metric": (set_attribute("metric", np.bytes_("DTC")), "has metric 'DTC'"),
    "variable text": (set_attribute("metric", "DTW"), "metric is no text"),
    "other rules": (set_attribute("rules", np.bytes_("{}")), "rules that do not have the fingerprint"),
    "no rules": (delete_attribute("rules"), "rules"),
    "table gone": (delete("3-4-0-0"), "holds the tables 4-3-0-0, should hold 4-3-0-0, 3-4-0-0"),
    "group": (lambda file: file.create_group("5-5-5-5"), "5-5-5-5 is no dataset"),
    "transposed": (replace_dataset(np.transpose), "slots|shape|rows and .* columns, should have"),
    "row gone": (replace_dataset(lambda values: values[:-1]), "slots contradicts"),
    "signed": (replace_dataset(lambda values: values.astype(np.int8)), "type .i1, should be"),
    "big-endian": (replace_dataset(lambda values: values.astype(">u2")), "type >u2, should be"),
    "flat": (replace_dataset(np.ravel), "has 1 dimensions"),
    "widened": (replace_dataset(lambda values: values.astype("<u2")), "draw_code contradicts"),
    "shuffled": (replace_dataset(same, shuffle=True), "packed with shuffle; only deflate"),
    "lzf": (replace_dataset(same, compression="lzf"), "packed with lzf; only deflate"),
    "not packed": (replace_dataset(same, compression=None), "not stored in chunks packed with deflate"),
    "not chunked": (replace_dataset(same, compression=None, chunks=None), "not stored in chunks packed with deflate"),
    "other subspace": (
        set_attribute("subspace", np.array([3, 4, 0, 0]), "4-3-0-0"),
        "says that it is 3-4-0-0",
    ),
    "other draws": (set_attribute("draw", 3, "4-3-0-0"), "positions contradicts"),
    "other wins": (set_attribute("win", 3, "4-3-0-0"), "win contradicts"),
    "negative": (set_attribute("histogram", np.array([-1, 2]), "4-3-0-0"), "impossible counts"),
    "no histogram": (delete_attribute("histogram", "4-3-0-0"), "histogram"),
}


@pytest.mark.parametrize("kind", CONTRADICTIONS)
def test_contradiction_is_refused(store: Store, kind: str) -> None:
    change, message = CONTRADICTIONS[kind]
    with h5py.File(store.path(unit()), "r+", libver=("v110", "v110")) as file:
        change(file)
    command = rf"delete it and run: merels solve six --subspace {UNIT} --store .*"
    with pytest.raises(TableError, match=rf"{UNIT}\.h5: .*({message}).*; {command}"):
        store.read(Subspace(4, 3, 0, 0))
    if kind != "table gone":  # a file alone cannot tell that a table is missing
        assert check(store.path(unit()))


# --- damaged values


def tampered(store: Store, value: int) -> None:
    """One value changed by someone who repacks the chunk properly."""
    with h5py.File(store.path(unit()), "r+") as file:
        file["4-3-0-0"][10, 20] = value


def test_changed_value_is_found_by_checking(store: Store) -> None:
    table = store.read(Subspace(4, 3, 0, 0))
    old = int(table.values[10 * store.shape(Subspace(4, 3, 0, 0))[1] + 20])
    tampered(store, 1 if old != 1 else 3)
    (damage,) = check(store.path(unit()))
    assert "4-3-0-0.h5: dataset 4-3-0-0: the values do not have the checksum" in damage


def test_value_that_no_position_has_is_refused_at_once(store: Store) -> None:
    tampered(store, 254)
    with pytest.raises(ChunkError, match="a value that no position of the table has"):
        store.read(Subspace(4, 3, 0, 0))


def test_counts_are_checked_against_the_values(store: Store) -> None:
    with h5py.File(store.path(unit()), "r+") as file:
        histogram = file["4-3-0-0"].attrs["histogram"]
        histogram[1] -= 1
        histogram[3] += 1
        file["4-3-0-0"].attrs["histogram"] = histogram
    (damage,) = check(store.path(unit()))
    assert "the counts that the file gives" in damage


def test_bad_chunk_is_told_with_its_rows(store: Store) -> None:
    path = store.path(unit("5-4-0-0"))
    with h5py.File(path) as file:
        chunk = file["5-4-0-0"].id.get_chunk_info(1)
        first, rows = chunk.chunk_offset[0], file["5-4-0-0"].chunks[0]
        place = chunk.byte_offset + chunk.size // 2
    content = bytearray(path.read_bytes())
    content[place] ^= 0x10
    path.write_bytes(content)
    with Workers(1) as workers:
        (damage,) = check_file(path, workers)
    last = min(first + rows, store.shape(Subspace(5, 4, 0, 0))[0])
    assert (damage.file, damage.dataset, damage.rows) == (path, "5-4-0-0", range(first, last))
    assert f"rows {first} to {last - 1}: is damaged" in str(damage)
    store.read(Subspace(4, 5, 0, 0))  # the other table of the file is not hurt


def test_sound_store_passes(store: Store) -> None:
    with Workers(2) as workers:
        assert checking.check_store(store, workers) == []


def test_manifest_that_describes_other_tables_is_told(store: Store) -> None:
    path = store.folder / manifest.NAME
    sha256 = store.manifest()["units"][UNIT]["subspaces"][UNIT]["sha256"]
    path.write_text(path.read_text().replace(sha256, "0" * 64))
    with Workers(1) as workers:
        (damage,) = checking.check_store(store, workers)
    assert "not the one that manifest.json describes" in str(damage)


# --- any damage


def same_values(path: Path, subspace: Subspace, table: Table) -> bool:
    """Whether the file still gives the right values; MerelsError where it gives none."""
    with TableFile(path) as file:
        if file.header.fingerprint != solved(SIX).variant.fingerprint:
            raise RuleMismatchError("of other rules")
        return np.array_equal(file.values(subspace.name, 1), table.values)


SMALL = "3-3-1-1"


@pytest.fixture(scope="module")
def content(finished: Store) -> bytes:
    return finished.path(unit(SMALL)).read_bytes()


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scratch") / f"{SMALL}.h5"


no_deadline = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@given(flips=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(1, 255)), min_size=1, max_size=4))
@settings(no_deadline, max_examples=150)
@example(flips=[(0.0, 1)])
def test_flipped_bytes_never_give_a_wrong_value(content: bytes, scratch: Path, flips: list[tuple[float, int]]) -> None:
    damaged = bytearray(content)
    for place, change in flips:
        damaged[int(place * len(damaged))] ^= change
    scratch.write_bytes(damaged)
    subspace = Subspace.parse(SMALL)
    try:
        assert same_values(scratch, subspace, solved(SIX).tables[subspace])
    except MerelsError as error:
        assert str(scratch) in str(error) or isinstance(error, RuleMismatchError)
    check(scratch)


@given(kept=st.floats(0, 1, exclude_max=True), tail=st.binary(max_size=50))
@settings(no_deadline, max_examples=60)
def test_truncated_bytes_never_give_a_wrong_value(content: bytes, scratch: Path, kept: float, tail: bytes) -> None:
    scratch.write_bytes(content[: int(kept * len(content))] + tail)
    subspace = Subspace.parse(SMALL)
    try:
        assert same_values(scratch, subspace, solved(SIX).tables[subspace])
    except TableError as error:
        assert str(scratch) in str(error)


@given(start=st.floats(0, 1, exclude_max=True), source=st.floats(0, 1, exclude_max=True), length=st.integers(1, 600))
@settings(no_deadline, max_examples=100)
def test_misplaced_blocks_never_give_a_wrong_value(
    content: bytes, scratch: Path, start: float, source: float, length: int
) -> None:
    damaged = bytearray(content)
    begin, origin = int(start * len(damaged)), int(source * len(damaged))
    piece = damaged[origin : origin + length]
    damaged[begin : begin + len(piece)] = piece
    scratch.write_bytes(damaged)
    subspace = Subspace.parse(SMALL)
    try:
        assert same_values(scratch, subspace, solved(SIX).tables[subspace])
    except MerelsError as error:
        assert str(scratch) in str(error) or isinstance(error, RuleMismatchError)
