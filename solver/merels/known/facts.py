"""Facts: figures that others have published or computed, read from ``facts.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from merels.boards import Board
from merels.variants import Variant
from merels.variants import variant as variant_named


@dataclass(frozen=True)
class Fact:
    """A figure and where it is from.

    Attributes
    ----------
    id : short name.
    variant_name : the variant it is about, perhaps a derived one.
    quantity : what is counted or told.
    value : a number, or a mapping from names (subspaces, points, plies, ...) to numbers, words or histograms.
    kind : "published" (read in the source), "reported" (the source is quoted by another text), "derived" (computed from data files of
        the source) or "recomputed" (by an independent program).
    source : where it is from.
    compute : how it is answered: ``what`` names a computation of `merels.known.computing`, the rest are its parameters.
    board : changes of the variant's board: ``edges`` instead of its own, ``more_lines`` beside its own; None for none.
    note : what should be known for the comparison.
    explained : why ours differs, if it does and the reason is known.
    """

    id: str
    variant_name: str
    quantity: str
    value: Any
    kind: str
    source: str
    compute: Mapping[str, Any]
    board: Mapping[str, list[str]] | None = None
    note: str | None = None
    explained: str | None = None

    @cached_property
    def variant(self) -> Variant:
        """The variant, its board changed where the fact says so."""
        named = variant_named(self.variant_name)
        if self.board is None:
            return named
        board = named.board
        lines = [[board.points[point] for point in line] for line in board.lines]
        edges = [[board.points[point] for point in edge] for edge in board.edges]
        changed = Board.build(
            f"{board.name}-changed",
            dict(zip(board.points, board.coordinates, strict=True)),
            lines + [line.split("-") for line in self.board.get("more_lines", ())],
            [edge.split("-") for edge in self.board["edges"]] if "edges" in self.board else edges,
        )
        return Variant(f"{named.name} on another board", changed, named.rules)

    def is_about(self, variant: Variant) -> bool:
        """Whether the fact is about a variant, or about one derived from it."""
        own = variant_named(self.variant_name)
        return variant.fingerprint in {own.fingerprint, (own.base or own).fingerprint}


@dataclass(frozen=True)
class LeftOut:
    """A figure of literature that no table of ours can answer, and why."""

    id: str
    quantity: str
    reason: str


@cache
def load() -> tuple[tuple[Fact, ...], tuple[LeftOut, ...]]:
    """All facts, and the figures that are left out."""
    content = json.loads((files(__package__) / "facts.json").read_text(encoding="utf-8"))
    facts = tuple(Fact(variant_name=record.pop("variant"), **record) for record in content["facts"])
    return facts, tuple(LeftOut(**record) for record in content["not_comparable"])
