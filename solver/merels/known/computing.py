"""Computing: how our side answers each fact. A computation takes the fact and `Ours` and gives an `Answer`.

Where a fact has several numbers the answer is a mapping with the same names; names that our side has no number for are left out of it, and
`Answer.command` says how they can be had.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import comb
from typing import Any

from merels.boards import line_symmetries
from merels.counting import Counter
from merels.known.facts import Fact
from merels.known.ours import TABLES, NotBuilt, Ours
from merels.position import Position
from merels.subspaces import Graph, Subspace
from merels.tables import subspace_of
from merels.variants import Variant

FORMULA, PLAY = "formula", "play"
"""Where a number is from that needs no tables: counted without looking at values, or found by playing with the reference engine."""
PERFT_DEPTH = 5


@dataclass(frozen=True)
class Answer:
    """Our side of a fact.

    Attributes
    ----------
    value : as `Fact.value`, perhaps with fewer names.
    origin : "tables", "results", "formula" or "play".
    command : what gives the numbers that are left out; None if none is.
    """

    value: Any
    origin: str
    command: str | None = None


def answer(fact: Fact, ours: Ours) -> Answer:
    """Our side of a fact.

    Raises
    ------
    NotBuilt
        Not one of its numbers can be told before tables are built.
    TableError
        A table is damaged or of other rules.
    """
    return _COMPUTATIONS[fact.compute["what"]](fact, ours)


# --- from tables or results


def _start(fact: Fact, ours: Ours) -> Answer:
    """Value and distance of a position (default: the start), and of its turns where the fact names some."""
    position = _position(fact)
    (value, dtw), origin = ours.worth(position)
    found: dict[str, Any] = {"value": value}
    command = None
    if dtw is not None or value == "draw":
        found["dtw"] = dtw
    elif "dtw" in fact.value:
        command = ours.command_for_distances(fact.variant, subspace_of(position))
    if set(fact.value) - set(found):
        try:
            turns = ours.turns(position)
            found |= {token: _worth_text(*worth) for token, worth in turns.value.items()}
        except NotBuilt as missing:
            command = missing.command
    return Answer({name: found[name] for name in fact.value if name in found}, origin, command)


def _first_turns(fact: Fact, ours: Ours) -> Answer:
    turns = ours.turns(_position(fact))
    return Answer({token: worth[0] for token, worth in turns.value.items() if token in fact.value}, turns.origin)


def _subspace(fact: Fact, ours: Ours) -> Answer:
    subspace = Subspace.parse(fact.compute["subspace"])
    counts, origin = ours.counts(fact.variant, subspace)
    found = {**counts, "slots": _slots_by_mover(fact.variant, [subspace])}
    if "max_win" in counts:
        found["longest"] = max((plies for plies in (counts["max_win"], counts["max_loss"]) if plies is not None), default=None)
    if "histogram" in counts:
        found["histogram"] = {str(plies): number for plies, number in enumerate(counts["histogram"]) if number}
    value = {name: found[name] for name in fact.value if name in found}
    return Answer(value, origin, None if len(value) == len(fact.value) else ours.command_for_distances(fact.variant, subspace))


def _raw(fact: Fact, ours: Ours) -> Answer:
    """Counts of a subspace with every image of a position counted."""
    from merels.indexing import geometry
    from merels.tables.statistics import count_raw

    counts = count_raw(ours.table(fact.variant, Subspace.parse(fact.compute["subspace"])), geometry(fact.variant))
    return Answer({"win": counts.win, "draw": counts.draw, "loss": counts.loss}, TABLES)


def _blocked(fact: Fact, ours: Ours) -> Answer:
    """Positions by stones in which the player to move has no turn: those lost in 0 plies."""
    from merels.indexing import geometry
    from merels.retrograde.workers import Workers
    from merels.tables.statistics import count

    found: dict[str, int] = {}
    command = None
    with Workers(ours.jobs) as workers:
        for name in fact.value:
            subspace = Subspace.parse(f"{name}-0-0")
            try:
                if fact.compute.get("reachable"):
                    table = ours.table(fact.variant, subspace)
                    histogram = count(table, geometry(fact.variant), workers, fact.variant.rules.men).histogram
                else:
                    histogram = _histogram(ours, fact.variant, subspace)
                found[name] = histogram[0] if histogram else 0
            except NotBuilt as missing:
                command = command or missing.command
    return _partial(found, TABLES, command)


def _decided_share(fact: Fact, ours: Ours) -> Answer:
    found, origins, command = {}, set(), None
    for name in fact.value:
        try:
            counts, origin = ours.counts(fact.variant, Subspace.parse(f"{name}-0-0"))
            found[name] = round((counts["win"] + counts["loss"]) / counts["positions"], 2)
            origins.add(origin)
        except NotBuilt as missing:
            command = command or missing.command
    return _partial(found, max(origins, default=TABLES), command)


def _longest_win(fact: Fact, ours: Ours) -> Answer:
    """Longest win of all positions that the start leads to, in full moves (a turn of each player)."""
    counts, origin = ours.all_counts(fact.variant, _closure(fact.variant))
    if any("max_win" not in numbers for numbers in counts.values()):
        raise NotBuilt(ours.command_for_distances(fact.variant))
    return Answer((max(numbers["max_win"] or 0 for numbers in counts.values()) + 1) // 2, origin)


def _histogram(ours: Ours, variant: Variant, subspace: Subspace) -> list[int]:
    counts = ours.counts(variant, subspace).value
    if "histogram" not in counts:
        raise NotBuilt(ours.command_for_distances(variant, subspace))
    return counts["histogram"]


def _partial(found: dict[str, Any], origin: str, command: str | None) -> Answer:
    if not found and command is not None:
        raise NotBuilt(command)
    return Answer(found, origin, command)


# --- counted without tables


def _reachable(fact: Fact, ours: Ours) -> Answer:
    """Positions with empty hands that pass the filter of `merels.reachable`.

    ``form``: "ordered" (names u-t, the player to move first), "unordered" (both players to move together, the larger number first, and
    a total) or "total". ``lines33``: 3-3, where both players fly, under the symmetries of the lines alone. ``all``: no filter.
    """
    compute = fact.compute
    ordered = _moving_positions(fact.variant, bool(compute.get("all")), bool(compute.get("lines33")))
    if compute["form"] == "total":
        return Answer(sum(ordered.values()), FORMULA)
    if compute["form"] == "ordered":
        return Answer({f"{u}-{t}": number for (u, t), number in ordered.items()}, FORMULA)
    rows = {f"{u}-{t}": number + (ordered[t, u] if u != t else 0) for (u, t), number in ordered.items() if u >= t}
    return Answer({**rows, "total": sum(ordered.values())}, FORMULA)


@lru_cache(maxsize=16)
def _moving_positions(variant: Variant, unfiltered: bool, lines33: bool) -> dict[tuple[int, int], int]:
    """Positions with empty hands by the stones of the player to move and of the other; see `_reachable`."""
    from merels.reachable import ReachableCounter

    kind = Counter if unfiltered else ReachableCounter
    counter = kind(variant)
    flying = kind(variant, line_symmetries(variant.board)) if lines33 else counter
    found = {}
    for subspace in Graph(variant).moving():
        u, t = subspace.stones, subspace.other
        both_fly = u == t == variant.rules.flying
        found[u, t] = (flying if both_fly else counter).positions(u, t)
    return found


def _index_cells(fact: Fact, ours: Ours) -> Answer:
    """Cells of an index with rows by the player with more stones, whoever is to move."""
    counter = Counter(fact.variant)
    moving = Graph(fact.variant).moving()
    return Answer(sum(counter.slots(min(s.stones, s.other), max(s.stones, s.other)) for s in moving), FORMULA)


def _set_orbits(fact: Fact, ours: Ours) -> Answer:
    counter = Counter(fact.variant)
    return Answer({size: counter.rows(int(size)) for size in fact.value}, FORMULA)


def _stone_pairs(fact: Fact, ours: Ours) -> Answer:
    return Answer(sum(s.stones >= s.other for s in Graph(fact.variant).moving()), FORMULA)


def _raw_positions(fact: Fact, ours: Ours) -> Answer:
    points = fact.variant.board.size
    moving = Graph(fact.variant).moving()
    return Answer(sum(comb(points, s.stones) * comb(points - s.stones, s.other) for s in moving), FORMULA)


def _moving_sums(fact: Fact, ours: Ours) -> Answer:
    moving = list(Graph(fact.variant).moving())
    found = {"positions": _positions(fact.variant, moving), "slots": _slots_by_mover(fact.variant, moving)}
    return Answer({name: found[name] for name in fact.value}, FORMULA)


def _malom_sectors(fact: Fact, ours: Ours) -> Answer:
    """Malom's list of sectors: any stones with the pairs of hands that play from the start comes to.

    Left out are those in which the player not to move, who has just placed or moved a stone, has none on the board; the start is no such.
    """
    variant, graph = fact.variant, Graph(fact.variant)
    hands = {(subspace.hand, subspace.other_hand) for subspace in _closure(variant)}
    sectors = [s for s in graph.with_hands(hands) if s.other > 0 or s == graph.start()]
    moving = [s for s in sectors if s.hand == s.other_hand == 0]
    found = {
        "sectors": len(sectors),
        "positions": _positions(variant, sectors),
        "slots": _slots_by_mover(variant, sectors),
        "hand_pairs": len(hands),
        "moving_sectors": len(moving),
        "moving_positions": _positions(variant, moving),
        "moving_slots": _slots_by_mover(variant, moving),
    }
    return Answer({name: found[name] for name in fact.value}, FORMULA)


def _hands_of_all(fact: Fact, ours: Ours) -> Answer:
    """Every subspace that the men allow, whatever the hands."""
    men = range(fact.variant.rules.men + 1)
    subspaces = list(Graph(fact.variant).with_hands(product(men, repeat=2)))
    return Answer(_positions(fact.variant, subspaces) if fact.compute["form"] == "positions" else len(subspaces), FORMULA)


def _closure(variant: Variant) -> list[Subspace]:
    graph = Graph(variant)
    return [subspace for unit in graph.closure([graph.start()]) for subspace in unit.subspaces]


def _positions(variant: Variant, subspaces: Iterable[Subspace]) -> int:
    counter = Counter(variant)
    return sum(counter.positions(s.stones, s.other) for s in subspaces)


def _slots_by_mover(variant: Variant, subspaces: Iterable[Subspace]) -> int:
    """Cells if rows go by the stones of the player to move, as Malom's do; ours go by those of the other."""
    counter = Counter(variant)
    return sum(counter.slots(s.other, s.stones) for s in subspaces)


# --- found by playing


def _perft(fact: Fact, ours: Ours) -> Answer:
    from merels.reference.perft import perft_counts

    depths = sorted(map(int, fact.value))
    counts = perft_counts(fact.variant, min(depths[-1], PERFT_DEPTH))
    found = {str(depth): counts[depth - 1] for depth in depths if depth <= len(counts)}
    return Answer(found, PLAY, f"merels perft {fact.variant_name} {depths[-1]}" if len(found) < len(depths) else None)


def _play(fact: Fact, ours: Ours) -> Answer:
    """States that play comes to, colours exchanged so that the player to move is first, and their values; small boards only."""
    from merels.reference.retrograde import solve
    from merels.reference.symmetry import exchange_colours

    start = Position.start(fact.variant)
    values = solve(fact.variant, [start.state])
    seen = {exchange_colours(state) if state.to_move else state: value for state, (value, _) in values.items()}
    value, dtw = values[start.state]
    words = list(seen.values())
    found = {"states": len(seen), **{word: words.count(word) for word in ("win", "draw", "loss")}, "value": value, "dtw": dtw}
    opposite = {"win": "loss", "draw": "draw", "loss": "win"}
    for turn in start.turns():
        found[start.token(turn)] = opposite[values[start.play(turn).state][0]]
    return Answer({name: found[name] for name in fact.value}, PLAY)


def _forward(fact: Fact, ours: Ours) -> Answer:
    """Value of the start, and the positions that play from it comes to: how many, by value, and the same for orbits ("canonical")."""
    found, origin, missing = {}, PLAY, None
    try:
        worth = ours.worth(_position(fact))
        found["value"], origin = worth.value[0], worth.origin
    except NotBuilt as error:
        missing = error
    command = f"merels known {fact.variant_name} --long"
    if ours.long:
        by_value = "win" in fact.value
        if missing is None or not by_value:
            found |= _searched(fact, ours, by_value)
    elif missing is not None:
        raise missing
    value = {name: found[name] for name in fact.value if name in found}
    complete = len(value) == len(fact.value)
    return Answer(value, origin, None if complete else command if missing is None else missing.command)


def _searched(fact: Fact, ours: Ours, by_value: bool) -> dict[str, int]:
    import numpy as np

    from merels.indexing import geometry
    from merels.known.forward import reachable

    images, names = geometry(fact.variant).images, {1: "win", 0: "draw", -1: "loss"}
    found = dict.fromkeys(("states", "canonical", "max_win", "max_loss"), 0)
    found |= {f"{prefix}{word}": 0 for prefix in ("", "canonical_") for word in names.values()}
    with ours.tablebase(fact.variant) as tablebase:
        for own, other, hands in reachable(fact.variant, _position(fact).state.hands[0]):
            found["states"] += own.size
            if not by_value:
                continue
            numbers = own.astype(np.uint64) << np.uint64(16) | other
            first = np.ones(own.size, np.bool_)
            for table in images:
                image = [(table[0, sets & 255] | table[1, sets >> 8]).astype(np.uint64) for sets in (own, other)]
                first &= numbers <= (image[0] << np.uint64(16) | image[1])
            found["canonical"] += int(first.sum())
            wdl, dtw = tablebase.probe_many(own, other, hands)
            for code, word in names.items():
                found[word] += int((wdl == code).sum())
                found[f"canonical_{word}"] += int((wdl[first] == code).sum())
                if code:
                    found[f"max_{word}"] = max(found[f"max_{word}"], int(dtw[wdl == code].max(initial=0)))
    return found


def _position(fact: Fact) -> Position:
    text = fact.compute.get("position")
    return Position.start(fact.variant) if text is None else Position.parse(fact.variant, text)


def _worth_text(value: str, dtw: int | None) -> str:
    return value if dtw is None else f"{value} {dtw}"


_COMPUTATIONS: dict[str, Callable[[Fact, Ours], Answer]] = {
    "blocked": _blocked,
    "decided-share": _decided_share,
    "first-turns": _first_turns,
    "forward": _forward,
    "hands-of-all": _hands_of_all,
    "index-cells": _index_cells,
    "longest-win": _longest_win,
    "malom-sectors": _malom_sectors,
    "moving-sums": _moving_sums,
    "perft": _perft,
    "play": _play,
    "raw": _raw,
    "raw-positions": _raw_positions,
    "reachable": _reachable,
    "set-orbits": _set_orbits,
    "start": _start,
    "stone-pairs": _stone_pairs,
    "subspace": _subspace,
}
