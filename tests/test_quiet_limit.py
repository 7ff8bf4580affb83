"""The limited game: every position of shrunken games against the plain engine's backward induction."""

from __future__ import annotations

import numpy as np
import pytest

from merels.reference.quiet import solve_limited
from merels.reference.symmetry import Representatives
from merels.retrograde.quiet import limited_unit
from merels.retrograde.workers import Workers
from merels.state import State
from merels.subspaces import Subspace
from merels.tables.table import DRAWN, LOST, WON, Table, value_codes
from merels.variants import Variant, variant
from solved import solved

CODES = {"win": WON, "draw": DRAWN, "loss": LOST}


def limited(game: Variant, limit: int) -> dict[Subspace, Table]:
    """The limited values of a whole game, in memory."""
    known, tables = solved(game), {}
    with Workers(2) as workers:
        for unit in known.units:
            tables.update(limited_unit(known.graph, known.geometry, workers, unit, tables.__getitem__, limit))
    return tables


def compare(game: Variant, limits: tuple[int, ...]) -> dict[int, int]:
    """Compare every cell for each limit; returns how many decided cells each limit makes drawn."""
    known, representative = solved(game), Representatives(game)
    cells = {}
    for subspace in known.tables:
        space = known.geometry.rows(subspace.stones, subspace.other)
        hands = (subspace.hand, subspace.other_hand)
        cells[subspace] = [representative(State(0, space.position(*cell), hands, None)) for cell in np.ndindex(space.shape)]
    changed = {}
    for limit in limits:
        values = solve_limited(game, (state for states in cells.values() for state in states), limit)
        tables = limited(game, limit)
        for subspace, states in cells.items():
            expected = np.array([CODES[values[state]] for state in states], np.uint8)
            wrong = np.flatnonzero(tables[subspace].values != expected)
            assert wrong.size == 0, (game.name, limit, subspace.name, states[wrong[0]], wrong.size)
            plain = value_codes(known.tables[subspace].values)
            changed[limit] = changed.get(limit, 0) + int(np.count_nonzero(plain != expected))
            assert not ((expected != DRAWN) & (expected != plain)).any()
    return changed


SMALL = [
    ("three", {}, (1, 2, 3, 6, 7, 10)),
    ("three", {"stalemate": "draw"}, (1, 2, 5)),
    ("three-orthogonal", {}, (1, 2, 3, 4)),
    ("three", {"mill": "remove", "flying": "3", "placing": "place-or-move"}, (1, 2, 3, 6)),
    ("three", {"mill": "remove", "placing": "place-or-move", "removals": "per-mill", "protection": "none", "men": "4"}, (1, 2, 7)),
    ("three", {"mill": "remove", "protection": "mills", "removals": "per-mill", "stalemate": "draw"}, (1, 2, 3)),
    ("three-orthogonal", {"mill": "remove", "men": "4", "full_board": "draw", "protection": "mills"}, (1, 3, 10)),
]


@pytest.mark.parametrize(("name", "rules", "limits"), SMALL, ids=lambda value: value if isinstance(value, str) else None)
def test_every_position_of_a_small_board_has_the_limited_value_of_the_plain_engine(
    name: str, rules: dict[str, str], limits: tuple[int, ...]
) -> None:
    changed = compare(variant(name, rules=rules), limits)
    print(name, rules, changed)
    assert changed[limits[0]] > 0
