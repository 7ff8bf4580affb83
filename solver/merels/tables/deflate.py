"""Deflate: chunks as HDF5's built-in filter stores them, so that every HDF5 reader can read them.

Distances of neighbouring cells are nearly unrelated: looking for repeated strings costs time and finds none, and runs alone (``Z_RLE``) are
faster and smaller; zlib-ng finds those quickest. Packed values repeat whole strings, and there zlib's search pays. tablebases/README.md
has the measurements.
"""

from __future__ import annotations

import zlib

from zlib_ng import zlib_ng

from merels.tables.metric import DTD, DTW, WDL

LEVELS = {DTW: 1, WDL: 4, DTD: 1}
"""Level for each metric, as the dataset's filter names it; a reader does not need it."""
ERRORS = (zlib.error, zlib_ng.error)
"""What `inflate` raises for a damaged chunk."""


def deflate(data: bytes | memoryview, metric: str) -> bytes:
    """Compress a chunk of a table of this metric."""
    if metric == WDL:
        return zlib.compress(data, LEVELS[WDL])
    compressor = zlib_ng.compressobj(LEVELS[DTW], zlib_ng.DEFLATED, zlib_ng.MAX_WBITS, zlib_ng.DEF_MEM_LEVEL, zlib_ng.Z_RLE)
    return compressor.compress(data) + compressor.flush()


def inflate(packed: bytes, size: int) -> bytes:
    """Decompress a chunk that should have ``size`` bytes; one of `ERRORS` if it is damaged, ValueError if it has another size."""
    data = zlib_ng.decompress(packed, bufsize=size)
    if len(data) != size:
        raise ValueError(f"has {len(data)} bytes instead of {size}")
    return data
