"""Commands that play: game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from merels.cli.common import command, json_option, print_json, variant_argument
from merels.cli.wording import result_text

if TYPE_CHECKING:
    from merels.game import Game
    from merels.variants import Variant


@command("game", example="merels game six a1 a5 c1 c5 e1xc5\nmerels game three a1 b2 --from 'w a3 c3 2,2'")
@variant_argument
@click.argument("turns", metavar="[TURN]...", nargs=-1)
@click.option("--from", "position_text", metavar="POSITION", help="Begin with this position instead of the start.")
@json_option
def game(variant: Variant, turns: tuple[str, ...], position_text: str | None, as_json: bool) -> None:
    """Play turns and tell how the game stands.

    Besides the ends by the rules a game is drawn by `repetition` (the same position so many times) and by `quiet_limit`
    (so many plies in a row without a placing and without a mill); --rule sets both, and 0 switches one off.
    """
    from merels.game import Game
    from merels.position import Position

    position = Position.start(variant) if position_text is None else Position.parse(variant, position_text)
    played = Game.at(position)
    for turn in turns:
        played = played.play(turn)
    if as_json:
        print_json(_record(played))
    else:
        click.echo(_text(played))


def _record(played: Game) -> dict[str, Any]:
    from merels.position import PLAYERS

    position, result = played.position, played.result()
    return {
        "variant": position.variant.name,
        "position": str(position),
        "history": list(played.history),
        "quiet_plies": played.quiet_plies,
        "occurrences": played.occurrences,
        "outcome": result and result.outcome,
        "reason": result and result.reason,
        "winner": None if result is None or result.winner is None else PLAYERS[result.winner],
        "turns": [position.token(turn) for turn in played.turns()],
    }


def _text(played: Game) -> str:
    from merels.render import text_legend, text_picture

    position, result, rules = played.position, played.result(), played.position.variant.rules
    parts = [text_picture(position.variant, position.state), f"{position}\n{text_legend(position.variant)}"]
    if played.history:
        parts.append(" ".join(played.history))
    if result is not None:
        reason = result_text(position, result)
        return "\n\n".join([*parts, f"The game is over. {reason[0].upper()}{reason[1:]}."])
    limit = f"; {rules.quiet_limit} are a draw" if rules.quiet_limit else ""
    times = f"; {rules.repetition} times are a draw" if rules.repetition else ""
    last = [
        f"The game goes on: {len(played.turns())} turns.",
        f"Plies in a row without a placing and without a mill: {played.quiet_plies}{limit}.",
        f"Times that this position has come: {played.occurrences}{times}.",
    ]
    return "\n\n".join([*parts, "\n".join(last)])
