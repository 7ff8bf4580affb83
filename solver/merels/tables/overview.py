"""Overview: what the tables of a store hold, subspace by subspace and in all.

It is read from what the files say of themselves; values are looked at only where the filter of reachable positions is asked for. Whether
they are right is for verification to say.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any

from merels.errors import MissingTableError
from merels.subspaces import Subspace, Unit
from merels.tables.quiet import QuietStore
from merels.tables.store import Store

CHANGES = ("cursed_win", "blessed_loss")
"""The numbers that `with_changes` adds."""
_SUMS = ("slots", "positions", "win", "draw", "loss")
_LARGEST = ("max_win", "max_loss")


@dataclass(frozen=True)
class Row:
    """One subspace.

    Attributes
    ----------
    subspace : Subspace or Seat
    metric : str
        "DTW", or "WDL" for a table that holds values only; "DTD" with three players.
    numbers : dict
        slots, positions (orbits, each once), win, draw, loss, max_win and max_loss in plies (None without any),
        bytes in the file.
    histogram : tuple of int or None
        Decided positions by their distance in plies: odd won, even lost; with three players by their code
        (`merels.tables.metric`). None without distances.
    """

    subspace: Subspace
    metric: str
    numbers: dict[str, int | None]
    histogram: tuple[int, ...] | None


def overview(store: Store, subspaces: Collection[Subspace] = ()) -> list[Row]:
    """The rows of a store, few stones and empty hands first.

    Parameters
    ----------
    store : Store
    subspaces : collection of Subspace
        Only these; default: all that are there.

    Raises
    ------
    MissingTableError
        One of the ``subspaces`` has not been built.
    TableError
        A file is damaged.
    """
    units = {store.graph.unit(subspace) for subspace in subspaces} if subspaces else store.units()
    rows = [row for unit in units for row in _rows(store, unit) if not subspaces or row.subspace in subspaces]
    return sorted(rows, key=lambda row: row.subspace.order)


def reachable_overview(store: Store, subspaces: Collection[Subspace] = (), jobs: int = 1) -> list[Row]:
    """The rows of a store with only those positions counted that the filter of `merels.reachable` keeps.

    Parameters
    ----------
    store : Store
    subspaces : collection of Subspace
        Only these; default: all with empty hands that are there.
    jobs : int
        Threads.

    Raises
    ------
    InputError
        The filter is not defined for the rules, or for one of the ``subspaces``.
    MissingTableError, TableError
        As `overview`.
    """
    from merels.indexing import geometry  # Numba takes its time, and who asks for counts alone does not need it
    from merels.reachable import require_filter
    from merels.retrograde.workers import Workers
    from merels.tables.statistics import count

    variant = store.variant
    for subspace in subspaces or [store.graph.start()._replace(hand=0, other_hand=0)]:
        require_filter(variant, subspace)
    rows = []
    with Workers(jobs) as workers:
        for row in overview(store, subspaces):
            if row.subspace.hand == row.subspace.other_hand == 0:
                counts = count(store.read(row.subspace, jobs), geometry(variant), workers, variant.rules.men)
                histogram = counts.histogram if counts.distances else None
                rows.append(replace(row, numbers={**row.numbers, **counts.summary()}, histogram=histogram))
    return rows


def total(rows: Iterable[Row], file_bytes: int) -> dict[str, int | None]:
    """The numbers of many subspaces together.

    Parameters
    ----------
    rows : iterable of Row
    file_bytes : int
        Size of the files, which hold a little more than values.
    """
    rows = list(rows)
    sums: dict[str, Any] = {name: sum(row.numbers[name] or 0 for row in rows) for name in _SUMS}
    for name in _LARGEST:
        sums[name] = max((row.numbers[name] for row in rows if row.numbers[name] is not None), default=None)
    for name in CHANGES:
        if any(name in row.numbers for row in rows):
            sums[name] = sum(row.numbers[name] or 0 for row in rows)
    return sums | {"bytes": file_bytes}


def _rows(store: Store, unit: Unit) -> list[Row]:
    rows = []
    with store.open(unit) as file:
        for subspace in unit.subspaces:
            entry = file.entries[subspace.name]
            numbers = {"slots": entry.slots, **entry.counts.summary(), "bytes": file.bytes(subspace.name)}
            histogram = entry.counts.histogram if entry.counts.distances else None
            rows.append(Row(subspace, entry.metric, numbers, histogram))
    return rows


def with_changes(rows: Iterable[Row], quiet: QuietStore, lenient: bool) -> list[Row]:
    """The rows with two more numbers: cursed_win and blessed_loss, positions that a quiet limit makes draws.

    Parameters
    ----------
    rows : iterable of Row
    quiet : QuietStore
    lenient : bool
        Where a subspace has not been examined the numbers are None; else that is an error.

    Raises
    ------
    MissingTableError
        A subspace has not been examined.
    """
    told = []
    for row in rows:
        try:
            changes = quiet.effect(row.subspace)
            numbers = {"cursed_win": changes.cursed_win, "blessed_loss": changes.blessed_loss}
        except MissingTableError:
            if not lenient:
                raise
            numbers = dict.fromkeys(CHANGES)
        told.append(replace(row, numbers={**row.numbers, **numbers}))
    return told
