"""A table file has the same bytes each time, any HDF5 reader understands it, and it is there whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path

import h5py
import numpy as np
import pytest

from merels.errors import LimitError, TableError
from merels.retrograde.workers import Workers
from merels.subspaces import Subspace
from merels.tables import Counts, Store, Table, atomic, count, schema, threads, writing
from merels.tables.reading import TableFile
from merels.tables.schema import Grid, Header
from merels.tables.writing import Finished, write_file
from solved import solved

SIX = "six"
UNIT = "5-4-0-0"


def unit_of_six(name: str = UNIT):
    known = solved(SIX)
    return known.graph.unit(Subspace.parse(name))


def finished_of_six(name: str = UNIT) -> list[Finished]:
    known = solved(SIX)
    with Workers(1) as workers:
        return [
            Finished(
                known.tables[s],
                known.geometry.rows(s.stones, s.other).shape,
                count(known.tables[s], known.geometry, workers),
            )
            for s in unit_of_six(name).subspaces
        ]


def write_six(path: Path, jobs: int = 1) -> Path:
    write_file(path, Header.of(solved(SIX).variant, unit_of_six()), finished_of_six(), jobs)
    return path


def widened(table: Table) -> Table:
    values = table.values.astype(np.uint16)
    values[table.values == table.draw] = 0xFFFF
    return Table(table.subspace, values, table.longest)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / f"{UNIT}.h5"


# --- content


def test_same_tables_give_the_same_bytes(tmp_path: Path) -> None:
    files = []
    for name, jobs in (("first", 1), ("again", 1), ("threads", 2)):
        (tmp_path / name).mkdir()
        files.append(write_six(tmp_path / name / f"{UNIT}.h5", jobs).read_bytes())
    assert files[0] == files[1] == files[2]


def test_values_come_back(path: Path) -> None:
    write_six(path)
    for jobs in (1, 2):
        with TableFile(path) as file:
            assert list(file.entries) == sorted(s.name for s in unit_of_six().subspaces)
            for subspace in unit_of_six().subspaces:
                table = solved(SIX).tables[subspace]
                values = file.values(subspace.name, jobs)
                assert values.dtype == table.values.dtype
                np.testing.assert_array_equal(values, table.values)
                assert file.entries[subspace.name].counts.longest == table.longest


def test_plain_hdf5_readers_see_values_and_attributes(path: Path) -> None:
    write_six(path)
    with h5py.File(path) as file:
        assert file.attrs["format_version"] == schema.FORMAT
        assert file.attrs["variant"] == b"six"
        assert file.attrs["metric"] == b"DTW"
        assert file.attrs["distance_unit"] == b"plies"
        assert hashlib.sha256(file.attrs["rules"]).hexdigest().encode() == file.attrs["fingerprint"]
        for finished in finished_of_six():
            dataset = file[finished.table.subspace.name]
            raw = dataset[...]
            np.testing.assert_array_equal(raw.reshape(-1), finished.table.values)
            assert dataset.compression == "gzip"
            assert dataset.attrs["sha256"] == hashlib.sha256(raw.tobytes()).hexdigest().encode()
            assert tuple(dataset.attrs["subspace"]) == finished.table.subspace
            assert dataset.attrs["positions"] == finished.counts.positions
            assert dataset.attrs["histogram"].sum() == dataset.attrs["win"] + dataset.attrs["loss"]


def test_nothing_in_a_file_tells_when_it_was_written(path: Path) -> None:
    write_six(path)
    with h5py.File(path) as file:
        for name in file:
            info = h5py.h5o.get_info(file[name].id)
            assert not info.mtime
            assert not info.ctime


def test_two_bytes_a_value_come_back(path: Path) -> None:
    wide = [finished._replace(table=widened(finished.table)) for finished in finished_of_six()]
    write_file(path, Header.of(solved(SIX).variant, unit_of_six()), wide, 2)
    with TableFile(path) as file:
        for finished in wide:
            values = file.values(finished.table.subspace.name, 2)
            assert values.dtype == np.uint16
            np.testing.assert_array_equal(values, finished.table.values)


def test_very_long_games_and_drawn_tables_can_be_stored(path: Path) -> None:
    first, second = finished_of_six()
    values = np.full(first.table.values.size, 0xFFFF, np.uint16)
    values[7] = 65_000
    long = Finished(
        Table(first.table.subspace, values, 65_000), first.shape, Counts((0,) * 65_000 + (1,), values.size - 1)
    )
    drawn = np.full(second.table.values.size, 0xFF, np.uint8)
    write_file(
        path,
        Header.of(solved(SIX).variant, unit_of_six()),
        [long, Finished(Table(second.table.subspace, drawn, -1), second.shape, Counts((), drawn.size))],
        1,
    )
    with TableFile(path) as file:
        assert file.entries[first.table.subspace.name].counts.max_loss == 65_000
        np.testing.assert_array_equal(file.values(first.table.subspace.name, 1), values)
        counts = file.entries[second.table.subspace.name].counts
        assert (counts.longest, counts.max_win, counts.max_loss) == (-1, None, None)
        np.testing.assert_array_equal(file.values(second.table.subspace.name, 1), drawn)


@pytest.mark.parametrize("chunk_bytes", [64, 300, 1000, 5000])
def test_any_chunk_size_reads_the_same(path: Path, monkeypatch: pytest.MonkeyPatch, chunk_bytes: int) -> None:
    monkeypatch.setattr(schema, "CHUNK_BYTES", chunk_bytes)
    write_six(path)
    with TableFile(path) as file:
        for subspace in unit_of_six().subspaces:
            np.testing.assert_array_equal(file.values(subspace.name, 2), solved(SIX).tables[subspace].values)


@pytest.mark.parametrize("dtype", schema.DTYPES.values())
@pytest.mark.parametrize(
    "shape", [(1, 1), (1, 40), (9000, 3), (2830, 50388), (158, 293930), (8774, 65536), (1, 4_686_825)]
)
def test_chunks_are_of_moderate_size_and_cover_the_table_once(shape: tuple[int, int], dtype: np.dtype) -> None:
    grid = Grid.of(shape, dtype)
    assert grid.chunk[0] * grid.chunk[1] * dtype.itemsize < 2 * schema.CHUNK_BYTES
    assert grid.chunk[0] == 1 or grid.chunk[1] == shape[1]
    covered = sum(
        (rows.stop - rows.start) * (columns.stop - columns.start) for rows, columns in map(grid.part, grid.offsets())
    )
    assert covered == shape[0] * shape[1]
    assert grid.across * grid.down == sum(1 for _ in grid.offsets())


def test_counts_agree_with_a_count_of_orbits_by_hand() -> None:
    known = solved("three")
    group = known.variant.symmetries
    for subspace, table in known.tables.items():
        space = known.geometry.rows(subspace.stones, subspace.other)
        seen, histogram = set(), {}
        for row in range(space.shape[0]):
            for column in range(space.shape[1]):
                sets = space.position(row, column)
                images = {tuple(_image(permutation, mask) for mask in sets) for permutation in group}
                if min(images) not in seen:
                    seen.add(min(images))
                    code = int(table.values[row * space.shape[1] + column])
                    histogram[code] = histogram.get(code, 0) + 1
        with Workers(2) as workers:
            counts = count(table, known.geometry, workers)
        assert counts.draw == histogram.pop(table.draw, 0)
        assert {plies: number for plies, number in enumerate(counts.histogram) if number} == histogram
        assert counts.longest == table.longest
        assert counts.positions == space.positions


def _image(permutation: tuple[int, ...], mask: int) -> int:
    return sum(1 << target for point, target in enumerate(permutation) if mask >> point & 1)


# --- whole or not at all


class FailingFile(atomic.FileIO):
    """A file that fails once so many bytes are written."""

    room = 0
    failure: BaseException = OSError()

    def write(self, data) -> int:
        if self.tell() + len(data) > self.room:
            raise self.failure
        return super().write(data)

    def truncate(self, size=None) -> int:
        if size is not None and size > self.room:
            raise self.failure
        return super().truncate(size)


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> type[FailingFile]:
    monkeypatch.setattr(atomic, "FileIO", FailingFile)
    return FailingFile


@pytest.mark.parametrize("room", [0, 1, 1000, 3000, 8000, 12_000])
@pytest.mark.parametrize("before", [b"", b"finished before"])
def test_full_disk_ends_in_a_message_and_leaves_the_old_file(
    path: Path, failing: type[FailingFile], monkeypatch: pytest.MonkeyPatch, room: int, before: bytes
) -> None:
    path.write_bytes(before)
    open_before = h5py.h5f.get_obj_count(h5py.h5f.OBJ_ALL, h5py.h5f.OBJ_FILE)
    monkeypatch.setattr(failing, "room", room)
    monkeypatch.setattr(failing, "failure", OSError(errno.ENOSPC, "No space left on device"))
    with pytest.raises(LimitError, match=r"5-4-0-0\.h5: no room .*No space left.*run the same command again"):
        write_six(path, 2)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]
    assert h5py.h5f.get_obj_count(h5py.h5f.OBJ_ALL, h5py.h5f.OBJ_FILE) == open_before


@pytest.mark.parametrize("room", [0, 3000])
def test_interrupt_while_writing_leaves_nothing(
    path: Path, failing: type[FailingFile], monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    monkeypatch.setattr(failing, "room", room)
    monkeypatch.setattr(failing, "failure", KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        write_six(path, 2)
    assert list(path.parent.iterdir()) == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_interrupt_while_compressing_leaves_nothing(path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    def interrupted(*_: object) -> bytes:
        raise KeyboardInterrupt

    monkeypatch.setattr(writing, "deflate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_six(path, jobs)
    assert list(path.parent.iterdir()) == []


def test_disk_that_fails_at_the_last_moment_leaves_the_old_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_bytes(b"finished before")

    def fails(_: int) -> None:
        raise OSError(errno.EDQUOT, "Disk quota exceeded")

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(LimitError, match="quota"):
        write_six(path)
    assert path.read_bytes() == b"finished before"
    assert list(path.parent.iterdir()) == [path]


def test_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"cannot be written .*--store"):
        write_six(tmp_path / "missing" / f"{UNIT}.h5")
    (tmp_path / "file").write_text("")
    with pytest.raises(TableError, match=r"cannot be written .*--store"):
        Store(tmp_path / "file", solved(SIX).variant).prepare()


def test_leftovers_of_dead_builds_alone_are_removed(tmp_path: Path) -> None:
    store = Store(tmp_path, solved(SIX).variant)
    store.prepare()
    dead = store.folder / ".5-4-0-0.h5.4194305.tmp"  # beyond the largest process number of Linux
    former = store.folder / f".5-4-0-0.h5.{os.getpid()}.tmp"
    running = store.folder / f".5-4-0-0.h5.{os.getppid()}.tmp"
    other = store.folder / "notes.tmp"
    for leftover in (dead, former, running, other):
        leftover.write_text("half a file")
    store.prepare()
    assert sorted(store.folder.iterdir()) == sorted([running, other])


# --- threads


@pytest.mark.parametrize("jobs", [1, 3])
def test_results_come_in_order(jobs: int) -> None:
    assert list(threads.in_order(lambda x: x * x, range(200), jobs)) == [x * x for x in range(200)]


def test_few_items_are_taken_ahead() -> None:
    taken = []

    def items():
        for number in range(1000):
            taken.append(number)
            yield number

    results = threads.in_order(lambda x: x, items(), 2)
    next(results)
    assert len(taken) < 50
    results.close()
