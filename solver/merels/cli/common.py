"""What the commands share: the arguments VARIANT and POSITION with their options, -v, examples in help, JSON."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

Function = Callable[..., Any]


def command(name: str, *, example: str) -> Callable[[Function], click.Command]:
    """Make a command of a function; `example` (one command line or several) ends its help."""
    lines = "\n".join(f"  {line}" for line in example.strip().splitlines())
    return click.command(name, params=[verbose_option()], epilog=f"\b\nExample:\n{lines}")


def variant_argument(function: Function) -> Function:
    """Add VARIANT, --men and --rule; the function gets `variant`, the variant they describe."""

    @click.argument("variant_name", metavar="VARIANT", shell_complete=_complete_variant)
    @derivation_options
    @functools.wraps(function)
    def with_variant(*args: Any, variant_name: str, men: int | None, rules: dict[str, str], **options: Any) -> Any:
        return function(*args, variant=load_variant(variant_name, men, rules), **options)

    return with_variant


def derivation_options(function: Function) -> Function:
    """Add --men and --rule; the function gets `men` and `rules`."""
    men = click.option("--men", type=int, metavar="K", help="Play with K men for each player.")
    rule = click.option(
        "--rule",
        "rules",
        multiple=True,
        metavar="KEY=VALUE",
        callback=_split_rules,
        help="Change a rule, such as flying=0. May be given several times.",
    )
    return men(rule(function))


def position_argument(required: bool) -> Callable[[Function], Function]:
    """Add POSITION, below `variant_argument`; the function gets `position` (the start where it may be and is left out).

    The fields of a position may come as one quoted argument or as several.
    """

    def decorate(function: Function) -> Function:
        @click.argument("fields", metavar="POSITION" if required else "[POSITION]", nargs=-1, required=required)
        @functools.wraps(function)
        def with_position(*args: Any, variant: Any, fields: tuple[str, ...], **options: Any) -> Any:
            from merels.position import Position

            text = " ".join(fields)
            position = Position.parse(variant, text) if fields else Position.start(variant)
            return function(*args, variant=variant, position=position, **options)

        return with_position

    return decorate


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")


def load_variant(name: str, men: int | None, rules: dict[str, str]) -> Any:
    """Return the variant of a name or TOML file with the changes that the options ask for."""
    from merels.variants import variant

    return variant(name, men=men, rules=rules)


def print_json(payload: dict[str, Any]) -> None:
    """Print an object as one line of JSON."""
    import json

    click.echo(json.dumps(payload, ensure_ascii=False))


def verbose_option() -> click.Option:
    """Return a fresh -v option; every command has it, so that it works before and after the command's name."""
    return click.Option(
        ["-v", "--verbose"],
        count=True,
        expose_value=False,
        callback=_set_verbosity,
        help="Tell on standard error what is being done; -vv tells more.",
    )


def _set_verbosity(ctx: click.Context, option: click.Parameter, count: int) -> None:
    if count:
        import logging

        logging.basicConfig(format="merels: %(message)s")
        logging.getLogger("merels").setLevel(logging.INFO if count == 1 else logging.DEBUG)


def _split_rules(ctx: click.Context, option: click.Parameter, pairs: tuple[str, ...]) -> dict[str, str]:
    rules: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = (part.strip() for part in pair.partition("="))
        if not (key and equals and value):
            raise click.BadParameter(f"{pair!r} is not KEY=VALUE; write for instance --rule flying=0.", ctx, option)
        if key in rules:
            raise click.BadParameter(f"{key} is given twice; give each rule once.", ctx, option)
        rules[key] = value
    return rules


def _complete_variant(ctx: click.Context, argument: click.Parameter, incomplete: str) -> list[str]:
    from merels.variants import variant_names

    return [name for name in variant_names() if name.startswith(incomplete)]
