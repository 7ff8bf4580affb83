"""Rules: the parameters of the rule book, checked one by one and against each other.

Also their canonical form, in which rule sets that play alike are equal, and its fingerprint. What a turn does under
given rules is told by `reference`; which named variant has which rules by `variants`.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, fields
from typing import Any

from merels.boards import Board
from merels.errors import RulesError

CHOICES: dict[str, tuple[str, ...]] = {
    "placing": ("place-only", "place-or-move", "none"),
    "movement": ("step", "knight", "rook"),
    "mill": ("remove", "win"),
    "removals": ("one", "per-mill"),
    "protection": ("mills-unless-all", "none", "mills"),
    "stalemate": ("loss", "draw"),
    "full_board": ("draw", "loss"),
    "repeat_mill": ("free", "no-immediate", "different"),
}
"""The values of each parameter that is a word."""

NUMBERS: dict[str, str] = {
    "men": "a whole number, 3 or more",
    "flying": "0 (no flying) or a whole number from 3 to men",
    "players": "2 or 3",
    "repetition": "0 (never) or a whole number from 2",
    "quiet_limit": "0 (never) or a whole number of plies",
}
"""What each parameter that is a number should be."""

START_FORM = "the points of each player, such as a1,b2,c3/a7,b6,c5"

Start = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Rules:
    """The parameters of a rule set; the defaults are those of nine men's morris.

    Attributes
    ----------
    men : int
        Stones of each player.
    placing : {"place-only", "place-or-move", "none"}
        A player with stones in hand must place; may place or move; or all stones stand from the start.
    movement : {"step", "knight", "rook"}
    flying : int
        A player with exactly this many stones, board and hand together, moves to any empty point; 0: never.
    mill : {"remove", "win"}
        A closed mill removes a stone, or wins at once.
    removals : {"one", "per-mill"}
        Stones removed by a turn that closes several mills: one, or one for each mill.
    protection : {"mills-unless-all", "none", "mills"}
        Stones in mills that may not be removed: unless all are in mills; none of them; all of them, always.
    stalemate, full_board : {"loss", "draw"}
        Result for a player to move without a legal turn, or with no empty point and all hands empty.
    repeat_mill : {"free", "no-immediate", "different"}
    players : int
        Two or three.
    repetition, quiet_limit : int
        Third repetition and plies without mill or placement that end a played game as a draw; 0: never. They need the
        history of a game and change no theoretical value, so they are no part of the fingerprint.
    start : tuple of tuples of labels, or None
        The stones of each player at the start; with ``placing = "none"`` alone.

    Raises
    ------
    RulesError
        A value is impossible or two contradict one another; `field` names the parameter.
    """

    men: int = 9
    placing: str = "place-only"
    movement: str = "step"
    flying: int = 3
    mill: str = "remove"
    removals: str = "one"
    protection: str = "mills-unless-all"
    stalemate: str = "loss"
    full_board: str = "draw"
    repeat_mill: str = "free"
    players: int = 2
    repetition: int = 3
    quiet_limit: int = 100
    start: Start | None = None

    def __post_init__(self) -> None:
        self._check_values()
        self._check_together()

    def _check_values(self) -> None:
        for field, words in CHOICES.items():
            value = getattr(self, field)
            if value not in words:
                raise RulesError(f"{field} = {value!r}: should be one of {', '.join(words)}", field)
        for field, form in NUMBERS.items():
            value = getattr(self, field)
            if not isinstance(value, int) or isinstance(value, bool) or value < 0:
                raise RulesError(f"{field} = {value!r}: should be {form}", field)
        if self.men < 3:
            raise RulesError(f"men = {self.men}: a mill takes three stones; should be {NUMBERS['men']}", "men")
        if self.players not in (2, 3):
            raise RulesError(f"players = {self.players}: should be {NUMBERS['players']}", "players")
        if self.repetition == 1:
            raise RulesError(
                f"repetition = 1: the start would be a draw at once; should be {NUMBERS['repetition']}", "repetition"
            )
        if self.flying in (1, 2):
            raise RulesError(
                f"flying = {self.flying}: never applies, a player with fewer than three stones has lost; "
                f"should be {NUMBERS['flying']}",
                "flying",
            )
        if self.flying > self.men:
            raise RulesError(
                f"flying = {self.flying}: never applies, a player has {self.men} men; should be {NUMBERS['flying']}",
                "flying",
            )

    def _check_together(self) -> None:
        if self.players == 3:
            for field, only in (("mill", "remove"), ("stalemate", "loss"), ("repeat_mill", "free")):
                value = getattr(self, field)
                if value != only:
                    raise RulesError(f"{field} = {value}: with three players it should be {only}", field)
        if self.mill == "win" and self.repeat_mill != "free":
            raise RulesError(
                f"repeat_mill = {self.repeat_mill}: with mill = win the first mill ends the game, so none is repeated; "
                "should be free",
                "repeat_mill",
            )
        if self.placing != "none":
            if self.start is not None:
                raise RulesError(
                    f"start: with placing = {self.placing} the board is empty at the start; leave start out "
                    "(--rule start=none) or set placing = none",
                    "start",
                )
            return
        if self.start is None:
            raise RulesError(f"start: placing = none needs {START_FORM}", "start")
        self._check_start(self.start)

    def _check_start(self, start: Start) -> None:
        if not isinstance(start, tuple) or not all(
            isinstance(stones, tuple) and all(isinstance(label, str) for label in stones) for stones in start
        ):
            raise RulesError(f"start = {start!r}: should be {START_FORM}", "start")
        if len(start) != self.players:
            raise RulesError(f"start: has stones of {len(start)} players, but players = {self.players}", "start")
        for number, stones in enumerate(start, 1):
            if len(stones) != self.men:
                raise RulesError(f"start: player {number} has {len(stones)} stones, but men = {self.men}", "start")
        labels = [label for stones in start for label in stones]
        twice = sorted({label for label in labels if labels.count(label) > 1})
        if twice:
            raise RulesError(f"start: two stones on {', '.join(twice)}; each stone needs a point of its own", "start")

    def check(self, board: Board) -> None:
        """Raise RulesError unless these rules can be played on the board."""
        stones = self.players * self.men
        if stones > board.size:
            raise RulesError(
                f"men = {self.men}: {self.players} players have {stones} stones, but {board.name} has only "
                f"{board.size} points; at most {board.size // self.players}",
                "men",
            )
        for label in (label for stones in self.start or () for label in stones):
            if label not in board.index:
                raise RulesError(
                    f"start: unknown point {label!r}; the points of {board.name} are {', '.join(board.points)}", "start"
                )

    @staticmethod
    def parse(key: str, text: str) -> Any:
        """The value of the parameter `key` written as `text`, as in ``--rule KEY=VALUE``.

        Raises
        ------
        RulesError
            No such parameter, or a text that cannot be its value. (Contradictions are found when `Rules` are made.)
        """
        key, text = key.strip().lower(), text.strip().lower()
        if key in CHOICES:
            if text not in CHOICES[key]:
                raise RulesError(f"{key} = {text!r}: should be one of {', '.join(CHOICES[key])}", key)
            return text
        if key in NUMBERS:
            if not re.fullmatch(r"[0-9]{1,6}", text):
                raise RulesError(f"{key} = {text!r}: should be {NUMBERS[key]}", key)
            return int(text)
        if key == "start":
            if text == "none":
                return None
            return tuple(tuple(re.split("[,.]", stones)) for stones in re.split("[/-]", text))
        raise RulesError(f"unknown rule {key!r}; the rules are {', '.join(RULE_NAMES)}", key)


RULE_NAMES: tuple[str, ...] = tuple(field.name for field in fields(Rules))
"""The names of all rule parameters, in the order of the rule book."""


def text_of(key: str, value: Any) -> str:
    """A parameter's value as text that `Rules.parse` reads and that a file name can hold."""
    if key == "start":
        return "none" if value is None else "-".join(".".join(stones) for stones in value)
    return str(value)


def canonical(board: Board, rules: Rules) -> dict[str, Any]:
    """All that matters for play, ready for JSON; equal for two variants if and only if they are the same by the rules.

    Parameters without effect are None: what a removal may take where a mill wins, the full board where the stones
    cannot fill it, diagonals where nobody moves along them. Names, coordinates and the limits of played games are left
    out.
    """
    parameters: dict[str, Any] = {name: getattr(rules, name) for name in RULE_NAMES}
    del parameters["repetition"], parameters["quiet_limit"]
    if rules.mill == "win":
        parameters["removals"] = parameters["protection"] = None
    if rules.players * rules.men < board.size:
        parameters["full_board"] = None
    if rules.start is not None:
        parameters["start"] = [sorted(stones, key=board.index.__getitem__) for stones in rules.start]

    def labels(strokes: tuple[tuple[int, ...], ...]) -> list[list[str]]:
        return [[board.points[i] for i in stroke] for stroke in strokes]

    return {
        "points": list(board.points),
        "lines": labels(board.lines),
        "edges": labels(board.edges),
        "diagonals": labels(board.diagonals) if rules.movement == "rook" else [],
        "rules": parameters,
    }


def fingerprint(board: Board, rules: Rules) -> str:
    """SHA-256 of the canonical form, 64 hexadecimal digits."""
    text = json.dumps(canonical(board, rules), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
