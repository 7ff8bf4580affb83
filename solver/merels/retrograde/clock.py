"""Clock: how long each phase of a build takes, and how busy its threads are meanwhile. What phases there are is said where they happen."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager


class Clock:
    """Seconds by phase, for one thread and the tasks that it hands to others.

    A phase within another stops the outer one, so that the sum over the phases is the time of all.

    Attributes
    ----------
    wall : seconds from beginning to end of each phase.
    busy : seconds that threads worked in it, all together; at most ``wall`` times their number.
    """

    def __init__(self):
        self.wall: dict[str, float] = defaultdict(float)
        self.busy: dict[str, float] = defaultdict(float)
        self._open: list[str] = []
        self._since = 0.0

    @property
    def phase(self) -> str:
        """The phase that is running; "other" outside all."""
        return self._open[-1] if self._open else "other"

    @contextmanager
    def during(self, phase: str) -> Iterator[None]:
        """Count what happens inside to ``phase``."""
        self._charge()
        self._open.append(phase)
        try:
            yield
        finally:
            self._charge()
            self._open.pop()

    def _charge(self) -> None:
        now = time.perf_counter()
        if self._open:
            self.wall[self._open[-1]] += now - self._since
        self._since = now

    def record(self) -> dict[str, dict[str, float]]:
        """The phases with ``wall`` and ``busy`` seconds, as for JSON; work of the thread itself counts as busy where no task is noted."""
        return {phase: {"wall": round(wall, 4), "busy": round(self.busy.get(phase, wall), 4)} for phase, wall in self.wall.items()}


def total(records: list[dict[str, dict[str, float]]]) -> dict[str, dict[str, float]]:
    """The sums of several `Clock.record`."""
    sums: dict[str, dict[str, float]] = {}
    for record in records:
        for phase, seconds in record.items():
            sum_ = sums.setdefault(phase, {"wall": 0.0, "busy": 0.0})
            for kind in sum_:
                sum_[kind] = round(sum_[kind] + seconds[kind], 4)
    return sums
