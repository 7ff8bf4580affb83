"""Tables: solved values in memory, in HDF5 files, and asked for by position.

`table` holds one subspace in memory, `store` keeps the files of a variant, `tablebase` answers questions about
positions. The file format is `schema`; `writing`, `reading` and `checking` share it and nothing else. No other package
imports h5py.

The public names are imported when they are first used: kernels need `table` alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from merels.lazy import lazy_names

if TYPE_CHECKING:
    from merels.tables.checking import Damage, Report, check_file
    from merels.tables.counts import Counts
    from merels.tables.differences import Differences, compare_stores
    from merels.tables.metric import DTW, WDL
    from merels.tables.statistics import count
    from merels.tables.store import Store
    from merels.tables.table import Table
    from merels.tables.tablebase import Probe, ProbedTurn, Tablebase, open_tablebase, subspace_of, turn_order

_HOMES = {
    "merels.tables.checking": ("Damage", "Report", "check_file"),
    "merels.tables.counts": ("Counts",),
    "merels.tables.differences": ("Differences", "compare_stores"),
    "merels.tables.metric": ("DTW", "WDL"),
    "merels.tables.statistics": ("count",),
    "merels.tables.store": ("Store",),
    "merels.tables.table": ("Table",),
    "merels.tables.tablebase": ("Probe", "ProbedTurn", "Tablebase", "open_tablebase", "subspace_of", "turn_order"),
}
__all__ = [
    "DTW",
    "WDL",
    "Counts",
    "Damage",
    "Differences",
    "Probe",
    "ProbedTurn",
    "Report",
    "Store",
    "Table",
    "Tablebase",
    "check_file",
    "compare_stores",
    "count",
    "open_tablebase",
    "subspace_of",
    "turn_order",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
