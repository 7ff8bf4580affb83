"""Solvable: which rules tables can be made for, told in one place, so that everything refuses the rest alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from merels.errors import RulesError

if TYPE_CHECKING:
    from merels.variants import Variant


def require_solvable(variant: Variant) -> None:
    """Do nothing for a variant that tables can be made for.

    Raises
    ------
    RulesError
        A position of the variant is more than stones and hands; `field` names the rule.
    """
    rules = variant.rules
    if rules.repeat_mill != "free":
        advice = "; --rule repeat_mill=free derives a variant that can be solved"
        raise RulesError(
            _refusal(variant, "repeat_mill", rules.repeat_mill, "where mills repeat freely") + advice, "repeat_mill"
        )


def require_two_players(variant: Variant, what: str) -> None:
    """Do nothing for a variant of two players; ``what`` is done for those alone.

    Raises
    ------
    RulesError
        The variant has three; `field` is "players".
    """
    if variant.rules.players != 2:
        raise RulesError(f"{variant.name} has players = {variant.rules.players}, and {what} for two players only", "players")


def _refusal(variant: Variant, field: str, value: str, supported: str) -> str:
    return (
        f"{variant.name} has {field} = {value}, and tables are made {supported} only; its positions can be looked at "
        "with board, turns and perft"
    )
