"""Repeated mills: what a rule against them makes a position remember, and which turns that bars.

Each rule is a class with the same three questions. A *mill* is given by its line as a bit mask.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from merels.state import State, points_of


class Free:
    """``repeat_mill = "free"``: nothing is remembered, nothing barred."""

    def bars(self, remembered: None, source: int | None, target: int, closed: Sequence[int]) -> bool:
        """Whether the player that remembers this may not make the action, which closes the mills `closed`."""
        return False

    def after(
        self, remembered: None, source: int | None, target: int, opened: Sequence[int], closed: Sequence[int]
    ) -> None:
        """What the player remembers after its action, which opened and closed mills."""

    def keep(self, remembered: None, state: State, player: int) -> None:
        """What of this still matters in the state after a turn; None for nothing."""


class NoImmediate:
    """``repeat_mill = "no-immediate"``: the stone that opened a mill may not go back at once and close it.

    Remembered is the forbidden action ``(source, target)``. The mills it would close are just those that were opened:
    the player's other stones have not moved since, they can only have been taken.

    Parameters
    ----------
    closes_by_moving : callable (state, player, source, target) -> bool
        Whether the player could move so, were it to move, and would close a mill.
    """

    def __init__(self, closes_by_moving: Callable[[State, int, int, int], bool]) -> None:
        self._closes_by_moving = closes_by_moving

    def bars(self, remembered: tuple[int, int] | None, source: int | None, target: int, closed: Sequence[int]) -> bool:
        return bool(closed) and (source, target) == remembered

    def after(
        self,
        remembered: tuple[int, int] | None,
        source: int | None,
        target: int,
        opened: Sequence[int],
        closed: Sequence[int],
    ) -> tuple[int, int] | None:
        return (target, source) if source is not None and opened else None

    def keep(self, remembered: tuple[int, int] | None, state: State, player: int) -> tuple[int, int] | None:
        return remembered if remembered and self._closes_by_moving(state, player, *remembered) else None


Mills = tuple[tuple[int, int], ...]


class Different:
    """``repeat_mill = "different"``: the next mill must differ from the last in its line or in its stones.

    Remembered are the mills that the player's last closing turn made: ``(line, stones)``, the stones where they stand
    now.
    """

    def bars(self, remembered: Mills | None, source: int | None, target: int, closed: Sequence[int]) -> bool:
        return any(line in closed and stones == line for line, stones in _follow(remembered, source, target))

    def after(
        self,
        remembered: Mills | None,
        source: int | None,
        target: int,
        opened: Sequence[int],
        closed: Sequence[int],
    ) -> Mills | None:
        return tuple(sorted((line, line) for line in closed)) or _follow(remembered, source, target) or None

    def keep(self, remembered: Mills | None, state: State, player: int) -> Mills | None:
        own = state.stones[player]
        return tuple((line, stones) for line, stones in remembered or () if stones & own == stones) or None


def _follow(remembered: Mills | None, source: int | None, target: int) -> Mills:
    """The remembered mills with their stones where they stand after the action."""
    if source is None:
        return remembered or ()
    moved = {point: point for _, stones in remembered or () for point in points_of(stones)} | {source: target}
    return tuple((line, sum(1 << moved[point] for point in points_of(stones))) for line, stones in remembered or ())
