"""The graph of a variant's subspaces, and the keys of its tables: for two players or for three."""

from __future__ import annotations

from collections.abc import Sequence

from merels.subspaces import Graph, Subspace
from merels.triples import Seat, TripleGraph
from merels.variants import Variant


def graph_of(variant: Variant) -> Graph | TripleGraph:
    """The subspaces that have tables and the turns between them."""
    return TripleGraph(variant) if variant.rules.players == 3 else Graph(variant)


def table_key(numbers: Sequence[int]) -> Subspace | Seat:
    """The subspace, or with three players the seat, that a table file gives as whole numbers; ``ValueError`` if it is neither."""
    whole = [int(number) for number in numbers]
    for kind in (Subspace, Seat):
        if len(whole) == len(kind._fields):
            return kind(*whole)
    raise ValueError(f"gives a subspace as {len(whole)} numbers, should be 4, or 7 with three players")
