"""Checking files: all values read again, checksum and counts computed anew and compared with what the file says.

Whether the values are right is proved elsewhere, by comparing each with those of the turns.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from merels.errors import MerelsError
from merels.indexing import geometry
from merels.retrograde.workers import Workers
from merels.subspaces import Subspace, Unit
from merels.tables import manifest
from merels.tables.origin import variant_of
from merels.tables.reading import REMEDY, TableFile
from merels.tables.statistics import count
from merels.tables.store import Store
from merels.tables.table import Table
from merels.variants import Variant


@dataclass(frozen=True)
class Damage:
    """Something wrong with a file.

    Attributes
    ----------
    file : the file.
    dataset : the table in it, None for the file as a whole.
    rows : the rows that cannot be read, None where it is not single rows.
    what : a sentence for people, with the place.
    """

    file: Path
    dataset: str | None
    rows: range | None
    what: str

    def __str__(self) -> str:
        return self.what


def check_file(
    path: Path,
    workers: Workers,
    variant: Variant | None = None,
    remedy: str | Callable[[], str] = REMEDY,
    tables: dict[Subspace, Table] | None = None,
) -> list[Damage]:
    """Everything that is wrong with a table file; an empty list is a good file.

    Parameters
    ----------
    path : of the file.
    workers : the threads to use.
    variant : whose tables it should hold; default: what the file says.
    remedy : what a user should do if it is damaged, or a function that tells.
    tables : gets the tables that are right, so that nobody needs to read them again.
    """
    try:
        file = TableFile(path, remedy)
    except MerelsError as error:
        return [Damage(path, None, None, str(error))]
    with file:
        return _check_open(file, workers, variant, {} if tables is None else tables)


def check_store(store: Store, workers: Workers) -> list[Damage]:
    """Everything that is wrong with the files of a store, and where its manifest contradicts them."""
    damages, sound = [], []
    for unit in store.units():
        found = check_file(store.path(unit), workers, store.variant, lambda unit=unit: store.remedy(unit.subspaces[0]))
        damages += found
        if not found:
            sound.append(unit)
    return damages if damages else _check_manifest(store, sound)


def _check_open(file: TableFile, workers: Workers, variant: Variant | None, tables: dict[Subspace, Table]) -> list[Damage]:
    try:
        with file.telling():
            own = variant_of(file.header)
    except MerelsError as error:
        return [Damage(file.path, None, None, str(error))]
    if variant is not None and own.fingerprint != variant.fingerprint:
        what = f"{file.path}: is a table of other rules than those of {variant.name}; {file.remedy}"
        return [Damage(file.path, None, None, what)]
    return [damage for name in file.entries for damage in _check_table(file, name, own, workers, tables)]


def _check_table(file: TableFile, name: str, variant: Variant, workers: Workers, tables: dict[Subspace, Table]) -> list[Damage]:
    entry = file.entries[name]

    def damage(what: str) -> list[Damage]:
        return [Damage(file.path, name, None, f"{file.path}: dataset {name}: {what}; {file.remedy}")]

    subspace, board = entry.subspace, geometry(variant)
    shape = board.space(subspace).shape
    if entry.shape != shape:
        return damage(f"has {entry.shape[0]} rows and {entry.shape[1]} columns, should have {shape[0]} and {shape[1]}")
    values, bad_chunks = file.salvage(name, workers.jobs)
    if bad_chunks:
        return [Damage(file.path, name, bad.rows, str(bad)) for bad in bad_chunks]
    with ThreadPoolExecutor(1) as other:  # one thread takes the checksum while the others count
        sha256 = other.submit(lambda: hashlib.sha256(np.ascontiguousarray(values, entry.dtype)).hexdigest())
        table = Table(subspace, values, entry.counts.longest, entry.metric)
        counts = count(table, board, workers)
    if sha256.result() != entry.sha256:
        return damage("the values do not have the checksum that the file gives")
    if counts != entry.counts:
        return damage("the values do not have the counts that the file gives")
    tables[subspace] = table
    return []


def _check_manifest(store: Store, units: list[Unit]) -> list[Damage]:
    described = store.manifest()["units"]
    damages = []
    for unit in units:
        with store.open(unit) as file:
            for name, entry in file.entries.items():
                if described[unit.name]["subspaces"][name] != entry.summary():
                    what = f"{file.path}: dataset {name}: is not the one that {manifest.NAME} describes; {file.remedy}"
                    damages.append(Damage(file.path, name, None, what))
    return damages
