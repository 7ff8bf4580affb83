"""What a quiet limit changes, stored beside the values: which wins are cursed and which losses blessed.

The folder ``quiet-LIMIT`` within that of a variant's tables has a record of each work unit that has been examined, and a file for those
in which there are such positions: value-only tables of the usual format in which cursed wins are won, blessed losses lost, and all else
is drawn. How they are found is a matter of `merels.retrograde.quiet`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from merels import buffers
from merels.errors import MissingTableError
from merels.subspaces import Subspace, Unit
from merels.tables.atomic import replacing
from merels.tables.counts import Counts
from merels.tables.lookup import CACHE_BYTES, Lookup
from merels.tables.metric import DTW, WDL
from merels.tables.store import Store
from merels.tables.table import DRAWN, LOST, WON, Table, value_codes, value_only

RECORD = ".json"
RECORD_FORMAT = 1
_FOLDER = "quiet-"
_BLOCK = 1 << 18  # cells; what is worked on stays in the cache


@dataclass(frozen=True)
class Effect:
    """How many positions of a subspace the limit changes, each orbit once.

    Attributes
    ----------
    sha256 : of the plain values that this was found from, as their file gives it.
    cursed_win, blessed_loss : positions that are won, or lost, and drawn in the limited game.
    """

    sha256: str
    cursed_win: int
    blessed_loss: int

    def __bool__(self) -> bool:
        return self.cursed_win > 0 or self.blessed_loss > 0


@dataclass(frozen=True)
class Record:
    """What the examination of a unit found.

    Attributes
    ----------
    basis : a checksum of all that it was found from; see `merels.retrograde.examination.Source`.
    effects : of each subspace.
    """

    basis: str
    effects: dict[Subspace, Effect]


class _Files(Store):
    """The files of a `QuietStore`."""

    def __init__(self, plain: Store, limit: int):
        self.quiet_limit = limit
        super().__init__(plain.root, plain.variant, plain.folder / f"{_FOLDER}{limit}")

    def common_metric(self) -> str:
        """`DTW`: the values that they come from have distances."""
        return DTW


class QuietStore:
    """What a limit changes in the tables of a store.

    Parameters
    ----------
    plain : the store with the values.
    limit : plies in a row without a placing and without a mill after which a game is drawn; at least 1.

    Attributes
    ----------
    plain, limit : as given.
    files : a store of the files; those of units in which nothing is changed are not there.

    Raises
    ------
    RuleMismatchError
        The folder holds files of other rules.
    """

    def __init__(self, plain: Store, limit: int):
        self.plain, self.limit, self.files = plain, limit, _Files(plain, limit)
        self.variant, self.graph = plain.variant, plain.graph

    # --- what is there

    def begun(self) -> bool:
        """Whether there is anything at all."""
        return any(self.files.folder.glob("*" + RECORD))

    def units(self) -> list[Unit]:
        """The units of the plain store that have a record, sorted by name."""
        return [unit for unit in self.plain.units() if self.record(unit) is not None]

    def record(self, unit: Unit) -> Record | None:
        """The record of a unit; None where there is none of this limit and these rules that can be read."""
        try:
            content = json.loads(self._path(unit).read_text(encoding="utf-8"))
            if {**content, "basis": None, "subspaces": None} != self._content(None, None):
                return None
            tables = {subspace: content["subspaces"][subspace.name] for subspace in unit.subspaces}
            effects = {s: Effect(str(t["sha256"]), _number(t["cursed_win"]), _number(t["blessed_loss"])) for s, t in tables.items()}
            return Record(str(content["basis"]), effects)
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def is_unreadable(self, unit: Unit) -> bool:
        """Whether the unit's record is there, but no record of this limit and these rules."""
        return self._path(unit).exists() and self.record(unit) is None

    def is_whole(self, unit: Unit, record: Record) -> bool:
        """Whether the unit has the file that its record asks for, and none if it asks for none."""
        return any(record.effects.values()) == self.files.path(unit).exists()

    def is_current(self, subspace: Subspace, effect: Effect) -> bool:
        """Whether the effect was found from the values that are there now."""
        return effect.sha256 == self._sha256(subspace)

    def effect(self, subspace: Subspace) -> Effect:
        """What the limit changes in a subspace.

        Raises
        ------
        MissingTableError
            It has not been examined, or its values are others now; the message has the command that does it.
        """
        record = self.record(self.graph.unit(subspace))
        if record is None or not self.is_current(subspace, record.effects[subspace]):
            command = self.command(subspace)
            raise MissingTableError(
                f"table {subspace.name} of {self.variant.name} in {self.plain.folder} has not been examined for a quiet limit of "
                f"{self.limit} plies; do it with: {command}",
                table=subspace.name,
                command=command,
            )
        return record.effects[subspace]

    def command(self, subspace: Subspace | None = None) -> str:
        """The command that examines a subspace, or the whole game."""
        return self.plain.command_for_distances(subspace, self.limit)

    # --- reading

    def changed(self, subspace: Subspace, jobs: int = 1) -> Table | None:
        """A value-only table: cursed wins won, blessed losses lost, all else drawn. None where nothing is changed. Errors as `effect`."""
        return self.files.read(subspace, jobs) if self.effect(subspace) else None

    def read(self, subspace: Subspace, jobs: int = 1) -> Table:
        """The values of the limited game, a value-only table: the plain ones, but what is changed is drawn. Errors as `effect`."""
        changed = self.changed(subspace, jobs)
        plain = value_only(self.plain.read(subspace, jobs))
        return plain if changed is None else drawn_where_decided(plain, changed)

    # --- writing

    def write(self, unit: Unit, basis: str, changed: Mapping[Subspace, Table], workers) -> Record:
        """Store what has been found of a unit: its file, or that it needs none, and then the record.

        Parameters
        ----------
        unit, basis : whose; as in `Record`.
        changed : as `changed` gives them; of all subspaces of the unit, or none where nothing is changed.
        workers : `merels.retrograde.workers.Workers`, the threads to use.

        Raises
        ------
        LimitError, TableError
            As `Store.write`.
        """
        counts: Mapping[Subspace, Counts] = {}
        if any(table.longest >= 0 for table in changed.values()):
            counts = self.files.write(unit, changed, workers)
        else:
            self.files.delete(unit)
        nothing = Counts((), 0)
        effects = {s: Effect(self._sha256(s), (c := counts.get(s, nothing)).win, c.loss) for s in unit.subspaces}
        tables = {s.name: {"sha256": c.sha256, "cursed_win": c.cursed_win, "blessed_loss": c.blessed_loss} for s, c in effects.items()}
        with replacing(self._path(unit)) as sink:
            sink.write((json.dumps(self._content(basis, tables), indent=1) + "\n").encode())
        return Record(basis, effects)

    # --- records

    def _path(self, unit: Unit) -> Path:
        return self.files.folder / (unit.name + RECORD)

    def _content(self, basis: str | None, subspaces: dict | None) -> dict:
        return {
            "format_version": RECORD_FORMAT,
            "variant": self.variant.name,
            "fingerprint": self.variant.fingerprint,
            "quiet_limit": self.limit,
            "basis": basis,
            "subspaces": subspaces,
        }

    def _sha256(self, subspace: Subspace) -> str:
        with self.plain.open_table(subspace) as file:
            return file.entries[subspace.name].sha256


class QuietLookup:
    """Asks for single positions whether a limit changes their value.

    Parameters
    ----------
    plain, limit : as those of `QuietStore`.
    """

    def __init__(self, plain: Store, limit: int):
        self._quiet = QuietStore(plain, limit)
        self._lookup = Lookup(self._quiet.files, CACHE_BYTES, 1)
        self._changed: dict[Subspace, bool] = {}

    def is_changed(self, subspace: Subspace, mover: int, other: int) -> bool:
        """Whether the position of these sets of stones, bit masks, is a cursed win or a blessed loss. Errors as `QuietStore.effect`."""
        if subspace not in self._changed:
            self._changed[subspace] = bool(self._quiet.effect(subspace))
        if not self._changed[subspace]:
            return False
        codes, draw = self._lookup.codes(subspace, np.array([mover], np.uint32), np.array([other], np.uint32))
        return int(codes[0]) != draw

    def close(self) -> None:
        """Close the files."""
        self._lookup.close()


def _number(value: object) -> int:
    """A number of positions; ValueError if it is none."""
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r} is no number of positions")
    return value


def quiet_stores(plain: Store) -> list[QuietStore]:
    """Those beside a store, by rising limit."""
    names = [path.name.removeprefix(_FOLDER) for path in plain.folder.glob(f"{_FOLDER}*") if path.is_dir()]
    return [QuietStore(plain, limit) for limit in sorted(int(name) for name in names if name.isdecimal() and name[0] != "0")]


def drawn_where_decided(table: Table, other: Table) -> Table:
    """A value-only table: the values of the first, but drawn where the second, a value-only one, is decided."""
    codes = buffers.empty(table.values.size, np.uint8)
    found = set()
    for start in range(0, codes.size, _BLOCK):
        part = slice(start, start + _BLOCK)
        block = value_codes(table.values[part]) | np.negative((other.values[part] != DRAWN).view(np.uint8))
        codes[part] = block
        found |= {code for code in (LOST, WON) if code not in found and (block == code).any()}
    return Table(table.subspace, codes, max(found, default=-1), WDL)


def contradictions(table: Table, limited: Table) -> int:
    """Cells in which the limited game is decided and the table tells another value."""
    wrong = 0
    for start in range(0, table.values.size, _BLOCK):
        part = slice(start, start + _BLOCK)
        values = limited.values[part]
        wrong += int(np.count_nonzero((values != DRAWN) & (values != value_codes(table.values[part]))))
    return wrong
