"""Store: the folder of a variant's table files, one a work unit, with a manifest and a log.

Tables of other rules are neither read nor overwritten. The order of building is a matter of `merels.retrograde`,
questions about positions one of `tablebase`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from merels.errors import InputError, MissingTableError, RuleMismatchError, TableError
from merels.graphs import graph_of
from merels.subspaces import Subspace, Unit
from merels.tables import buildlog, manifest
from merels.tables.atomic import refusal, remove_leftovers
from merels.tables.counts import Counts
from merels.tables.locking import locked
from merels.tables.metric import DTW, WDL
from merels.tables.reading import TableFile
from merels.tables.remedies import solve_command
from merels.tables.schema import ENDING, Header
from merels.tables.table import Table
from merels.tables.writing import Finished, write_file
from merels.triples import Seat
from merels.variants import Variant

if TYPE_CHECKING:
    from merels.retrograde.workers import Workers

_SHOWN_DIGITS = 12


class Store:
    """The tables of one variant in a folder of their own below ``root``.

    Nothing is made or changed until something is written.

    Parameters
    ----------
    root : the folder that holds the folders of all variants.
    variant : whose tables; some may have distances and some not.
    folder : where they are if not in ``root/variant.name``.

    Raises
    ------
    RuleMismatchError
        The folder holds tables of other rules.
    """

    quiet_limit = 0
    """As that of `Header`, of all files."""

    def __init__(self, root: str | PathLike[str], variant: Variant, folder: Path | None = None):
        self.root, self.variant = Path(root), variant
        self.folder = folder or self.root / variant.name
        self.graph = graph_of(variant)
        self._metric: str | None = None
        for path in self._paths().values():
            try:
                self._open(path).close()
            except RuleMismatchError:
                raise
            except TableError:
                continue  # told when that file is asked for
            break

    @cached_property
    def endings(self) -> Store | None:
        """With three players the store, below the same root, of the game that goes on once one of them is out; else None."""
        return Store(self.root, self.graph.endings.variant) if self.variant.rules.players == 3 else None

    # --- what is there

    def path(self, unit: Unit) -> Path:
        """Where the file of a unit is, or will be."""
        return self.folder / (unit.name + ENDING)

    def units(self) -> list[Unit]:
        """The units that have a file, sorted by name."""
        return list(self._paths())

    def has(self, unit: Unit, metric: str = WDL) -> bool:
        """Whether a unit is built: its file is there, whole, and of these rules. Values are not looked at.

        Parameters
        ----------
        metric : what is asked of the file: `WDL`, values, which every file holds, or `DTW`, distances, too.

        Raises
        ------
        TableError
            There is a file, but it is damaged, foreign, of other rules or without the distances asked for; it is not
            overwritten unasked.
        """
        if not self.path(unit).exists():
            return False
        with self.open(unit) as file:
            if metric == DTW and file.header.metric == WDL:
                raise TableError(
                    f"{file.path}: holds values only and no distances. Choose another folder with --store, delete the "
                    "tables without distances in this one, or build with --wdl"
                )
        return True

    def metric(self, subspace: Subspace) -> str:
        """`DTW` or `WDL`, what the table of a subspace tells. Errors as `open_table`."""
        with self.open_table(subspace) as file:
            return file.header.metric

    def common_metric(self) -> str:
        """`WDL` where a file holds values only, so that no more distances can be built beside it; else `DTW`."""
        if self._metric is None:
            self._metric = next((WDL for path in self._paths().values() if _metric(path) == WDL), DTW)
        return self._metric

    def manifest(self) -> dict[str, Any]:
        """What the store holds, as in ``manifest.json``, read from the files where that one does not know them."""
        return manifest.up_to_date(self.folder, self.variant, self._paths(), self.open)

    def bytes(self) -> int:
        """Size of all table files."""
        return sum(path.stat().st_size for path in self._paths().values())

    def records(self) -> list[dict[str, Any]]:
        """The lines of the build log, oldest first."""
        return buildlog.read(self.folder)

    # --- reading

    def open(self, unit: Unit) -> TableFile:
        """Open the file of a unit.

        Raises
        ------
        MissingTableError
            It has not been built; the message has the command that does.
        TableError
            It is damaged, foreign, or of other rules (`RuleMismatchError`).
        """
        path = self.path(unit)
        if not path.exists():
            raise self.missing(unit.subspaces[0])
        file = self._open(path)
        if {s.name for s in unit.subspaces} != set(file.entries):
            file.close()
            raise TableError(
                f"{path}: holds the tables {', '.join(file.entries)}, should hold "
                f"{', '.join(s.name for s in unit.subspaces)}; {file.remedy}"
            )
        return file

    def open_table(self, subspace: Subspace) -> TableFile:
        """Open the file of a subspace, whose table in it has the right shape. Errors as `open`."""
        try:
            file = self.open(self.graph.unit(subspace))
        except MissingTableError:
            raise self.missing(subspace) from None
        shape, found = self.shape(subspace), file.entries[subspace.name].shape
        if found != shape:
            file.close()
            raise TableError(
                f"{file.path}: dataset {subspace.name}: has {found[0]} rows and {found[1]} columns, should have "
                f"{shape[0]} and {shape[1]}; {file.remedy}"
            )
        return file

    def read(self, subspace: Subspace | Seat, jobs: int = 1) -> Table:
        """A whole table, decompressed by ``jobs`` threads; of the `endings` where those have it. Errors as `open`."""
        if self.endings is not None and isinstance(subspace, Subspace):
            return self.endings.read(subspace, jobs)
        with self.open_table(subspace) as file:
            longest = file.entries[subspace.name].counts.longest
            return Table(subspace, file.values(subspace.name, jobs), longest, file.header.metric)

    def shape(self, subspace: Subspace) -> tuple[int, int]:
        """Rows and columns of a subspace."""
        from merels.indexing import geometry  # Numba takes its time, and who asks for counts alone does not need it

        return subspace.space(geometry(self.variant)).shape

    def remedy(self, subspace: Subspace) -> str:
        """What a user should do where the file of a subspace is damaged."""
        return f"delete it and run: {self._solve_command(subspace)}"

    def command_for_distances(self, subspace: Subspace | None = None, quiet_limit: int = 0) -> str:
        """The command that builds tables with distances, of a subspace or the whole game; elsewhere where this store has values only."""
        root = f"{self.root}-dtw" if self.common_metric() == WDL else self.root
        return solve_command(self.variant, root, subspace, quiet_limit=quiet_limit)

    # --- building

    def prepare(self) -> None:
        """Make ready for a build: the folder, all files in it of these rules, nothing left over from builds that died.

        Raises
        ------
        RuleMismatchError, TableError
            A file in the folder is of other rules, or damaged.
        """
        for path in self._paths().values():
            self._open(path).close()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise refusal(self.folder, error) from error
        remove_leftovers(self.folder)

    def locked(self) -> AbstractContextManager[None]:
        """Keep other builds out of the folder, which is there; `BusyError` if one is at work."""
        return locked(self.folder)

    def write(self, unit: Unit, tables: Mapping[Subspace, Table], workers: Workers) -> dict[Subspace, Counts]:
        """Count the tables of a unit, all of one metric, and write its file, which is there at the end and whole, or not at all.

        Any thread may call this; it takes part in the work of ``workers`` only to count.

        Returns
        -------
        dict
            The counts of each subspace.

        Raises
        ------
        LimitError
            The disk is full. Finished files are untouched.
        TableError
            The file cannot be written for another reason.
        """
        from merels.indexing import geometry
        from merels.tables.statistics import count

        board = geometry(self.variant)
        counts = {subspace: count(tables[subspace], board, workers) for subspace in unit.subspaces}
        finished = [Finished(tables[s], self.shape(s), counts[s]) for s in unit.subspaces]
        (metric,) = {table.metric for table, *_ in finished}
        write_file(self.path(unit), Header.of(self.variant, unit, metric, self.quiet_limit), finished, workers.jobs)
        self._metric = WDL if metric == WDL else self._metric
        return counts

    def save_manifest(self) -> None:
        """Write ``manifest.json``; done once at the end of a build, since `manifest` finds out what it misses."""
        if self.folder.is_dir():
            manifest.save(self.folder, self.manifest())

    def record(self, unit: Unit, **facts: Any) -> None:
        """Add a line on a finished unit to the build log, such as ``seconds`` and ``peak_memory_bytes``."""
        buildlog.append(self.folder, unit.name, facts)

    def discardable(self) -> set[Unit]:
        """The units there that a build wrote for its own use alone, says the build log."""
        marks = {record.get("unit"): record.get("discardable") is True for record in self.records()}
        return {unit for unit in self._paths() if marks.get(unit.name)}

    def delete(self, unit: Unit) -> None:
        """Delete the file of a unit."""
        self.path(unit).unlink(missing_ok=True)

    # --- files

    def missing(self, subspace: Subspace) -> MissingTableError:
        """The error that tells that the table of a subspace has not been built, and what builds it."""
        command = self._solve_command(subspace)
        return MissingTableError(
            f"table {subspace.option} of {self.variant.name} is missing in {self.folder}; build it with: {command}",
            table=subspace.option,
            command=command,
        )

    def _solve_command(self, subspace: Subspace) -> str:
        return solve_command(self.variant, self.root, subspace, self.common_metric(), self.quiet_limit)

    def _paths(self) -> dict[Unit, Path]:
        found = {}
        for path in self.folder.glob("*" + ENDING):
            try:
                subspace = self.graph.parse(path.stem)
            except InputError:
                continue
            unit = self.graph.unit(subspace)
            if unit.name == path.stem and self.graph.exists(subspace) and not self.graph.is_over(subspace):
                found[unit] = path
        return dict(sorted(found.items()))

    def _open(self, path: Path) -> TableFile:
        """Open a file of this store; `RuleMismatchError` if it has other rules."""
        file = TableFile(path, lambda: self.remedy(self.graph.unit(self.graph.parse(path.stem)).subspaces[0]))
        if file.header.fingerprint != self.variant.fingerprint:
            file.close()
            theirs, ours = file.header.fingerprint[:_SHOWN_DIGITS], self.variant.fingerprint[:_SHOWN_DIGITS]
            raise RuleMismatchError(
                f"{path}: is a table of other rules: of {file.header.variant!r} with fingerprint {theirs}..., while "
                f"{self.variant.name!r} here has {ours}.... Choose another folder with --store, or give the variant "
                "another name"
            )
        if file.header.quiet_limit != self.quiet_limit:
            file.close()
            told = f"what the quiet limit of {limit} plies changes" if (limit := file.header.quiet_limit) else "values"
            raise TableError(f"{path}: tells {told}, which does not belong into this folder; move it elsewhere")
        return file


def _metric(path: Path) -> str | None:
    """The metric of a file, None if it cannot be read."""
    try:
        with TableFile(path) as file:
            return file.header.metric
    except TableError:
        return None
