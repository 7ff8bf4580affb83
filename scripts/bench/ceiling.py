"""Ceiling: what a machine gains by threads when they compute, stream through memory, or read it at random places, and nothing else.

Two threads that share a physical core, or the way to memory, gain less than twice; no phase of a build can gain more than these.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np

PARTS = 16
STEPS = 1 << 24
CELLS = 1 << 26
"""Cells of one byte; far more than any cache holds."""
LOOKS = 1 << 22
REPEAT = 3


@numba.njit(nogil=True)
def compute(part, cells):
    """Steps of a generator of random numbers (xorshift), each of which needs the one before; returns the last state."""
    state = np.uint64(part + 1)
    for _ in range(STEPS // PARTS):
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
    return state


@numba.njit(nogil=True)
def stream(part, cells):
    """Add up a part of ``cells`` (uint64, 1-D) in order; returns the sum."""
    size, total = cells.size // PARTS, np.uint64(0)
    for place in range(part * size, (part + 1) * size):
        total += cells[place]
    return total


@numba.njit(nogil=True)
def look_up(part, cells):
    """Read cells at random places that do not depend on each other; returns their sum."""
    state, total, mask = np.uint64(part + 1), np.uint64(0), np.uint64(cells.size - 1)
    for _ in range(LOOKS // PARTS):
        state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        total += cells[np.int64((state >> np.uint64(20)) & mask)]
    return total


LOOPS: dict[str, Callable] = {"compute": compute, "stream through memory": stream, "read at random places": look_up}


def ceilings(jobs: Sequence[int]) -> dict[str, dict[int, float]]:
    """Least seconds of each loop by number of threads, which share the same work in equal parts."""
    cells = np.ones(CELLS // 8, np.uint64)
    return {name: {number: _seconds(loop, cells, number) for number in jobs} for name, loop in LOOPS.items()}


def _seconds(loop: Callable, cells: np.ndarray, jobs: int) -> float:
    loop(0, cells)  # compiles
    taken = []
    with ThreadPoolExecutor(jobs) as pool:
        for _ in range(REPEAT):
            began = time.perf_counter()
            list(pool.map(lambda part: loop(part, cells), range(PARTS)))
            taken.append(time.perf_counter() - began)
    return min(taken)
