"""Plan: which units a build solves, in what order, and what each will take, before anything is computed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import comb

from merels.errors import InputError
from merels.retrograde.sizes import Sizes
from merels.subspaces import Graph, Subspace, Unit
from merels.tables.metric import DTW, WDL
from merels.variants import Variant

# Measured with the whole of `nine`, 2-core AMD EPYC (Zen 3), 2026-11-30; per slot and core, counting and compressing included.
_SWEEP_SECONDS = 110e-9
_PULL_SECONDS = 53e-9
# The same with parts of `nine-norepeat` and `mlynek-different`, where every turn that is looked up has to be put in its own place.
_MEMORY_SWEEP_SECONDS = {"no-immediate": {False: 0.15e-6, True: 1.3e-6}, "different": {False: 0.13e-6, True: 0.13e-6}}
"""By the rule, and whether a player flies: what a player that flies may be barred from is much."""
_MEMORY_PULL_SECONDS = 0.9e-6
_FILE_SECONDS = 0.03
"""Of one core, for each file: most of it is waiting for the disk."""
_DISK_PER_SLOT = {DTW: 0.40, WDL: 0.065}
_DISK_MOSTLY_DRAWN = 0.13
"""Share of that under `repeat_mill` = "different", which leaves few wins."""
_FILE_OVERHEAD = 8 << 10
PROGRAM = 370 << 20
"""Bytes of the program itself with its ranks and classes, kernels that it compiles, and small units that wait to be written."""
_MEMORY_KERNELS = 100 << 20
"""Bytes more that compiling takes where positions remember mills."""
_DEPTHS = 256
_HOT_CELLS = 256

MOST_MEMORY = 17 << 29
"""Bytes that a build takes, unless its largest unit needs more: what a unit leaves of them is for tables that later units read. Of the
whole of `nine` 3.8 GiB are then read again; with 2 GiB less 10 would be, with 1 GiB more still 2.9."""


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
    disk: int
    seconds: float
    kept: int = 0

    def room(self, memory: int | None = None) -> int:
        """Bytes for tables that later units read, beside all that this one takes; ``memory``: what may be taken, None for any."""
        most = MOST_MEMORY if memory is None else min(MOST_MEMORY, memory)
        return max(0, most - self.memory)


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
    endings: Plan | None = None

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
        return [graph.checked(name) for name in subspaces]
    if reachable:
        return [graph.start()]
    if not moving:
        return list(graph.whole())
    roots = [s for s in graph.moving() if stones is None or s.stones + s.other <= stones]
    if not roots:
        raise InputError(f"{graph.variant.name} has no positions with empty hands and {stones} stones or fewer")
    return roots


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
    planned = [_planned(graph, sizes, unit, metric, previous) for unit, previous in zip(units, [0, *slots], strict=False)]
    return Plan(variant, tuple(_with_kept(graph, sizes, planned)), roots, metric, discards)


def _with_kept(graph: Graph, sizes: Sizes, units: Sequence[PlannedUnit]) -> Iterator[PlannedUnit]:
    """The units, each with the bytes of tables that are there, are not read by it, will be read by a later one, and find room."""
    last_use = {subspace: step for step, planned in enumerate(units) for subspace in graph.needs(planned.unit)}
    size = {subspace: sizes.slots(subspace) for subspace in last_use}
    alive: set[Subspace] = set()
    for step, planned in enumerate(units):
        alive = {subspace for subspace in alive if last_use[subspace] >= step}
        waiting = sum(size[subspace] for subspace in alive - graph.needs(planned.unit))
        yield replace(planned, kept=min(planned.room(), waiting))
        alive.update(subspace for subspace in planned.unit.subspaces if subspace in last_use)


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
    """The plan of what a user asks for; see `choose_roots` and `make_plan`. With ``discard`` that is the start, unless a part is named.

    With three players see `merels.retrograde.triple_plan`.
    """
    if variant.rules.players == 3:
        from merels.retrograde.triple_plan import plan_triples

        chosen = {"moving": moving, "stones": stones, "subspaces": subspaces, "reachable": reachable, "discard": discard}
        return plan_triples(variant, **chosen, metric=metric)
    from_start = reachable or (discard and not subspaces and not moving)
    return make_plan(variant, choose_roots(Graph(variant), moving, stones, subspaces, from_start), metric, discard)


def _planned(graph: Graph, sizes: Sizes, unit: Unit, metric: str, previous: int) -> PlannedUnit:
    slots = sum(sizes.slots(s) for s in unit.subspaces)
    circle = graph.is_circle(unit.subspaces[0])
    read = sum(sizes.slots(s) for s in graph.needs(unit))
    program, sweep, pull, disk = PROGRAM, _SWEEP_SECONDS, _PULL_SECONDS, _DISK_PER_SLOT[metric]
    rule = graph.rules.repeat_mill
    if rule != "free":
        flies = any(graph.flies(subspace) for subspace in unit.subspaces)
        program, sweep, pull = PROGRAM + _MEMORY_KERNELS, _MEMORY_SWEEP_SECONDS[rule][flies], _MEMORY_PULL_SECONDS
        disk *= _DISK_MOSTLY_DRAWN if rule == "different" else 1
    own = sum(_circle_memory(graph, sizes, s) if circle else _pull_memory(graph, sizes, s) for s in unit.subspaces)
    return PlannedUnit(
        unit=unit,
        slots=slots,
        positions=sum(sizes.positions(s) for s in unit.subspaces),
        memory=program + read + own + previous,
        disk=round(slots * disk) + _FILE_OVERHEAD,
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
