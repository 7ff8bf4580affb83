"""The sweeps of a unit in which stones move: both sides set up, events packed, depth after depth pushed until nothing is new."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

import numpy as np

from merels import buffers
from merels.errors import LimitError
from merels.indexing import Geometry, RowSpace
from merels.kernels.events import Events, count_events, fill_events
from merels.kernels.sweep import HOT_CELLS, PLACING, PLANES, Lanes, Side, Step, SweepScratch, start_rows, sweep_rows
from merels.kernels.transpose import Target
from merels.kernels.values import LONGEST, fill, settle_draws
from merels.retrograde.pulling import Pull
from merels.retrograde.removals import scatter_level
from merels.retrograde.rowfacts import lost_rows, no_turn, shielded_rows
from merels.retrograde.workers import Workers
from merels.subspaces import Graph, Subspace
from merels.tables.table import Table, draw_code

LANES = {  # by the bytes of a cell
    1: Lanes(0x7F7F7F7F7F7F7F7F, 0x0101010101010101, 3, HOT_CELLS // 8),
    2: Lanes(0x7FFF7FFF7FFF7FFF, 0x0001000100010001, 4, HOT_CELLS // 4),
}
_SMALL_SWEEP = 1 << 14  # positions; below that one thread is done before a second has begun


class Sweeps:
    """The solution of one unit by sweeps.

    Parameters
    ----------
    graph, geometry, workers : of the variant; the threads to use.
    subspaces, tables : what to solve, each before the one whose turns lead to it; where other turns lead.
    dtype : uint8 or uint16; where distances outgrow the first the sweeps go on in the second.
    """

    codes: float = inf
    """Codes from here on are given, but not swept any more."""
    pull: type = Pull
    """What pulls placings."""

    def __init__(
        self,
        graph: Graph,
        geometry: Geometry,
        workers: Workers,
        subspaces: Sequence[Subspace],
        tables: Callable[[Subspace], Table],
        dtype: np.dtype,
    ):
        self.graph, self.geometry, self.workers = graph, geometry, workers
        self.subspaces, self.tables = subspaces, tables
        with workers.clock.during("set-up"):
            self.sides = [self._side(subspace, dtype) for subspace in self.subspaces]
        cells = max(side.stride for side in self.sides)
        self.scratch = [self._scratch(cells) for _ in range(self.workers.jobs)]

    def run(self, tell: Callable[[int], None] = lambda slots: None) -> dict[Subspace, Table]:
        """Solve; returns the tables of the unit's subspaces. ``tell`` hears after each sweep how many cells it has solved."""
        clock = self.workers.clock
        with clock.during("set-up"):
            most = self._start()
        last_event = max(side.events.offsets.shape[2] - 2 for side in self.sides)
        depth, waiting = 0, {}  # waiting: cells by code that a later sweep finds
        with clock.during("sweeps"):
            while depth < self.codes and (depth == 0 or waiting or depth <= last_event):
                top = self.sides[0].top
                steps = [self._step(number, depth) for number in range(len(self.sides))]
                if max(step.code for step in steps) >= top - most - 1:
                    self._widen(top - most)
                    continue
                unsolved = top - most
                solved = self._sweep(depth, steps, unsolved, waiting.pop(depth, 0))
                for step, fresh in zip(steps, solved, strict=True):
                    if fresh > 0:
                        waiting[step.code] = waiting.get(step.code, 0) + fresh
                depth += 1
                tell(sum(solved))
        with clock.during("finish"):
            return self._finish(unsolved)

    # --- setting up

    def _side(self, subspace: Subspace, dtype: np.dtype) -> Side:
        geometry, graph = self.geometry, self.graph
        space = subspace.space(geometry)
        rows, width = space.shape
        top = draw_code(dtype)
        stride = -(-width // HOT_CELLS) * HOT_CELLS
        clock = self.workers.clock
        after = buffers.empty(rows * stride, dtype)
        self.workers.over_cells(after.size, lambda _, start, stop: fill(start, stop, after, top))
        levels = self._levels(subspace)
        sources = []
        for level in range(1, levels + 1):
            with clock.during("removals"):
                self._scatter_removals(subspace, level, after, stride)
            with clock.during("events"):
                sources.append((level, *self._pack(after, rows, width, stride, top)))
        values = buffers.empty(space.slots, dtype)
        if graph.can_place(subspace):
            codes = self.pull(graph, geometry, self.workers, subspace, self.tables, dtype, moves=False, plies=0).all()
            with clock.during("events"):
                sources.append((PLACING, *self._pack(codes, rows, width, width, top)))
        return self._on_rows(
            space,
            values=values,
            after=after,
            words=after.view(np.uint64),
            hot=np.zeros((PLANES, after.size // HOT_CELLS), np.uint8),
            stride=stride,
            shielded=self._shielded(subspace),
            flying=graph.flies(subspace),
            mills=geometry.mills,
            moves=geometry.moves,
            levels=levels,
            events=join(sources, rows, width),
            top=top,
        )

    # The next seven are those of two players who remember nothing; `merels.retrograde.triple_sweeps` and `memory_sweeps` have others.

    def _on_rows(self, space: RowSpace, **parts: Any) -> Side:
        """The side of these parts, with what the layout of its rows and columns adds."""
        return Side(representatives=space.representatives, masks=space.columns.masks, high=space.columns.high, **parts)

    def _levels(self, subspace: Subspace) -> int:
        """Most mills that count."""
        return self.graph.removal_levels(subspace.stones, subspace.other)

    def _shielded(self, subspace: Subspace) -> np.ndarray:
        """bool, one a row: closing a mill takes nothing."""
        return shielded_rows(self.graph, self.geometry, subspace)

    def _scatter_removals(self, subspace: Subspace, level: int, after: np.ndarray, stride: int) -> None:
        """Write what ``level`` mills lead to into the after-move array of the subspace, where it is decided."""
        quiet = self.graph.after_quiet_move(subspace)
        scatter_level(self.graph, self.geometry, quiet, level, self.tables, after, stride, self.workers)

    def _no_turn(self, subspace: Subspace, top: int) -> int:
        """Value code of a position without a turn."""
        return no_turn(self.graph, subspace, top)

    def _lost(self, subspace: Subspace) -> np.ndarray:
        """bool, one a row: lost at once."""
        return lost_rows(self.graph, self.geometry, subspace)

    def _table(self, subspace: Subspace, values: np.ndarray, longest: int) -> Table:
        """The finished table."""
        return Table(subspace, values, longest)

    def _pack(self, dense: np.ndarray, rows: int, width: int, stride: int, top: int):
        """The decided cells of ``dense`` as (base, offsets, columns) of `Events`; ``dense`` is reset."""
        depths = self._depths()
        counts = np.zeros((rows, depths), np.uint32)
        self.workers.over_rows(rows, lambda _, start, stop: count_events(start, stop, width, stride, dense, top, counts))
        offsets = np.zeros((rows, depths + 1), np.uint32)
        np.cumsum(counts, axis=1, out=offsets[:, 1:])
        ends = np.cumsum(offsets[:, -1], dtype=np.int64)
        base = ends - offsets[:, -1]
        places = np.empty((self.workers.jobs, depths + 1), np.int64)
        columns = buffers.empty(int(ends[-1]), np.uint16 if width <= 1 << 16 else np.uint32)
        self.workers.over_rows(
            rows,
            lambda worker, start, stop: fill_events(
                start, stop, width, stride, dense, top, base, offsets, columns, places[worker]
            ),
        )
        return base, offsets, columns

    def _depths(self) -> int:
        """One more than the largest code that an event can have."""
        needed = set().union(*(self.graph.successors(subspace) for subspace in self.subspaces)) - set(self.subspaces)
        return 1 + max((self.tables(subspace).longest for subspace in needed), default=0)

    def _scratch(self, cells: int) -> SweepScratch:
        """Fresh scratch for one thread; ``cells``: of the longest row."""
        frontier, solved = np.empty(cells + 1, np.uint32), np.empty(cells + 1, np.uint32)
        return SweepScratch(self.geometry.scratch(), frontier, solved, np.empty(cells // HOT_CELLS, np.int64))

    def _target(self, number: int) -> Target:
        """The other side's rows as seen from a row of side ``number``."""
        subspace, other = self.subspaces[number], self._other(number)
        u, t = subspace.stones, subspace.other
        geometry = self.geometry
        return Target(geometry.orbits(u), geometry.columns(u, t).high, other.stride, geometry.images, geometry.full)

    def _other(self, number: int) -> Side:
        return self.sides[(number + 1) % len(self.sides)]

    # --- sweeping

    def _start(self) -> int:
        tasks = []
        for number, side in enumerate(self.sides):
            subspace, other, target = self.subspaces[number], self._other(number), self._target(number)
            extra = int(self.graph.can_place(subspace))
            without, lost = self._no_turn(subspace, side.top), self._lost(subspace)
            fixed = (side, extra, without, lost, other.after, other.hot, target)
            tasks += [
                lambda worker, start=start, stop=stop, fixed=fixed: start_rows(start, stop, *fixed, self.scratch[worker])
                for start, stop in self.workers.ranges(side.representatives.size)
            ]
        return int(max(self.workers.run(tasks)))

    def _step(self, number: int, depth: int) -> Step:
        """What the sweep of a code does on side ``number``: a turn to a lost position wins, one more turn to a won one is counted."""
        return Step(depth + 1, depth % 2 == 1)

    def _sweep(self, depth: int, steps: list[Step], unsolved: int, waiting: int) -> list[int]:
        """Sweep all sides; for each the number of cells solved. ``waiting``: cells that hold the code."""
        due = sum(_events_due(side.events, depth) for side in self.sides)
        small = depth > 0 and waiting + due < _SMALL_SWEEP
        tasks, sides = [], []
        for number, step in enumerate(steps):
            sweep, fixed, rows = self._pass(number, depth, step, unsolved)
            ranges = self.workers.ranges(rows, rows if small else None)
            tasks += [
                lambda worker, start=start, stop=stop, sweep=sweep, fixed=fixed: sweep(start, stop, *fixed, self.scratch[worker])
                for start, stop in ranges
            ]
            sides += [number] * len(ranges)
        solved = [0] * len(self.sides)
        for number, fresh in zip(sides, self.workers.run(tasks, alone=small), strict=True):
            solved[number] += int(fresh)
        return solved

    def _pass(self, number: int, depth: int, step: Step, unsolved: int) -> tuple[Callable[..., int], tuple, int]:
        """The kernel that sweeps side ``number``, its arguments between the range of rows and the scratch, and the number of rows."""
        side, other = self.sides[number], self._other(number)
        fixed = (depth, step, unsolved, side, LANES[side.values.itemsize], other.after, other.hot, self._target(number))
        return sweep_rows, fixed, side.representatives.size

    def _widen(self, unsolved: int) -> None:
        """Go on in two bytes a cell: distances keep their codes, counters and open cells move to the top."""
        if self.sides[0].values.itemsize > 1:
            raise LimitError(f"unit {self.subspaces[0].name}: distances above {LONGEST[2]} plies cannot be stored")
        shift = draw_code(np.uint16) - draw_code(np.uint8)
        for number, side in enumerate(self.sides):
            values, after = side.values.astype(np.uint16), side.after.astype(np.uint16)
            values[values >= unsolved] += np.uint16(shift)
            after[after == side.top] += np.uint16(shift)
            self.sides[number] = side._replace(values=values, after=after, words=after.view(np.uint64), top=side.top + shift)

    def _finish(self, unsolved: int) -> dict[Subspace, Table]:
        tables = {}
        for subspace, side in zip(self.subspaces, self.sides, strict=True):
            longest = self.workers.over_cells(
                side.values.size, lambda _, start, stop, side=side: settle_draws(start, stop, side.values, unsolved, side.top)
            )
            tables[subspace] = self._table(subspace, side.values, int(max(longest)))
        return tables


def _events_due(events: Events, depth: int) -> int:
    if depth + 1 >= events.offsets.shape[2]:
        return 0
    return int(events.offsets[:, :, depth + 1].sum(dtype=np.int64) - events.offsets[:, :, depth].sum(dtype=np.int64))


def join(sources: list[tuple], rows: int, width: int) -> Events:
    """One `Events` of the sources' lists (level, base, offsets, columns)."""
    if not sources:
        columns = np.empty(0, np.uint16 if width <= 1 << 16 else np.uint32)
        return Events(np.zeros((0, rows), np.int64), np.zeros((0, rows, 2), np.uint32), columns, np.zeros(0, np.int64))
    levels, bases, offsets, columns = zip(*sources, strict=True)
    shifts = np.cumsum([0] + [part.size for part in columns[:-1]])
    return Events(
        np.stack([base + shift for base, shift in zip(bases, shifts, strict=True)]),
        np.stack(offsets),
        columns[0] if len(columns) == 1 else np.concatenate(columns),
        np.array(levels, np.int64),
    )
