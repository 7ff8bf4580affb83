"""Commands that need no table: variants, board, turns, perft."""

from __future__ import annotations

import dataclasses
import logging
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from merels.cli.common import (
    command,
    derivation_options,
    json_option,
    load_variant,
    position_argument,
    print_json,
    variant_argument,
)
from merels.cli.wording import columns_text, ending

if TYPE_CHECKING:
    from merels.position import Position
    from merels.variants import Variant

logger = logging.getLogger(__name__)

# The rules that most variants tell apart; `variants NAME` shows all of them.
_COLUMNS = ("men", "placing", "movement", "flying", "mill", "removals", "protection", "stalemate")


@command("variants", example="merels variants\nmerels variants nine --rule flying=0")
@click.argument("names", metavar="[VARIANT]...", nargs=-1)
@derivation_options
@json_option
def variants(names: tuple[str, ...], men: int | None, rules: dict[str, str], as_json: bool) -> None:
    """List the named variants, or tell all rules of those given."""
    if not names and (men is not None or rules):
        raise click.UsageError("--men and --rule change a variant; name the VARIANT to change.")
    from merels.variants import variant_names

    chosen = [load_variant(name, men, rules) for name in names or variant_names()]
    if as_json:
        print_json({"variants": [_record(variant) for variant in chosen]})
    elif names:
        click.echo("\n\n".join(_description(variant) for variant in chosen))
    else:
        click.echo(_table(chosen))


@command("board", example="merels board nine 'w a7,d7 b6 7,8'\nmerels board spatial --svg cube.svg")
@variant_argument
@position_argument(required=False)
@click.option("--svg", "svg_path", type=click.Path(path_type=Path), metavar="FILE", help="Write an SVG picture too.")
def board(variant: Variant, position: Position, svg_path: Path | None) -> None:
    """Draw a position (or the start) and print its position string."""
    from merels.render import svg_picture, text_legend, text_picture

    click.echo(f"{text_picture(variant, position.state)}\n\n{position}\n{text_legend(variant)}")
    if svg_path is not None:
        svg_path.write_text(svg_picture(variant, position.state), encoding="utf-8")
        logger.info("wrote %s", svg_path)


@command("turns", example="merels turns nine 'w a1,a4,d7,g7 b2,b4,d6,f6 0,0'")
@variant_argument
@position_argument(required=True)
@json_option
def turns(variant: Variant, position: Position, as_json: bool) -> None:
    """List the legal turns of a position, one a line, sorted."""
    tokens = _tokens(position)
    if as_json:
        print_json({"variant": variant.name, "position": str(position), "turns": tokens})
    elif tokens:
        click.echo("\n".join(tokens))
    if not tokens:
        click.echo(f"merels: no turns: {ending(position)}", err=True)


@command("perft", example="merels perft nine 3\nmerels perft six 2 'w a1,a3 b2,b4 4,4' --divide")
@variant_argument
@click.argument("depth", type=click.IntRange(min=0))
@position_argument(required=False)
@click.option("--divide", is_flag=True, help="Also count the sequences after each first turn.")
@json_option
def perft(variant: Variant, depth: int, position: Position, divide: bool, as_json: bool) -> None:
    """Count the sequences of DEPTH turns from a position.

    POSITION is the start where it is left out. A game that ends earlier adds nothing to the count.
    """
    logger.info("counting turn sequences of %s from %s", variant.name, position)
    started = time.perf_counter()
    counts: dict[str, int] = {}
    if divide and depth > 0:
        counts = {token: position.play(token).perft(depth - 1) for token in _tokens(position)}
        count = sum(counts.values())
    else:
        count = position.perft(depth)
    logger.info("%d turn sequences in %.2f s", count, time.perf_counter() - started)
    if as_json:
        answer = {"variant": variant.name, "position": str(position), "depth": depth, "count": count}
        print_json(answer | {"divide": counts} if divide else answer)
        return
    for token, part in counts.items():
        click.echo(f"{token}: {part}")
    click.echo(count)


def _tokens(position: Position) -> list[str]:
    return [position.token(turn) for turn in position.turns()]


def _record(variant: Variant) -> dict[str, Any]:
    return {
        "name": variant.name,
        "title": variant.title,
        "source": variant.source,
        "board": variant.board.name,
        "rules": dataclasses.asdict(variant.rules),
        "fingerprint": variant.fingerprint,
    }


def _description(variant: Variant) -> str:
    from merels.rules import text_of

    board = variant.board
    sizes = f"{board.size} points, {len(board.lines)} lines, {len(board.edges)} edges"
    facts = {
        "title": variant.title,
        "source": variant.source,
        "board": f"{board.name}: {sizes}, {len(variant.symmetries)} symmetries",
        **{key: text_of(key, value) for key, value in dataclasses.asdict(variant.rules).items()},
        "fingerprint": variant.fingerprint,
    }
    return "\n".join([variant.name, *(f"  {key:<12} {value}" for key, value in facts.items())])


def _table(chosen: Sequence[Variant]) -> str:
    from merels.rules import canonical, text_of

    rows = [("name", "board", *_COLUMNS, "also")]
    for variant in chosen:
        # In the canonical form a rule without effect is None.
        rules = canonical(variant.board, variant.rules)["rules"]
        cells = ["" if rules[key] is None else text_of(key, rules[key]) for key in _COLUMNS]
        also = []
        if rules["players"] != 2:
            also.append(f"players={rules['players']}")
        if rules["repeat_mill"] != "free":
            also.append(f"repeat_mill={rules['repeat_mill']}")
        rows.append((variant.name, variant.board.name, *cells, ", ".join(also)))
    return columns_text(rows, "l" * len(rows[0]))
