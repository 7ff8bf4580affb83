"""The sweeps of a unit whose positions remember mills: those of `merels.retrograde.sweeps`, with other rows, columns and kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from merels.indexing.memory import MemorySpace
from merels.kernels.memory_cells import GroupScratch, fill_unused
from merels.kernels.memory_sweep import MemorySide, MemorySweepScratch, start_groups, sweep_groups
from merels.kernels.memory_turns import finish_removals, raise_by_removals
from merels.kernels.scratch import RANKS
from merels.kernels.sweep import Step
from merels.kernels.values import fill
from merels.retrograde.memory_pulling import MemoryPull, leads_of, movers_of, turn_scratch
from merels.retrograde.rowfacts import no_turn
from merels.retrograde.sweeps import LANES, Sweeps
from merels.retrograde.workers import Workers
from merels.subspaces import Subspace
from merels.tables.table import Table, draw_code


class MemorySweeps(Sweeps):
    """The solution of one unit by sweeps; parameters as `Sweeps`."""

    pull = MemoryPull

    def _on_rows(self, space: MemorySpace, **parts: Any) -> MemorySide:
        return MemorySide(layout=space.layout(), **parts)

    def _scatter_removals(self, subspace: Subspace, level: int, after: np.ndarray, stride: int) -> None:
        graph, geometry, workers, top = self.graph, self.geometry, self.workers, draw_code(after.dtype)
        space, quiet = self._space(subspace), graph.after_quiet_move(subspace)
        movers = movers_of(graph, geometry, subspace, self._levels(subspace), stride)
        scratch = [turn_scratch(geometry, subspace) for _ in range(workers.jobs)]
        fewest = 1 if graph.rules.protection == "mills" else level  # only there a stone may be earned and none be free to take
        workers.over_cells(after.size, lambda _, start, stop: fill(start, stop, after, 0))
        for lead in leads_of(graph, geometry, quiet, range(fewest, level + 1), False, self.tables):
            fixed = (movers, space.recall, lead, level, top, after)
            workers.over_rows(
                space.orbits.representatives.size,
                lambda worker, start, stop, fixed=fixed: raise_by_removals(start, stop, *fixed, scratch[worker]),
            )
        workers.over_cells(after.size, lambda _, start, stop: finish_removals(start, stop, after, top))

    def _space(self, subspace: Subspace) -> MemorySpace:
        return self.geometry.space(subspace)

    def _scratch(self, cells: int) -> MemorySweepScratch:
        plain = super()._scratch(cells)
        groups = [self._space(subspace).group_scratch() for subspace in self.subspaces]
        group = GroupScratch(*(max(parts, key=np.size) for parts in zip(*groups, strict=True)))
        return MemorySweepScratch(*plain, group, np.empty(RANKS, np.int64), np.empty(RANKS, np.int64))

    def _target(self, number: int):
        other = (number + 1) % len(self.sides)
        return self._space(self.subspaces[other]).layout(self.sides[other].stride)

    def _start(self) -> int:
        tasks = []
        for number, side in enumerate(self.sides):
            subspace, other, target = self.subspaces[number], self._other(number), self._target(number)
            extra = int(self.graph.can_place(subspace))
            recall, without = self._space(subspace).recall, no_turn(self.graph, subspace, side.top)
            fixed = (side, recall, extra, without, other.after, other.hot, target)
            tasks += [
                lambda worker, start=start, stop=stop, fixed=fixed: start_groups(start, stop, *fixed, self.scratch[worker])
                for start, stop in self.workers.ranges(self._space(subspace).orbits.representatives.size)
            ]
        return int(max(self.workers.run(tasks)))

    def _pass(self, number: int, depth: int, step: Step, unsolved: int) -> tuple[Callable[..., int], tuple, int]:
        side, other, space = self.sides[number], self._other(number), self._space(self.subspaces[number])
        lanes = LANES[side.values.itemsize]
        fixed = (depth, step, unsolved, side, space.recall, lanes, other.after, other.hot, self._target(number))
        return sweep_groups, fixed, space.orbits.representatives.size

    def _finish(self, unsolved: int) -> dict[Subspace, Table]:
        tables = super()._finish(unsolved)
        for subspace, table in tables.items():
            settle_unused(self._space(subspace), self.workers, table.values, table.longest)
        return tables


def settle_unused(space: MemorySpace, workers: Workers, values: np.ndarray, longest: int) -> None:
    """Give the cells that stand for no position their code (`unused_code`), in place; they hold that of a draw."""
    if unused_code(longest, draw_code(values.dtype)) == draw_code(values.dtype):
        return
    width, layout = space.shape[1], space.layout()
    scratch = [space.group_scratch() for _ in range(workers.jobs)]

    def work(worker: int, start: int, stop: int) -> None:
        fill_unused(start, stop, values[start * width : stop * width], space.recall, layout, 0, scratch[worker])

    workers.over_rows(space.shape[0], work)


def unused_code(longest: int, draw: int) -> int:
    """Code of cells that stand for no position: one that positions have too, lost at once or, where all are drawn, drawn."""
    return 0 if longest >= 0 else draw
