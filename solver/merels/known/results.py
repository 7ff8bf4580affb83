"""Results: what a full build found, one small JSON file a variant: the start, the counts and checksum of every subspace, the cost.

The files in ``results`` come with the program; `collect` makes them from a store, `text` writes them with a line for each subspace.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from merels._version import __version__
from merels.errors import TableError
from merels.machine import description
from merels.position import Position
from merels.reference.symmetry import Representatives
from merels.rules import canonical
from merels.tables.metric import WDL
from merels.tables.overview import overview, total
from merels.tables.remedies import solve_command
from merels.tables.store import Store
from merels.tables.tablebase import Tablebase
from merels.variants import Variant

_COUNTS = ("slots", "positions", "win", "draw", "loss", "max_win", "max_loss")


@dataclass(frozen=True)
class Results:
    """The results of a variant.

    Attributes
    ----------
    variant, fingerprint : whose.
    rules : the parameters that matter for play.
    start : position, value, dtw in plies, and ``turns``: of each orbit of first turns one, with value and dtw for the player who makes it;
        None where a part of the game was built that does not hold the start.
    build : what it took: seconds (the sum of those of the units; processor_seconds too where the log has them), processors, peak memory
        and size of the files in bytes, machine, date, program, command.
    total : sums over the subspaces.
    subspaces : by name: slots, positions, win, draw, loss, max_win, max_loss, and sha256 of the values.
    """

    variant: str
    fingerprint: str
    rules: dict[str, Any]
    start: dict[str, Any] | None
    build: dict[str, Any]
    total: dict[str, Any]
    subspaces: dict[str, dict[str, Any]]


def collect(store: Store, processors: int, command: str | None = None) -> Results:
    """The results that the tables of a store hold.

    Parameters
    ----------
    store : with all tables that its largest subspaces lead to; where that is not the whole game, the results are those of a part.
    processors : how many the build had.
    command : the command that built the tables; default: ``merels solve VARIANT``, for a part with its largest subspaces.

    Raises
    ------
    MissingTableError
        No table has been built, or one is lacking that others lead to.
    TableError
        A file is damaged, or holds values only.
    """
    variant = store.variant
    if store.common_metric() == WDL:
        raise TableError(
            f"{store.folder}: holds values only, and results tell distances too; build tables that have them in another folder with: "
            f"{store.command_for_distances()}"
        )
    units = set(store.units())
    lacking = [unit for unit in store.graph.closure({s for unit in units for s in unit.subspaces}) if unit not in units]
    if lacking:
        raise store.missing(lacking[0].subspaces[0])
    whole = not units or units >= {store.graph.unit(subspace) for subspace in store.graph.whole()}
    start = _start(store) if whole or store.graph.unit(store.graph.start()) in units else None
    rows = overview(store)
    sums = total(rows, store.bytes())
    subspaces = {}
    for unit in store.units():
        with store.open(unit) as file:
            subspaces |= {name: entry.sha256 for name, entry in file.entries.items()}
    return Results(
        variant=variant.name,
        fingerprint=variant.fingerprint,
        rules=canonical(variant.board, variant.rules)["rules"],
        start=start,
        build=_build(store, processors, command or (solve_command(variant) if whole else _command_for_part(store))),
        total={"subspaces": len(rows), **{name: sums[name] for name in _COUNTS}},
        subspaces={
            row.subspace.name: {**{name: row.numbers[name] for name in _COUNTS}, "sha256": subspaces[row.subspace.name]} for row in rows
        },
    )


def text(results: Results) -> str:
    """The file of the results: JSON, each subspace on a line of its own."""
    record = asdict(results)
    parts = [f" {json.dumps(name)}: {json.dumps(value)}" for name, value in record.items() if name != "subspaces"]
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(counts)}" for name, counts in results.subspaces.items())
    return "{\n" + ",\n".join([*parts, f' "subspaces": {{\n{lines}\n }}']) + "\n}\n"


def read(content: str) -> Results:
    """The results in the text of a file."""
    return Results(**json.loads(content))


def shipped(variant: Variant) -> Results | None:
    """The results of a variant that come with the program; None if there are none of these very rules."""
    return _shipped().get(variant.fingerprint)


@cache
def _shipped() -> dict[str, Results]:
    folder = files(__package__) / "results"
    found = [read(entry.read_text(encoding="utf-8")) for entry in folder.iterdir() if entry.name.endswith(".json")]
    return {results.fingerprint: results for results in found}


def _start(store: Store) -> dict[str, Any]:
    position = Position.start(store.variant)
    representative = Representatives(store.variant)
    turns: dict[Any, tuple[str, dict[str, Any]]] = {}
    with Tablebase(store) as tablebase:
        value, dtw = tablebase.probe(position)
        for turn in sorted(tablebase.probe_turns(position), key=lambda probed: probed.turn):
            turns.setdefault(representative(turn.position.state), (turn.turn, {"value": turn.value, "dtw": turn.dtw}))
    return {"position": str(position), "value": value, "dtw": dtw, "turns": dict(turns.values())}


def _command_for_part(store: Store) -> str:
    """The command that builds just what is there: by the subspaces that no other one leads to."""
    units = store.units()
    led_to = set().union(*(store.graph.needs(unit) for unit in units))
    roots = [unit for unit in units if led_to.isdisjoint(unit.subspaces)]
    return " ".join([solve_command(store.variant), *(f"--subspace {unit.name}" for unit in roots)])


def _build(store: Store, processors: int, command: str) -> dict[str, Any]:
    latest = {record["unit"]: record for record in store.records() if "unit" in record and "seconds" in record}
    records = [latest[unit.name] for unit in store.units() if unit.name in latest]
    numbers: dict[str, Any] = {"seconds": round(sum(record.get("seconds", 0) for record in records), 3)}
    if records and all("processor_seconds" in record for record in records):
        numbers["processor_seconds"] = round(sum(record["processor_seconds"] for record in records), 3)
    return {
        **numbers,
        "processors": processors,
        "peak_memory_bytes": max((record.get("peak_memory_bytes", 0) for record in records), default=None),
        "bytes": store.bytes(),
        "machine": description(),
        "date": max((str(record.get("finished", ""))[:10] for record in records), default=None),
        "program": next((str(record["builder"]) for record in records if "builder" in record), f"merels {__version__}"),
        "command": command,
    }
