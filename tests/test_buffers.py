"""The arena that large arrays are cut from, and the arrays."""

from __future__ import annotations

import gc
import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from merels import buffers
from merels.buffers import Arena, Piece

STEP = 2 << 20
SIZE = 16


@given(st.lists(st.one_of(st.integers(1, 9), st.integers(-8, -1)), max_size=40))
def test_pieces_never_overlap_and_none_is_lost(steps: list[int]) -> None:
    """Positive numbers take so many steps, negative ones give a piece back."""
    arena, used, most = Arena(SIZE * STEP), [], 0
    for step in steps:
        if step > 0:
            runs = longest_free(arena)
            taken = arena.take(step * STEP - 1)
            assert (taken is None) == (runs < step * STEP)
            if taken is not None:
                memory, piece = taken
                assert (memory.nbytes, piece.size) == (step * STEP - 1, step * STEP)
                used.append(piece)
        elif used:
            arena.give(used.pop(-step % len(used)))
        most = max(most, sum(piece.size for piece in used))
        pieces = sorted([*arena.free, *used])
        assert pieces[0].start == 0 and pieces[-1].stop == SIZE * STEP
        assert all(one.stop == two.start for one, two in itertools.pairwise(pieces))
        warm = sum(piece.size for piece in arena.free if piece.warm)
        assert warm + sum(piece.size for piece in used) <= most, "no more is held than was in use at once"
    arena.cool()
    assert not any(piece.warm for piece in arena.free)


def longest_free(arena: Arena) -> int:
    ranges, stop = [0], -1
    for piece in arena.free:
        ranges = [*ranges[:-1], ranges[-1] + piece.size] if piece.start == stop else [*ranges, piece.size]
        stop = piece.stop
    return max(ranges)


def test_warm_memory_is_taken_first_wherever_it_lies() -> None:
    arena = Arena(8 * STEP)
    pieces = [arena.take(2 * STEP)[1] for _ in range(4)]
    arena.give(pieces[0])
    arena.cool()
    arena.give(pieces[2])
    _, piece = arena.take(STEP)
    assert piece == Piece(4 * STEP, 5 * STEP, True)
    arena.give(pieces[1])
    _, piece = arena.take(4 * STEP)  # one step beside what is warm has to be taken anew
    assert piece.stop - piece.start == 4 * STEP and piece.start == 0
    assert arena.free == [Piece(5 * STEP, 6 * STEP, False)]


def test_memory_of_an_array_is_used_again_when_its_last_view_is_gone() -> None:
    first = buffers.empty((3, STEP), np.uint8)
    first[:] = 7
    view, address = first[1:, 5:], first.ctypes.data
    del first
    gc.collect()
    other = buffers.empty(3 * STEP, np.uint8)
    assert other.ctypes.data != address and (view == 7).all()
    del view
    gc.collect()
    again = buffers.empty(3 * STEP, np.uint8)
    assert again.ctypes.data == address
    del again, other
    gc.collect()
    buffers.release()


def test_where_the_system_refuses_the_arena_arrays_are_made_all_the_same(monkeypatch) -> None:
    def refuse(size: int) -> None:
        raise OSError("no")

    monkeypatch.setattr(buffers, "_arena", None)
    monkeypatch.setattr(buffers, "Arena", refuse)
    array = buffers.empty((4, STEP), np.uint16)
    array[:] = 3
    assert array.shape == (4, STEP) and array.dtype == np.uint16 and (array == 3).all()
