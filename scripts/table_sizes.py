#!/usr/bin/env python3
"""Measure how well tables compress: pieces of every finished table of a store, spread evenly over its rows.

    python scripts/table_sizes.py nine --store tablebases --pieces 12 --json sizes.json

Tells bytes a cell and million cells a second and core to compress and to decompress, for tables with distances and, from the same
cells, for tables that hold values only; then what all tables of the variant will take, those that are not there yet counted with the
mean of those that are. Reads the store and changes nothing.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import click
import numpy as np

from merels.counting import Counter
from merels.subspaces import Graph, Subspace
from merels.tables import DTW, WDL, Store
from merels.tables.deflate import deflate, inflate
from merels.tables.schema import DTYPES, Grid, rows_together, stored_shape
from merels.tables.table import value_codes
from merels.tables.writing import _chunk
from merels.variants import Variant, variant

LEAST_CELLS = 1 << 20  # smaller tables do not matter and are left out


@click.command()
@click.argument("name", metavar="VARIANT")
@click.option("--store", "root", default="tablebases", type=click.Path(path_type=Path), show_default=True)
@click.option("--pieces", default=12, show_default=True, help="Chunks of each kind to take from a table.")
@click.option("--json", "target", type=click.Path(path_type=Path), help="Write the figures here as well.")
def table_sizes(name: str, root: Path, pieces: int, target: Path | None) -> None:
    """Measure the finished tables of VARIANT."""
    game = variant(name)
    store, rows = Store(root, game), []
    click.echo(f"{'table':10} {'cells':>13} " + " ".join(f"{metric}: bytes/cell   comp. decomp." for metric in (DTW, WDL)))
    for unit in store.units():
        with store.open(unit) as file:
            for subspace in unit.subspaces:
                entry = file.entries[subspace.name]
                if entry.metric != DTW or entry.slots < LEAST_CELLS:
                    continue
                row = {"table": subspace.name, "cells": entry.slots}
                row |= {metric: _measure(file, subspace, metric, pieces) for metric in (DTW, WDL)}
                rows.append(row)
                parts = (f"{row[m]['bytes']:15.4f} {row[m]['compress']:7.0f} {row[m]['decompress']:7.0f}" for m in (DTW, WDL))
                click.echo(f"{row['table']:10} {row['cells']:13,} " + " ".join(parts))
    for part in (_totals(game, rows, moving) for moving in (True, False, None)):
        click.echo(
            f"{part['part']}: {part['measured']:,} of {part['cells']:,} cells measured; "
            f"{DTW} {part[DTW]['bytes_a_cell']:.4f} bytes a cell, "
            f"{part[DTW]['total'] / 1e9:.2f} GB in all; {WDL} {part[WDL]['bytes_a_cell']:.4f}, {part[WDL]['total'] / 1e9:.2f} GB"
        )
    if target:
        target.write_text(json.dumps(rows, indent=1) + "\n")


def _measure(file, subspace: Subspace, metric: str, pieces: int) -> dict[str, float]:
    """Bytes a cell, and million cells a second and core, of chunks as they would be written."""
    entry, together = file.entries[subspace.name], rows_together(metric)
    dtype = DTYPES["uint8"] if metric == WDL else entry.dtype
    grid = Grid.of(stored_shape(entry.shape, metric), dtype)
    height = grid.chunk[0] * together
    size = cells = compress = decompress = 0
    for start in sorted({int(row) for row in np.linspace(0, max(0, entry.shape[0] - height), pieces)}):
        block = _rows(file, subspace, start, min(start + height, entry.shape[0]))
        if metric == WDL:
            block = value_codes(block)
        local = Grid(stored_shape(block.shape, metric), grid.chunk)
        for offset in list(local.offsets())[: max(1, 4 * height // block.shape[0])]:
            began = time.process_time()
            chunk = _chunk(local, block, metric, offset)
            packed = deflate(chunk, metric)
            middle = time.process_time()
            inflate(packed, chunk.nbytes)
            decompress += time.process_time() - middle
            compress += middle - began
            size += len(packed)
            part = local.part(offset)
            cells += min(height, block.shape[0]) * (part[1].stop - part[1].start)
    return {"bytes": size / cells, "compress": cells / max(compress, 1e-9) / 1e6, "decompress": cells / max(decompress, 1e-9) / 1e6}


def _rows(file, subspace: Subspace, start: int, stop: int) -> np.ndarray:
    """Rows of a table with distances."""
    grid, parts = file.grids[subspace.name], []
    height, width = grid.chunk
    for top in range(start // height * height, stop, height):
        parts.append(np.concatenate([file.chunk(subspace.name, (top, left)) for left in range(0, grid.shape[1], width)], axis=1))
    first = start // height * height
    return np.concatenate(parts)[start - first : stop - first]


def _totals(game: Variant, rows: list[dict], moving: bool | None) -> dict:
    graph, counter = Graph(game), Counter(game)

    def belongs(subspace: Subspace) -> bool:
        return moving is None or (subspace.hand + subspace.other_hand == 0) == moving

    wanted = [s for unit in graph.closure([graph.start()]) for s in unit.subspaces if belongs(s)]
    cells = sum(counter.slots(s.stones, s.other) for s in wanted)
    known = [row for row in rows if belongs(Subspace.parse(row["table"]))]
    measured = sum(row["cells"] for row in known)
    record = {"part": {True: "moving", False: "placing", None: "all"}[moving], "cells": cells, "measured": measured}
    for metric in (DTW, WDL):
        mean = sum(row["cells"] * row[metric]["bytes"] for row in known) / max(1, measured)
        record[metric] = {"bytes_a_cell": mean, "total": mean * cells}
    return record


if __name__ == "__main__":
    table_sizes()
