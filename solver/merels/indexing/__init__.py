"""Indexing: position <-> (row, column).

A *row* is a class, under the board's symmetries, of the stones of the player not to move; a *column* is the rank of the stones of
the player to move among the points that the row's representative leaves free. Arrays of ranks and classes are built here once and
cached; the look-ups themselves are kernels (`merels.kernels.ranking`).
"""

from merels.indexing.geometry import Geometry, geometry
from merels.indexing.rows import RowSpace

__all__ = ["Geometry", "RowSpace", "geometry"]
