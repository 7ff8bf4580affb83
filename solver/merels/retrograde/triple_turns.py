"""Where turns of a game for three lead out of their circle: what removals give, and what is left when a player without a turn leaves."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from merels.indexing import Geometry
from merels.kernels.moves import mark_shielded_rows
from merels.kernels.transpose import Target
from merels.kernels.triples import (
    MOST_SETS,
    Closings,
    EndLeaf,
    PairLeaf,
    TripleLeaf,
    list_closings,
    raise_removals,
    write_closings,
)
from merels.retrograde.removals import PROTECTION
from merels.subspaces import Subspace
from merels.tables.table import Table, draw_code
from merels.triples import MOVER, Ending, Seat, TripleGraph

Tables = Callable[[Seat | Subspace], Table]


def sign_of(seat: Seat) -> int:
    """1 where the player whose values a table has is to move, -1 where one of the two others is."""
    return 1 if seat.role == MOVER else -1


def codes_of_two(table: Table, moves: bool) -> np.ndarray:
    """The codes, of one who ``moves`` or waits there, of the positions of a table of two players; uint16, 1-D."""
    plies = table.values.astype(np.uint16)
    codes = 2 * plies + (plies & 1 if moves else 1 - (plies & 1)).astype(np.uint16)
    codes[table.values == table.draw] = draw_code(codes.dtype)
    return codes


def largest_event(graph: TripleGraph, seats: list[Seat], tables: Tables) -> int:
    """Largest code that a turn out of one of the circle's ``seats`` leads to outside it; 1 where it puts an end to the game."""
    needed = set().union(*(graph.successors(seat) for seat in seats)) - set(graph.unit(seats[0]).subspaces)
    longest = [tables(key).longest if isinstance(key, Seat) else 2 * tables(key).longest + 1 for key in needed]
    return max([1, *longest])


def shielded_triple_rows(graph: TripleGraph, geometry: Geometry, seat: Seat) -> np.ndarray:
    """bool, one a row: neither opponent has a stone that may be taken, so that closing a mill is a quiet turn."""
    space = seat.space(geometry)
    protection = PROTECTION[graph.rules.protection]
    shielded = []
    for sets in (space.nexts, space.representatives ^ space.nexts):
        marks = np.zeros(sets.size, np.bool_)
        mark_shielded_rows(sets, geometry.mills, protection, marks)
        shielded.append(marks)
    return shielded[0] & shielded[1]


def stuck_codes(graph: TripleGraph, geometry: Geometry, seat: Seat, tables: Tables, dtype: np.dtype) -> np.ndarray:
    """Codes, one a row, of the positions in which the player to move has no turn."""
    space, top = seat.space(geometry), draw_code(dtype)
    codes = np.zeros(space.shape[0], dtype)
    if graph.is_full(seat) and graph.rules.full_board == "draw":
        codes.fill(top)
        return codes
    ending = graph.stuck(seat)
    if ending.subspace is None:
        return codes
    table = tables(ending.subspace)
    layout = ending.subspace.space(geometry)
    rows, columns = layout.locate(space.nexts, space.representatives ^ space.nexts)
    found = codes_of_two(table, ending.moves)[rows * layout.shape[1] + columns]
    codes[:] = np.where(found == draw_code(found.dtype), top, found)
    return codes


class Removals:
    """What closing so many mills in the positions of a seat leads to.

    Parameters
    ----------
    graph, geometry : of the variant.
    seat, level : which positions, and the mills that the turn closed.
    tables : gives the tables after removals.
    """

    def __init__(self, graph: TripleGraph, geometry: Geometry, seat: Seat, level: int, tables: Tables):
        self.graph, self.geometry, self.seat, self.level = graph, geometry, seat, level
        self._space = seat.space(geometry)
        self._shielded = shielded_triple_rows(graph, geometry, seat)
        self._leaves = [(own, other, *self._leaf(after, tables)) for own, other, after in graph.removals(seat, level)]

    def _leaf(self, after: Seat | Ending, tables: Tables) -> tuple:
        """The leaf of the kernels, its codes and their code for neither."""
        geometry = self.geometry
        if isinstance(after, Seat):
            table = tables(after)
            return TripleLeaf(after.space(geometry).target), table.values, table.draw
        if after.subspace is None:
            return EndLeaf(0), np.array([int(after.wins)], np.uint16), draw_code(np.uint16)
        table = tables(after.subspace)
        layout = after.subspace.space(geometry)
        target = Target(layout.orbits, layout.columns.high, layout.shape[1], geometry.images, geometry.full)
        return PairLeaf(target, after.next_stays), codes_of_two(table, after.moves), draw_code(np.uint16)

    def write(self, start: int, stop: int, first_row: int, stride: int, codes: np.ndarray) -> None:
        """Write the codes of rows ``start`` to ``stop`` into ``codes`` (1-D, from ``first_row`` on, ``stride`` cells a row)."""
        space, geometry, graph = self._space, self.geometry, self.graph
        most = (stop - start) * space.shape[1]
        closings = Closings(*(np.empty(most, np.int64) for _ in range(4)))
        levels = graph.removal_levels(self.seat)
        others, nexts = space.representatives, space.nexts
        count = list_closings(
            start, stop, others, self._shielded, space.columns.masks, geometry.full, geometry.mills, self.level, levels, closings
        )
        if count == 0:
            return
        scratch = geometry.scratch(), np.empty((2, MOST_SETS), np.int64), np.empty((2, MOST_SETS), np.int64)
        sign, protection = sign_of(self.seat), PROTECTION[graph.rules.protection]
        for own, other, leaf, values, draw in self._leaves:
            raise_removals(
                count, closings, others, nexts, geometry.mills, protection, self.level, own, other, leaf, values, draw, sign, scratch
            )
        write_closings(count, closings, sign, first_row, stride, draw_code(codes.dtype), codes)
