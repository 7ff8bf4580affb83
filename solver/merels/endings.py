"""Endings: which game of two players goes on once one of three is out."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from merels.rules import canonical
from merels.variants import Variant, variant, variant_names


@lru_cache(maxsize=64)
def ending_variant(game: Variant) -> Variant:
    """The variant of two players that a variant for three becomes.

    That is the first of the rule book with the same rules but for `men`, if it has as many: with empty hands, and only then has a game for
    three tables, the number of men decides nothing. Where there is none the variant is derived from the game.
    """
    rules: dict[str, Any] = {"players": 2}
    if game.rules.placing == "none":
        rules |= {"placing": "place-only", "start": None}
    derived = game.derive(**rules)
    for name in variant_names():
        known = variant(name)
        if known.rules.men >= game.rules.men and _besides_men(known) == _besides_men(derived):
            return known
    return derived


def _besides_men(game: Variant) -> dict[str, Any]:
    record = canonical(game.board, game.rules)
    return record | {"rules": {**record["rules"], "men": None}}
