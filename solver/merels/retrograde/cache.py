"""Tables that later units will read, kept in memory as far as it reaches and read from the store again where it does not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from merels.subspaces import Subspace
from merels.tables.metric import DTW, WDL
from merels.tables.store import Store
from merels.tables.table import Table, value_only


class TableCache:
    """Finished tables by subspace.

    Parameters
    ----------
    store : where tables are read from.
    reads : for each step of the work, the subspaces that it reads.
    jobs : threads that decompress.
    metric : what tables are to tell; for `WDL` the distances of those that have any are left out.
    """

    def __init__(self, store: Store, reads: Sequence[Iterable[Subspace]], jobs: int, metric: str = DTW):
        self._store, self._jobs, self._metric = store, jobs, metric
        self._tables: dict[Subspace, Table] = {}
        self._uses: dict[Subspace, list[int]] = {}
        for step in reversed(range(len(reads))):
            for subspace in reads[step]:
                self._uses.setdefault(subspace, []).append(step)
        self._step, self._room = 0, None

    def begin(self, step: int, room: int | None) -> None:
        """Enter a step: tables that nothing reads any more go; those of later steps may take ``room`` bytes (None: any number)."""
        self._step, self._room = step, room
        for uses in self._uses.values():
            while uses and uses[-1] < step:
                uses.pop()
        self._tables = {subspace: table for subspace, table in self._tables.items() if self._uses.get(subspace)}
        self._shrink()

    def get(self, subspace: Subspace) -> Table:
        """A table, read from the store if it is not at hand; errors as `Store.read`."""
        if subspace not in self._tables:
            table = self._store.read(subspace, self._jobs)
            self._tables[subspace] = value_only(table) if self._metric == WDL else table
            self._shrink()
        return self._tables[subspace]

    def add(self, tables: Mapping[Subspace, Table]) -> None:
        """Keep tables that were just solved."""
        self._tables.update(tables)

    def unused(self) -> set[Subspace]:
        """The subspaces of the work that no step after this one reads, though some step did."""
        return {subspace for subspace, uses in self._uses.items() if not uses or uses[0] <= self._step}

    def _shrink(self) -> None:
        """Drop the tables whose next use is farthest, none that this step reads."""
        if self._room is None:
            return
        later = [subspace for subspace in self._tables if self._uses[subspace][-1] > self._step]
        held = sum(self._tables[subspace].values.nbytes for subspace in later)
        for subspace in sorted(later, key=lambda s: self._uses[s][-1], reverse=True):
            if held <= self._room:
                return
            held -= self._tables.pop(subspace).values.nbytes
