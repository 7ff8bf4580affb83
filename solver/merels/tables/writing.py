"""Writing a table file: chunks compressed by threads, and a file that appears under its name only when it is complete.

What is written follows from the tables alone, so that the same tables give the same bytes. Where files go is a matter
of `store`.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import h5py
import numpy as np

from merels.tables.atomic import Sink, replacing
from merels.tables.counts import Counts
from merels.tables.deflate import LEVELS, deflate
from merels.tables.metric import WDL
from merels.tables.packing import pack
from merels.tables.schema import DTYPES, Entry, Grid, Header, Shape, rows_together, stored_shape
from merels.tables.table import Table
from merels.tables.threads import in_order

HDF5_VERSIONS = ("v110", "v110")
"""Object formats of HDF5 1.10: the oldest in which all that describes the data has checksums."""

_CHUNKS_AT_A_TIME = 8


class Finished(NamedTuple):
    """A table ready to be written: with the numbers of its rows and columns, and its counts."""

    table: Table
    shape: Shape
    counts: Counts


def write_file(path: Path, header: Header, tables: Sequence[Finished], jobs: int) -> None:
    """Write the tables of a work unit to ``path``, which appears, or is replaced, at the end and at once.

    Parameters
    ----------
    path : in a folder that exists.
    header : of the file.
    tables : the unit's tables, all of the header's metric, in the order in which they go into the file.
    jobs : number of threads that compress.

    Raises
    ------
    LimitError
        No space is left. Nothing is left behind, finished files are untouched.
    TableError
        The file cannot be written for another reason.
    """
    with replacing(path) as sink, h5py.File(sink, "w", libver=HDF5_VERSIONS) as file:
        _write_attributes(file, header.attributes())
        for finished in tables:
            _write_table(file, sink, finished, jobs)


def _write_table(file: h5py.File, sink: Sink, finished: Finished, jobs: int) -> None:
    table, shape, counts = finished
    dtype = DTYPES[table.values.dtype.name]
    values = np.ascontiguousarray(table.values, dtype).reshape(shape)
    grid = Grid.of(stored_shape(shape, table.metric), dtype)
    dataset = file.create_dataset(
        table.subspace.name,
        grid.shape,
        dtype,
        chunks=grid.chunk,
        compression="gzip",
        compression_opts=LEVELS[table.metric],
        track_times=False,
    )

    def compress(offsets: Sequence[Shape] | None) -> list[bytes]:
        if offsets is None:
            return [hashlib.sha256(values).hexdigest().encode()]
        return [deflate(_chunk(grid, values, table.metric, offset), table.metric) for offset in offsets]

    offsets = list(grid.offsets())
    batches = [offsets[k : k + _CHUNKS_AT_A_TIME] for k in range(0, len(offsets), _CHUNKS_AT_A_TIME)]
    chunks = in_order(compress, [None, *batches], jobs)
    with contextlib.closing(chunks):
        (sha256,) = next(chunks)
        for batch, packed in zip(batches, chunks, strict=True):
            for offset, chunk in zip(batch, packed, strict=True):
                dataset.id.write_direct_chunk(offset, chunk)
            sink.check()
    _write_attributes(dataset, Entry(table.subspace, shape, dtype, counts, sha256.decode(), table.metric).attributes())


def _chunk(grid: Grid, values: np.ndarray, metric: str, offset: Shape) -> np.ndarray:
    """The chunk at ``offset``, contiguous; beyond the table's edge it is filled with zeros."""
    rows, columns = grid.part(offset)
    together = rows_together(metric)
    part = values[rows.start * together : rows.stop * together, columns]
    if metric == WDL:
        part = pack(part)
    if part.shape != grid.chunk:
        whole = np.zeros(grid.chunk, values.dtype)
        whole[: part.shape[0], : part.shape[1]] = part
        part = whole
    return np.ascontiguousarray(part)


def _write_attributes(target: h5py.File | h5py.Dataset, attributes: Mapping) -> None:
    for name, value in attributes.items():
        target.attrs.create(name, np.bytes_(value) if isinstance(value, str) else value)
