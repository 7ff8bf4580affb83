"""Commands that ask finished tables about a position: query, line."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from merels.cli import triples
from merels.cli.common import command, json_option, position_argument, print_json, variant_argument
from merels.cli.options import store_option
from merels.cli.wording import columns_text, ending, plies_text, worth_cells, worth_sentence
from merels.solvable import require_solvable, require_two_players

if TYPE_CHECKING:
    from merels.analysis import Analysis, Line
    from merels.position import Position
    from merels.variants import Variant

logger = logging.getLogger(__name__)

DRAWN_PLIES = 20
MOST_SEARCHED = 200  # a search goes as deep as it looks ahead, and no search of this depth ever ends


@command(
    "query",
    example="merels query six 'w a1,a3 a5,c5 4,4'\nmerels query nine 'w a1,d1,g1 a7,d7,g7 0,0' --search 3",
)
@variant_argument
@position_argument(required=True)
@store_option
@click.option(
    "--search",
    "plies",
    type=click.IntRange(0, MOST_SEARCHED),
    default=0,
    metavar="PLIES",
    help="Where tables are missing, look this many plies ahead for a value that can be proven.",
)
@json_option
@click.pass_context
def query(ctx: click.Context, variant: Variant, position: Position, root: Path, plies: int, as_json: bool) -> None:
    """Tell the value of a position and of each turn.

    The best turn comes first. Distances count plies, one for each player's turn, to the end of the game. A value that
    no table tells is "unknown", and the exit code is then 1. With three players each has a value of its own, against the
    two others together: win, hold or beaten.
    """
    require_solvable(variant)
    if variant.rules.players == 3:
        _for_three(variant, plies)
        triples.query(position, root, as_json)
        return
    from merels.analysis import analyse
    from merels.tables import open_tablebase

    with open_tablebase(root, variant) as tablebase:
        analysis = analyse(tablebase, position, plies)
    if as_json:
        print_json(_query_record(analysis))
    else:
        click.echo(_query_text(analysis))
    unknown = analysis.bounds.value == "unknown"
    for missing in analysis.missing[:1] if unknown else analysis.missing:
        click.echo(f"merels: {missing}", err=True)
    ctx.exit(1 if unknown else 0)


@command("line", example="merels line six 'w a1,a3 a5,c5 4,4'")
@variant_argument
@position_argument(required=True)
@store_option
@click.option(
    "--plies",
    type=click.IntRange(min=0),
    default=DRAWN_PLIES,
    show_default=True,
    metavar="N",
    help="Most plies of a drawn line, which has no end of its own. Won and lost ones are shown to the end.",
)
@json_option
def line(variant: Variant, position: Position, root: Path, plies: int, as_json: bool) -> None:
    """Show best play to the end.

    The winner takes the shortest way, the loser the longest. Where turns are equally good, the first by name is played.
    Of three players each plays for itself alone.
    """
    require_solvable(variant)
    if variant.rules.players == 3:
        triples.line(position, root, plies, as_json)
        return
    from merels.analysis import best_line
    from merels.tables import open_tablebase

    with open_tablebase(root, variant) as tablebase:
        best = best_line(tablebase, position, plies)
    if as_json:
        print_json(_line_record(position, best))
    else:
        click.echo(_line_text(position, best))


def _for_three(variant: Variant, plies: int) -> None:
    """Refuse the options that a game for three does not have."""
    if plies > 0:
        require_two_players(variant, "--search looks ahead")


def _query_record(analysis: Analysis) -> dict[str, Any]:
    variant = analysis.position.variant
    return {
        "variant": variant.name,
        "fingerprint": variant.fingerprint,
        "position": str(analysis.position),
        "value": analysis.bounds.value,
        "dtw": analysis.bounds.dtw,
        "turns": [
            {
                "turn": judged.turn,
                "position": str(judged.position),
                "value": judged.bounds.value,
                "dtw": judged.bounds.dtw,
            }
            for judged in analysis.turns
        ],
    }


def _query_text(analysis: Analysis) -> str:
    from merels.render import text_legend, text_picture

    position = analysis.position
    variant, over = position.variant, ending(position)
    parts = [text_picture(variant, position.state), f"{position}\n{text_legend(variant)}"]
    if over is not None:
        return "\n\n".join([*parts, _game_over(over)])
    parts.append(worth_sentence(position, analysis.bounds))
    rows = [("turn", "value", "plies", "position after it")]
    rows += [(judged.turn, *worth_cells(judged.bounds), str(judged.position)) for judged in analysis.turns]
    return "\n\n".join([*parts, columns_text(rows, "llrl")])


def _game_over(reason: str) -> str:
    return f"The game is over. {reason[0].upper()}{reason[1:]}."


def _line_record(position: Position, best: Line) -> dict[str, Any]:
    return {
        "variant": position.variant.name,
        "position": str(position),
        "value": best.value,
        "dtw": best.dtw,
        "turns": list(best.turns),
        "end": {"position": str(best.position), "outcome": best.position.outcome(), "reason": ending(best.position)},
    }


def _line_text(position: Position, best: Line) -> str:
    from merels.position import PLAYER_NAMES
    from merels.search import Bounds

    over = ending(position)
    if over is not None:
        return _game_over(over)
    rows, mover = [], position.state.to_move
    for number, turn in enumerate(best.turns, 1):
        rows.append((f"{number}.", PLAYER_NAMES[mover], turn))
        mover = 1 - mover
    over = ending(best.position)
    if over is not None:
        last = _game_over(over)
    elif best.repeats is not None:
        last = f"The position after {plies_text(best.repeats)} has come again: this can go on for ever."
    else:
        last = "The line is cut off here; --plies N shows more."
    parts = [worth_sentence(position, Bounds.exactly((best.value, best.dtw)))]
    return "\n\n".join([*parts, *([columns_text(rows, "rll")] if rows else []), f"{best.position}\n{last}"])
