"""Solving in one call: what `merels solve` does, for programs."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import TYPE_CHECKING

from merels.errors import InputError
from merels.solvable import require_quiet_limit, require_solvable
from merels.subspaces import Subspace
from merels.variants import Variant
from merels.variants import variant as variant_named

if TYPE_CHECKING:
    from merels.retrograde.build import BuildReport


def solve(
    variant: Variant | str,
    store: str | PathLike[str],
    *,
    moving: bool = False,
    stones: int | None = None,
    subspaces: Iterable[Subspace | str] = (),
    reachable: bool = False,
    discard: bool = False,
    jobs: int | None = None,
    memory: int | None = None,
    wdl: bool = False,
    quiet_limit: int = 0,
) -> BuildReport:
    """Build the tables of a variant: of the whole game, or a part of it.

    Tables that are there already are not built again.

    Parameters
    ----------
    variant : Variant or str
        Of a game for three players the moving phase alone can be solved, and what is missing of the
        game of two that it ends in is built with it.
    store : path
        Folder of the tables; they go into a folder of the variant's name in it.
    moving : bool
        Solve the subspaces with empty hands alone.
    stones : int, optional
        With ``moving``: those with at most so many stones on the board, of both players together.
    subspaces : iterable of Subspace or str
        Solve these and what they lead to.
    reachable : bool
        Solve what the start position leads to, without the subspaces that no game from there comes to.
    discard : bool
        Keep the tables that are asked for, of the start position unless ``subspaces`` are named, and delete those that they need
        as soon as nothing needs them any more. Tables of other builds stay.
    jobs : int, optional
        Threads; default: the processors available.
    memory : int, optional
        Most bytes to take; default: what is free, less a margin.
    wdl : bool
        Store values only: won, drawn, lost, without distances. Tables with distances that are there serve as well.
    quiet_limit : int
        Then find out which wins are cursed, and losses blessed: drawn if a game ends after so many plies in a row without a placing and
        without a mill. `Tablebase.cursed` tells. 0: not at all.

    Returns
    -------
    BuildReport
        How many tables were solved, how many were there already, and what it took; without the examination for ``quiet_limit``.

    Raises
    ------
    RulesError
        No tables can be made for these rules.
    InputError
        There is no such subspace, or ``quiet_limit`` goes neither with ``wdl`` nor with ``discard``.
    LimitError
        Memory or disk do not suffice, or positions with stones in hand are asked for in a game for three. Finished tables stay, and the
        same call goes on from there.
    TableError
        A table that is there already is damaged, of other rules (`RuleMismatchError`), or holds values only where distances are
        asked for.
    """
    from merels.machine import memory_for_a_build, processors
    from merels.retrograde.build import build
    from merels.retrograde.plan import plan_build
    from merels.tables import DTW, WDL, Store

    if isinstance(variant, str):
        variant = variant_named(variant)
    require_solvable(variant)
    if quiet_limit:

        require_quiet_limit(variant, quiet_limit)
        if wdl or discard:
            raise InputError("quiet_limit needs all tables and their distances: wdl and discard do not go with it")
    names = [subspace if isinstance(subspace, str) else subspace.name for subspace in subspaces]
    plan = plan_build(
        variant,
        moving=moving,
        stones=stones,
        subspaces=names,
        reachable=reachable,
        discard=discard,
        metric=WDL if wdl else DTW,
    )
    tables, jobs = Store(store, variant), processors() if jobs is None else jobs
    memory = memory_for_a_build() if memory is None else memory
    report = build(variant, tables, plan, jobs=jobs, memory=memory)
    if quiet_limit:
        from merels.retrograde.examination import examine
        from merels.tables.quiet import QuietStore

        examine(QuietStore(tables, quiet_limit), plan, jobs=jobs, memory=memory)
    return report
