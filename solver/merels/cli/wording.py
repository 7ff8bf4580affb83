"""Words for what a person wants to read: how a game has ended, what a position is worth, how much and how long."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from merels.game import Result
    from merels.position import Position
    from merels.search import Bounds


def ending(position: Position) -> str | None:
    """Tell in a few words how and why the game is over for the player to move, or return None while it goes on."""
    from merels.game import result_by_rules

    result = result_by_rules(position)
    return None if result is None else result_text(position, result)


def result_text(position: Position, result: Result) -> str:
    """Tell in a few words how and why a game has ended in this position."""
    from merels import game
    from merels.position import PLAYER_NAMES

    rules, player = position.variant.rules, position.state.to_move
    name = PLAYER_NAMES[player]
    other = PLAYER_NAMES[(player + 1) % rules.players]
    verdict = {"win": f"{name} has won", "loss": f"{name} has lost", "draw": "a draw"}[result.outcome]
    reasons = {
        game.MILL: f"{other} has closed a mill",
        game.STONES: f"{name if result.outcome == 'loss' else other} has fewer than three stones",
        game.FULL_BOARD: "the board is full",
        game.NO_TURN: f"{name} has no legal turn",
        game.LAST_PLAYER: f"{name} is the last player left",
        game.REPETITION: f"the position has come {rules.repetition} times",
        game.QUIET_LIMIT: f"{plies_text(rules.quiet_limit)} without a placing and without a mill",
    }
    return f"{reasons[result.reason]}: {verdict}"


def worth_sentence(position: Position, bounds: Bounds) -> str:
    """Tell in a sentence what is proven of a position whose game goes on."""
    from merels.position import PLAYER_NAMES
    from merels.search import UNKNOWN

    mover, other = PLAYER_NAMES[position.state.to_move], PLAYER_NAMES[1 - position.state.to_move]
    value, worst, best = bounds.value, bounds.worst, bounds.best
    if bounds == UNKNOWN:
        return "The value is unknown."
    if value == "draw":
        return "A draw: neither side can force a win."
    if value != "unknown":
        winner = mover if value == "win" else other
        if bounds.endless:
            return f"{winner} wins; in how many plies is not told, the tables hold values only."
        if worst == best:
            return f"{winner} wins in {plies_text(worst[1])}."
        fewest, most = sorted((worst[1], best[1]))
        return f"{winner} wins in {fewest} to {most} plies; how many exactly is not proven."
    if worst[0] == "draw":
        return f"{mover} does not lose; whether {mover} can win is not proven."
    if best[0] == "draw":
        return f"{mover} does not win; whether {mover} can draw is not proven."
    limits = f"{mover} cannot force a win in fewer than {plies_text(best[1])}, {other} not in fewer than {worst[1]}"
    return f"Unknown: {limits}."


def cursed_value(value: str) -> str:
    """The name of a win or loss that a quiet limit makes a draw."""
    return {"win": "cursed win", "loss": "blessed loss"}[value]


def cursed_sentence(value: str, cursed: bool, limit: int) -> str:
    """Tell in a sentence what a quiet limit makes of a win or loss."""
    limit_text = f"where {plies_text(limit)} in a row without a placing and without a mill are a draw"
    if cursed:
        return f"A {cursed_value(value)}: {limit_text}, so is this."
    return f"The {value} stands {limit_text}."


def plies_text(count: int) -> str:
    """Tell a number of plies."""
    return f"{count} ply" if count == 1 else f"{count} plies"


def things_text(count: int, thing: str) -> str:
    """Tell a number of things: 1 file, 2 files."""
    return f"{count:,} {thing}{'s' * (count != 1)}"


def worth_cells(bounds: Bounds) -> tuple[str, str]:
    """Tell value and distance in plies, for a table."""
    value, worst, best = bounds.value, bounds.worst, bounds.best
    if value == "unknown":
        if worst[0] == "draw":
            return "draw or win", ""
        return ("draw or loss", "") if best[0] == "draw" else ("unknown", "")
    if bounds.endless:
        return value, ""
    return value, "-".join(str(plies) for plies in sorted({worst[1], best[1]} - {None}))


def count_text(number: int) -> str:
    """Tell a number in three digits or so: 950, 12.3 k, 4.56 M."""
    return _scaled(number, 1000, ("", "k", "M", "G", "T", "P", "E"))


def size_text(size: int) -> str:
    """Tell a number of bytes: 800 B, 12.3 MiB."""
    return _scaled(size, 1024, ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"))


def _scaled(number: int, step: int, units: tuple[str, ...]) -> str:
    power = 0
    while number >= 999.5 * step**power and power < len(units) - 1:
        power += 1
    scaled = number / step**power
    decimals = 0 if power == 0 or scaled >= 99.95 else 1 if scaled >= 9.995 else 2
    return f"{scaled:.{decimals}f} {units[power]}".rstrip()


def duration_text(seconds: float) -> str:
    """Tell a time in its two largest units: 0.42 s, 12 s, 3 min 20 s, 2 h 5 min, 3 d 4 h; years alone: 1,200 years."""
    if seconds < 9.95:
        return f"{seconds:.2g} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    minutes = round(seconds / 60)
    if minutes < 24 * 60:
        return f"{minutes // 60} h {minutes % 60} min"
    hours = round(seconds / 3600)
    if hours >= 2 * 365 * 24:
        return f"{hours // (365 * 24):,} years"
    return f"{hours // 24} d {hours % 24} h"


def columns_text(rows: list[tuple[str, ...]], sides: str) -> str:
    """Line cells up in columns; ``sides`` has a letter for each: ``l`` or ``r``, the side that its cells keep to."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = zip(row, widths, sides, strict=True)
        line = "  ".join(cell.rjust(width) if side == "r" else cell.ljust(width) for cell, width, side in cells)
        lines.append(line.rstrip())
    return "\n".join(lines)
