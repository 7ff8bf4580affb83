"""Schema: what a table file says of itself, and how its values are cut into chunks.

One file a work unit; `Header` is what its root says, `Entry` what each dataset says. Both are written as attributes and
read back with every field checked against the others. The page tablebases/README.md tells the same to people. Bytes are
moved by `writing` and `reading`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from merels._version import __version__
from merels.graphs import table_key
from merels.rules import canonical
from merels.subspaces import Subspace, Unit
from merels.tables.counts import Counts
from merels.tables.metric import DTD, DTW, WDL
from merels.tables.packing import LARGEST, ROWS_TOGETHER, unpack_cells
from merels.tables.table import WON, draw_code
from merels.triples import Circle, Seat
from merels.variants import Variant

FORMAT = 1
"""Version of the file format; a reader of another one refuses the file."""
DISTANCE_UNITS = {DTW: "plies", WDL: "none", DTD: "plies"}
"""The metrics that there are, with the unit of their distances."""
ENDING = ".h5"
DTYPES = {"uint8": np.dtype("<u1"), "uint16": np.dtype("<u2")}
CHUNK_BYTES = 1 << 16
"""Aim for the size of a chunk before compression."""
Shape = tuple[int, int]


def to_json(record: Any) -> str:
    """JSON text that is the same for equal records."""
    return json.dumps(record, sort_keys=True, separators=(",", ":"))


def index_scheme(repeat_mill: str, metric: str) -> str:
    """Name and version of the map from positions to cells, by the rule on repeated mills and the metric.

    With three players rows hold the stones of two of them; where mills may not be repeated there are more, for what is remembered.
    """
    if metric == DTD:
        return "orbit-pair-rows 1"
    return "orbit-rows 1" if repeat_mill == "free" else "orbit-rows-memory 1"


@dataclass(frozen=True)
class Header:
    """What a file says of all its tables: whose they are and how to read them.

    Attributes
    ----------
    variant : name of the variant.
    rules : the canonical record of its rules (`merels.rules.canonical`) as JSON text; it alone decides what tables fit.
    fingerprint : SHA-256 of ``rules``, hexadecimal.
    board : JSON text of the board's name and the coordinates of its points, for pictures.
    unit : name of the work unit, which is the file's name.
    metric : what the tables tell, one of `merels.tables.metric`.
    quiet_limit : 0, or the limit whose cursed wins and blessed losses the file tells, as a value-only table in which all else is drawn.
    """

    variant: str
    rules: str
    fingerprint: str
    board: str
    unit: str
    metric: str = DTW
    quiet_limit: int = 0

    @classmethod
    def of(cls, variant: Variant, unit: Unit | Circle, metric: str = DTW, quiet_limit: int = 0) -> Header:
        """The header of a unit's file."""
        board = variant.board
        picture = {"name": board.name, "coordinates": dict(zip(board.points, board.coordinates, strict=True))}
        record = to_json(canonical(board, variant.rules))
        return cls(variant.name, record, variant.fingerprint, to_json(picture), unit.name, metric, quiet_limit)

    def attributes(self) -> dict[str, Any]:
        """Names and values for the file."""
        limit = {"quiet_limit": np.int64(self.quiet_limit)} if self.quiet_limit else {}
        return limit | {
            "format_version": np.int64(FORMAT),
            "variant": self.variant,
            "rules": self.rules,
            "fingerprint": self.fingerprint,
            "board": self.board,
            "work_unit": self.unit,
            "index_scheme": index_scheme(json.loads(self.rules)["rules"]["repeat_mill"], self.metric),
            "metric": self.metric,
            "distance_unit": DISTANCE_UNITS[self.metric],
            "builder": f"merels {__version__}",
        }

    @classmethod
    def read(cls, attributes: Mapping[str, Any]) -> Header:
        """Check and take what a file says; ``ValueError`` tells what is wrong."""
        if "format_version" not in attributes or "fingerprint" not in attributes:
            raise ValueError("is an HDF5 file but no table of merels")
        version = int(attributes["format_version"])
        if version != FORMAT:
            raise ValueError(f"has format version {version}, and this merels reads version {FORMAT}")
        metric = _text(attributes, "metric")
        if metric not in DISTANCE_UNITS:
            raise ValueError(f"has metric {metric!r}, and this merels reads {' and '.join(map(repr, DISTANCE_UNITS))}")
        texts = ("variant", "rules", "fingerprint", "board", "work_unit")
        header = cls(*(_text(attributes, name) for name in texts), metric, int(attributes.get("quiet_limit", 0)))
        if hashlib.sha256(header.rules.encode()).hexdigest() != header.fingerprint:
            raise ValueError("holds rules that do not have the fingerprint it gives")
        known = header.attributes()
        for name in ("index_scheme", "distance_unit"):
            if _text(attributes, name) != known[name]:
                raise ValueError(f"has {name} {_text(attributes, name)!r}, and this merels reads {known[name]!r}")
        return header


@dataclass(frozen=True)
class Entry:
    """What a dataset says of its table.

    Attributes
    ----------
    subspace : which.
    shape : rows and columns of cells.
    dtype : of the values: unsigned, one or two bytes, little-endian.
    counts : of its positions.
    sha256 : of the values in C order, hexadecimal.
    metric : as the header's.
    """

    subspace: Subspace | Seat
    shape: Shape
    dtype: np.dtype
    counts: Counts
    sha256: str
    metric: str = DTW

    @property
    def slots(self) -> int:
        """Number of cells."""
        return self.shape[0] * self.shape[1]

    @property
    def draw(self) -> int:
        """The code for drawn."""
        return draw_code(self.dtype)

    @property
    def rows_together(self) -> int:
        """Rows of cells in a row of the dataset."""
        return rows_together(self.metric)

    def may_hold(self, stored: np.ndarray) -> bool:
        """Whether a part of the dataset may be one: distances up to the longest, draws where there are any, packed values."""
        if self.metric == WDL:
            return int(stored.max()) <= LARGEST
        drawn = int(self.counts.draw > 0)  # adding 1 turns the code for drawn, the largest number of the type, into 0
        return int((stored + stored.dtype.type(drawn)).max()) <= self.counts.longest + drawn

    def codes(self, stored: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Value codes of single cells of a part of the dataset; ``rows`` and ``columns`` count cells of the part."""
        if self.metric == WDL:
            above, places = np.divmod(rows, ROWS_TOGETHER)
            return unpack_cells(stored[above, columns], places)
        return stored[rows, columns]

    def summary(self) -> dict[str, Any]:
        """The table in the manifest."""
        return {"slots": self.slots, **self.counts.summary(), "dtype": self.dtype.name, "sha256": self.sha256}

    def attributes(self) -> dict[str, Any]:
        """Names and values for the dataset; -1 where there is no win or no loss, or no distance."""
        numbers = {"slots": self.slots, "draw_code": self.draw, **self.counts.summary()}
        whole = {name: np.int64(-1 if number is None else number) for name, number in numbers.items()}
        histogram = np.array(self.counts.histogram, np.int64)
        return {"subspace": np.array(self.subspace, np.int64), **whole, "histogram": histogram, "sha256": self.sha256}

    @classmethod
    def read(
        cls, name: str, shape: tuple[int, ...], dtype: np.dtype, metric: str, attributes: Mapping[str, Any]
    ) -> Entry:
        """Check and take what a dataset of that shape and type says; ``ValueError`` tells what is wrong."""
        subspace = table_key(attributes["subspace"])
        if subspace.name != name:
            raise ValueError(f"dataset {name}: says that it is {subspace.name}")
        known = list(DTYPES.values())[: 1 if metric == WDL else None]
        if dtype not in known:
            names = "<u1" if metric == WDL else "<u1 or <u2"
            raise ValueError(f"dataset {name}: has values of type {dtype.str}, should be {names}")
        if len(shape) != 2:
            raise ValueError(f"dataset {name}: has {len(shape)} dimensions, should have 2")
        rows = shape[0] if metric != WDL else int(attributes["slots"]) // max(1, shape[1])
        if stored_shape((rows, shape[1]), metric) != tuple(shape):
            raise ValueError(f"dataset {name}: attribute slots contradicts its shape")
        histogram = tuple(int(number) for number in attributes["histogram"])
        counts = Counts.of(histogram, int(attributes["draw"]), metric)
        entry = cls(subspace, (rows, shape[1]), dtype, counts, _text(attributes, "sha256"), metric)
        most = WON if metric == WDL else entry.draw - 1
        if min(counts.draw, *histogram, 0) < 0 or counts.longest > most:
            raise ValueError(f"dataset {name}: has impossible counts")
        for field, value in entry.attributes().items():
            if not np.array_equal(attributes[field], np.bytes_(value) if isinstance(value, str) else value):
                raise ValueError(f"dataset {name}: attribute {field} contradicts the others")
        return entry


def rows_together(metric: str) -> int:
    """Rows of cells in a row of a dataset of this metric."""
    return ROWS_TOGETHER if metric == WDL else 1


def stored_shape(shape: Shape, metric: str) -> Shape:
    """Shape of the dataset of a table with this shape."""
    return -(-shape[0] // rows_together(metric)), shape[1]


@dataclass(frozen=True)
class Grid:
    """How a dataset is cut into chunks: some whole rows where they are short, pieces of a row where it is long."""

    shape: Shape
    chunk: Shape

    @classmethod
    def of(cls, shape: Shape, dtype: np.dtype) -> Grid:
        """The grid with which datasets are written: chunks of about `CHUNK_BYTES`."""
        rows, columns = shape
        row_bytes = columns * dtype.itemsize
        if row_bytes >= 2 * CHUNK_BYTES:
            return cls(shape, (1, -(-columns // round(row_bytes / CHUNK_BYTES))))
        return cls(shape, (min(rows, max(1, round(CHUNK_BYTES / row_bytes))), columns))

    @property
    def across(self) -> int:
        """Chunks side by side."""
        return -(-self.shape[1] // self.chunk[1])

    @property
    def down(self) -> int:
        """Chunks one below the other."""
        return -(-self.shape[0] // self.chunk[0])

    def offsets(self) -> Iterator[tuple[int, int]]:
        """First row and column of every chunk, in C order."""
        return product(range(0, self.shape[0], self.chunk[0]), range(0, self.shape[1], self.chunk[1]))

    def part(self, offset: tuple[int, int]) -> tuple[slice, slice]:
        """The rows and columns of the chunk at ``offset`` that lie within the table."""
        (row, column), (height, width) = offset, self.chunk
        return slice(row, min(row + height, self.shape[0])), slice(column, min(column + width, self.shape[1]))


def _text(attributes: Mapping[str, Any], name: str) -> str:
    value = attributes[name]
    if not isinstance(value, bytes):
        raise ValueError(f"attribute {name} is no text")
    return value.decode("ascii")
