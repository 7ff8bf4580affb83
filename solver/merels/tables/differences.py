"""Differences: what two rule sets on one board make of the same positions, from the tables of both.

A position is a pair of sets of points with stones in hand, so it is the same position under any rules for the board. Every pair of codes
that positions have in the two tables is counted (`merels.kernels.pairs`); all else follows from these numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from merels.errors import InputError, MissingTableError
from merels.indexing import Geometry, geometry
from merels.indexing.rows import RowSpace
from merels.kernels.pairs import Block, count_pairs
from merels.machine import processors
from merels.position import Position
from merels.retrograde.build import Progress, Silent
from merels.retrograde.workers import MOST_JOBS, Workers
from merels.state import State
from merels.subspaces import Subspace
from merels.tables.changes import Changes, changes_of, exemplary, sum_of
from merels.tables.metric import DTW
from merels.tables.overview import reading_order
from merels.tables.remedies import solve_command
from merels.tables.store import Store
from merels.tables.table import Table
from merels.tables.tablebase import Probe
from merels.variants import Variant

_NEVER = np.iinfo(np.int64).max
_TOLD_SINGLY = 4


@dataclass(frozen=True)
class Example:
    """A position that is worth something else: value and distance under the first rules and under the second."""

    position: Position
    one: Probe
    two: Probe


@dataclass(frozen=True)
class Compared:
    """What became of one subspace.

    Attributes
    ----------
    subspace : which.
    metrics : "DTW" or "WDL" of the first table and of the second.
    changes : the numbers.
    examples : changes of value first, those of a win, of a draw, of a loss; then wins and losses that take longer, or not so long.
    """

    subspace: Subspace
    metrics: tuple[str, str]
    changes: Changes
    examples: tuple[Example, ...]


@dataclass(frozen=True)
class LeftOut:
    """A subspace that cannot be compared.

    Attributes
    ----------
    subspace : which.
    store : where, or under whose rules, there is no table of it.
    reason : in words.
    command : what builds the table; None where the rules have none.
    """

    subspace: Subspace
    store: Store
    reason: str
    command: str | None


@dataclass(frozen=True)
class Differences:
    """Two rule sets compared.

    Attributes
    ----------
    one, two : Variant
    subspaces : the tables that both have, empty hands first, then few stones.
    left_out : the others, in the same order.
    """

    one: Variant
    two: Variant
    subspaces: tuple[Compared, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def total(self) -> Changes:
        """The numbers of all subspaces; distances where both tables have them, None if that is nowhere so."""
        return sum_of(compared.changes for compared in self.subspaces)


def compare_stores(
    one: Store,
    two: Store,
    subspaces: Collection[Subspace] = (),
    jobs: int | None = None,
    examples: int = 1,
    progress: Progress | None = None,
) -> Differences:
    """Compare the tables of two variants position by position.

    Positions that symmetries make equal are counted once; where the two variants do not have the same symmetries, those that both have.

    Parameters
    ----------
    one, two : the tables of variants on one board (points and lines; edges, and all rules, may differ).
    subspaces : only these; default: all that one of the stores has.
    jobs : threads; default: the processors available.
    examples : most positions to show of each kind of change in a subspace, of different distances, so that values-only tables give one.
        Of other values, those that are decided soonest come first; of other distances, those that differ most; of equals, the first of
        the table.
    progress : who is told.

    Raises
    ------
    InputError
        The boards differ, or the rules leave nothing to compare.
    MissingTableError
        The stores have no table in common.
    TableError
        A table is damaged or of other rules.
    """
    require_same_board(one.variant, two.variant)
    progress = progress or Silent()
    common, left_out = _common(one, two, subspaces)
    if not common:
        raise _nothing_common(one, two, left_out)
    layout = _Layout(one, two)
    progress.begin(sum(layout.space(subspace).slots for subspace in common), len(common))
    found = []
    try:
        with Workers(min(jobs or processors(), MOST_JOBS)) as workers:
            for number, subspace in enumerate(common, 1):
                progress.unit(subspace.name, number)
                tables = one.read(subspace, workers.jobs), two.read(subspace, workers.jobs)
                found.append(layout.compare(tables, workers, examples))
                progress.advance(layout.space(subspace).slots)
    finally:
        progress.end()
    return Differences(one.variant, two.variant, tuple(found), tuple(left_out))


def left_out_lines(left_out: Sequence[LeftOut]) -> list[str]:
    """Tell what is left out, and the commands that build it: each table where they are few, else how many of a store."""
    lines = []
    for store, missing in {(gone.store, gone.command is not None): None for gone in left_out}:
        group = [gone for gone in left_out if (gone.store, gone.command is not None) == (store, missing)]
        if len(group) <= _TOLD_SINGLY:
            lines += [gone.reason for gone in group]
            continue
        names = ", ".join(gone.subspace.name for gone in group[:_TOLD_SINGLY])
        if missing:
            build = solve_command(store.variant, store.root, metric=store.common_metric())
            where = f"{store.variant.name} are missing in {store.folder}"
            lines.append(f"{len(group)} tables of {where} ({names}, ...); build them with: {build}")
        else:
            lines.append(f"{len(group)} subspaces have no positions to compare under the rules of {store.variant.name} ({names}, ...)")
    return lines


def require_same_board(one: Variant, two: Variant) -> None:
    """Do nothing for variants whose positions can be compared.

    Raises
    ------
    InputError
        They are played on boards with other points or lines.
    """
    for what, ours, theirs in (
        ("points", one.board.points, two.board.points),
        ("lines", sorted(one.board.line_masks), sorted(two.board.line_masks)),
    ):
        if ours != theirs:
            raise InputError(
                f"{one.name} and {two.name} cannot be compared position by position: their boards, {one.board.name} and "
                f"{two.board.name}, have other {what} ({len(ours)} and {len(theirs)})"
            )


# --- which tables


def _common(one: Store, two: Store, subspaces: Collection[Subspace]) -> tuple[list[Subspace], list[LeftOut]]:
    """The subspaces that both stores have, and why the others are left out."""
    there = [{subspace for unit in store.units() for subspace in unit.subspaces} for store in (one, two)]
    common, left_out = [], []
    for subspace in sorted(set(subspaces) or there[0] | there[1], key=reading_order):
        lacking = [LeftOut(subspace, store, reason, None) for store in (one, two) if (reason := _impossible(store, subspace))]
        lacking = lacking or [_missing(store, subspace) for store, has in zip((one, two), there, strict=True) if subspace not in has]
        if lacking:
            left_out += lacking
        else:
            common.append(subspace)
    return common, left_out


def _impossible(store: Store, subspace: Subspace) -> str | None:
    """Why the rules have no table of a subspace."""
    name = store.variant.name
    if not store.graph.exists(subspace):
        return f"{subspace.name}: {name} has no such positions"
    if store.graph.is_over(subspace):
        return f"{subspace.name}: under the rules of {name} the game is over, a player has fewer than three stones"
    return None


def _missing(store: Store, subspace: Subspace) -> LeftOut:
    error = store.missing(subspace)
    return LeftOut(subspace, store, str(error), error.command)


def _nothing_common(one: Store, two: Store, left_out: list[LeftOut]) -> InputError | MissingTableError:
    names = f"{one.variant.name} and {two.variant.name}"
    told = "; ".join(left_out_lines(left_out))
    for gone in left_out:
        if gone.command is not None:
            return MissingTableError(f"there is nothing to compare: {told}", gone.subspace.name, gone.command)
    if left_out:
        return InputError(f"there is nothing to compare: {told}")
    command = solve_command(one.variant, one.root)
    return MissingTableError(
        f"there is nothing to compare: neither {one.folder} nor {two.folder} holds tables of {names}; build the first with: {command}",
        one.graph.start().name,
        command,
    )


# --- one subspace


class _Layout:
    """Rows and columns that serve the tables of two variants: those of the symmetries that both have.

    Where these are all the symmetries of a variant, its tables are laid out so already.
    """

    def __init__(self, one: Store, two: Store):
        theirs = set(two.variant.symmetries)
        shared = [symmetry for symmetry in one.variant.symmetries if symmetry in theirs]
        self._stores = one, two
        self._whole = [len(shared) == len(store.variant.symmetries) for store in self._stores]
        self._geometry = geometry(one.variant) if self._whole[0] else Geometry(one.variant, shared)

    def space(self, subspace: Subspace) -> RowSpace:
        """The rows and columns of a subspace."""
        return self._geometry.rows(subspace.stones, subspace.other)

    def compare(self, tables: tuple[Table, Table], workers: Workers, examples: int) -> Compared:
        """Compare the tables that the two variants have of one subspace."""
        subspace = tables[0].subspace
        space = self.space(subspace)
        blocks = [self._block(number, table, space, workers) for number, table in enumerate(tables)]
        counts, first = _count(blocks, space, workers)
        metrics = tables[0].metric, tables[1].metric
        with_distances = metrics == (DTW, DTW)
        chosen = []
        for a, b in exemplary(counts, with_distances, examples):
            row, column = divmod(int(first[a, b]), space.shape[1])
            codes = zip((a, b), blocks, metrics, strict=True)
            worth = [_probe(code, block.drawn, metric) for code, block, metric in codes]
            chosen.append(Example(_position(self._stores[0].variant, subspace, *space.position(row, column)), *worth))
        return Compared(subspace, metrics, changes_of(counts, with_distances), tuple(chosen))

    def _block(self, number: int, table: Table, space: RowSpace, workers: Workers) -> Block:
        """The codes of a table, the first's or the second's, in the shared layout: its first rows and columns, where it has more."""
        store = self._stores[number]
        block = Block(table.values, store.shape(table.subspace)[1], table.longest + 1)
        return block if self._whole[number] else _relaid(block, geometry(store.variant).rows(space.u, space.t), space, workers)


def _relaid(block: Block, own: RowSpace, space: RowSpace, workers: Workers) -> Block:
    """A block with rows and columns as in ``space``."""
    width = space.shape[1]
    cells = np.empty(space.slots, block.cells.dtype)

    def work(worker: int, start: int, stop: int) -> None:
        rows, columns = own.locate(*space.sets(start, stop))
        cells[start * width : stop * width] = block.cells[rows * block.stride + columns]

    workers.over_rows(space.shape[0], work)
    return Block(cells, width, block.drawn)


def _count(blocks: list[Block], space: RowSpace, workers: Workers) -> tuple[np.ndarray, np.ndarray]:
    """For each pair of codes (the last of each block is a draw) the number of positions, and the first cell that has them; int64, 2-D."""
    one, two = blocks
    shape = one.drawn + 1, two.drawn + 1
    counts = np.zeros((workers.jobs, shape[0] * shape[1]), np.int64)
    first = np.full_like(counts, _NEVER)
    board, orbits = space.geometry, space.orbits

    def work(worker: int, start: int, stop: int) -> None:
        count_pairs(
            start,
            stop,
            one,
            two,
            board.full,
            orbits.representatives,
            orbits.stabilisers,
            space.columns.masks,
            board.images,
            counts[worker],
            first[worker],
        )

    workers.over_rows(space.shape[0], work)
    return counts.sum(axis=0).reshape(shape), first.min(axis=0).reshape(shape)


def _probe(code: int, drawn: int, metric: str) -> Probe:
    if code == drawn:
        return Probe("draw", None)
    return Probe("win" if code % 2 else "loss", code if metric == DTW else None)


def _position(variant: Variant, subspace: Subspace, mover: int, other: int) -> Position:
    """The position with White to move and nothing remembered."""
    memory = None if variant.rules.repeat_mill == "free" else (None, None)
    return Position(variant, State(0, (mover, other), (subspace.hand, subspace.other_hand), memory))
