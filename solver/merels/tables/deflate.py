"""Deflate: chunks as HDF5's built-in filter stores them, so that every HDF5 reader can read them.

Tables with distances are packed by ISA-L at its quickest level that does not give up much: distances of neighbouring cells are nearly
unrelated, and searching longer finds little. Packed values repeat whole strings; there zlib's search pays. tablebases/README.md has the
measurements.
"""

from __future__ import annotations

import zlib

from isal import isal_zlib

from merels.tables.metric import DTW, WDL

LEVELS = {DTW: 1, WDL: 4}
"""Level for each metric, as the dataset's filter names it; a reader does not need it."""
ERRORS = (zlib.error, isal_zlib.error)
"""What `inflate` raises for a damaged chunk."""


def deflate(data: bytes | memoryview, metric: str) -> bytes:
    """Compress a chunk of a table of this metric."""
    compress = isal_zlib.compress if metric == DTW else zlib.compress
    return compress(data, LEVELS[metric])


def inflate(packed: bytes, size: int) -> bytes:
    """Decompress a chunk that should have ``size`` bytes; one of `ERRORS` if it is damaged, ValueError if it has another size."""
    data = isal_zlib.decompress(packed, bufsize=size)
    if len(data) != size:
        raise ValueError(f"has {len(data)} bytes instead of {size}")
    return data
