"""Buffers: large arrays whose memory is used again.

A build makes and drops arrays of hundreds of megabytes all the time. Memory that is given back to the system and asked for anew has to be
cleared, and on a virtual machine fetched from the host, which takes longer than many a kernel's work on it (measured: 3 ns a byte, on a
2-core AMD EPYC, Zen 3, 2026-11-30). Here it stays with the process until an array of another size needs it.
"""

from __future__ import annotations

import mmap
import weakref
from collections import deque
from math import prod
from threading import Lock

import numpy as np

_SMALLEST = 4 << 20
"""Bytes below which NumPy's own way is good enough."""
_WASTE = 1.5
"""A buffer is used for an array if it is not larger than the array by more than this factor."""

_lock = Lock()
_free: list[mmap.mmap] = []
_returned: deque[mmap.mmap] = deque()  # a finalizer may run anywhere, also while the lock is held


def empty(shape: int | tuple[int, ...], dtype: np.dtype | type) -> np.ndarray:
    """An array as `numpy.empty` makes it; its buffer is used again once the array and all its views are gone."""
    shape = (shape,) if isinstance(shape, int) else shape
    size = prod(shape) * np.dtype(dtype).itemsize
    if size < _SMALLEST:
        return np.empty(shape, dtype)
    buffer = _take(size)
    array = np.frombuffer(buffer, dtype, prod(shape))
    weakref.finalize(array, _returned.append, buffer).atexit = False
    return array.reshape(shape)


def release() -> None:
    """Give the memory that no array uses back to the system."""
    with _lock:
        _collect()
        _free.clear()


def _take(size: int) -> mmap.mmap:
    with _lock:
        _collect()
        fitting = [buffer for buffer in _free if size <= len(buffer) <= _WASTE * size]
        if fitting:
            best = min(fitting, key=len)
            _free.remove(best)
            return best
        given_back = 0  # at least as much as is asked for, so that the process does not grow while it has memory to spare
        while _free and given_back < size:
            largest = max(_free, key=len)
            _free.remove(largest)
            given_back += len(largest)
    buffer = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        buffer.madvise(mmap.MADV_HUGEPAGE)
    return buffer


def _collect() -> None:
    while _returned:
        _free.append(_returned.popleft())
