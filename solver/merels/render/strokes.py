"""A *stroke* is one straight piece of a drawing: it joins two points with nothing but paper between them.

What a picture has to show, before any picture is drawn: the strokes of a variant, the levels that a board of three
dimensions falls into, and the names of its ranks and files.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from merels.boards import Board
    from merels.variants import Variant

StrokeKind = Literal["edge", "line", "diagonal"]

@dataclass(frozen=True)
class Stroke:
    """Two joined points, ``source < target``.

    ``kind`` tells what the stroke is good for: an ``edge`` may be stepped along, a ``line`` is part of a line of three
    that no stone steps along, a ``diagonal`` serves the rook's movement only.
    """

    source: int
    target: int
    kind: StrokeKind


@dataclass(frozen=True)
class Grid:
    """Names for the border of a picture, by coordinate, where every label is file, rank and (if any) level."""

    files: dict[int, str]
    ranks: dict[int, str]
    levels: dict[int, str]


def strokes(variant: Variant) -> tuple[Stroke, ...]:
    """Return every stroke of the variant's board, edges first; each pair of points once, as the first kind it has."""
    board = variant.board
    kinds: dict[tuple[int, int], StrokeKind] = {}
    pairs: list[tuple[StrokeKind, Iterable[tuple[int, int]]]] = [
        ("edge", board.edges),
        ("line", _pieces(board.lines)),
    ]
    if variant.rules.movement == "rook":
        pairs.append(("diagonal", _pieces(board.diagonals)))
    for kind, members in pairs:
        for a, b in members:
            kinds.setdefault((min(a, b), max(a, b)), kind)
    return tuple(Stroke(a, b, kind) for (a, b), kind in kinds.items())


def level_of(board: Board, point: int) -> int:
    """Return the third coordinate of a point, 0 on a flat board."""
    coordinates = board.coordinates[point]
    return coordinates[2] if len(coordinates) > 2 else 0


def levels(board: Board) -> dict[int, tuple[int, ...]]:
    """Return the points of each level, the lowest level first; a flat board is one level."""
    members: dict[int, list[int]] = {}
    for point in range(board.size):
        members.setdefault(level_of(board, point), []).append(point)
    return {level: tuple(members[level]) for level in sorted(members)}


def passes_over_a_point(board: Board, stroke: Stroke) -> bool:
    """Tell whether the straight stroke would run over a third point, and so seem to join it too."""
    start, end = board.coordinates[stroke.source], board.coordinates[stroke.target]
    way = tuple(b - a for a, b in zip(start, end, strict=True))
    length = sum(step * step for step in way)
    for point in range(board.size):
        if point in (stroke.source, stroke.target):
            continue
        offset = tuple(b - a for a, b in zip(start, board.coordinates[point], strict=True))
        along = sum(a * b for a, b in zip(way, offset, strict=True))
        distance = sum(step * step for step in offset)
        if 0 < along < length and along * along == distance * length:
            return True
    return False


def grid(board: Board) -> Grid | None:
    """Return the names of files, ranks and levels, or None where the labels do not follow the coordinates."""
    solid = len(board.coordinates[0]) > 2
    names = Grid({}, {}, {})
    for label, coordinates in zip(board.points, board.coordinates, strict=True):
        rank = label[1:-1] if solid else label[1:]
        parts = [(names.files, label[0]), (names.ranks, rank)]
        if solid:
            parts.append((names.levels, label[-1]))
        for (axis, name), coordinate in zip(parts, coordinates, strict=True):
            if not name or axis.setdefault(coordinate, name) != name:
                return None
    # One name for two files would send a reader to the wrong one.
    if any(len(set(axis.values())) < len(axis) for axis in (names.files, names.ranks, names.levels)):
        return None
    return names


def _pieces(lines: Iterable[tuple[int, ...]]) -> Iterable[tuple[int, int]]:
    for line in lines:
        yield from pairwise(line)
