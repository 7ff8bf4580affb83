"""Ours: the numbers that our side has, from the tables of a store, else from the results that come with the program."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from merels.errors import MissingTableError
from merels.known.results import Results, shipped
from merels.position import Position
from merels.reference.symmetry import Representatives
from merels.subspaces import Subspace
from merels.tables import Store, Table, Tablebase, subspace_of
from merels.tables.overview import overview
from merels.tables.remedies import solve_command
from merels.variants import Variant

TABLES, RESULTS = "tables", "results"
"""Where a number is from: the tables of the store, or the results that come with the program."""


class NotBuilt(Exception):
    """Neither tables nor results have an answer; ``command`` builds the tables."""

    def __init__(self, command: str):
        super().__init__(command)
        self.command = command


class Found(NamedTuple):
    """An answer and where it is from."""

    value: Any
    origin: str


class Ours:
    """Our numbers.

    Parameters
    ----------
    root : the store, which may hold tables of some variants or none.
    jobs : threads that read tables.
    long : whether searches that take minutes are made.
    """

    def __init__(self, root: Path, jobs: int = 1, long: bool = False):
        self.root, self.jobs, self.long = root, jobs, long
        self._stores: dict[str, Store] = {}

    def command(self, variant: Variant, subspace: Subspace | None = None) -> str:
        """The command that builds the tables of a variant, or of one subspace and all that it leads to."""
        return solve_command(variant, self.root, subspace)

    def command_for_distances(self, variant: Variant, subspace: Subspace | None = None) -> str:
        """`command`, in another store where this one holds values only."""
        return self._store(variant).command_for_distances(subspace)

    def counts(self, variant: Variant, subspace: Subspace) -> Found:
        """Counts of a subspace: positions, win, draw, loss, max_win, max_loss; from tables also ``histogram``, a list by plies.

        Tables that hold values only have none of the last three.
        """
        try:
            (row,) = overview(self._store(variant), [subspace])
            if row.histogram is None:
                return Found({name: number for name, number in row.numbers.items() if not name.startswith("max_")}, TABLES)
            return Found({**row.numbers, "histogram": list(row.histogram)}, TABLES)
        except MissingTableError:
            results = shipped(variant)
            if results is None or subspace.name not in results.subspaces:
                raise NotBuilt(self.command(variant, subspace)) from None
            return Found(dict(results.subspaces[subspace.name]), RESULTS)

    def table(self, variant: Variant, subspace: Subspace) -> Table:
        """The values of a subspace."""
        try:
            return self._store(variant).read(subspace, self.jobs)
        except MissingTableError:
            raise NotBuilt(self.command(variant, subspace)) from None

    def all_counts(self, variant: Variant, subspaces: Iterable[Subspace]) -> Found:
        """`counts` of many subspaces, a mapping; `NotBuilt` if one is missing."""
        found = {}
        for subspace in subspaces:
            try:
                found[subspace] = self.counts(variant, subspace)
            except NotBuilt:
                raise NotBuilt(self.command(variant)) from None
        origins = {answer.origin for answer in found.values()}
        return Found({s: answer.value for s, answer in found.items()}, TABLES if origins == {TABLES} else RESULTS)

    def worth(self, position: Position) -> Found:
        """Value and distance of a position."""
        try:
            with Tablebase(self._store(position.variant)) as tablebase:
                return Found(tuple(tablebase.probe(position)), TABLES)
        except MissingTableError as missing:
            results = shipped(position.variant)
            worth = None if results is None else _worth_in(results, position)
            if worth is None:
                raise NotBuilt(missing.command) from None
            return Found(worth, RESULTS)

    def turns(self, position: Position) -> Found:
        """Value and distance of every turn, for the player who makes it, by token."""
        try:
            with Tablebase(self._store(position.variant)) as tablebase:
                probed = tablebase.probe_turns(position)
                return Found({turn.turn: (turn.value, turn.dtw) for turn in probed}, TABLES)
        except MissingTableError as missing:
            results = shipped(position.variant)
            if results is None or results.start is None or str(position) != results.start["position"]:
                raise NotBuilt(missing.command) from None
            return Found(_turns_in(results, position), RESULTS)

    def tablebase(self, variant: Variant) -> Tablebase:
        """The tables of a variant, to be closed by the caller; look-ups raise `MissingTableError`."""
        return Tablebase(self._store(variant), jobs=self.jobs)

    def _store(self, variant: Variant) -> Store:
        if variant.name not in self._stores:
            self._stores[variant.name] = Store(self.root, variant)
        return self._stores[variant.name]


def _worth_in(results: Results, position: Position) -> tuple[str, int | None] | None:
    if results.start is not None and str(position) == results.start["position"]:
        return results.start["value"], results.start["dtw"]
    counts = results.subspaces.get(subspace_of(position).name)
    if counts is None or counts["positions"] != 1:
        return None
    value = next(word for word in ("win", "draw", "loss") if counts[word])
    return value, None if value == "draw" else counts[f"max_{value}"]


def _turns_in(results: Results, position: Position) -> dict[str, tuple[str, int | None]]:
    """The results name one turn of each orbit; the others lead to images of the same positions."""
    representative = Representatives(position.variant)
    worth = {representative(position.play(turn).state): (w["value"], w["dtw"]) for turn, w in results.start["turns"].items()}
    return {position.token(turn): worth[representative(position.play(turn).state)] for turn in position.turns()}
