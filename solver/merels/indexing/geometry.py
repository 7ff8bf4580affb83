"""Geometry: a variant's board as the arrays that kernels read. Built once for each board, movement and process."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property, lru_cache
from math import comb

import numpy as np

from merels.indexing.rows import RowSpace
from merels.indexing.triples import TripleSpace
from merels.kernels.hitting import fill_hitting
from merels.kernels.moves import Mills, Moves
from merels.kernels.ranking import Columns, Orbits, fill_masks, fill_orbits
from merels.kernels.runs import Runs, fill_mirror, fill_runs
from merels.kernels.scratch import RowScratch, row_scratch
from merels.subspaces import Subspace
from merels.variants import Variant

_WORD = 64


@cache
def columns(points: int, size: int) -> Columns:
    """The sets of ``size`` of ``points`` points: ranks and masks."""
    before, high = 0, np.zeros(max(1, 1 << (points - 12)) if points > 12 else 1, np.uint32)
    for upper in range(high.size):
        high[upper] = before
        rest = size - upper.bit_count()
        before += comb(min(points, 12), rest) if rest >= 0 else 0
    masks = np.empty(comb(points, size), np.uint32)
    fill_masks(size, masks)
    return Columns(high, masks)


@cache
def runs(points: int, size: int) -> Runs:
    """The runs of the sets of ``size`` of ``points`` points; size 0 has none."""
    sets, fewer = columns(points, size), columns(points, max(0, size - 1))
    binomials = np.array([[comb(n, k) for k in range(size + 2)] for n in range(points + 1)], np.int64)
    below = [columns(points - 1, k).masks for k in range(size)]
    starts_below = np.cumsum([0, *(masks.size for masks in below)])
    together = np.concatenate([*below, np.empty(0, np.uint32)])
    holds = (together >> np.arange(points, dtype=np.uint32)[:, None] & 1).astype(np.uint8)
    table, starts = np.empty((2 << (points - points // 2), 5), np.int64), np.empty(points + 1, np.int64)
    number = fill_runs(points, size, binomials, starts_below, table, starts)
    mirror, mirror_fewer = np.empty(sets.masks.size, np.uint32), np.empty(fewer.masks.size, np.uint32)
    fill_mirror(points, sets.masks, sets.high, mirror)
    fill_mirror(points, fewer.masks, fewer.high, mirror_fewer)
    return Runs(points, table[:number].copy(), starts, holds, starts_below, binomials, sets.high, mirror, mirror_fewer)


class Geometry:
    """Ranks, classes, hops and lines of one variant's board, and its row spaces.

    Attributes
    ----------
    points : number of points.
    full : mask of all points.
    images : uint32 (symmetries, 4, 256), the byte tables of `merels.kernels.ranking.image`.
    lines : uint32, masks of the lines.

    Parameters
    ----------
    variant : whose board and movement.
    symmetries : some of its symmetries, a group with the identity first; default: all.
    """

    def __init__(self, variant: Variant, symmetries: Sequence[tuple[int, ...]] | None = None):
        self.points = variant.board.size
        self.full = (1 << self.points) - 1
        self._permutations = np.array(variant.symmetries if symmetries is None else symmetries, np.int64)
        self._hops = variant.hops
        self.lines = np.array(variant.board.line_masks, np.uint32)

    @cached_property
    def images(self) -> np.ndarray:
        tables = np.zeros((len(self._permutations), 4, 256), np.uint32)
        byte = np.arange(256)
        for g, permutation in enumerate(self._permutations):
            for point, target in enumerate(permutation):
                tables[g, point // 8] |= ((byte >> (point % 8) & 1) << target).astype(np.uint32)
        return tables

    @cached_property
    def moves(self) -> Moves:
        """The hops of the movement as sets of bits; a hop and its reverse are one bit."""
        hops = [hop for hop in self._hops if hop.source < hop.target]
        words = max(1, -(-len(hops) // _WORD))
        touching = np.zeros((words, 4, 256), np.uint64)
        crossing = np.zeros((words, 4, 256), np.uint64)
        blocked = np.zeros((words, 4, 256), np.uint64)
        ends = np.zeros((words, _WORD), np.uint32)
        byte = np.arange(256)
        for number, hop in enumerate(hops):
            word, bit = divmod(number, _WORD)
            ends[word, bit] = 1 << hop.source | 1 << hop.target
            for point in range(self.points):
                has = (byte >> (point % 8) & 1).astype(np.uint64) << np.uint64(bit)
                if point in (hop.source, hop.target):
                    touching[word, point // 8] |= has
                    crossing[word, point // 8] ^= has
                if hop.between >> point & 1:
                    blocked[word, point // 8] |= has
        everything = np.bitwise_or.reduce(touching.reshape(words, -1), axis=1)
        as_signed = [array.view(np.int64) for array in (touching, crossing, blocked, everything)]
        return Moves(*as_signed, ends, bool(blocked.any()))

    @cached_property
    def mills(self) -> Mills:
        """The lines as sets of bits, to find those that a set of stones holds."""
        words = max(1, -(-self.lines.size // _WORD))
        lacking = np.zeros((words, 4, 256), np.uint64)
        lines = np.zeros((words, _WORD), np.uint32)
        lines.reshape(-1)[: self.lines.size] = self.lines
        byte = np.arange(256)
        for number, line in enumerate(self.lines.tolist()):
            word, bit = divmod(number, _WORD)
            for part in range(4):
                wanted = line >> 8 * part & 255
                lacking[word, part] |= (byte & wanted != wanted).astype(np.uint64) << np.uint64(bit)
        existing = np.array([(1 << min(_WORD, self.lines.size - _WORD * word)) - 1 for word in range(words)], np.uint64)
        return Mills((~lacking & existing[:, None, None]).view(np.int64), lines)

    def scratch(self) -> RowScratch:
        """Fresh scratch for one thread."""
        return row_scratch(len(self._permutations), self.lines.size, self.moves.everything.size)

    def columns(self, taken: int, size: int) -> Columns:
        """Sets of ``size`` among the points that ``taken`` stones leave free."""
        return columns(self.points - taken, size)

    def runs(self, taken: int, size: int) -> Runs:
        """Runs of the sets of ``size`` among the points that ``taken`` stones leave free."""
        return runs(self.points - taken, size)

    def orbits(self, size: int) -> Orbits:
        """Classes of the sets of ``size`` points."""
        return _orbits(self, size)

    def hitting(self, size: int) -> np.ndarray:
        """uint8 by rank: for each set of ``size`` points the fewest of them that meet all lines which the set holds."""
        return _hitting(self, size)

    def rows(self, u: int, t: int) -> RowSpace:
        """The layout of a table of positions with ``u`` stones of the player to move and ``t`` of the other."""
        return _rows(self, u, t)

    def triples(self, stones: int, following: int, previous: int) -> TripleSpace:
        """The layout of a table of positions with so many stones of the player to move, of the next and of the previous one."""
        return _triples(self, stones, following, previous)

    def space(self, subspace: Subspace) -> RowSpace:
        """The layout of a subspace's table."""
        return self.rows(subspace.stones, subspace.other)


@lru_cache(maxsize=256)
def _orbits(geometry: Geometry, size: int) -> Orbits:
    high, masks = columns(geometry.points, size)
    permutations = geometry._permutations
    numbers = {tuple(p): g for g, p in enumerate(permutations.tolist())}
    inverses = np.array([numbers[tuple(np.argsort(p).tolist())] for p in permutations], np.int64)
    entry = np.empty(masks.size, np.uint32)
    representatives, stabilisers = np.empty(masks.size, np.uint32), np.empty(masks.size, np.int64)
    classes = fill_orbits(masks, high, geometry.images, inverses, entry, representatives, stabilisers)
    return Orbits(high, entry, representatives[:classes].copy(), stabilisers[:classes].copy())


@lru_cache(maxsize=64)
def _hitting(geometry: Geometry, size: int) -> np.ndarray:
    masks = columns(geometry.points, size).masks
    hits = np.zeros(masks.size, np.uint8)
    if size >= 3:
        fewer_high = columns(geometry.points, size - 1).high
        fill_hitting(masks, geometry.lines, fewer_high, geometry.hitting(size - 1), hits)
    return hits


@lru_cache(maxsize=1024)
def _rows(geometry: Geometry, u: int, t: int) -> RowSpace:
    return RowSpace(geometry, u, t)


@lru_cache(maxsize=64)
def _triples(geometry: Geometry, stones: int, following: int, previous: int) -> TripleSpace:
    return TripleSpace(geometry, stones, following, previous)


_GEOMETRIES: dict[tuple | str, Geometry] = {}


def geometry(variant: Variant) -> Geometry:
    """The geometry of the variant's board and movement, shared by all variants that have the same.

    Where positions remember mills it depends on all the rules, and is a `merels.indexing.memory.MemoryGeometry`.
    """
    board, remembers = variant.board, variant.rules.repeat_mill != "free"
    key = variant.fingerprint if remembers else (board.points, board.lines, board.edges, board.diagonals, variant.rules.movement)
    if key not in _GEOMETRIES:
        if remembers:
            from merels.indexing.memory import MemoryGeometry

            _GEOMETRIES[key] = MemoryGeometry(variant)
        else:
            _GEOMETRIES[key] = Geometry(variant)
    return _GEOMETRIES[key]
