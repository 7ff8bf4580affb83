"""Workers: threads that run compiled kernels side by side. Kernels release the GIL, so threads are enough and tables are shared."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Result = TypeVar("Result")
MOST_JOBS = 256
"""More threads than this are of no use to any build, and each costs scratch."""


class Workers:
    """A fixed number of threads, used as a context manager.

    A task gets the number of the thread that runs it, so that each thread can keep scratch of its own.
    """

    def __init__(self, jobs: int):
        self.jobs = jobs
        self._pool = ThreadPoolExecutor(jobs, thread_name_prefix="merels") if jobs > 1 else None

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_) -> None:
        if self._pool:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def run(self, tasks: Sequence[Callable[[int], Result]]) -> list[Result]:
        """Run all tasks and return their results in order. On an exception, or Ctrl-C, no further task is begun."""
        if self._pool is None or len(tasks) == 1:
            return [task(0) for task in tasks]
        results: list = [None] * len(tasks)
        waiting = iter(range(len(tasks)))
        stopped = threading.Event()

        def work(worker: int) -> None:
            for number in waiting:
                if stopped.is_set():
                    return
                try:
                    results[number] = tasks[number](worker)
                except BaseException:
                    stopped.set()
                    raise

        futures = [self._pool.submit(work, worker) for worker in range(min(self.jobs, len(tasks)))]
        try:
            for future in futures:
                future.result()
        finally:
            stopped.set()
            for future in futures:
                future.exception()
        return results

    def over_rows(self, rows: int, task: Callable[[int, int, int], Result], size: int | None = None) -> list[Result]:
        """Run ``task(worker, start, stop)`` over ranges of ``rows`` rows; ``size``: rows of a range (default: many ranges a thread)."""
        return self.run([_bind(task, start, stop) for start, stop in self.ranges(rows, size)])

    def ranges(self, rows: int, size: int | None = None) -> list[tuple[int, int]]:
        """The ranges of `over_rows`."""
        size = size or max(1, -(-rows // (16 * self.jobs)))
        return [(start, min(start + size, rows)) for start in range(0, rows, size)]


def _bind(task, start, stop):
    return lambda worker: task(worker, start, stop)
