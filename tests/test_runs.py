"""The runs against set-by-set twins: a stone more, a stone fewer, mills counted, in both numberings and both widths."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from merels.indexing.geometry import columns, runs
from merels.kernels.runs import mirrored_set, raise_fewer, raise_hop, raise_more


@st.composite
def rows(draw: st.DrawFn) -> tuple[int, int, list[int], int]:
    """Free points, size of the sets X, lines among the points, levels."""
    points = draw(st.integers(3, 13))
    size = draw(st.integers(1, min(6, points)))
    line = st.sets(st.integers(0, points - 1), min_size=3, max_size=3).map(lambda members: sum(1 << p for p in members))
    return points, size, draw(st.lists(line, max_size=6, unique=True)), draw(st.integers(1, 3))


def mirror_all(lines: list[int], points: int) -> np.ndarray:
    return np.array([*(mirrored_set(line, points) for line in lines), 0], np.int64)


def pairs(points: int, size: int, lines: list[int]) -> Iterator[tuple[int, int, int]]:
    """Ranks of X and of X without one of its stones, and the lines through that stone that X holds; set by set."""
    ranks = {int(mask): rank for rank, mask in enumerate(columns(points, size - 1).masks)}
    for rank, mask in enumerate(columns(points, size).masks.tolist()):
        for stone in range(points):
            if mask >> stone & 1:
                yield rank, ranks[mask ^ 1 << stone], sum(line >> stone & 1 and mask & line == line for line in lines)


@settings(deadline=None)
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@given(row=rows(), seed=st.integers(0, 2**32 - 1))
def test_sets_hand_their_scores_to_those_with_a_stone_fewer(dtype: type, row: tuple, seed: int) -> None:
    points, size, lines, levels = row
    sets, fewer, plan = columns(points, size), columns(points, size - 1), runs(points, size)
    scores = np.random.default_rng(seed).integers(0, np.iinfo(dtype).max, (levels + 1, sets.masks.size)).astype(dtype)
    expected = np.zeros(fewer.masks.size, dtype)
    for rank, place, closed in pairs(points, size, lines):
        expected[place] = max(expected[place], scores[min(closed, levels), rank])
    mills = np.empty(sets.masks.size, np.uint8)
    upper, lower = np.zeros_like(expected), np.zeros_like(expected)
    raise_fewer(plan, points // 2, np.array([*lines, 0], np.int64), len(lines), levels, scores, mills, upper)
    mirrored = np.empty_like(scores)
    mirrored[:, plan.mirror] = scores
    raise_fewer(plan, points - points // 2, mirror_all(lines, points), len(lines), levels, mirrored, mills, lower)
    np.testing.assert_array_equal(np.maximum(upper, lower[plan.mirror_fewer]), expected)


@settings(deadline=None)
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@given(row=rows(), seed=st.integers(0, 2**32 - 1))
def test_sets_take_their_scores_from_those_with_a_stone_fewer(dtype: type, row: tuple, seed: int) -> None:
    points, size, lines, _ = row
    sets, fewer, plan = columns(points, size), columns(points, size - 1), runs(points, size)
    scores = np.random.default_rng(seed).integers(0, np.iinfo(dtype).max, fewer.masks.size).astype(dtype)
    expected = np.zeros(sets.masks.size, dtype)
    for rank, place, closed in pairs(points, size, lines):
        if not closed:
            expected[rank] = max(expected[rank], scores[place])
    mills = np.empty(sets.masks.size, np.uint8)
    upper, lower = np.zeros_like(expected), np.zeros_like(expected)
    raise_more(plan, points // 2, np.array([*lines, 0], np.int64), len(lines), scores, mills, upper)
    mirrored = np.empty_like(scores)
    mirrored[plan.mirror_fewer] = scores
    raise_more(plan, points - points // 2, mirror_all(lines, points), len(lines), mirrored, mills, lower)
    np.testing.assert_array_equal(np.maximum(upper, lower[plan.mirror]), expected)


@settings(deadline=None)
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@given(row=rows(), data=st.data(), seed=st.integers(0, 2**32 - 1))
def test_sets_hand_their_scores_along_a_hop(dtype: type, row: tuple, data: st.DataObject, seed: int) -> None:
    points, size, lines, levels = row
    sets, plan = columns(points, size), runs(points, size)
    low, high = sorted(data.draw(st.sets(st.integers(0, points - 1), min_size=2, max_size=2)))
    scores = np.random.default_rng(seed).integers(0, np.iinfo(dtype).max, (levels + 1, sets.masks.size)).astype(dtype)
    expected, ends = np.zeros(sets.masks.size, dtype), 1 << low | 1 << high
    ranks = {int(mask): rank for rank, mask in enumerate(sets.masks)}
    for rank, mask in enumerate(sets.masks.tolist()):
        if (mask & ends).bit_count() == 1:
            closed = sum(line & mask & ends != 0 and mask & line == line for line in lines)
            place = ranks[mask ^ ends]
            expected[place] = max(expected[place], scores[min(closed, levels), rank])
    best = np.zeros_like(expected)
    raise_hop(plan, low, high, np.array([*lines, 0], np.int64), len(lines), levels, scores, np.empty(sets.masks.size, np.uint8), best)
    np.testing.assert_array_equal(best, expected)
