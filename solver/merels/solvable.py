"""Solvable: which rules tables can be made for, told in one place, so that everything refuses the rest alike."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from merels.errors import InputError, RulesError

if TYPE_CHECKING:
    from merels.variants import Variant

_MOST_MEN = 12
"""Under `different` a memory is told by which three of the stones it holds, and those are ranked in twelve bits."""


def require_solvable(variant: Variant) -> None:
    """Do nothing for a variant that tables can be made for.

    Raises
    ------
    RulesError
        Players may have to remember more mills at once than tables are laid out for. `field` names the rule.
    """
    if variant.rules.repeat_mill == "different":
        _require_few_mills(variant)


def _require_few_mills(variant: Variant) -> None:
    """Refuse boards on which a turn may close three mills, or two with two stones in common, and then has to remember all of them."""
    men, lines = variant.rules.men, variant.board.line_masks
    through = max((sum(line >> point & 1 for line in lines) for point in range(variant.board.size)), default=0)
    field, advice = "repeat_mill", "; --rule repeat_mill=free derives a variant that can be solved"
    if any((one & other).bit_count() > 1 for one, other in combinations(lines, 2)):
        supported = "where two lines meet in one point at most"
    elif through > 2 and men > 6:
        field, supported, advice = "men", "where no turn can close three mills at once", "; --men 6 derives a variant that can be solved"
    elif men > _MOST_MEN:
        field, supported, advice = "men", f"for at most {_MOST_MEN} men", f"; --men {_MOST_MEN} derives a variant that can be solved"
    else:
        return
    raise RulesError(_refusal(variant, "repeat_mill", variant.rules.repeat_mill, supported) + advice, field)


MOST_QUIET_PLIES = 32_499
"""The largest quiet limit: a limited game is solved with two codes for each ply, and these have to fit into two bytes."""


def require_quiet_limit(variant: Variant, limit: int) -> None:
    """Do nothing where what a quiet limit changes can be found.

    Raises
    ------
    RulesError
        It cannot be found for these rules; `field` names the rule.
    InputError
        There is no such limit.
    """
    require_solvable(variant)
    require_two_players(variant, "quiet limits are examined")
    if variant.rules.repeat_mill != "free":
        rule = variant.rules.repeat_mill
        raise RulesError(f"{variant.name} has repeat_mill = {rule}, and quiet limits are examined for free alone", "repeat_mill")
    if not 1 <= limit <= MOST_QUIET_PLIES:
        raise InputError(f"a quiet limit of {limit} plies: should be a number from 1 to {MOST_QUIET_PLIES}")


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
