"""Words for what a person wants to read about a position: how its game has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from merels.position import Position


def ending(position: Position) -> str | None:
    """Tell in a few words how and why the game is over for the player to move, or return None while it goes on."""
    from merels.position import PLAYER_NAMES

    outcome = position.outcome()
    if outcome is None:
        return None
    state, rules = position.state, position.variant.rules
    player = state.to_move
    name = PLAYER_NAMES[player]
    verdict = {"win": f"{name} has won", "loss": f"{name} has lost", "draw": "a draw"}[outcome]
    if rules.players == 3:
        return f"{name} is the last player left: {verdict}"
    other = PLAYER_NAMES[1 - player]
    if rules.mill == "win":
        if any(state.stones[1 - player] & line == line for line in position.variant.board.line_masks):
            return f"{other} has closed a mill: {verdict}"
    else:
        for loser, count in ((name, state.total(player)), (other, state.total(1 - player))):
            if count < 3:
                return f"{loser} has fewer than three stones: {verdict}"
    if sum(stones.bit_count() for stones in state.stones) == position.variant.board.size and not any(state.hands):
        return f"the board is full: {verdict}"
    return f"{name} has no legal turn: {verdict}"
