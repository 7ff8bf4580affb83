"""Plan: which units a build solves, in what order, and what each will take, before anything is computed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb

from merels.errors import InputError
from merels.retrograde.sizes import Sizes
from merels.subspaces import Graph, Subspace, Unit
from merels.tables.metric import DTW, WDL
from merels.variants import Variant

# Measured with the whole of `nine`, 2-core AMD EPYC (Zen 3), 2026-11-30; per slot and core, counting and compressing included.
_SWEEP_SECONDS = 120e-9
_PULL_SECONDS = 62e-9
# The same with parts of `nine-norepeat` and `mlynek-different`, where every turn that is looked up has to be put in its own place.
_MEMORY_SWEEP_SECONDS = {False: 0.15e-6, True: 0.7e-6}
"""By whether a player flies: what a player that flies may remember is much, and it has many turns."""
_MEMORY_PULL_SECONDS = 0.9e-6
_FILE_SECONDS = 0.03
"""Of one core, for each file: most of it is waiting for the disk."""
_DISK_PER_SLOT = {DTW: 0.40, WDL: 0.065}
_FILE_OVERHEAD = 8 << 10
_PROGRAM = 250 << 20
"""Bytes of the program itself with its ranks and classes."""
_DEPTHS = 256
_HOT_CELLS = 256

MOST_KEPT = 3 << 30
"""Bytes of tables kept for later units. Units that read the same tables come one after the other, so more would save little."""


@dataclass(frozen=True)
class PlannedUnit:
    """One unit and its estimates.

    Attributes
    ----------
    unit : what is solved.
    slots, positions : cells of its tables; positions, each orbit once.
    memory : most bytes that the process takes while it is solved: the tables that it reads, and those of the unit before, which are being
        written, included. kept : bytes of tables that stay for later units beside that, where memory allows.
    disk : bytes of its file. seconds : on one core.
    """

    unit: Unit
    slots: int
    positions: int
    memory: int
    kept: int
    disk: int
    seconds: float


@dataclass(frozen=True)
class Plan:
    """The units of a build, each after all that it needs.

    Attributes
    ----------
    variant : whose.
    units : what is solved, in order.
    roots : the subspaces that are asked for.
    metric : what is stored, `DTW` or `WDL`.
    discards : whether all others are deleted again once nothing needs them.
    """

    variant: Variant
    units: tuple[PlannedUnit, ...]
    roots: tuple[Subspace, ...]
    metric: str = DTW
    discards: bool = False

    @property
    def slots(self) -> int:
        """Cells of all tables."""
        return sum(unit.slots for unit in self.units)

    @property
    def positions(self) -> int:
        """Positions, each orbit once."""
        return sum(unit.positions for unit in self.units)

    @property
    def memory(self) -> int:
        """Bytes at the unit that takes most, with all that is kept where memory allows."""
        return max((unit.memory + unit.kept for unit in self.units), default=0)

    @property
    def disk(self) -> int:
        """Bytes of all files."""
        return sum(unit.disk for unit in self.units)

    @property
    def seconds(self) -> float:
        """Seconds on one core."""
        return sum(unit.seconds for unit in self.units)


def choose_roots(
    graph: Graph, moving: bool = False, stones: int | None = None, subspaces: Sequence[str] = (), reachable: bool = False
) -> list[Subspace]:
    """The subspaces that a build is asked for; by default those of the whole game (`Graph.whole`).

    Parameters
    ----------
    reachable : that of the start position alone.
    moving : all subspaces with empty hands.
    stones : of those, the ones with at most so many stones on the board; only with ``moving``.
    subspaces : names of subspaces.

    Raises
    ------
    InputError
        A subspace that the variant does not have, or nothing is left to solve.
    """
    if bool(subspaces) + (moving or stones is not None) + reachable > 1:
        raise InputError("choose one of single subspaces (--subspace), the moving phase (--moving, --stones) and --reachable, not several")
    if stones is not None and not moving:
        raise InputError("--stones limits the moving phase: add --moving")
    if subspaces:
        return [_checked(graph, Subspace.parse(name)) for name in subspaces]
    if reachable:
        return [graph.start()]
    if not moving:
        return list(graph.whole())
    roots = [s for s in graph.moving() if stones is None or s.stones + s.other <= stones]
    if not roots:
        raise InputError(f"{graph.variant.name} has no positions with empty hands and {stones} stones or fewer")
    return roots


def _checked(graph: Graph, subspace: Subspace) -> Subspace:
    name, variant = subspace.name, graph.variant
    if not graph.exists(subspace):
        raise InputError(
            f"subspace {name}: {variant.name} has {graph.rules.men} men for each player and {graph.points} points"
        )
    if graph.is_over(subspace):
        raise InputError(f"subspace {name}: a player has fewer than three stones, the game is over; there is no table")
    return subspace


def make_plan(variant: Variant, roots: Iterable[Subspace], metric: str = DTW, discards: bool = False) -> Plan:
    """The plan that solves the ``roots`` and all that they lead to.

    Parameters
    ----------
    metric : what is stored, `DTW` or `WDL`.
    discards : whether the roots alone are kept.
    """
    graph, sizes, roots = Graph(variant), Sizes(variant), tuple(roots)
    units = graph.closure(roots)
    slots = [sum(sizes.slots(s) for s in unit.subspaces) for unit in units]
    planned = tuple(
        _planned(graph, sizes, unit, metric, previous, kept)
        for unit, previous, kept in zip(units, [0, *slots], _kept(graph, sizes, units), strict=False)
    )
    return Plan(variant, planned, roots, metric, discards)


def _kept(graph: Graph, sizes: Sizes, units: Sequence[Unit]) -> list[int]:
    """For each unit the bytes of tables that are there, are not read by it, and will be read by a later one; `MOST_KEPT` or fewer."""
    last_use = {subspace: step for step, unit in enumerate(units) for subspace in graph.needs(unit)}
    size = {subspace: sizes.slots(subspace) for subspace in last_use}
    alive, sums = set(), []
    for step, unit in enumerate(units):
        alive = {subspace for subspace in alive if last_use[subspace] >= step}
        sums.append(min(MOST_KEPT, sum(size[subspace] for subspace in alive - graph.needs(unit))))
        alive.update(subspace for subspace in unit.subspaces if subspace in last_use)
    return sums


def plan_build(
    variant: Variant,
    *,
    moving: bool = False,
    stones: int | None = None,
    subspaces: Sequence[str] = (),
    reachable: bool = False,
    discard: bool = False,
    metric: str = DTW,
) -> Plan:
    """The plan of what a user asks for; see `choose_roots` and `make_plan`. With ``discard`` that is the start, unless a part is named."""
    from_start = reachable or (discard and not subspaces and not moving)
    return make_plan(variant, choose_roots(Graph(variant), moving, stones, subspaces, from_start), metric, discard)


def _planned(graph: Graph, sizes: Sizes, unit: Unit, metric: str, previous: int, kept: int) -> PlannedUnit:
    slots = sum(sizes.slots(s) for s in unit.subspaces)
    circle = graph.is_circle(unit.subspaces[0])
    read = sum(sizes.slots(s) for s in graph.needs(unit))
    remembers = graph.rules.repeat_mill != "free"
    flies = any(graph.flies(subspace) for subspace in unit.subspaces)
    sweep, pull = (_MEMORY_SWEEP_SECONDS[flies], _MEMORY_PULL_SECONDS) if remembers else (_SWEEP_SECONDS, _PULL_SECONDS)
    own = sum(_circle_memory(graph, sizes, s) if circle else _pull_memory(graph, sizes, s) for s in unit.subspaces)
    return PlannedUnit(
        unit=unit,
        slots=slots,
        positions=sum(sizes.positions(s) for s in unit.subspaces),
        memory=_PROGRAM + read + own + previous,
        kept=kept,
        disk=round(slots * _DISK_PER_SLOT[metric]) + _FILE_OVERHEAD,
        seconds=slots * (sweep if circle else pull) + _FILE_SECONDS,
    )


def _circle_memory(graph: Graph, sizes: Sizes, subspace: Subspace) -> int:
    """Values, the after-move array, events, and what the placings are pulled from."""
    u, t = subspace.stones, subspace.other
    rows, width = sizes.shape(subspace)
    stride = -(-width // _HOT_CELLS) * _HOT_CELLS
    lines = len(graph.variant.board.lines) * comb(graph.points - 3, u - 3) if u >= 3 else 0
    closing = min(1.0, lines / comb(graph.points, u))
    column = 2 if width <= 1 << 16 else 4
    events = graph.removal_levels(u, t) * rows * (int(closing * width * column) + 8 * _DEPTHS)
    if graph.can_place(subspace):
        events += rows * (width * column + 8 * _DEPTHS) + _pull_memory(graph, sizes, subspace)
    return rows * (width + stride) + events


def _pull_memory(graph: Graph, sizes: Sizes, subspace: Subspace) -> int:
    """The codes, and the states after removals of each kind of turn."""
    after = [graph.after_quiet_placing(subspace)] if graph.can_place(subspace) else []
    if graph.can_move(subspace) and not graph.is_circle(subspace):
        after.append(graph.after_quiet_move(subspace))
    if graph.rules.repeat_mill != "free":
        return sizes.slots(subspace)
    return sizes.slots(subspace) + sum(graph.removal_levels(s.other, s.stones) * sizes.slots(s.partner) for s in after)
