"""The SVG picture: one standalone file, flat boards as seen from above, boards of several levels in oblique view.

A solid stroke is an edge, a dashed one belongs to a line of three that no stone steps along, a dotted one is a diagonal
of the rook. In oblique view each level is a slanted plane above the one below it, slanted so that no stroke between two
levels runs through a third point of a regular board.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import combinations, pairwise
from math import dist
from typing import TYPE_CHECKING

from merels.render.strokes import Grid, Stroke, grid, level_of, passes_over_a_point, strokes
from merels.state import State, points_of

if TYPE_CHECKING:
    from merels.boards import Board
    from merels.variants import Variant

# Pixels between the two nearest points, and everything that is measured against them.
_FLAT_UNIT, _OBLIQUE_UNIT = 56.0, 92.0
_STONE, _STONE_BESIDE_LABEL = 18.0, 12.0
_DOT = 4.0
_MARGIN = 40.0
_LARGEST = 1600.0

_INK = "#333333"
_DASHES = {"edge": "", "line": ' stroke-dasharray="7 5"', "diagonal": ' stroke-dasharray="2 4"'}
_STONE_FILLS = ("#ffffff", "#222222", "#c62828")

Spot = tuple[float, float]


def svg_picture(variant: Variant, state: State | None = None) -> str:
    """Draw a position of the variant, or its empty board, as the text of an SVG file.

    Parameters
    ----------
    variant:
        The board to draw; its movement decides whether the rook's diagonals are drawn.
    state:
        Whose stones stand where. None draws the board alone.

    Returns
    -------
    str
        A complete SVG document that refers to nothing outside itself.
    """
    board = variant.board
    flat = len(board.coordinates[0]) == 2
    # Names at the border where the picture has ranks and files, else one label beside each point.
    names = grid(board) if flat else None
    spots = _fitted(_flat(board) if flat else _oblique(board))
    width = max(x for x, _ in spots) + _MARGIN
    height = max(y for _, y in spots) + _MARGIN
    body = [
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        *_stroke_elements(board, strokes(variant), spots),
        *_point_elements(spots),
        *_stone_elements(state, spots, _STONE if names else _STONE_BESIDE_LABEL),
        *(_border_elements(board, names, spots, height) if names else _beside_elements(board, spots)),
    ]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(width)} {_n(height)}" '
        f'width="{_n(width)}" height="{_n(height)}">',
        f"  <title>{escape(variant.name)}</title>",
        *(f"  {element}" for element in body),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _flat(board: Board) -> list[Spot]:
    nearest = min((dist(a, b) for a, b in combinations(board.coordinates, 2)), default=1.0)
    scale = _FLAT_UNIT / nearest
    return [(coordinates[0] * scale, -coordinates[1] * scale) for coordinates in board.coordinates]


def _oblique(board: Board) -> list[Spot]:
    axes = [sorted({coordinates[axis] for coordinates in board.coordinates}) for axis in (0, 1, 2)]
    gap = min((high - low for axis in axes for low, high in pairwise(axis)), default=1)
    scale = _OBLIQUE_UNIT / gap
    depth = axes[1][-1] - axes[1][0]
    slant = gap / (depth + gap)
    rise = 0.5 * depth + 0.9 * gap
    floors = {height: floor for floor, height in enumerate(axes[2])}
    return [(scale * (x + slant * y), -scale * (0.5 * y + rise * floors[z])) for x, y, z in board.coordinates]


def _fitted(spots: Sequence[Spot]) -> list[Spot]:
    """Move the picture to its margins, and shrink it where its nearest points made it too large."""
    left, top = min(x for x, _ in spots), min(y for _, y in spots)
    extent = max(max(x for x, _ in spots) - left, max(y for _, y in spots) - top)
    scale = min(1.0, _LARGEST / extent) if extent else 1.0
    return [((x - left) * scale + _MARGIN, (y - top) * scale + _MARGIN) for x, y in spots]


def _stroke_elements(board: Board, drawn: Iterable[Stroke], spots: Sequence[Spot]) -> Iterable[str]:
    for stroke in drawn:
        (x1, y1), (x2, y2) = spots[stroke.source], spots[stroke.target]
        level = level_of(board, stroke.source) == level_of(board, stroke.target)
        pen = f'fill="none" stroke="{_INK}" stroke-width="2"' if level else 'fill="none" stroke="#a0a0a0"'
        # A stroke over a third point becomes an arc around it.
        bow = 0.3 if passes_over_a_point(board, stroke) else 0.0
        path = f"M{_n(x1)} {_n(y1)}"
        if bow:
            path += f"Q{_n((x1 + x2) / 2 - bow * (y2 - y1))} {_n((y1 + y2) / 2 + bow * (x2 - x1))}"
            path += f" {_n(x2)} {_n(y2)}"
        else:
            path += f"L{_n(x2)} {_n(y2)}"
        yield f'<path d="{path}" {pen}{_DASHES[stroke.kind]}/>'


def _point_elements(spots: Sequence[Spot]) -> Iterable[str]:
    for x, y in spots:
        yield f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(_DOT)}" fill="{_INK}"/>'


def _border_elements(board: Board, names: Grid, spots: Sequence[Spot], height: float) -> Iterable[str]:
    files = {board.coordinates[point][0]: x for point, (x, _) in enumerate(spots)}
    ranks = {board.coordinates[point][1]: y for point, (_, y) in enumerate(spots)}
    for coordinate, x in files.items():
        yield _text(names.files[coordinate], x, height - 8, 14, "middle")
    for coordinate, y in ranks.items():
        yield _text(names.ranks[coordinate], 12, y + 5, 14, "middle")


def _beside_elements(board: Board, spots: Sequence[Spot]) -> Iterable[str]:
    for label, (x, y) in zip(board.points, spots, strict=True):
        yield _text(label, x + _STONE_BESIDE_LABEL - 1, y + _STONE_BESIDE_LABEL + 7, 12, "start")


def _stone_elements(state: State | None, spots: Sequence[Spot], radius: float) -> Iterable[str]:
    if state is None:
        return
    for player, stones in enumerate(state.stones):
        for x, y in (spots[point] for point in points_of(stones)):
            yield (
                f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}" '
                f'fill="{_STONE_FILLS[player]}" stroke="{_INK}" stroke-width="2"/>'
            )


def _text(content: str, x: float, y: float, size: int, anchor: str) -> str:
    return (
        f'<text x="{_n(x)}" y="{_n(y)}" font-family="sans-serif" font-size="{size}" '
        f'text-anchor="{anchor}" fill="{_INK}">{escape(content)}</text>'
    )


def _n(number: float) -> str:
    """Write a coordinate with at most one decimal, so that the same position gives the same bytes everywhere."""
    return f"{number:z.1f}".removesuffix(".0")
