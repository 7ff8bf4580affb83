"""merels: solve games of the morris family.

The public names are imported when they are first used, so that ``import merels`` costs nothing::

    >>> import merels
    >>> nine = merels.variant("nine")
    >>> position = merels.Position.start(nine).play("d6")
    >>> str(position)
    'b d6 - 8,9'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from merels._version import __version__
from merels.lazy import lazy_names

if TYPE_CHECKING:
    from merels.boards import BOARDS, Board
    from merels.errors import (
        BoardError,
        InputError,
        LimitError,
        MerelsError,
        MissingTableError,
        PositionError,
        RuleMismatchError,
        RulesError,
        TableError,
        TurnError,
        UnknownVariantError,
        VariantError,
    )
    from merels.game import Game
    from merels.position import Position
    from merels.rules import Rules
    from merels.solving import solve
    from merels.state import State, Turn
    from merels.subspaces import Subspace
    from merels.tables import Tablebase, open_tablebase
    from merels.variants import Variant, variant, variant_names

_HOMES = {
    "merels.boards": ("BOARDS", "Board"),
    "merels.errors": (
        "BoardError",
        "InputError",
        "LimitError",
        "MerelsError",
        "MissingTableError",
        "PositionError",
        "RuleMismatchError",
        "RulesError",
        "TableError",
        "TurnError",
        "UnknownVariantError",
        "VariantError",
    ),
    "merels.game": ("Game",),
    "merels.position": ("Position",),
    "merels.rules": ("Rules",),
    "merels.solving": ("solve",),
    "merels.state": ("State", "Turn"),
    "merels.subspaces": ("Subspace",),
    "merels.tables": ("Tablebase", "open_tablebase"),
    "merels.variants": ("Variant", "variant", "variant_names"),
}
__all__ = [
    "BOARDS",
    "Board",
    "BoardError",
    "Game",
    "InputError",
    "LimitError",
    "MerelsError",
    "MissingTableError",
    "Position",
    "PositionError",
    "RuleMismatchError",
    "Rules",
    "RulesError",
    "State",
    "Subspace",
    "TableError",
    "Tablebase",
    "Turn",
    "TurnError",
    "UnknownVariantError",
    "Variant",
    "VariantError",
    "__version__",
    "open_tablebase",
    "solve",
    "variant",
    "variant_names",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
