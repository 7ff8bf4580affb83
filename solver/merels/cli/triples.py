"""What query and line say of a game for three players."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from merels.cli.common import print_json
from merels.cli.wording import columns_text, ending, plies_text

if TYPE_CHECKING:
    from merels.position import Position
    from merels.tables.triplebase import Worths
    from merels.triple_analysis import TripleAnalysis, TripleLine

VALUES = {"win": "win", "draw": "hold", "loss": "beaten"}
"""How values are named: a player forces a win, holds, or can be put out by the two others together."""


def query(position: Position, root: Path, as_json: bool) -> None:
    """Print what each player can force, and the turns, the best for the player to move first."""
    from merels.tables import open_tablebase
    from merels.triple_analysis import analyse_triple

    with open_tablebase(root, position.variant) as tablebase:
        analysis = analyse_triple(tablebase, position)
    if as_json:
        print_json(_query_record(analysis))
    else:
        click.echo(_query_text(analysis))


def line(position: Position, root: Path, plies: int, as_json: bool) -> None:
    """Print a line in which everyone plays its own best turn."""
    from merels.tables import open_tablebase
    from merels.triple_analysis import best_triple_line

    with open_tablebase(root, position.variant) as tablebase:
        best = best_triple_line(tablebase, position, plies)
    if as_json:
        end = {"position": str(best.position), "outcome": best.position.outcome(), "reason": ending(best.position)}
        values = _values_record(best.worths)
        record = {"variant": position.variant.name, "position": str(position), "values": values, "turns": list(best.turns), "end": end}
        print_json(record)
    else:
        click.echo(_line_text(position, best))


def _values_record(worths: Worths) -> dict[str, dict[str, Any]]:
    from merels.position import PLAYERS

    return {player: {"value": VALUES[worth.value], "dtw": worth.dtw} for player, worth in zip(PLAYERS, worths, strict=True)}


def _query_record(analysis: TripleAnalysis) -> dict[str, Any]:
    variant = analysis.position.variant
    return {
        "variant": variant.name,
        "fingerprint": variant.fingerprint,
        "position": str(analysis.position),
        "values": _values_record(analysis.worths),
        "turns": [
            {"turn": judged.turn, "position": str(judged.position), "values": _values_record(judged.worths)} for judged in analysis.turns
        ],
    }


def _sentences(worths: Worths) -> str:
    from merels.position import PLAYER_NAMES

    said = []
    for name, (value, plies) in zip(PLAYER_NAMES, worths, strict=True):
        if value == "draw":
            said.append(f"{name} holds: it cannot force a win, and the others cannot put it out.")
        elif not plies:
            said.append(f"{name} has won." if value == "win" else f"{name} is out.")
        elif value == "win":
            said.append(f"{name} forces a win in {plies_text(plies)}, whatever the two others do.")
        else:
            said.append(f"{name} can be put out in {plies_text(plies)} by the two others together.")
    return "\n".join(said)


def _cell(worth: tuple[str, int | None]) -> str:
    value, plies = worth
    if value == "loss" and plies == 0:
        return "out"
    return VALUES[value] if plies is None else f"{VALUES[value]} {plies}"


def _query_text(analysis: TripleAnalysis) -> str:
    from merels.position import PLAYER_NAMES
    from merels.render import text_legend, text_picture

    position = analysis.position
    over = ending(position)
    parts = [text_picture(position.variant, position.state), f"{position}\n{text_legend(position.variant)}"]
    if over is not None:
        return "\n\n".join([*parts, f"The game is over. {over[0].upper()}{over[1:]}."])
    rows = [("turn", *PLAYER_NAMES, "position after it")]
    rows += [(judged.turn, *map(_cell, judged.worths), str(judged.position)) for judged in analysis.turns]
    return "\n\n".join([*parts, _sentences(analysis.worths), columns_text(rows, "lllll")])


def _line_text(position: Position, best: TripleLine) -> str:
    from merels.position import PLAYER_NAMES

    rows = [(f"{number}.", PLAYER_NAMES[mover], turn) for number, (mover, turn) in enumerate(zip(best.movers, best.turns, strict=True), 1)]
    over = ending(best.position)
    if over is not None:
        last = f"The game is over. {over[0].upper()}{over[1:]}."
    elif best.repeats is not None:
        last = f"The position after {plies_text(best.repeats)} has come again: this can go on for ever."
    else:
        last = "The line is cut off here; --plies N shows more."
    parts = [] if ending(position) is not None else [_sentences(best.worths)]
    return "\n\n".join([*parts, *([columns_text(rows, "rll")] if rows else []), f"{best.position}\n{last}"])
