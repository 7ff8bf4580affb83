"""Manifest: what a store holds, in one JSON file. The tables are the truth; where it differs it is made from them.

Its content follows from the tables alone. Sizes tell a file that has changed; checksums are compared by `checking`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from merels.rules import canonical
from merels.subspaces import Unit
from merels.tables.atomic import replacing
from merels.tables.metric import full_metric
from merels.tables.reading import TableFile
from merels.tables.schema import DISTANCE_UNITS, FORMAT, index_scheme
from merels.variants import Variant

NAME = "manifest.json"


def up_to_date(
    folder: Path, variant: Variant, paths: Mapping[Unit, Path], opened: Callable[[Unit], TableFile]
) -> dict[str, Any]:
    """The manifest of the tables in a folder.

    Parameters
    ----------
    folder, variant : whose tables.
    paths : the files that are there.
    opened : opens the file of a unit; used for those that the manifest in the folder does not know.
    """
    metric = full_metric(variant.rules.players)
    content = {
        "format_version": FORMAT,
        "variant": variant.name,
        "fingerprint": variant.fingerprint,
        "rules": json.loads(json.dumps(canonical(variant.board, variant.rules))),
        "index_scheme": index_scheme(variant.rules.repeat_mill, metric),
        "distance_unit": DISTANCE_UNITS[metric],
    }
    former = _load(folder / NAME)
    known = former.get("units", {}) if {**former, "units": None} == {**content, "units": None} else {}
    units = {unit.name: known.get(unit.name) for unit in paths}
    for unit, path in paths.items():
        size = path.stat().st_size
        if not _describes(units[unit.name], unit, path, size):
            with opened(unit) as file:
                tables = {name: file.entries[name].summary() for name in (s.name for s in unit.subspaces)}
                metric = file.header.metric
            units[unit.name] = {"file": path.name, "bytes": size, "metric": metric, "subspaces": tables}
    return content | {"units": units}


def save(folder: Path, content: Mapping[str, Any]) -> None:
    """Write the manifest, if it is not there already; the folder holds the former one or this one at any time."""
    if _load(folder / NAME) == content:
        return
    with replacing(folder / NAME) as sink:
        sink.write((json.dumps(content, indent=1) + "\n").encode())


def _describes(entry: Any, unit: Unit, path: Path, size: int) -> bool:
    return (
        isinstance(entry, dict)
        and (entry.get("file"), entry.get("bytes")) == (path.name, size)
        and entry.get("metric") in DISTANCE_UNITS
        and isinstance(entry.get("subspaces"), dict)
        and list(entry["subspaces"]) == [subspace.name for subspace in unit.subspaces]
        and all(isinstance(table, dict) for table in entry["subspaces"].values())
    )


def _load(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) and isinstance(content.get("units"), dict) else {}
