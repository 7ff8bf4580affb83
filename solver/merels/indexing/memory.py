"""Where positions that remember have their rows and columns: the layout of tables under a repeated-mill rule.

Rows and columns are those of `merels.indexing.rows`, then rows for what the player not to move remembers and columns for what the player
to move remembers; `merels.kernels.memory_cells` says how. How many there are depends on more than the stones: on who flies, and on who
may move at all.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import combinations
from math import comb

import numpy as np

from merels.errors import InputError
from merels.indexing.geometry import Geometry, columns
from merels.indexing.rows import RowSpace
from merels.kernels.memory import ARRANGEMENTS, DIFFERENT, NO_IMMEDIATE, PAIR_BITS, Recall, Records, barred_pair, mill_part
from merels.kernels.memory_cells import (
    GroupScratch,
    Layout,
    count_memory_values,
    count_rows,
    describe_cells,
    locate_memory,
    most_blocks,
)
from merels.subspaces import Graph, Subspace
from merels.variants import Variant

_WORD = 64
_PAIRS = 1 << 2 * PAIR_BITS
_POINTS = 1 << PAIR_BITS
Remembered = tuple | None
"""What a player remembers, as in `merels.state.State.memory`."""


class MemoryGeometry(Geometry):
    """The geometry of a variant whose positions remember mills."""

    def __init__(self, variant: Variant):
        super().__init__(variant)
        self.graph = Graph(variant)
        self.kind = NO_IMMEDIATE if variant.rules.repeat_mill == "no-immediate" else DIFFERENT
        self._spaces: dict[Subspace, MemorySpace] = {}
        self._ends = {(hop.source, hop.target): hop.between for hop in self._hops}
        if len(self._ends) < len(self._hops):
            raise InputError(f"{variant.name}: two moves lead from one point to the same other one, which no table is laid out for")

    def space(self, subspace: Subspace) -> MemorySpace:
        """The layout of a subspace's table."""
        if subspace not in self._spaces:
            self._spaces[subspace] = MemorySpace(self, subspace)
        return self._spaces[subspace]

    @cached_property
    def recall(self) -> Recall:
        """What all tables share."""
        points = np.zeros((len(self._permutations), _POINTS), np.int64)
        points[:, : self.points] = self._permutations
        masks = self.lines.astype(np.int64)
        number = {int(mask): k for k, mask in enumerate(masks)}
        line_images = [
            [number[sum(1 << int(permutation[p]) for p in range(self.points) if mask >> p & 1)] for mask in masks.tolist()]
            for permutation in self._permutations
        ]
        images = np.array(line_images, np.int64).reshape(len(self._permutations), masks.size)
        return Recall(self.kind, self.images, points, images, masks, self.full)

    def records(self, stones: int, moves: bool, flies: bool) -> Records:
        """What a player with so many stones on the board may remember, if it may move, and if it flies."""
        if self.kind == DIFFERENT:
            return _mills(self, stones)
        return _barred(self, flies) if moves and stones >= 3 else _barred_by(self, [])


class MemorySpace(RowSpace):
    """Rows and columns of the positions of a subspace, with all that their players may remember.

    Attributes
    ----------
    shape : (rows, columns). Some cells stand for no position: what both players remember may contradict, and rows are as long as
        the longest.
    own, other : what the player to move, and the other, may remember.
    """

    def __init__(self, geometry: MemoryGeometry, subspace: Subspace):
        super().__init__(geometry, subspace.stones, subspace.other)
        graph, partner = geometry.graph, subspace.partner
        self.own = geometry.records(self.u, graph.can_move(subspace), graph.flies(subspace))
        self.other = geometry.records(self.t, graph.can_move(partner), graph.flies(partner))
        self.recall = geometry.recall
        plain, size = self.shape
        if geometry.kind == DIFFERENT:
            self._rest = columns(0, 0)
            rows, width = plain * (1 + self.other.count), size * (1 + self.own.count)
        else:
            self._rest = columns(max(0, geometry.points - self.t - 4), max(0, self.u - 3))
            blocks = int(most_blocks(self.orbits.representatives, self.own)) if self.own.count else 0
            rows, width = int(self.first[-1]), size + blocks * self._rest.masks.size
        self.shape = (rows, width)

    @cached_property
    def first(self) -> np.ndarray:
        """int64, one more than there are classes of T: the number of the first row of each that remembers."""
        plain = self.orbits.representatives.size
        counts = np.full(plain, self.other.count, np.int64)
        if self.recall.kind == NO_IMMEDIATE and self.other.count:
            count_rows(self.orbits.representatives, self.other, counts)
        return plain + np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

    def layout(self, stride: int | None = None) -> Layout:
        """The layout of an array with ``stride`` cells a row; default: as many as there are columns."""
        return self._layout if stride is None else self._layout._replace(stride=stride)

    @cached_property
    def _layout(self) -> Layout:
        (high, masks), (rest_high, rest_masks) = self.columns, self._rest
        width = self.shape[1]
        return Layout(self.orbits, self.first, high, masks, rest_high, rest_masks, width, width, self.own, self.other)

    def group_scratch(self) -> GroupScratch:
        """Fresh scratch for one thread."""
        own, other = self.own, self.other
        sizes = (own.pairs.size, own.pairs.size, own.touching.shape[0], other.pairs.size)
        return GroupScratch(*(np.empty(max(1, size), np.int64) for size in sizes))

    @cached_property
    def positions(self) -> int:
        """Number of positions, each orbit once."""
        total = np.zeros(1, np.int64)
        values = np.zeros(self.slots, np.uint8)
        groups = self.orbits.representatives.size
        count_memory_values(0, groups, values, self.recall, self.layout(), len(self.geometry.images), total, self.group_scratch())
        return int(total[0])

    def locate(
        self, movers: np.ndarray, others: np.ndarray, memories: tuple[Remembered, Remembered] | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """As `RowSpace.locate`; ``memories``: what the players remember, the one to move first, the same in all positions."""
        if memories is None or not any(memories):
            return super().locate(movers, others)
        movers, others = np.ascontiguousarray(movers, np.uint32), np.ascontiguousarray(others, np.uint32)
        parts = np.tile(np.array([*self._parts(memories[0]), *self._parts(memories[1])], np.int64), (movers.size, 1))
        cells = np.empty(movers.size, np.int64)
        locate_memory(movers, others, parts, self.recall, self.layout(), cells)
        return np.divmod(cells, self.shape[1])

    def position(self, row: int, column: int) -> tuple[int, int]:
        """The sets (U, T) that the cell stands for; U is -1 if it stands for no position."""
        found = self._described(row, column, column + 1)[0]
        return int(found[0]), int(found[3])

    def memories(self, row: int, column: int) -> tuple[Remembered, Remembered]:
        """What the players remember in the position that the cell stands for, the one to move first."""
        found = self._described(row, column, column + 1)[0]
        return self._remembered(found[1:3]), self._remembered(found[4:6])

    def of_row(self, row: int, stop: int | None = None) -> list[tuple[int, tuple[int, int], tuple[Remembered, Remembered]]]:
        """Column, sets and memories of the cells of a row that stand for positions; ``stop``: of the first so many columns alone."""
        described = self._described(row, 0, self.shape[1] if stop is None else stop)
        return [
            (column, (int(found[0]), int(found[3])), (self._remembered(found[1:3]), self._remembered(found[4:6])))
            for column, found in enumerate(described)
            if found[0] >= 0
        ]

    def _described(self, row: int, start: int, stop: int) -> np.ndarray:
        found = np.zeros((stop - start, 6), np.int64)
        describe_cells(row, start, stop, self.recall, self.layout(), self.group_scratch(), found)
        return found

    def _parts(self, remembered: Remembered) -> tuple[int, int]:
        if not remembered:
            return 0, 0
        if self.recall.kind == NO_IMMEDIATE:
            return int(barred_pair.py_func(*remembered)), 0
        lines = self.recall.lines.tolist()
        parts = [int(mill_part.py_func(lines.index(line), stones)) for line, stones in remembered]
        return parts[0], parts[1] if len(parts) > 1 else 0

    def _remembered(self, parts: np.ndarray) -> Remembered:
        kept = [int(part) for part in parts if part]
        if not kept:
            return None
        if self.recall.kind == NO_IMMEDIATE:
            return divmod(kept[0] - 1, _POINTS)
        lines = self.recall.lines.tolist()
        return tuple(sorted((lines[(part >> 32) - 1], part & 0xFFFFFFFF) for part in kept))


@lru_cache(maxsize=64)
def _barred(geometry: MemoryGeometry, flies: bool) -> Records:
    """The barred turns that the movement allows, or flying."""
    pairs = [(a, b, 0) for a in range(geometry.points) for b in range(geometry.points) if a != b]
    return _barred_by(geometry, pairs if flies else [(a, b, between) for (a, b), between in sorted(geometry._ends.items())])


def _barred_by(geometry: MemoryGeometry, pairs: list[tuple[int, int, int]]) -> Records:
    required, excluded, aside, numbers = [], [], [], []
    for source, target, between in pairs:
        for line in geometry.lines.tolist():
            if line >> target & 1 and not line >> source & 1:
                required.append(1 << source | line ^ 1 << target)
                excluded.append(1 << target | between)
                aside.append(required[-1] | 1 << target)
                numbers.append(source << PAIR_BITS | target)
    count = len(required)
    words = -(-count // _WORD)
    touching, holding, leaving = (np.zeros((words, 4, 256), np.uint64) for _ in range(3))
    byte = np.arange(256)
    for number in range(words * _WORD):
        word, bit = divmod(number, _WORD)
        mark = np.uint64(1 << bit)
        if number >= count:
            touching[word, 0] |= mark
            continue
        for part in range(4):
            needed, empty = required[number] >> 8 * part & 255, excluded[number] >> 8 * part & 255
            touching[word, part] |= np.where(byte & (needed | empty), mark, np.uint64(0))
            holding[word, part] |= np.where(byte & needed == needed, mark, np.uint64(0))
            leaving[word, part] |= np.where(byte & empty, mark, np.uint64(0))
    first = np.searchsorted(numbers, np.arange(_PAIRS + 1)).astype(np.int64)
    arrays = [np.array(values, np.int64) for values in (required, excluded, aside, numbers)]
    tables = [table.view(np.int64) for table in (touching, holding, leaving)]
    return Records(count, *arrays, first, *tables, *_no_mills())


@lru_cache(maxsize=64)
def _mills(geometry: MemoryGeometry, stones: int) -> Records:
    """The mills that a player with so many stones may have made last, one or two."""
    lines = geometry.lines.tolist()
    crossed = [(a, b) for a, b in combinations(range(len(lines)), 2) if (lines[a] & lines[b]).bit_count() == 1]
    crossing = np.full(max(1, len(lines) ** 2), -1, np.int64)
    for number, (a, b) in enumerate(crossed):
        crossing[a * len(lines) + b] = number
    triples = [sum(1 << k for k in three) for three in combinations(range(5), 3)]
    arranged = [(a, b) for a in triples for b in triples if a | b == 31]
    assert len(arranged) == ARRANGEMENTS
    arrangement = np.full(1024, -1, np.int64)
    for number, (a, b) in enumerate(arranged):
        arrangement[a << 5 | b] = number
    threes, fives = (columns(stones, size).masks.astype(np.int64) for size in (3, 5))
    count = len(lines) * comb(stones, 3) + len(crossed) * comb(stones, 5) * ARRANGEMENTS
    nothing = _barred_by(geometry, [])
    return nothing._replace(
        count=count,
        threes=threes,
        fives=fives,
        crossing=crossing,
        crossed=np.array(crossed, np.int64).reshape(-1, 2),
        arrangement=arrangement,
        arranged=np.array(arranged, np.int64),
    )


def _no_mills() -> tuple[np.ndarray, ...]:
    nothing = np.zeros(0, np.int64)
    return nothing, nothing, nothing, np.zeros((0, 2), np.int64), nothing, np.zeros((0, 2), np.int64)
