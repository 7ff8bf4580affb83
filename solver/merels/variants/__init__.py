"""Variants: a name, a board and rules that belong together.

The named variants of the rule book are TOML files beside this module; a user's own file is read the same way. A
derived variant differs from its base in some rules and says so in its name: ``nine+flying=0``.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from merels import boards
from merels.boards import Board, Hop
from merels.errors import RulesError, UnknownVariantError, VariantError
from merels.rules import RULE_NAMES, Rules, Start, fingerprint, text_of
from merels.variants.reading import read_variant

FILE_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,63}")


@dataclass(frozen=True)
class Variant:
    """A board and rules under a name; the rules are known to fit the board.

    Attributes
    ----------
    name : str
        As in files and folders: ``nine``, or ``nine+flying=0`` for a derived variant.
    board : Board
    rules : Rules
    title, source : str
        For people: what the game is called, and where its rules come from.
    base : Variant or None
        What a derived variant was derived from.
    file : str or None
        The path that a user's own variant was read from.
    """

    name: str
    board: Board
    rules: Rules
    title: str = field(default="", compare=False)
    source: str = field(default="", compare=False)
    base: Variant | None = field(default=None, compare=False, repr=False)
    file: str | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        self.rules.check(self.board)

    def __hash__(self) -> int:
        return hash(self.name)

    @cached_property
    def hops(self) -> tuple[Hop, ...]:
        """The hops of the movement in use, sorted."""
        return boards.hops(self.board, self.rules.movement)

    @cached_property
    def symmetries(self) -> tuple[tuple[int, ...], ...]:
        """Symmetries of board and movement, the identity first; see `merels.boards.symmetries`."""
        return boards.symmetries(self.board, self.hops)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the canonical rules and board; equal for variants that play alike."""
        return fingerprint(self.board, self.rules)

    def derive(self, men: int | None = None, **rules: Any) -> Variant:
        """This variant with some rules changed.

        Where the stones stand on the board from the start and `men` is made smaller, the first `men` points of each
        player's list are kept **[choice]**.

        Parameters
        ----------
        men : int, optional
        **rules
            Fields of `Rules`.

        Returns
        -------
        Variant
            Its name tells every difference from the variant that all derivations began with, sorted by key. Without any
            difference it is that variant itself.

        Raises
        ------
        RulesError
            Unknown rule, or rules that are impossible or contradict one another.
        """
        origin = self.base or self
        for key in rules:
            if key not in RULE_NAMES:
                raise RulesError(f"unknown rule {key!r}; the rules are {', '.join(RULE_NAMES)}", key)
        if men is not None:
            rules["men"] = men
        if "start" not in rules and isinstance(men, int):
            untouched = self.rules.start == _first(self.rules.men, origin.rules.start)
            rules["start"] = _first(men, origin.rules.start if untouched else self.rules.start)
        changed = replace(self.rules, **rules)
        differences = [key for key in sorted(RULE_NAMES) if getattr(changed, key) != getattr(origin.rules, key)]
        if "start" in differences and changed.start == _first(changed.men, origin.rules.start):
            differences.remove("start")
        if not differences:
            return origin
        parts = [origin.name, *(f"{key}={text_of(key, getattr(changed, key))}" for key in differences)]
        return Variant("+".join(parts), self.board, changed, self.title, self.source, origin, origin.file)


def _first(men: int, start: Start | None) -> Start | None:
    """The first `men` points of each player's start."""
    return start and tuple(stones[: max(men, 0)] for stones in start)


def variant_names() -> tuple[str, ...]:
    """The names of the rule book's variants, sorted."""
    names = (entry.name for entry in files(__package__).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def variant(name: str | Path, men: int | None = None, rules: Mapping[str, str] | None = None) -> Variant:
    """The variant of a name or a file, with rules changed on request.

    Parameters
    ----------
    name : str or Path
        A name of the rule book (``nine``), a derived name (``nine+men=3``), or the path of a TOML file (a `Path`, or
        text that ends in ``.toml`` or holds a path separator).
    men : int, optional
        Stones of each player.
    rules : mapping of str to str, optional
        Rules by name, their values as text: ``{"flying": "0"}``.

    Raises
    ------
    UnknownVariantError
        No such name, or no such file.
    VariantError, BoardError, RulesError
        The file or a rule is wrong; the message says where.
    """
    if isinstance(name, Path) or name.strip().lower().endswith(".toml") or "/" in name or "\\" in name:
        found, changes = _from_file(Path(name)), []
    else:
        stem, *changes = name.strip().lower().split("+")
        if stem not in variant_names():
            raise UnknownVariantError(_unknown(stem))
        found = _named(stem)
    values: dict[str, Any] = {}
    for change in changes:
        key, equals, text = change.partition("=")
        if not equals:
            raise RulesError(f"{name}: {change!r} should be KEY=VALUE, as in nine+flying=0", key)
        values[key] = Rules.parse(key, text)
    values |= {key.strip().lower(): Rules.parse(key, text) for key, text in (rules or {}).items()}
    if men is not None:
        values["men"] = men
    return found.derive(**values)


@cache
def _named(name: str) -> Variant:
    text = (files(__package__) / f"{name}.toml").read_text(encoding="utf-8")
    return Variant(*read_variant(text, f"{name}.toml"))


def _from_file(path: Path) -> Variant:
    """Read a user's file; its name must be its own, unless its rules are those of the variant it names."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UnknownVariantError(
            f"{path}: no such file; give a path of a variant file, or one of {', '.join(variant_names())}"
        ) from None
    except UnicodeDecodeError:
        raise VariantError(f"{path}: not a text file; a variant file is TOML in UTF-8") from None
    except (OSError, ValueError) as error:
        raise VariantError(f"{path}: cannot be read: {error}") from None
    said = read_variant(text, str(path))
    if not FILE_NAME.fullmatch(said.name) or said.name.endswith(".toml"):
        raise VariantError(
            f"{path}: name = {said.name!r}: should be up to 64 of the characters a-z, 0-9, '.' and '-', beginning with "
            "a letter or digit and not ending in .toml"
        )
    try:
        found = Variant(*said, file=str(path))
    except RulesError as error:
        raise RulesError(f"{path}: rules: {error}", error.field) from None
    if said.name in variant_names() and found.fingerprint != _named(said.name).fingerprint:
        raise VariantError(
            f"{path}: name = {said.name!r}: the rule book has other rules under this name; choose a new name"
        )
    return found


def _unknown(name: str) -> str:
    near = difflib.get_close_matches(name, variant_names(), n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    return f"unknown variant {name!r}: {hint}The variants are {', '.join(variant_names())}; a file's path ends in .toml"
