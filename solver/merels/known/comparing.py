"""Comparing: each fact beside our answer, with a verdict."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from merels.known.computing import answer
from merels.known.facts import Fact
from merels.known.ours import NotBuilt, Ours

logger = logging.getLogger(__name__)

EQUAL, DIFFERENT, EXPLAINED, NOT_BUILT = "equal", "different", "explained", "not built"


@dataclass(frozen=True)
class Comparison:
    """A fact and our side of it.

    Attributes
    ----------
    fact : theirs.
    verdict : "equal" (all that was compared is), "different", "explained" (different, and the fact says why) or "not built" (nothing
        could be compared).
    value : ours, as `Fact.value`; None where nothing could be compared.
    origin : where ours is from, see `merels.known.computing.Answer`.
    compared, equal : numbers compared, and of those equal.
    differing : names of those that are not; none for a single number.
    command : what gives the numbers that could not be compared; None if none is missing.
    """

    fact: Fact
    verdict: str
    value: Any = None
    origin: str | None = None
    compared: int = 0
    equal: int = 0
    differing: tuple[str, ...] = field(default=())
    command: str | None = None


def compare_all(facts: Iterable[Fact], ours: Ours) -> Iterator[Comparison]:
    """The facts one by one, each beside our answer. Errors as `merels.known.computing.answer`, but for missing tables."""
    for fact in facts:
        logger.info("comparing %s: %s of %s", fact.id, fact.quantity, fact.variant_name)
        yield compare(fact, ours)


def compare(fact: Fact, ours: Ours) -> Comparison:
    """A fact beside our answer."""
    try:
        found = answer(fact, ours)
    except NotBuilt as missing:
        return Comparison(fact, NOT_BUILT, command=missing.command)
    theirs = fact.value if isinstance(fact.value, dict) else {"": fact.value}
    mine = found.value if isinstance(found.value, dict) else {"": found.value}
    compared = [name for name in theirs if name in mine]
    differing = tuple(name for name in compared if not _agree(theirs[name], mine[name]))
    verdict = EQUAL if not differing else EXPLAINED if fact.explained else DIFFERENT
    return Comparison(
        fact=fact,
        verdict=verdict,
        value=found.value,
        origin=found.origin,
        compared=len(compared),
        equal=len(compared) - len(differing),
        differing=tuple(name for name in differing if name),
        command=found.command,
    )


def _agree(theirs: Any, mine: Any) -> bool:
    """Whether two numbers or words are the same; a value without a distance agrees with one that has a distance."""
    if isinstance(theirs, str) and isinstance(mine, str) and " " not in theirs:
        return mine.split(" ")[0] == theirs
    return theirs == mine
