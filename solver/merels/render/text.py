"""The text picture: points, strokes and stones as characters, one panel for each level of the board.

Coordinates become character cells four columns wide and two rows high, which leaves one ``/`` or ``\\`` between the
ends of a short diagonal. A board whose labels do not follow its coordinates gets a further panel with the labels.
"""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Sequence
from itertools import pairwise
from math import gcd
from typing import TYPE_CHECKING

from merels.position import PLAYER_NAMES
from merels.render.strokes import (
    Grid,
    Stroke,
    grid,
    level_of,
    levels,
    passes_over_a_point,
    strokes,
)
from merels.state import State, points_of

if TYPE_CHECKING:
    from merels.boards import Board
    from merels.variants import Variant

EMPTY = "o"
STONES = "WBR"

_COLUMNS, _ROWS = 4, 2
_PANEL_GAP = " " * 4
_LONGEST_SIDE = 16
_LEGEND_WIDTH = 100

Cell = tuple[int, int]


def text_picture(variant: Variant, state: State | None = None) -> str:
    """Draw a position of the variant, or its empty board, in characters.

    Parameters
    ----------
    variant:
        The board to draw; its movement decides whether the rook's diagonals are drawn.
    state:
        Whose stones stand where. None draws the board alone.

    Returns
    -------
    str
        Lines of ASCII without trailing blanks, no line end after the last. ``W``, ``B`` and ``R`` are stones, ``o`` an
        empty point. A board of several levels has them side by side, the lowest on the left.
    """
    board = variant.board
    names = grid(board)
    marks = _stone_marks(board, state)
    drawn = [stroke for stroke in strokes(variant) if not _is_left_out(board, stroke)]
    panels = []
    for level, points in levels(board).items():
        inside = [stroke for stroke in drawn if level_of(board, stroke.source) == level]
        title = f"level {names.levels[level] if names else level}" if len(board.coordinates[0]) > 2 else ""
        panels.append(_panel(board, points, inside, marks, names, title))
        if names is None:
            panels.append(_panel(board, points, inside, board.points, None, "labels"))
    return _side_by_side(panels)


def text_legend(variant: Variant) -> str:
    """Explain `text_picture`: its characters, and what a drawn stroke does not tell.

    Named are the edges that carry no mill, the lines of three and the diagonals that stones do not step along, and
    whatever the picture has no room for because it joins two levels or runs over a third point.
    """
    board = variant.board
    players = PLAYER_NAMES[: variant.rules.players]
    parts = [", ".join([*(f"{STONES[player]} {name}" for player, name in enumerate(players)), f"{EMPTY} empty"])]
    hidden = {(stroke.source, stroke.target) for stroke in strokes(variant) if _is_left_out(board, stroke)}
    pieces = {(min(pair), max(pair)) for line in board.lines for pair in pairwise(line)}
    lines = list(board.lines)
    notes: list[tuple[str, list[tuple[int, ...]]]] = [
        ("Edges not drawn", [edge for edge in board.edges if edge in hidden]),
        ("Edges that carry no mill", [edge for edge in board.edges if edge not in pieces]),
        ("Lines of three not drawn", [line for line in lines if _touches(line, hidden)]),
        ("Lines of three that no stone steps along", [line for line in lines if not _touches(line, set(board.edges))]),
    ]
    if variant.rules.movement == "rook":
        notes.append(("Diagonals that carry no mill", list(board.diagonals)))
    parts += [_note(title, board, runs) for title, runs in notes if runs]
    return "\n".join(parts)


def _touches(line: Sequence[int], pairs: Collection[tuple[int, ...]]) -> bool:
    return any((min(pair), max(pair)) in pairs for pair in pairwise(line))


def _note(title: str, board: Board, runs: list[tuple[int, ...]]) -> str:
    if runs == _vertical_pairs(board):
        listing = "every point with those straight above and below it"
    else:
        listing = ", ".join("-".join(board.points[point] for point in run) for run in runs)
    return textwrap.fill(
        f"{title}: {listing}.",
        _LEGEND_WIDTH,
        subsequent_indent="  ",
        break_on_hyphens=False,
        break_long_words=False,
    )


def _stone_marks(board: Board, state: State | None) -> list[str]:
    marks = [EMPTY] * board.size
    if state is not None:
        for player, stones in enumerate(state.stones):
            for point in points_of(stones):
                marks[point] = STONES[player]
    return marks


def _is_left_out(board: Board, stroke: Stroke) -> bool:
    between_levels = level_of(board, stroke.source) != level_of(board, stroke.target)
    return between_levels or passes_over_a_point(board, stroke)


def _vertical_pairs(board: Board) -> list[tuple[int, ...]]:
    place = {coordinates: point for point, coordinates in enumerate(board.coordinates)}
    heights = list(levels(board))
    pairs: list[tuple[int, ...]] = []
    for low, high in pairwise(heights):
        for coordinates, point in place.items():
            above = place.get((*coordinates[:2], high))
            if coordinates[2] == low and above is not None:
                pairs.append((min(point, above), max(point, above)))
    return sorted(pairs)


def _steps(board: Board) -> tuple[dict[int, int], dict[int, int]]:
    """Map the coordinates of each axis to small whole numbers that keep the shape of the board."""
    axes = [sorted({coordinates[axis] for coordinates in board.coordinates}) for axis in (0, 1)]
    unit = gcd(*(value - axis[0] for axis in axes for value in axis)) or 1
    if any((axis[-1] - axis[0]) // unit > _LONGEST_SIDE for axis in axes):
        # Too wide for a screen: keep the order of the points and let go of the distances.
        files, ranks = ({value: index for index, value in enumerate(axis)} for axis in axes)
    else:
        files, ranks = ({value: (value - axis[0]) // unit for value in axis} for axis in axes)
    return files, ranks


def _panel(
    board: Board,
    points: Sequence[int],
    inside: Sequence[Stroke],
    marks: Sequence[str],
    names: Grid | None,
    title: str,
) -> list[str]:
    files, ranks = _steps(board)
    top = max(ranks.values()) * _ROWS
    columns = _COLUMNS + 2 * (max(map(len, marks)) - 1)
    margin = max(map(len, names.ranks.values())) + 2 if names else 0
    cells = {
        point: (top - ranks[board.coordinates[point][1]] * _ROWS, margin + files[board.coordinates[point][0]] * columns)
        for point in points
    }
    canvas: dict[Cell, str] = {}
    for stroke in inside:
        _draw(canvas, cells[stroke.source], cells[stroke.target])
    for point, cell in cells.items():
        _write(canvas, cell, marks[point])
    if names:
        for coordinate, name in names.ranks.items():
            _write(canvas, (top - ranks[coordinate] * _ROWS, margin - 2 - len(name)), name)
        for coordinate, name in names.files.items():
            _write(canvas, (top + 1, margin + files[coordinate] * columns), name)
    if title:
        _write(canvas, (-1, margin), title)
    first, last = min(row for row, _ in canvas), max(row for row, _ in canvas)
    width = max(column for _, column in canvas) + 1
    return ["".join(canvas.get((row, column), " ") for column in range(width)) for row in range(first, last + 1)]


def _write(canvas: dict[Cell, str], cell: Cell, word: str) -> None:
    row, column = cell
    for offset, character in enumerate(word):
        canvas[row, column + offset] = character


def _draw(canvas: dict[Cell, str], start: Cell, end: Cell) -> None:
    """Draw the characters strictly between two cells: row by row where the stroke is steep, else column by column."""
    (row, column), (last_row, last_column) = sorted((start, end))
    height, width = last_row - row, last_column - column
    slant = "\\" if width > 0 else "/"
    if abs(width) <= 2 * height:
        character = slant if width else "|"
        for step in range(1, height):
            _blend(canvas, (row + step, column + _nearest(width * step, height)), character)
        return
    direction = 1 if width > 0 else -1
    for step in range(1, abs(width)):
        here = _nearest(height * step, abs(width))
        climbs = here != _nearest(height * (step - 1), abs(width))
        _blend(canvas, (row + here, column + direction * step), slant if climbs else "-")


def _nearest(numerator: int, denominator: int) -> int:
    return (2 * numerator + denominator) // (2 * denominator)


def _blend(canvas: dict[Cell, str], cell: Cell, character: str) -> None:
    before = canvas.get(cell, character)
    if before == character:
        canvas[cell] = character
    else:
        canvas[cell] = "X" if {before, character} <= set("/\\X") else "+"


def _side_by_side(panels: Sequence[list[str]]) -> str:
    height = max(map(len, panels))
    padded = []
    for panel in panels:
        width = max(map(len, panel))
        padded.append([" " * width] * (height - len(panel)) + [line.ljust(width) for line in panel])
    return "\n".join(_PANEL_GAP.join(rows).rstrip() for rows in zip(*padded, strict=True))
