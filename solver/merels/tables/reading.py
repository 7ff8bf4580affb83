"""Reading a table file: its header and entries, one chunk, a whole table. Never a value from a damaged place.

HDF5 keeps checksums of all that describes the data (object formats of 1.10), zlib one of each chunk, and a code that no
position of the table has is refused. The checksum of the whole table is left to `checking`.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from merels import buffers
from merels.errors import TableError
from merels.tables.deflate import ERRORS, inflate
from merels.tables.metric import WDL
from merels.tables.packing import unpack
from merels.tables.schema import Entry, Grid, Header, Shape
from merels.tables.threads import in_order

_CHUNKS_AT_A_TIME = 16
Place = Any
"""What HDF5 tells of a chunk: chunk_offset, filter_mask, byte_offset, size."""
_DAMAGE = (OSError, RuntimeError, KeyError, ValueError, TypeError, OverflowError, MemoryError)
REMEDY = "delete it and build it again with merels solve"


class ChunkError(TableError):
    """One chunk that cannot be read; ``rows`` is the range of rows that it holds."""

    def __init__(self, message: str, rows: range):
        super().__init__(message)
        self.rows = rows


class TableFile:
    """An open file of a work unit. Several threads may read it.

    Parameters
    ----------
    path : of the file.
    remedy : what a user should do if it is damaged, or a function that tells.

    Attributes
    ----------
    path : as given.
    header : what the file says of all its tables.
    entries : what it says of each, by name.

    Raises
    ------
    TableError
        The file is truncated, foreign, damaged, or of another version of the format.
    """

    def __init__(self, path: Path, remedy: str | Callable[[], str] = REMEDY):
        self.path, self._remedy = path, remedy
        with self.telling():
            if path.stat().st_size == 0:
                raise ValueError("is empty")
            if not h5py.is_hdf5(path):
                raise ValueError("is not an HDF5 file")
            self._file = h5py.File(path, "r")
        try:
            with self.telling():
                self.header = Header.read(dict(self._file.attrs))
                if self.header.unit != path.stem:
                    raise ValueError(f"holds work unit {self.header.unit}, which is not its name")
                self._datasets = {name: self._dataset(name) for name in self._file}
                self.entries = {name: self._entry(dataset) for name, dataset in self._datasets.items()}
                self.grids = {name: Grid(dataset.shape, dataset.chunks) for name, dataset in self._datasets.items()}
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> TableFile:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        with contextlib.suppress(*_DAMAGE):
            self._file.close()

    @property
    def remedy(self) -> str:
        """What a user should do if the file is damaged."""
        return self._remedy if isinstance(self._remedy, str) else self._remedy()

    def bytes(self, name: str) -> int:
        """Size of a table's compressed values in the file."""
        return self._datasets[name].id.get_storage_size()

    def chunk(self, name: str, offset: Shape) -> np.ndarray:
        """The part of the dataset that begins at its row and column ``offset``, 2-D, cut off at the edges.

        `Entry.codes` finds cells in it.
        """
        return self._unpacked(name, offset, lambda: self._datasets[name].id.read_direct_chunk(offset))

    def _unpacked(self, name: str, offset: Shape, read: Callable[[], tuple[int, bytes]]) -> np.ndarray:
        """A chunk, out of its filter mask and the bytes that are stored."""
        entry, grid = self.entries[name], self.grids[name]
        rows, columns = grid.part(offset)
        try:
            mask, packed = read()
            if mask:
                raise ValueError("is not compressed")
            size = grid.chunk[0] * grid.chunk[1] * entry.dtype.itemsize
            values = np.frombuffer(inflate(packed, size), entry.dtype).reshape(grid.chunk)
            values = values[: rows.stop - rows.start, : columns.stop - columns.start]
            if not entry.may_hold(values):
                raise ValueError("holds a value that no position of the table has")
        except (*_DAMAGE, *ERRORS) as error:
            hit = self._rows(name, rows)
            place = f"{self.path}: dataset {name}, rows {hit.start} to {hit.stop - 1}"
            raise ChunkError(f"{place}: is damaged ({error}); {self.remedy}", hit) from None
        return values

    def values(self, name: str, jobs: int) -> np.ndarray:
        """All values of a table, 1-D in C order, decompressed by ``jobs`` threads; `ChunkError` for a bad chunk."""
        values, damages = self.salvage(name, jobs)
        if damages:
            raise damages[0]
        return values

    def salvage(self, name: str, jobs: int) -> tuple[np.ndarray, list[ChunkError]]:
        """All values that can be read, as `values` gives them (0 elsewhere), and the errors of the other chunks.

        Chunks are read past HDF5, which serves one thread at a time.
        """
        entry, grid = self.entries[name], self.grids[name]
        values = buffers.empty(entry.shape, entry.dtype.newbyteorder("="))

        def fill(offsets: list[Shape]) -> list[ChunkError]:
            damages = []
            for offset in offsets:
                rows, columns = grid.part(offset)
                cells = self._rows(name, rows)
                part = values[cells.start : cells.stop, columns]
                try:
                    chunk = self._unpacked(name, offset, lambda offset=offset: _stored(file.fileno(), places[offset]))
                except ChunkError as damage:
                    damages.append(damage)
                    part[...] = 0
                    continue
                if entry.metric == WDL:
                    unpack(chunk, part)
                else:
                    part[...] = chunk
            return damages

        offsets = list(grid.offsets())
        batches = [offsets[k : k + _CHUNKS_AT_A_TIME] for k in range(0, len(offsets), _CHUNKS_AT_A_TIME)]
        with self.telling(), self.path.open("rb") as file:
            places = self._places(name)
            with contextlib.closing(in_order(fill, batches, jobs)) as results:
                return values.reshape(-1), [damage for damages in results for damage in damages]

    def _places(self, name: str) -> dict[Shape, Place]:
        """Where the chunks are in the file, by their offsets."""
        places = {}
        self._datasets[name].id.chunk_iter(lambda chunk: places.setdefault(chunk.chunk_offset, chunk) and None)
        return places

    def _rows(self, name: str, rows: slice) -> range:
        """The rows of cells in rows of the dataset."""
        entry = self.entries[name]
        return range(rows.start * entry.rows_together, min(rows.stop * entry.rows_together, entry.shape[0]))

    def _entry(self, dataset: h5py.Dataset) -> Entry:
        name = dataset.name.lstrip("/")
        return Entry.read(name, dataset.shape, dataset.dtype, self.header.metric, dict(dataset.attrs))

    def _dataset(self, name: str) -> h5py.Dataset:
        dataset = self._file[name]
        if not isinstance(dataset, h5py.Dataset):
            raise ValueError(f"{name} is no dataset")
        plan = dataset.id.get_create_plist()
        filters = [plan.get_filter(number) for number in range(plan.get_nfilters())]
        unknown = [text.decode() or str(code) for code, _, _, text in filters if code != h5py.h5z.FILTER_DEFLATE]
        if unknown:
            raise ValueError(f"dataset {name}: is packed with {', '.join(unknown)}; only deflate (gzip) is known")
        if dataset.chunks is None or len(filters) != 1:
            raise ValueError(f"dataset {name}: is not stored in chunks packed with deflate (gzip)")
        return dataset

    @contextlib.contextmanager
    def telling(self) -> Iterator[None]:
        """Turn whatever reading a damaged file may raise into a `TableError`."""
        try:
            yield
        except FileNotFoundError:
            raise TableError(f"{self.path}: no such file") from None
        except PermissionError as error:
            raise TableError(f"{self.path}: cannot be read ({error.strerror}); see to its permissions") from None
        except ValueError as error:
            raise TableError(f"{self.path}: {error}; {self.remedy}") from None
        except _DAMAGE as error:
            raise TableError(f"{self.path}: is truncated or damaged ({error}); {self.remedy}") from None


def _stored(descriptor: int, place: Place) -> tuple[int, bytes]:
    """Filter mask and bytes of a chunk in a file."""
    return place.filter_mask, os.pread(descriptor, place.size, place.byte_offset)
