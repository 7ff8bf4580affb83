"""Commands that ask finished tables about a position: query, line."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from merels.cli import triples
from merels.cli.common import command, json_option, position_argument, print_json, variant_argument
from merels.cli.options import quiet_limit_of, quiet_limit_option, store_option
from merels.cli.wording import columns_text, cursed_sentence, cursed_value, ending, plies_text, worth_cells, worth_sentence
from merels.solvable import require_solvable, require_two_players

if TYPE_CHECKING:
    from merels.analysis import Analysis, Line
    from merels.cursed import Cursed
    from merels.position import Position
    from merels.tables import Tablebase
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
@quiet_limit_option(
    "Tell which wins are cursed, and losses blessed: drawn if a game ends after so many plies in a row without a placing and without a "
    "mill. Told unasked for the variant's own limit where `merels solve --quiet-limit` has examined it."
)
@json_option
@click.pass_context
def query(
    ctx: click.Context, variant: Variant, position: Position, root: Path, plies: int, asked_limit: int | str | None, as_json: bool
) -> None:
    """Tell the value of a position and of each turn.

    The best turn comes first. Distances count plies, one for each player's turn, to the end of the game. A value that
    no table tells is "unknown", and the exit code is then 1. With three players each has a value of its own, against the
    two others together: win, hold or beaten.
    """
    require_solvable(variant)
    limit = quiet_limit_of(variant, asked_limit)
    if variant.rules.players == 3:
        _for_three(variant, plies)
        triples.query(position, root, as_json)
        return
    from merels.analysis import analyse
    from merels.tables import open_tablebase

    with open_tablebase(root, variant) as tablebase:
        analysis = analyse(tablebase, position, plies)
        cursed = _judged(tablebase, analysis, limit)
    if as_json:
        print_json(_query_record(analysis, cursed))
    else:
        click.echo(_query_text(analysis, cursed))
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


def _judged(tablebase: Tablebase, analysis: Analysis, limit: int) -> Cursed | None:
    """What the limit does, or the variant's own if none (0) is asked for and it has been examined."""
    from merels.cursed import judge
    from merels.tables.quiet import QuietStore

    own = analysis.position.variant.rules.quiet_limit
    if limit:
        cursed = judge(tablebase, analysis, limit)
        if cursed.missing is not None:
            raise cursed.missing
        return cursed
    return judge(tablebase, analysis, own) if own and QuietStore(tablebase.store, own).begun() else None


def _for_three(variant: Variant, plies: int) -> None:
    """Refuse the options that a game for three does not have."""
    if plies > 0:
        require_two_players(variant, "--search looks ahead")


def _query_record(analysis: Analysis, cursed: Cursed | None) -> dict[str, Any]:
    variant = analysis.position.variant
    record = {
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
    if cursed is not None:
        record |= {"quiet_limit": cursed.limit, "cursed": cursed.position}
        for turn, told in zip(record["turns"], cursed.turns, strict=True):
            turn["cursed"] = told
    return record


def _query_text(analysis: Analysis, cursed: Cursed | None) -> str:
    from merels.render import text_legend, text_picture

    position = analysis.position
    variant, over = position.variant, ending(position)
    parts = [text_picture(variant, position.state), f"{position}\n{text_legend(variant)}"]
    if over is not None:
        return "\n\n".join([*parts, _game_over(over)])
    parts.append(worth_sentence(position, analysis.bounds))
    if cursed is not None and cursed.position is not None and analysis.bounds.value != "draw":
        parts[-1] += f"\n{cursed_sentence(analysis.bounds.value, cursed.position, cursed.limit)}"
    rows = [("turn", "value", "plies", "position after it")]
    for number, judged in enumerate(analysis.turns):
        value, plies = worth_cells(judged.bounds)
        if cursed is not None and cursed.turns[number]:
            value = cursed_value(value)
        rows.append((judged.turn, value, plies, str(judged.position)))
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
