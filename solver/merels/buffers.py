"""Buffers: large arrays whose memory is used again.

A build makes and drops arrays of hundreds of megabytes all the time. Memory that is given back to the system and asked for anew has to be
cleared, and on a virtual machine fetched from the host, which takes longer than many a kernel's work on it (measured: 3 ns a byte, on a
2-core AMD EPYC, Zen 3, 2026-11-30). Here arrays lie side by side in one range of addresses, the *arena*; what no array uses stays *warm*,
with the memory behind it, for those to come, whatever their sizes. Only when an array needs more than lies warm in one piece is other
warm memory given back, as much as is taken anew, so that the process holds no more than if it had kept nothing.
"""

from __future__ import annotations

import mmap
import os
import weakref
from collections import deque
from collections.abc import Iterator
from math import prod
from threading import Lock
from typing import NamedTuple

import numpy as np

_SMALLEST = 4 << 20
"""Bytes below which NumPy's own way is good enough."""
_STEP = 2 << 20
"""Arrays begin at multiples of so many bytes: those of a large page."""


class Piece(NamedTuple):
    """A range of the arena that no array uses: its bytes from ``start`` to ``stop``; ``warm``: there is memory behind it."""

    start: int
    stop: int
    warm: bool

    @property
    def size(self) -> int:
        """In bytes."""
        return self.stop - self.start


class Arena:
    """A range of addresses that arrays are cut from.

    Parameters
    ----------
    size : bytes, rounded down to a multiple of 2 MiB. OSError or ValueError where the system refuses so many.
    """

    def __init__(self, size: int):
        size -= size % _STEP
        self._memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        if hasattr(mmap, "MADV_HUGEPAGE"):
            self._memory.madvise(mmap.MADV_HUGEPAGE)
        self.free = [Piece(0, size, False)]
        """Sorted by place; no two neighbours of the same warmth touch."""

    def take(self, size: int) -> tuple[memoryview, Piece] | None:
        """Memory of ``size`` bytes, and the piece to hand back for it; None where no free range is long enough."""
        length = -(-size // _STEP) * _STEP
        found = min(self._places(length), default=None)
        if found is None:
            return None
        cold, _, start = found
        taken = Piece(start, start + length, True)
        self._set(taken, None)
        self._cool(cold)
        return memoryview(self._memory)[start : start + size], taken

    def give(self, piece: Piece) -> None:
        """Take a piece back, warm."""
        self.free.append(piece)
        self._join()

    def cool(self) -> None:
        """Give all memory behind free pieces back to the system."""
        self._cool(sum(piece.size for piece in self.free))

    def _places(self, length: int) -> Iterator[tuple[int, int, int]]:
        """Where ``length`` bytes are free: how many of them are cold, how long the whole free range is, and where they begin."""
        for pieces in self._ranges():
            begin, stop = pieces[0].start, pieces[-1].stop
            warm = [piece for piece in pieces if piece.warm]
            for start in {begin, *(piece.start for piece in warm), *(piece.stop - length for piece in warm)}:
                if begin <= start <= stop - length:
                    kept = sum(max(0, min(piece.stop, start + length) - max(piece.start, start)) for piece in warm)
                    yield length - kept, stop - begin, start

    def _ranges(self) -> Iterator[list[Piece]]:
        """The free pieces, those that touch together."""
        pieces: list[Piece] = []
        for piece in self.free:
            if pieces and pieces[-1].stop != piece.start:
                yield pieces
                pieces = []
            pieces.append(piece)
        if pieces:
            yield pieces

    def _cool(self, size: int) -> None:
        """Give ``size`` bytes behind free pieces back, or all that there are, the largest pieces first."""
        for piece in sorted((piece for piece in self.free if piece.warm), key=lambda piece: piece.size, reverse=True):
            if size <= 0:
                return
            part = Piece(max(piece.start, piece.stop - size), piece.stop, False)
            self._memory.madvise(mmap.MADV_DONTNEED, part.start, part.size)
            self._set(part, part)
            size -= part.size

    def _set(self, changed: Piece, to: Piece | None) -> None:
        """Cut a range out of the free pieces and put ``to`` in its place."""
        kept = []
        for piece in self.free:
            kept.append(piece._replace(stop=min(piece.stop, changed.start)))
            kept.append(piece._replace(start=max(piece.start, changed.stop)))
        self.free = [piece for piece in kept if piece.size > 0] + ([] if to is None else [to])
        self._join()

    def _join(self) -> None:
        joined: list[Piece] = []
        for piece in sorted(self.free):
            if joined and joined[-1].stop == piece.start and joined[-1].warm == piece.warm:
                joined[-1] = joined[-1]._replace(stop=piece.stop)
            else:
                joined.append(piece)
        self.free = joined


_lock = Lock()
_arena: Arena | None = None
_returned: deque[Piece] = deque()  # a finalizer may run anywhere, also while the lock is held


def empty(shape: int | tuple[int, ...], dtype: np.dtype | type) -> np.ndarray:
    """An array as `numpy.empty` makes it; its memory is used again once the array and all its views are gone."""
    shape = (shape,) if isinstance(shape, int) else shape
    size = prod(shape) * np.dtype(dtype).itemsize
    taken = _take(size) if size >= _SMALLEST else None
    if taken is None:
        return np.empty(shape, dtype)
    memory, piece = taken
    array = np.frombuffer(memory, dtype, prod(shape))
    weakref.finalize(array, _returned.append, piece).atexit = False
    return array.reshape(shape)


def release() -> None:
    """Give the memory that no array uses back to the system."""
    with _lock:
        _collect()
        if _arena is not None:
            _arena.cool()


def _take(size: int) -> tuple[memoryview, Piece] | None:
    global _arena
    with _lock:
        if _arena is None:
            try:
                _arena = Arena(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
            except (OSError, ValueError):  # a limit on addresses (ulimit -v)
                return None
        _collect()
        return _arena.take(size)


def _collect() -> None:
    while _returned and _arena is not None:
        _arena.give(_returned.popleft())
