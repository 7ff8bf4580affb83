"""A store knows what it holds, resumes, and tells which command builds what is missing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from merels.errors import MissingTableError, TableError
from merels.retrograde.workers import Workers
from merels.subspaces import Subspace
from merels.tables import Store, manifest
from merels.tables.remedies import solve_command
from merels.variants import Variant, variant
from solved import solved, stored


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return stored("six", tmp_path_factory.mktemp("finished"))


@pytest.fixture
def store(finished: Store, tmp_path: Path) -> Store:
    """A copy of the finished store that a test may change."""
    shutil.copytree(finished.folder, tmp_path / "six")
    return Store(tmp_path, finished.variant)


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".jsonl"}


def test_empty_store_makes_nothing(tmp_path: Path) -> None:
    known = solved("six")
    store = Store(tmp_path / "none", known.variant)
    assert store.units() == []
    assert store.bytes() == 0
    assert store.records() == []
    assert store.manifest()["units"] == {}
    assert not any(store.has(unit) for unit in known.units)
    store.save_manifest()
    assert not (tmp_path / "none").exists()


def test_store_holds_what_was_written(finished: Store) -> None:
    known = solved("six")
    assert set(finished.units()) == set(known.units)
    assert all(finished.has(unit) for unit in known.units)
    assert finished.bytes() == sum(finished.path(unit).stat().st_size for unit in known.units)
    for subspace, table in known.tables.items():
        read = finished.read(subspace, 2)
        assert (read.subspace, read.longest, read.draw) == (subspace, table.longest, table.draw)
        assert read.values.tobytes() == table.values.tobytes()
        assert read.values.dtype == table.values.dtype


def test_build_that_goes_on_ends_with_the_same_bytes(finished: Store, store: Store) -> None:
    known = solved("six")
    for unit in store.units()[::3]:
        store.path(unit).unlink()
    store.prepare()
    with Workers(1) as workers:
        for unit in known.units:
            if not store.has(unit):
                store.write(unit, known.tables, workers)
    store.save_manifest()
    assert content(store.folder) == content(finished.folder)


def test_manifest_follows_from_the_files(finished: Store, store: Store) -> None:
    written = json.loads((store.folder / manifest.NAME).read_text())
    assert written == finished.manifest()
    assert written["fingerprint"] == finished.variant.fingerprint
    entry = written["units"]["5-4-0-0"]
    assert entry["bytes"] == (store.folder / entry["file"]).stat().st_size
    assert list(entry["subspaces"]) == ["5-4-0-0", "4-5-0-0"]
    for damage in (
        None,
        "",
        "[]",
        "{",
        json.dumps(written | {"fingerprint": "0"}),
        json.dumps(written | {"units": {}}),
    ):
        path = store.folder / manifest.NAME
        path.unlink() if damage is None else path.write_text(damage)
        assert store.manifest() == written
    broken = {**written["units"], "5-4-0-0": {"file": "5-4-0-0.h5", "bytes": entry["bytes"], "subspaces": {"x": 1}}}
    (store.folder / manifest.NAME).write_text(json.dumps(written | {"units": broken}))
    assert store.manifest() == written
    store.save_manifest()
    assert content(store.folder) == content(finished.folder)


def test_manifest_forgets_files_that_are_gone(store: Store) -> None:
    gone = store.units()[0]
    store.path(gone).unlink()
    assert gone.name not in store.manifest()["units"]
    assert len(store.manifest()["units"]) == len(store.units())


def test_other_files_in_the_folder_are_left_alone(store: Store) -> None:
    before = store.units()
    for name in ("notes.h5", "4-5-0-0.h5", "99-99-99-99.h5", "notes.txt"):
        (store.folder / name).write_text("mine")
    assert store.units() == before


def test_log_has_a_line_a_unit_and_stands_a_torn_one(store: Store) -> None:
    unit = store.units()[0]
    store.record(unit, seconds=1.5, peak_memory_bytes=1000)
    with (store.folder / "build.jsonl").open("a") as file:
        file.write('{"unit": "5-4-')
    (record,) = store.records()
    assert (record["unit"], record["seconds"], record["peak_memory_bytes"]) == (unit.name, 1.5, 1000)
    assert record["builder"].startswith("merels ")
    store.record(unit, seconds=2.5)
    assert [record["seconds"] for record in store.records()] == [1.5, 2.5]


def test_missing_table_names_the_command_that_builds_it(tmp_path: Path) -> None:
    store = Store(tmp_path / "my tables", solved("six").variant)
    with pytest.raises(MissingTableError) as caught:
        store.read(Subspace(4, 5, 0, 0))
    assert caught.value.table == "4-5-0-0"
    assert caught.value.command == f"merels solve six --subspace 4-5-0-0 --store '{tmp_path}/my tables'"
    assert caught.value.command in str(caught.value)


def test_command_names_the_rules_of_a_derived_variant(tmp_path: Path) -> None:
    nine = variant("nine")
    assert solve_command(nine, "tables") == "merels solve nine --store tables"
    derived = nine.derive(men=4, flying=0)
    assert solve_command(derived, "t", Subspace(3, 3, 0, 0)) == (
        "merels solve nine --rule flying=0 --men 4 --subspace 3-3-0-0 --store t"
    )
    own = Variant("ladder", nine.board, nine.rules)
    assert solve_command(own, "t") == "merels solve ladder.toml --store t"
    assert solve_command(own.derive(men=3), "t") == "merels solve ladder.toml --men 3 --store t"
    read = Variant("ladder", nine.board, nine.rules, file="games/my ladder.toml")
    assert solve_command(read.derive(men=3), "t") == "merels solve 'games/my ladder.toml' --men 3 --store t"


def test_wrong_tables_are_not_overwritten_unasked(store: Store) -> None:
    unit = store.units()[0]
    store.path(unit).write_bytes(b"not mine")
    with pytest.raises(TableError, match="not an HDF5 file"):
        store.prepare()
    assert store.path(unit).read_bytes() == b"not mine"


def test_second_build_in_a_folder_is_refused_while_the_first_is_at_work(tmp_path: Path, answer, refusal) -> None:
    answer("solve", "three", "--store", tmp_path)
    with Store(tmp_path, variant("three")).locked():
        for command in (("solve", "three"), ("solve", "three", "--discard"), ("solve", "three", "--quiet-limit", "3")):
            assert "another build is at work in this folder" in refusal(*command, "--store", tmp_path, code=1)
        assert answer("verify", "three", "--store", tmp_path)
        answer("solve", "three-orthogonal", "--store", tmp_path)
    answer("solve", "three", "--quiet-limit", "3", "--store", tmp_path)


def test_manifest_that_is_up_to_date_is_not_written_again(tmp_path: Path, answer) -> None:
    answer("solve", "three", "--store", tmp_path)
    path = tmp_path / "three" / manifest.NAME
    before = path.stat()
    answer("solve", "three", "--store", tmp_path)
    after = path.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
