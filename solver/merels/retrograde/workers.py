"""Workers: threads that run compiled kernels side by side. Kernels release the GIL, so threads are enough and tables are shared."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from merels.retrograde.clock import Clock

Result = TypeVar("Result")
MOST_JOBS = 256
"""More threads than this are of no use to any build, and each costs scratch."""
_LARGE_RANGE = 1 << 20
"""Cells of the smallest range of `Workers.over_cells`."""


class Workers:
    """A fixed number of threads, used as a context manager.

    A task gets the number of the thread that runs it, so that each thread can keep scratch of its own.
    """

    def __init__(self, jobs: int):
        self.jobs = jobs
        self._local = threading.local()
        self._pool = ThreadPoolExecutor(jobs, thread_name_prefix="merels") if jobs > 1 else None

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_) -> None:
        if self._pool:
            self._pool.shutdown(wait=True, cancel_futures=True)

    @property
    def clock(self) -> Clock:
        """Where the calling thread's tasks are timed; a fresh clock unless `timed` by another."""
        if not hasattr(self._local, "clock"):
            self._local.clock = Clock()
        return self._local.clock

    def timed(self, clock: Clock) -> None:
        """From now on time the tasks of the calling thread with ``clock``."""
        self._local.clock = clock

    def run(self, tasks: Sequence[Callable[[int], Result]], alone: bool = False) -> list[Result]:
        """Run all tasks and return their results in order. On an exception, or Ctrl-C, no further task is begun.

        ``alone``: the calling thread does them all, where they are too small to share.
        """
        busy, phase = self.clock.busy, self.clock.phase
        began = time.perf_counter()
        if alone or self._pool is None or len(tasks) == 1:
            results = [task(0) for task in tasks]
            busy[phase] += time.perf_counter() - began
            return results
        results: list = [None] * len(tasks)
        waiting = iter(range(len(tasks)))
        stopped = threading.Event()

        def work(worker: int) -> float:
            began = time.perf_counter()
            for number in waiting:
                if stopped.is_set():
                    break
                try:
                    results[number] = tasks[number](worker)
                except BaseException:
                    stopped.set()
                    raise
            return time.perf_counter() - began

        futures = [self._pool.submit(work, worker) for worker in range(min(self.jobs, len(tasks)))]
        try:
            for future in futures:
                busy[phase] += future.result()
        finally:
            stopped.set()
            for future in futures:
                future.exception()
        return results

    def over_rows(self, rows: int, task: Callable[[int, int, int], Result], size: int | None = None) -> list[Result]:
        """Run ``task(worker, start, stop)`` over ranges of ``rows`` rows; ``size``: rows of a range (default: many ranges a thread)."""
        return self.run([_bind(task, start, stop) for start, stop in self.ranges(rows, size)])

    def over_cells(self, cells: int, task: Callable[[int, int, int], Result]) -> list[Result]:
        """`over_rows` for passes so quick that a range should be large."""
        return self.over_rows(cells, task, max(_LARGE_RANGE, -(-cells // (4 * self.jobs))))

    def ranges(self, rows: int, size: int | None = None) -> list[tuple[int, int]]:
        """The ranges of `over_rows`."""
        size = size or max(1, -(-rows // (16 * self.jobs)))
        return [(start, min(start + size, rows)) for start in range(0, rows, size)]


def _bind(task, start, stop):
    return lambda worker: task(worker, start, stop)
