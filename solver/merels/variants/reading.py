"""Reading a variant from TOML text: every key checked, every complaint with the file and the field.

What a variant is, and where the named ones live, is a matter of the package itself.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any, NamedTuple

from merels.boards import BOARDS, Board
from merels.errors import BoardError, InputError, RulesError, VariantError
from merels.rules import RULE_NAMES, Rules

_LARGEST_NUMBER = 10**9


class VariantText(NamedTuple):
    """What a variant file says."""

    name: str
    board: Board
    rules: Rules
    title: str
    source: str


def read_variant(text: str, where: str) -> VariantText:
    """Read the text of a variant file.

    Parameters
    ----------
    text : str
        TOML with the keys ``name``, ``title``, ``source``, ``board`` (a name of the rule book or a table), ``rules``.
    where : str
        The file, for messages.

    Raises
    ------
    VariantError, BoardError, RulesError
        Messages begin with `where` and name the field.
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise VariantError(f"{where}: not a TOML file: {error}") from None
    except RecursionError:
        raise VariantError(f"{where}: not a variant: nested too deep") from None
    except ValueError:  # Python reads no more than some thousand digits
        raise VariantError(f"{where}: not a variant: it has a number of too many digits") from None
    _check_numbers(document, where)
    try:
        _check_keys(document, ("name", "title", "source", "board", "rules"), "")
        return VariantText(
            name=_text(document, "name"),
            board=_board(document),
            rules=_rules(document),
            title=_text(document, "title", ""),
            source=_text(document, "source", ""),
        )
    except RulesError as error:
        raise RulesError(f"{where}: rules: {error}", error.field) from None
    except InputError as error:
        raise type(error)(f"{where}: {error}") from None


def _check_numbers(value: Any, where: str) -> None:
    """Refuse numbers that no board and no rule can have, and that Python may refuse to print."""
    if isinstance(value, int) and abs(value) > _LARGEST_NUMBER:
        raise VariantError(f"{where}: not a variant: it has a number beyond {_LARGEST_NUMBER:,}")
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _check_numbers(part, where)


def _check_keys(table: Mapping[str, Any], known: tuple[str, ...], place: str) -> None:
    for key in table:
        if key not in known:
            raise VariantError(f"{place}unknown key {key!r}; the keys here are {', '.join(known)}")


def _text(table: Mapping[str, Any], key: str, default: str | None = None) -> str:
    value = table.get(key, default)
    if value is None:
        raise VariantError(f"{key}: missing; a variant file needs it")
    if not isinstance(value, str):
        raise VariantError(f"{key} = {value!r}: should be text in quotes")
    return value


def _rules(document: Mapping[str, Any]) -> Rules:
    table = document.get("rules", {})
    if not isinstance(table, dict):
        raise VariantError(f"rules = {table!r}: should be a table [rules]")
    values = dict(table)
    for key in values:
        if key not in RULE_NAMES:
            raise RulesError(f"unknown rule {key!r}; the rules are {', '.join(RULE_NAMES)}", key)
    start = values.get("start")
    if isinstance(start, str):
        values["start"] = Rules.parse("start", start)
    elif isinstance(start, list) and all(isinstance(stones, list) for stones in start):
        values["start"] = tuple(tuple(stones) for stones in start)
    return Rules(**values)


def _board(document: Mapping[str, Any]) -> Board:
    value = document.get("board")
    if isinstance(value, str):
        if value not in BOARDS:
            raise BoardError(f"board: unknown board {value!r}; use a table [board] or one of {', '.join(BOARDS)}")
        return BOARDS[value]
    if not isinstance(value, dict):
        raise BoardError('board: missing or no board; should be a name such as "morris24", or a table [board]')
    try:
        board = _own_board(value)
    except InputError as error:
        raise BoardError(f"board: {error}") from None
    if board.name in BOARDS and board != BOARDS[board.name]:
        raise BoardError(
            f"board: name = {board.name!r}: the rule book has another board of this name; choose a new name"
        )
    return board


def _own_board(table: Mapping[str, Any]) -> Board:
    _check_keys(table, ("name", "points", "lines", "edges", "diagonals"), "")
    points = table.get("points")
    if not isinstance(points, dict):
        raise BoardError("points: should be a table [board.points] of labels and coordinates, such as a1 = [1, 1]")
    edges = _strokes(table, "edges") if "edges" in table else None
    return Board.build(_text(table, "name"), points, _strokes(table, "lines"), edges, _strokes(table, "diagonals"))


def _strokes(table: Mapping[str, Any], field: str) -> list[list[str]]:
    strokes = table.get(field, [])
    if not isinstance(strokes, list) or not all(isinstance(stroke, str) for stroke in strokes):
        example = "a1-a4" if field == "edges" else "a1-d1-g1"
        raise BoardError(f'{field}: should be a list of strokes in quotes, such as ["{example}"]')
    return [stroke.split("-") for stroke in strokes]
