"""The limited game: every position of shrunken games against the plain engine's backward induction."""

from __future__ import annotations

import numpy as np
import pytest

from merels.errors import InputError, RulesError
from merels.kernels.values import LONGEST
from merels.reference.quiet import LimitedGame
from merels.reference.symmetry import Representatives
from merels.retrograde import quiet
from merels.retrograde.quiet import limited_unit
from merels.retrograde.workers import Workers
from merels.solvable import MOST_QUIET_PLIES, require_quiet_limit
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


def compare(game: Variant, limits: tuple[int, ...]) -> list[int]:
    """Compare every cell for each limit; returns how many decided cells each limit makes drawn."""
    known, representative = solved(game), Representatives(game)
    cells = {}
    for subspace in known.tables:
        space = known.geometry.rows(subspace.stones, subspace.other)
        hands = (subspace.hand, subspace.other_hand)
        cells[subspace] = [representative(State(0, space.position(*cell), hands, None)) for cell in np.ndindex(space.shape)]
    plain_engine = LimitedGame(game, (state for states in cells.values() for state in states))
    changed = []
    for limit in limits:
        values, tables = plain_engine.values(limit), limited(game, limit)
        changed.append(0)
        for subspace, states in cells.items():
            expected = np.array([CODES[values[state]] for state in states], np.uint8)
            wrong = np.flatnonzero(tables[subspace].values != expected)
            assert wrong.size == 0, (game.name, limit, subspace.name, states[wrong[0]], wrong.size)
            plain = value_codes(known.tables[subspace].values)
            assert not ((expected != DRAWN) & (expected != plain)).any()
            changed[-1] += int(np.count_nonzero(plain != expected))
    return changed


SMALL = [
    ("three", {}, (1, 2, 3, 6, 7, 10)),
    ("three", {"stalemate": "draw"}, (1, 2, 5)),
    ("three-orthogonal", {}, (1, 2, 3, 4)),
    ("three", {"mill": "remove", "flying": "3", "placing": "place-or-move"}, (1, 2, 3, 6)),
    ("three", {"placing": "place-or-move"}, (1, 2, 3, 8)),
    ("three", {"mill": "remove", "placing": "place-or-move", "removals": "per-mill", "protection": "none", "men": "4"}, (1, 2, 7)),
    ("three", {"mill": "remove", "protection": "mills", "removals": "per-mill", "stalemate": "draw"}, (1, 2, 3)),
    ("three-orthogonal", {"mill": "remove", "men": "4", "full_board": "draw", "protection": "mills"}, (1, 3, 10)),
]
LARGER = [
    ("five", {"men": "3"}, (1, 2, 3, 6, 7)),
    ("six", {"men": "3"}, (1, 2, 3, 6, 7, 10)),
    ("seven", {"men": "3"}, (2, 3, 7)),
    ("five", {"men": "3", "placing": "place-or-move", "removals": "per-mill", "protection": "none"}, (1, 2, 3, 6)),
    ("five", {"men": "3", "movement": "knight", "mill": "win"}, (1, 4, 9)),
    ("six", {"men": "4"}, (3, 10, 16)),
    ("lasker", {"men": "3"}, (2, 3)),
    ("mlynek", {"men": "3"}, (1, 4)),
]


def _id(value: object) -> str | None:
    return value if isinstance(value, str) else "+".join(value.values()) if isinstance(value, dict) else ""


@pytest.mark.parametrize(("name", "rules", "limits"), SMALL, ids=_id)
def test_every_position_of_a_small_board_has_the_limited_value_of_the_plain_engine(
    name: str, rules: dict[str, str], limits: tuple[int, ...]
) -> None:
    changed = compare(variant(name, rules=rules), limits)
    assert changed[0] > 0 and changed == sorted(changed, reverse=True)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "rules", "limits"), LARGER, ids=_id)
def test_every_position_of_a_larger_board_has_the_limited_value_of_the_plain_engine(
    name: str, rules: dict[str, str], limits: tuple[int, ...]
) -> None:
    changed = compare(variant(name, rules=rules), limits)
    assert changed[0] > 0 and changed == sorted(changed, reverse=True)


@pytest.mark.slow
def test_codes_that_outgrow_a_byte_begin_in_two_or_go_on_in_two(monkeypatch: pytest.MonkeyPatch) -> None:
    """No distance of these games passes the limit, so that the limited values are the plain ones."""
    game = variant("three-orthogonal", rules={"mill": "remove", "men": "4", "full_board": "draw", "protection": "mills"})
    narrow = limited(game, 90)
    wide = limited(game, 130)
    monkeypatch.setattr(quiet, "limited_dtype", lambda *_: np.dtype(np.uint8))
    widened = limited(game, 130)
    for subspace, table in solved(game).tables.items():
        for found in (narrow, wide, widened):
            assert np.array_equal(found[subspace].values, value_codes(table.values)), subspace.name


def test_limits_that_are_none_and_rules_that_have_none_are_refused() -> None:
    for limit in (-1, 0, MOST_QUIET_PLIES + 1):
        with pytest.raises(InputError, match="should be a number from 1 to"):
            require_quiet_limit(variant("nine"), limit)
    with pytest.raises(RulesError, match="repeat_mill"):
        require_quiet_limit(variant("nine-norepeat"), 100)
    with pytest.raises(RulesError, match="for two players only"):
        require_quiet_limit(variant("spatial-three"), 100)
    assert LONGEST[2] // 2 - 1 == MOST_QUIET_PLIES
    require_quiet_limit(variant("nine"), MOST_QUIET_PLIES)
