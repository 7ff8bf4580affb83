"""Options of the commands that work with tables: which store, which subspaces, how much of the machine."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from merels.solvable import MOST_QUIET_PLIES, require_quiet_limit

Function = Callable[..., Any]

STORE_VARIABLE, DEFAULT_STORE = "MERELS_STORE", "tablebases"

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?", re.IGNORECASE)
_POWERS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}

store_option = click.option(
    "--store",
    "root",
    type=click.Path(file_okay=False, path_type=Path),
    envvar=STORE_VARIABLE,
    default=DEFAULT_STORE,
    metavar="DIR",
    help="Folder with the tables, one folder a variant in it. Default: the environment variable "
    f"{STORE_VARIABLE}, else {DEFAULT_STORE!r} in the current folder.",
)


def subspace_option(help: str) -> Callable[[Function], Function]:
    """Add --subspace, which may be given several times; the function gets `subspaces`, a tuple of names."""
    return click.option("--subspace", "subspaces", multiple=True, metavar="NAME", help=help)


def selection_options(function: Function) -> Function:
    """Add --moving, --stones, --subspace and --reachable; the function gets `moving`, `stones`, `subspaces` and `reachable`."""
    moving = click.option("--moving", is_flag=True, help="The subspaces with empty hands alone.")
    stones = click.option(
        "--stones",
        type=click.IntRange(min=1),
        metavar="N",
        help="With --moving: those with at most N stones on the board, of all players together.",
    )
    subspace = subspace_option(
        "This subspace and all that it leads to: NAME is u-t-hu-ht, the stones on the "
        "board of the player to move and of the other, then their stones in hand, such as 5-4-0-0 (with three players "
        "u-n-p-hu-hn-hp: to move, next, previous). May be given several times."
    )
    reachable = click.option("--reachable", is_flag=True, help="What the start position leads to, not what is only set up by hand.")
    return moving(stones(subspace(reachable(function))))


def wdl_option(help: str) -> Callable[[Function], Function]:
    """Add --wdl; the function gets `metric`, what tables are to tell."""

    def metric(ctx: click.Context, option: click.Parameter, wdl: bool) -> str:
        from merels.tables.metric import DTW, WDL

        return WDL if wdl else DTW

    return click.option("--wdl", "metric", is_flag=True, callback=metric, help=help)


def jobs_option(function: Function) -> Function:
    """Add --jobs; the function gets `jobs`, by default the number of processors."""
    return click.option(
        "--jobs",
        type=click.IntRange(min=1),
        default=_processors,
        metavar="N",
        help="Number of threads. Default: the processors available.",
    )(function)


def memory_option(function: Function) -> Function:
    """Add --memory; the function gets `memory` in bytes, None where the machine does not tell how much is free."""
    return click.option(
        "--memory",
        callback=_memory,
        metavar="SIZE",
        help="Most memory to take, such as 500M or 8G (of 1024 MiB). Default: what is free, less a margin.",
    )(function)


def _processors() -> int:
    from merels.machine import processors

    return processors()


def _memory(ctx: click.Context, option: click.Parameter, text: str | None) -> int | None:
    if text is None:
        from merels.machine import memory_for_a_build

        return memory_for_a_build()
    match = _SIZE.fullmatch(text.strip())
    size = int(float(match[1]) * (1 << _POWERS[match[2].lower()])) if match else 0
    if size < 1:
        raise click.BadParameter(f"{text!r} is no size; write for instance 500M or 8G.", ctx, option)
    return size


OWN_LIMIT = "own"


def quiet_limit_option(help: str) -> Callable[[Function], Function]:
    """Add --quiet-limit; the function gets `asked_limit`: None, a number of plies, or `OWN_LIMIT` where it is given without one."""
    return click.option(
        "--quiet-limit",
        "asked_limit",
        is_flag=False,
        flag_value=OWN_LIMIT,
        callback=_limit,
        metavar="[PLIES]",
        help=f"{help} Without PLIES: the variant's own quiet_limit.",
    )


def quiet_limit_of(variant: Any, asked: int | str | None) -> int:
    """The limit that an option asks for, 0 for none."""
    if asked is None:
        return 0
    if asked == OWN_LIMIT and not variant.rules.quiet_limit:
        raise click.UsageError(f"{variant.name} has quiet_limit = 0, no limit of its own; write a number, such as --quiet-limit 100.")
    limit = variant.rules.quiet_limit if asked == OWN_LIMIT else asked
    require_quiet_limit(variant, limit)
    return limit


def _limit(ctx: click.Context, option: click.Parameter, text: str | None) -> int | str | None:
    if text is None or text == OWN_LIMIT:
        return text
    if not re.fullmatch("[0-9]{1,6}", text) or not 1 <= int(text) <= MOST_QUIET_PLIES:
        raise click.BadParameter(f"{text!r} is no limit; write a number of plies from 1 to {MOST_QUIET_PLIES}.", ctx, option)
    return int(text)
