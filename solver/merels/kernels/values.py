"""Value codes and scores.

A *value code* says what a position is worth to its player to move: the distance in plies (odd won, even lost), or the dtype's largest
number for drawn. A *score* orders what a turn may lead to, from the view of the player who makes it: the larger the better. It is made
from the code of the position after the turn, where the *opponent* is to move: quick losses of the opponent, ..., draws, ..., slow wins,
quick wins; 0 is below all and means no turn. Scores have the width of codes: ``top`` is the largest number of the dtype.
"""

import numpy as np

from merels.kernels.jit import inlined, kernel

LONGEST = {1: 250, 2: 65000}
"""Largest distance that codes and scores of 1 and 2 bytes hold, some plies for unfinished turns left over."""


@inlined
def score(code, draw, top):
    """Score of a turn that leads to a position of value ``code``; ``draw``: the code for drawn."""
    half = code >> 1
    decided = 1 + half if code & 1 else top - half
    return (top + 1) >> 1 if code == draw else decided


@inlined
def copy_codes(codes, wider):
    """Copy codes into an array of the same or a wider dtype, in place."""
    for k in range(codes.size):
        wider[k] = codes[k]


@inlined
def codes_to_scores(cells, draw, top):
    """`score` of each cell, in place. In the width of the cells, so that it is done by vector instructions."""
    one, middle, highest, drawn = cells.dtype.type(1), cells.dtype.type((top + 1) >> 1), cells.dtype.type(top), cells.dtype.type(draw)
    for k in range(cells.size):
        code = cells[k]
        half = cells.dtype.type(code >> one)
        lost = cells.dtype.type(highest - half)
        won = cells.dtype.type(half + one)
        decided = won if code & one else lost
        cells[k] = middle if code == drawn else decided


@inlined
def scores_to_codes(scores, top, no_turn, plies, codes):
    """The value codes of positions, into ``codes`` (of the same dtype, in place), from the ``scores`` of their best turns.

    That is the code behind each score (the reverse of `codes_to_scores`) and ``plies`` more, and ``no_turn`` for a score of 0.
    """
    width = scores.dtype.type
    one, middle, highest, nothing = width(1), width((top + 1) >> 1), width(top), width(0)
    more, without = width(plies), width(no_turn)
    for k in range(scores.size):
        points = scores[k]
        won = width(width(width(highest - points) << one) + more)
        lost = width(width(width(points << one) - one) + more)
        code = won if points > middle else lost
        code = highest if points == middle else code
        codes[k] = without if points == nothing else code


@kernel
def fill(start, stop, cells, code):
    """Write ``code`` into a range of cells, in place."""
    for k in range(start, stop):
        cells[np.uint64(k)] = code


@kernel
def settle_draws(start, stop, values, unsolved, top):
    """What is still unsolved in a range of cells is drawn, in place; returns the largest distance in it (-1 if none)."""
    code_unsolved, code_top = values.dtype.type(unsolved), values.dtype.type(top)
    nothing = values.dtype.type(0)
    longest, any_decided = nothing, nothing
    for k in range(start, stop):
        code = values[np.uint64(k)]
        undecided = code >= code_unsolved
        values[np.uint64(k)] = code_top if undecided else code
        distance = nothing if undecided else code
        longest = distance if distance > longest else longest
        any_decided |= values.dtype.type(not undecided)
    return np.int64(longest) if any_decided else np.int64(-1)


@kernel
def largest_distance(start, stop, values, top):
    """Largest code below ``top`` in a range of cells (-1 if none)."""
    longest = np.int64(-1)
    for k in range(start, stop):
        code = np.int64(values[np.uint64(k)])
        longest = max(longest, np.int64(-1) if code == top else code)
    return longest
