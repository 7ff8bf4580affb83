"""Origin: the variant that a table file was made for, read from what the file says of itself."""

from __future__ import annotations

import json

from merels.boards import Board
from merels.errors import InputError
from merels.rules import Rules
from merels.tables.schema import Header
from merels.variants import Variant, variant


def variant_of(header: Header) -> Variant:
    """The variant of a file; ``ValueError`` if what the file says is no variant.

    A variant of the rule book, or one derived from it, is found by its name. One of a user's own is made from the
    record of its rules; the limits of played games, which tables do not depend on, are then the usual ones.
    """
    try:
        known = variant(header.variant)
        if known.fingerprint == header.fingerprint:
            return known
    except InputError:
        pass
    try:
        record, picture = json.loads(header.rules), json.loads(header.board)
        board = Board.build(
            picture["name"], picture["coordinates"], record["lines"], record["edges"], record["diagonals"]
        )
        parameters = {name: value for name, value in record["rules"].items() if value is not None}
        if "start" in parameters:
            parameters["start"] = tuple(tuple(stones) for stones in parameters["start"])
        found = Variant(header.variant, board, Rules(**parameters))
    except (InputError, KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"holds rules that are none: {error}") from None
    if found.fingerprint != header.fingerprint:
        raise ValueError("holds rules that do not have the fingerprint it gives")
    return found
