"""Looking up value codes: which table, chunk and cell; many positions are grouped so that a chunk is unpacked once."""

from __future__ import annotations

from contextlib import closing
from functools import lru_cache
from itertools import pairwise

import numpy as np

from merels.errors import InputError
from merels.indexing import geometry
from merels.subspaces import Subspace
from merels.tables.cache import Cache
from merels.tables.metric import WDL
from merels.tables.reading import TableFile
from merels.tables.store import Store
from merels.tables.table import Table
from merels.tables.threads import in_order
from merels.triples import Seat

CACHE_BYTES = 64 << 20
_OPEN_FILES = 64
_CHUNKS_AT_A_TIME = 8
_COUNT_BITS = 5  # a board has at most 27 points

Members = np.ndarray | slice
"""Places in an array."""
Group = tuple[int, slice]
"""A key and where it stands among keys put in order."""


class Lookup:
    """The tables of a store, opened, unpacked and kept as look-ups need them.

    Parameters
    ----------
    store : where the tables are.
    cache_bytes : memory for unpacked chunks.
    jobs : threads that unpack chunks.
    """

    def __init__(self, store: Store, cache_bytes: int, jobs: int):
        self.store, self._jobs = store, jobs
        self._files: Cache[Subspace, TableFile] = Cache(_OPEN_FILES, lambda _: 1)
        self._chunks: Cache[tuple[Subspace, int], np.ndarray] = Cache(cache_bytes, lambda chunk: chunk.nbytes)
        self._loaded: dict[Subspace, Table] = {}

    def close(self) -> None:
        """Close the files and free the memory."""
        self._chunks.clear()
        self._loaded.clear()
        for file in self._files.clear():
            file.close()

    def load(self, subspace: Subspace) -> None:
        """Keep a whole table in memory."""
        if subspace not in self._loaded:
            self._loaded[subspace] = self.store.read(subspace, self._jobs)

    def metric(self, subspace: Subspace) -> str:
        """`DTW` or `WDL`, what the table of a subspace tells. Errors as `Store.open_table`."""
        table = self._loaded.get(subspace)
        return self._file(subspace).header.metric if table is None else table.metric

    def codes(self, subspace: Subspace | Seat, *sets: np.ndarray, memories: tuple | None = None) -> tuple[np.ndarray, int]:
        """Value codes of positions of a subspace, and the code for drawn.

        Parameters
        ----------
        sets : uint32, 1-D, equal length: the stones of the player to move, of the next, with three players of the previous one; disjoint
            sets of the subspace's sizes.
        memories : what the players remember under a repeated-mill rule, the one to move first; None: nothing.
        """
        space = subspace.space(geometry(self.store.variant))
        sets = sets if memories is None else (*sets, memories)
        table = self._loaded.get(subspace)
        if table is not None:
            rows, columns = space.locate(*sets)
            rows *= space.shape[1]
            rows += columns
            return table.values[rows], table.draw
        file = self._file(subspace)
        rows, columns = space.locate(*sets)
        grid, entry = file.grids[subspace.name], file.entries[subspace.name]
        height, width = grid.chunk[0] * entry.rows_together, grid.chunk[1]
        down, across = rows // height, columns // width
        rows -= down * height
        columns -= across * width
        order, groups = _groups(down * grid.across + across, grid.down * grid.across)
        rows, columns = rows[order], columns[order]
        found = np.empty(rows.size, entry.dtype.newbyteorder("="))

        def look_up(groups: list[Group]) -> None:
            for number, part in groups:
                offset = number // grid.across * grid.chunk[0], number % grid.across * width
                chunk = self._chunks.get((subspace, number), lambda offset=offset: file.chunk(subspace.name, offset))
                found[part] = entry.codes(chunk, rows[part], columns[part])

        batches = [groups[k : k + _CHUNKS_AT_A_TIME] for k in range(0, len(groups), _CHUNKS_AT_A_TIME)]
        with closing(in_order(look_up, batches, self._jobs if len(batches) > 1 else 1)) as results:
            for _ in results:
                pass
        if isinstance(order, slice):
            return found, entry.draw
        codes = np.empty_like(found)
        codes[order] = found
        return codes, entry.draw

    def many(self, movers: np.ndarray, others: np.ndarray, hands: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        """Values and distances of positions with mixed numbers of stones, see `Tablebase.probe_many`."""
        movers, others = self._checked(movers, others, hands)
        wdl, dtw = np.empty(movers.size, np.int8), np.empty(movers.size, np.int32)
        sizes = _sizes(movers).astype(np.uint16) << _COUNT_BITS | _sizes(others)
        order, groups = _groups(sizes, 1 << 2 * _COUNT_BITS)
        for number, part in groups:
            members = part if isinstance(order, slice) else order[part]
            subspace = Subspace(number >> _COUNT_BITS, number & (1 << _COUNT_BITS) - 1, *hands)
            if not self.store.graph.exists(subspace):
                raise InputError(
                    f"positions with {subspace.stones} and {subspace.other} stones on the board and {hands[0]} and "
                    f"{hands[1]} in hand: {self.store.variant.name} has {self.store.variant.rules.men} men a player"
                )
            if self.store.graph.is_over(subspace):
                wdl[members], dtw[members] = -1 if subspace.stones + subspace.hand < 3 else 1, 0
                continue
            codes, draw = self.codes(subspace, movers[members], others[members])
            values, distances = _decoding(draw, self.metric(subspace))
            wdl[members], dtw[members] = values[codes], distances[codes]
        return wdl, dtw

    def _file(self, subspace: Subspace) -> TableFile:
        return self._files.get(subspace, lambda: self.store.open_table(subspace))

    def _checked(self, movers: np.ndarray, others: np.ndarray, hands: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        """The sets as uint32, if they are sets of points of positions."""
        for sets in (movers, others):
            if sets.ndim != 1 or sets.shape != movers.shape or (sets.size and sets.dtype.kind not in "iu"):
                raise InputError("sets of points should be two 1-D arrays of whole numbers, equally long")
            if sets.size and (int(sets.min()) < 0 or int(sets.max()) >> self.store.variant.board.size):
                raise InputError(
                    f"a set of points has a bit that is no point; {self.store.variant.board.name} has "
                    f"{self.store.variant.board.size} points, so sets are below {1 << self.store.variant.board.size}"
                )
        movers, others = np.ascontiguousarray(movers, np.uint32), np.ascontiguousarray(others, np.uint32)
        if (movers & others).any():
            raise InputError("a position has stones of both players on one point")
        if len(hands) != 2 or min(hands) < 0:
            raise InputError(f"hands = {hands!r}: should be the stones in hand of the player to move and of the other")
        return movers, others


def _groups(keys: np.ndarray, bound: int) -> tuple[Members, list[Group]]:
    """An order that brings equal keys together, and each key with the part where it stands in that order.

    ``keys``: integers from 0 to ``bound`` - 1.
    """
    if keys.size == 0:
        return slice(None), []
    if keys.size == 1 or (keys == keys[0]).all():
        return slice(None), [(int(keys[0]), slice(0, keys.size))]
    narrow = keys.astype(np.uint16 if bound <= 1 << 16 else np.uint32)  # NumPy sorts 16 bits by radix
    order = np.argsort(narrow, kind="stable")
    ordered = narrow[order]
    bounds = [0, *(np.flatnonzero(ordered[1:] != ordered[:-1]) + 1).tolist(), keys.size]
    return order, [(int(ordered[start]), slice(start, stop)) for start, stop in pairwise(bounds)]


def _sizes(sets: np.ndarray) -> np.ndarray:
    """Numbers of points of sets (uint32), as uint8."""
    pairs = sets - (sets >> 1 & 0x55555555)
    fours = (pairs & 0x33333333) + (pairs >> 2 & 0x33333333)
    return ((fours + (fours >> 4) & 0x0F0F0F0F) * np.uint32(0x01010101) >> 24).astype(np.uint8)


@lru_cache(maxsize=3)
def _decoding(draw: int, metric: str) -> tuple[np.ndarray, np.ndarray]:
    """Value (int8) and distance (int32, -1: none) of each code."""
    codes = np.arange(draw + 1, dtype=np.int32)
    values = np.where(codes % 2 == 1, 1, -1).astype(np.int8)
    values[draw], codes[draw] = 0, -1
    if metric == WDL:
        codes[:] = -1
    return values, codes
