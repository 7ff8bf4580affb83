"""Probes: how long it takes to look up positions, one by one and many at once, cold, warm and with whole tables in memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np

from merels import Position, Subspace, Tablebase, Variant
from merels.cli.common import variant_argument
from merels.cli.options import store_option, subspace_option
from merels.cli.wording import columns_text
from merels.machine import memory_for_a_build
from merels.state import State
from merels.tables import Store
from record import json_option, record, rounded, save

BATCH = 1 << 16
PROCESSES = 5
LOADING = "loading the tables"


class Batch(NamedTuple):
    """Random positions with the same hands: sets of points (uint32, 1-D) of the player to move and of the other."""

    hands: tuple[int, int]
    movers: np.ndarray
    others: np.ndarray


@click.command()
@variant_argument
@store_option
@subspace_option("Positions of this subspace alone. May be given several times. Default: all in the store that have empty hands.")
@click.option("--single", type=click.IntRange(min=1), default=200, show_default=True, metavar="N", help="Positions one by one.")
@click.option("--many", type=click.IntRange(min=1), default=1_000_000, show_default=True, metavar="N", help="Positions at once.")
@click.option("--seed", type=int, default=1, show_default=True, metavar="N", help="Of the random positions.")
@json_option
def probes(
    variant: Variant, root: Path, subspaces: tuple[str, ...], single: int, many: int, seed: int, target: Path | None
) -> None:
    """Measure look-ups of random positions in the tables of a store.

    From the disk: the system has been asked to forget the files. Cold: the tablebase has just been opened, the system may still
    know the files. Warm: the same once more. Loaded: whole tables are in memory.
    """
    store, dice = Store(root, variant), np.random.default_rng(seed)
    tables = _chosen(store, subspaces)
    singles = [position for batch in _draw(store, tables, single, dice) for position in _positions(variant, batch)]
    batches = _draw(store, tables, many, dice)
    with Tablebase(store) as tablebase:  # compiles, and sets up ranks
        for subspace in tables:
            tablebase.probe(next(_positions(variant, _draw(store, [subspace], 1, dice)[0])))
    figures = {
        "single": {name: _spread(seconds) for name, seconds in _single(store, singles, dice).items()},
        "processes": {"merels query": _spread(_processes(root, variant, singles[:PROCESSES]))},
        "many": _many(store, tables, batches),
    }
    rows = [("", "median ms", "95% ms")]
    for part in ("single", "processes"):
        for name, spread in figures[part].items():
            rows.append((name, f"{spread['median_seconds'] * 1e3:.3f}", f"{spread['percentile_95_seconds'] * 1e3:.3f}"))
    click.echo(columns_text(rows, "lrr") + "\n")
    rows = [(f"{many:,} at once", "s", "M positions/s")]
    for name, run in figures["many"].items():
        rate = run.get("positions_per_second")
        rows.append((name, f"{run['seconds']:.3f}", "" if rate is None else f"{rate / 1e6:.2f}"))
    click.echo(columns_text(rows, "lrr"))
    arguments = {"variant": variant.name, "tables": len(tables), "single": single, "many": many, "seed": seed}
    save(target, record("probes", arguments, figures))


def _chosen(store: Store, names: Sequence[str]) -> list[Subspace]:
    if names:
        return [Subspace.parse(name) for name in names]
    found = [subspace for unit in store.units() for subspace in unit.subspaces]
    chosen = [subspace for subspace in found if subspace.hand == subspace.other_hand == 0]
    if not chosen:
        raise click.ClickException(f"{store.folder}: no tables with empty hands; solve some, or choose others with --subspace")
    return chosen


def _draw(store: Store, tables: Sequence[Subspace], number: int, dice: np.random.Generator) -> list[Batch]:
    """Random positions, more of larger tables; one batch for each pair of hands."""
    slots = np.array([np.prod(store.shape(subspace), dtype=float) for subspace in tables])
    counts = dice.multinomial(number, slots / slots.sum())
    bits = np.uint32(1) << np.arange(store.variant.board.size, dtype=np.uint32)
    sets: dict[tuple[int, int], list[tuple[np.ndarray, np.ndarray]]] = {}
    for subspace, count in zip(tables, counts, strict=True):
        u, t, hands = subspace.stones, subspace.other, (subspace.hand, subspace.other_hand)
        for start in range(0, int(count), BATCH):
            size = min(BATCH, int(count) - start)
            order = bits[np.argsort(dice.random((size, bits.size)), axis=1)]
            movers, others = order[:, :u].sum(axis=1, dtype=np.uint32), order[:, u : u + t].sum(axis=1, dtype=np.uint32)
            sets.setdefault(hands, []).append((movers, others))
    batches = []
    for hands, parts in sets.items():
        movers, others = (np.concatenate(part) for part in zip(*parts, strict=True))
        mixed = dice.permutation(movers.size)
        batches.append(Batch(hands, movers[mixed], others[mixed]))
    return batches


def _positions(variant: Variant, batch: Batch) -> Iterator[Position]:
    for mover, other in zip(batch.movers.tolist(), batch.others.tolist(), strict=True):
        yield Position(variant, State(0, (mover, other), batch.hands, None))


class Clock:
    """Seconds of pieces of work by name."""

    def __init__(self) -> None:
        self.taken: dict[str, list[float]] = {}

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        """Time what is done in the block."""
        began = time.perf_counter()
        yield
        self.taken.setdefault(name, []).append(time.perf_counter() - began)


def _single(store: Store, positions: Sequence[Position], dice: np.random.Generator) -> dict[str, list[float]]:
    """Seconds of look-ups one by one."""
    clock = Clock()
    for position in positions:
        subspace = _subspace(position)
        _forget(store.path(store.graph.unit(subspace)))
        with Tablebase(store) as tablebase, clock("from the disk"):
            tablebase.probe(position)
        with Tablebase(store) as tablebase:
            for name in ("cold", "warm"):
                with clock(name):
                    tablebase.probe(position)
        with Tablebase(store) as tablebase:
            for name in ("all turns, cold", "all turns, warm"):
                with clock(name):
                    tablebase.probe_turns(position)
        with clock("opening a file"):
            file = store.open_table(subspace)
        with file:
            offsets = list(file.grids[subspace.name].offsets())
            offset = offsets[int(dice.integers(len(offsets)))]
            with clock("unpacking a chunk"):
                file.chunk(subspace.name, offset)
    return clock.taken


def _processes(root: Path, variant: Variant, positions: Sequence[Position]) -> list[float]:
    """Seconds of `merels query` from start to end, with all turns."""
    taken = []
    for position in positions:
        command = [sys.executable, "-m", "merels", "query", variant.name, str(position), "--store", str(root), "--json"]
        began = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        taken.append(time.perf_counter() - began)
    return taken


def _many(store: Store, tables: Sequence[Subspace], batches: Sequence[Batch]) -> dict[str, dict[str, float]]:
    """Seconds and rates of look-ups of many positions at once."""
    number = sum(batch.movers.size for batch in batches)
    clock = Clock()

    def look_up(tablebase: Tablebase) -> None:
        for hands, movers, others in batches:
            tablebase.probe_many(movers, others, hands)

    for path in {store.path(store.graph.unit(subspace)) for subspace in tables}:
        _forget(path)
    with Tablebase(store) as tablebase, clock("from the disk"):
        look_up(tablebase)
    with Tablebase(store) as tablebase:
        for name in ("cold", "warm"):
            with clock(name):
                look_up(tablebase)
    room, size = memory_for_a_build(), _bytes(store, tables)
    if room is None or size <= room:
        with Tablebase(store) as tablebase:
            with clock(LOADING):
                for subspace in tables:
                    tablebase.load(subspace)
            with clock("loaded"):
                look_up(tablebase)
    else:
        click.echo(f"The tables are {size:,} bytes and do not fit into memory: not loaded.", err=True)
    number = sum(batch.movers.size for batch in batches)
    figures = {name: {"seconds": rounded(seconds)} for name, (seconds,) in clock.taken.items()}
    for name, own in figures.items():
        if name != LOADING:
            own["positions_per_second"] = rounded(number / clock.taken[name][0])
    return figures


def _subspace(position: Position) -> Subspace:
    stones, hands = position.state.stones, position.state.hands
    return Subspace(stones[0].bit_count(), stones[1].bit_count(), hands[0], hands[1])


def _bytes(store: Store, tables: Sequence[Subspace]) -> int:
    units = store.manifest()["units"]
    entries = [units[store.graph.unit(subspace).name]["subspaces"][subspace.name] for subspace in tables]
    return sum(entry["slots"] * np.dtype(entry["dtype"]).itemsize for entry in entries)


def _forget(path: Path) -> None:
    """Ask the system to drop what it keeps of a file in memory, where it can be asked."""
    if not hasattr(os, "posix_fadvise"):
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)


def _spread(seconds: Sequence[float]) -> dict[str, float]:
    return {"median_seconds": rounded(float(np.median(seconds))), "percentile_95_seconds": rounded(float(np.percentile(seconds, 95)))}
