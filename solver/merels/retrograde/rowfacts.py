"""What is true of a whole row, or of a subspace, by the rules: shielded and lost rows, the value without a turn."""

from __future__ import annotations

import numpy as np

from merels.indexing import Geometry
from merels.kernels.moves import mark_shielded_rows
from merels.retrograde.removals import PROTECTION
from merels.subspaces import Graph, Subspace


def shielded_rows(graph: Graph, geometry: Geometry, subspace: Subspace) -> np.ndarray:
    """bool, one a row: closing a mill takes nothing there, so it is a quiet turn.

    With ``mill = "win"`` that is every row: the turn leads to a position that is lost already.
    """
    representatives = geometry.orbits(subspace.other).representatives
    if graph.rules.mill == "win":
        return np.ones(representatives.size, np.bool_)
    marks = np.zeros(representatives.size, np.bool_)
    mark_shielded_rows(representatives, geometry.mills, PROTECTION[graph.rules.protection], marks)
    return marks


def lost_rows(graph: Graph, geometry: Geometry, subspace: Subspace) -> np.ndarray:
    """bool, one a row: the player not to move has won by a mill already."""
    space = geometry.rows(subspace.stones, subspace.other)
    return space.mill_rows if graph.rules.mill == "win" else np.zeros(space.shape[0], np.bool_)


def no_turn(graph: Graph, subspace: Subspace, draw: int) -> int:
    """Value code of a position without a turn; ``draw``: the code for drawn."""
    rule = graph.rules.full_board if graph.is_full(subspace) else graph.rules.stalemate
    return 0 if rule == "loss" else draw
