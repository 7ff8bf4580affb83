"""The text of what a repeated-mill rule remembers: the last field of a position string."""

from __future__ import annotations

import re
from functools import reduce
from itertools import combinations
from operator import and_

from merels.errors import PositionError
from merels.reference.memory import Mills
from merels.state import State, mask_of, points_of
from merels.variants import Variant

FORMS = {
    "no-immediate": "'-', or what each player may not do, White's first: '-' or FROM-TO, as in a4-a7/-",
    "different": "'-', or each player's last mills, White's first: '-' or LINE=STONES joined by '+', "
    "as in a7,d7,g7=a4,d7,g7/-",
}


def write_memory(variant: Variant, memory: tuple) -> str:
    """The memory field: ``-`` where no player remembers anything."""
    if not any(memory):
        return "-"
    write = _write_move if variant.rules.repeat_mill == "no-immediate" else _write_mills
    return "/".join(write(variant, remembered) if remembered else "-" for remembered in memory)


def _write_move(variant: Variant, remembered: tuple[int, int]) -> str:
    return "-".join(variant.board.points[i] for i in remembered)


def _write_mills(variant: Variant, remembered: Mills) -> str:
    def labels(mask: int) -> str:
        return ",".join(variant.board.points[i] for i in points_of(mask))

    ordered = sorted(remembered, key=lambda mill: points_of(mill[0]))
    return "+".join(f"{labels(line)}={labels(stones)}" for line, stones in ordered)


def parse_memory(variant: Variant, state: State, field: str, text: str) -> tuple:
    """Read the memory field of the position `text`, whose stones are in `state`.

    Raises
    ------
    PositionError
        Malformed, or no turns can have left such a memory. (Whether it can still forbid anything is not asked here.)
    """
    players = variant.rules.players
    if field == "-":
        return (None,) * players
    parts = field.split("/")
    form = f"{text!r}: memory {field!r}"
    if len(parts) != players:
        raise PositionError(f"{form} should be {FORMS[variant.rules.repeat_mill]}")
    if all(part == "-" for part in parts):
        raise PositionError(f"{form}: where no player remembers anything the whole field is '-'")
    parse = _parse_move if variant.rules.repeat_mill == "no-immediate" else _parse_mills
    return tuple(
        None if part == "-" else parse(variant, state.stones[player], part, form) for player, part in enumerate(parts)
    )


def _parse_move(variant: Variant, own: int, part: str, form: str) -> tuple[int, int]:
    match = re.fullmatch(r"([a-z0-9]+)-([a-z0-9]+)", part)
    if not match:
        raise PositionError(f"{form} should be {FORMS['no-immediate']}")
    source, target = (_point(variant, label, form) for label in match.groups())
    return source, target


def _parse_mills(variant: Variant, own: int, part: str, form: str) -> Mills:
    mills = []
    for mill in part.split("+"):
        match = re.fullmatch(r"([a-z0-9]+),([a-z0-9]+),([a-z0-9]+)=([a-z0-9]+),([a-z0-9]+),([a-z0-9]+)", mill)
        if not match:
            raise PositionError(f"{form} should be {FORMS['different']}")
        points = [_point(variant, label, form) for label in match.groups()]
        line, stones = mask_of(points[:3]), mask_of(points[3:])
        if line not in variant.board.line_masks:
            raise PositionError(f"{form}: {mill.split('=')[0]} is no line of {variant.board.name}")
        if stones.bit_count() != 3 or stones & ~own:
            raise PositionError(f"{form}: {mill.split('=')[1]} should be three stones of the player whose mill it was")
        mills.append((line, stones))
    if not _made_together(mills):
        raise PositionError(
            f"{form}: no turn can have made these mills together; they share one stone, the one that moved"
        )
    return tuple(sorted(mills))


def _made_together(mills: list[tuple[int, int]]) -> bool:
    """Whether one turn can have made all these mills: their stones overlap as their lines do, and share one stone."""
    alike = all(
        (line & other_line).bit_count() == (stones & other_stones).bit_count() and line != other_line
        for (line, stones), (other_line, other_stones) in combinations(mills, 2)
    )
    return alike and all(reduce(and_, masks) for masks in zip(*mills, strict=True))


def _point(variant: Variant, label: str, form: str) -> int:
    if label not in variant.board.index:
        raise PositionError(f"{form}: unknown point {label!r}")
    return variant.board.index[label]
