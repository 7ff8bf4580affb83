"""A position: a variant and a state of it, with the text forms of the rule book.

The rules themselves are `reference`'s; values of positions are found in `tables`.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from functools import lru_cache

from merels.errors import PositionError, TurnError
from merels.memory_text import parse_memory, write_memory
from merels.reference import Engine
from merels.state import State, Turn, mask_of, points_of
from merels.variants import Variant

PLAYERS = ("w", "b", "r")
PLAYER_NAMES = ("White", "Black", "Red")

_TURN = re.compile(r"([a-z][0-9]+(?:-[a-z][0-9]+)?)((?:x[a-z][0-9]+)*)")
_LABEL = re.compile(r"[a-z][0-9]+")
_SHOWN_TURNS = 12


@lru_cache(maxsize=64)
def engine(variant: Variant) -> Engine:
    """The reference engine of a variant, made once."""
    return Engine(variant)


@dataclass(frozen=True)
class Position:
    """A position of a variant: immutable, comparable, hashable.

    Attributes
    ----------
    variant : Variant
    state : State
    """

    variant: Variant
    state: State

    @classmethod
    def start(cls, variant: Variant) -> Position:
        """The start position."""
        return cls(variant, engine(variant).start())

    @classmethod
    def parse(cls, variant: Variant, text: str) -> Position:
        """Read a position string such as ``w a7,d7 b6 7,8``.

        The memory field of a repeated-mill rule may be left out on input and then stands for ``-`` **[choice]**.

        Raises
        ------
        PositionError
            Tells the part that is wrong and how it should look.
        """
        fields = text.lower().split()
        players, remembers = variant.rules.players, variant.rules.repeat_mill != "free"
        if remembers and len(fields) == 2 + players:
            fields.append("-")
        if len(fields) != 2 + players + remembers:
            raise PositionError(_wrong_count(variant, text, len(fields)))
        if fields[0] not in PLAYERS[:players]:
            raise PositionError(f"{text!r}: player to move {fields[0]!r} should be {' or '.join(PLAYERS[:players])}")
        stones = tuple(_parse_stones(variant, text, fields[1 + k], PLAYER_NAMES[k]) for k in range(players))
        _check_disjoint(variant, text, stones)
        hands = _parse_hands(variant, text, fields[1 + players])
        for name, own, hand in zip(PLAYER_NAMES, stones, hands, strict=False):
            if own.bit_count() + hand > variant.rules.men:
                raise PositionError(
                    f"{text!r}: {name} has {own.bit_count()} stones on the board and {hand} in hand, "
                    f"but {variant.name} has {variant.rules.men} men a player"
                )
        state = State(PLAYERS.index(fields[0]), stones, hands, None)
        if remembers:
            memory = parse_memory(variant, state, fields[-1], text)
            state = state._replace(memory=memory)
            if engine(variant).forget(state) != state:
                raise PositionError(
                    f"{text!r}: memory {fields[-1]!r} cannot forbid anything here; write "
                    f"'{write_memory(variant, engine(variant).forget(state).memory)}'"
                )
        return cls(variant, _settled(variant, state, text))

    def __str__(self) -> str:
        state, points = self.state, self.variant.board.points
        fields = [PLAYERS[state.to_move]]
        fields += [",".join(points[i] for i in points_of(own)) or "-" for own in state.stones]
        fields.append(",".join(map(str, state.hands)))
        if state.memory is not None:
            fields.append(write_memory(self.variant, state.memory))
        return " ".join(fields)

    def turns(self) -> list[Turn]:
        """All legal turns, sorted by token; none where the game is over."""
        return sorted(engine(self.variant).turns(self.state), key=self.token)

    def token(self, turn: Turn) -> str:
        """The text of a turn: ``d6``, ``d6-d5``, ``d6-d5xb4``."""
        points = self.variant.board.points
        start = "" if turn.source is None else f"{points[turn.source]}-"
        return start + points[turn.target] + "".join(f"x{points[taken]}" for taken in turn.removals)

    def parse_turn(self, text: str) -> Turn:
        """Read a turn that is legal here; its removals may be named in any order.

        Raises
        ------
        TurnError
            Malformed or not legal; tells the legal turns that come nearest.
        """
        token = text.strip().lower()
        match = _TURN.fullmatch(token)
        if not match:
            raise TurnError(
                f"turn {text!r}: should look like d6 (place), d6-d5 (move) or d6-d5xb4 (move and remove b4)"
            )
        for label in _LABEL.findall(token):
            if label not in self.variant.board.index:
                raise TurnError(f"turn {text!r}: {self.variant.board.name} has no point {label!r}")
        removals = sorted(self.variant.board.index[label] for label in _LABEL.findall(match[2]))
        legal = self.turns()
        for turn in legal:
            if self.token(turn._replace(removals=())) == match[1] and sorted(turn.removals) == removals:
                return turn
        hint = _legal_hint(token, match[1], [self.token(turn) for turn in legal])
        raise TurnError(f"turn {text!r} is not legal in '{self}': {hint}")

    def play(self, turn: Turn | str) -> Position:
        """The position after a turn, given as `Turn` or as text.

        Raises
        ------
        TurnError
            The turn is malformed or not legal.
        """
        if isinstance(turn, str):
            turn = self.parse_turn(turn)
        elif turn not in engine(self.variant).turns(self.state):
            raise TurnError(f"{turn} is not legal in '{self}'; Position.turns() lists the legal turns")
        return Position(self.variant, engine(self.variant).play(self.state, turn))

    def outcome(self) -> str | None:
        """How the game has ended for the player to move: "win", "draw" or "loss"; None while it goes on."""
        return engine(self.variant).outcome(self.state)

    def perft(self, depth: int) -> int:
        """Number of sequences of `depth` legal turns from here."""
        return engine(self.variant).perft(self.state, depth)


def _wrong_count(variant: Variant, text: str, count: int) -> str:
    names = [
        "player to move",
        *(f"{name}'s points" for name in PLAYER_NAMES[: variant.rules.players]),
        "stones in hand",
    ]
    if variant.rules.repeat_mill != "free":
        names.append("memory")
    return (
        f"{text!r}: {count} fields, but a position of {variant.name} has {len(names)}, parted by blanks: "
        f"{', '.join(names)}; the start is '{Position.start(variant)}'"
    )


def _parse_stones(variant: Variant, text: str, field: str, name: str) -> int:
    """The bit mask of a player's points."""
    labels = [] if field == "-" else field.split(",")
    for label in labels:
        if label not in variant.board.index:
            raise PositionError(
                f"{text!r}: {name}'s points {field!r}: unknown point {label!r}; should be points of "
                f"{variant.board.name} parted by commas, or '-' for none"
            )
        if labels.count(label) > 1:
            raise PositionError(f"{text!r}: {name}'s points {field!r}: {label} is named twice")
    return mask_of([variant.board.index[label] for label in labels])


def _check_disjoint(variant: Variant, text: str, stones: tuple[int, ...]) -> None:
    for later, theirs in enumerate(stones):
        for earlier, own in enumerate(stones[:later]):
            if own & theirs:
                shared = ",".join(variant.board.points[i] for i in points_of(own & theirs))
                raise PositionError(
                    f"{text!r}: {shared} has a stone of {PLAYER_NAMES[earlier]} and one of {PLAYER_NAMES[later]}; "
                    "a point holds one stone"
                )


def _parse_hands(variant: Variant, text: str, field: str) -> tuple[int, ...]:
    players = variant.rules.players
    if not re.fullmatch(r"[0-9]{1,3}(,[0-9]{1,3})*", field) or field.count(",") != players - 1:
        example = ",".join("0" * players)
        raise PositionError(
            f"{text!r}: stones in hand {field!r} should be {players} numbers parted by commas, such as {example}"
        )
    hands = tuple(map(int, field.split(",")))
    if variant.rules.placing == "none" and any(hands):
        raise PositionError(f"{text!r}: stones in hand {field!r}: {variant.name} has none, all stand from the start")
    return hands


def _settled(variant: Variant, state: State, text: str) -> State:
    """The state itself; with three players only if everyone who is out has left the board."""
    settled = engine(variant).settle(state)
    if not any(settled.total(player) for player in range(variant.rules.players)) and variant.rules.players == 3:
        raise PositionError(f"{text!r}: no player has three stones or more, so nobody is left in the game")
    if settled != state:
        raise PositionError(
            f"{text!r}: a player with fewer than three stones, or to move without a legal turn, is out and its stones "
            f"leave; this position is '{Position(variant, settled)}'"
        )
    return state


def _legal_hint(token: str, action: str, legal: list[str]) -> str:
    """The legal turns that help with an illegal one: those of the same action, or the nearest."""
    if not legal:
        return "the game is over, there are no turns"
    same = [turn for turn in legal if turn == action or turn.startswith(f"{action}x")]
    near = same or difflib.get_close_matches(token, legal, n=4, cutoff=0.5) or legal
    kind = "with this action" if same else "near it" if near is not legal else "here"
    rest = f" and {len(near) - _SHOWN_TURNS} more" if len(near) > _SHOWN_TURNS else ""
    return f"legal {kind}: {', '.join(near[:_SHOWN_TURNS])}{rest} ({len(legal)} legal turns in all)"
