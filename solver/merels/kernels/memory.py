"""Memory: what a repeated-mill rule remembers, as numbers.

What a player remembers is one or two *parts*, 0 for none. Under `no-immediate` there is one: the turn that is barred. Under `different`
each part is a mill, its line and its three stones where they stand now; a turn that closed two mills left two. Parts mean the same on the
whole board, whatever the player's stones are, and a part that can forbid nothing any more is found out only when a cell is looked for
(`memory_index`): so no kernel has to watch what a turn does to the memory of the player who did not make it.

Where positions that remember have their cells is told in `merels.kernels.memory_cells`.
"""

from typing import NamedTuple

import numpy as np

from merels.kernels.bits import deposit, extract, popcount, trailing_zeros
from merels.kernels.jit import inlined
from merels.kernels.moves import hops_or, whole_lines
from merels.kernels.ranking import LOW, image

NO_IMMEDIATE, DIFFERENT = 1, 2
"""The rules; `Recall.kind`."""
PAIR_BITS = 5
_PAIR_POINT = (1 << PAIR_BITS) - 1
_LINE_SHIFT = 32
_STONES = (1 << _LINE_SHIFT) - 1
ARRANGEMENTS = 30
"""Ways to part five stones into two mills that share one."""


class Recall(NamedTuple):
    """What all tables of a variant with memory share.

    kind : the rule. images : uint32 (symmetries, 4, 256). points : int64 (symmetries, 32), image of each point. line_images : int64
    (symmetries, lines), of each line. lines : int64 (lines,), masks. full : mask of all points.
    """

    kind: int
    images: np.ndarray
    points: np.ndarray
    line_images: np.ndarray
    lines: np.ndarray
    full: int


class Records(NamedTuple):
    """What a player with a certain number of stones may remember. All int64.

    Under `no-immediate` a record is a barred turn with one of the mills that it would close. required : the stones that it needs.
    excluded : the points that must be empty. aside : required and the barred turn's target. pairs : source << 5 | target. first
    (1025,) : the records of each pair, from ``first[pair]`` to ``first[pair + 1]``; where several can be needed at once the lowest stands
    for all. touching, holding, leaving (words, 4, 256) : by byte of a mask the records with a required or excluded point in it; those
    that lack no required point; those with an excluded point in it.

    Under `different` a record is a number from 1 on: a line and which three of the player's stones, or two lines that meet and which five.
    threes, fives : masks among the player's stones. crossing (lines * lines,) : number of a pair of lines, the lower one first, -1: they
    do not meet. crossed (pairs, 2) : their lines. arrangement (1024,), arranged (30, 2) : which of five stones are in which mill.

    count : number of records.
    """

    count: int
    required: np.ndarray
    excluded: np.ndarray
    aside: np.ndarray
    pairs: np.ndarray
    first: np.ndarray
    touching: np.ndarray
    holding: np.ndarray
    leaving: np.ndarray
    threes: np.ndarray
    fives: np.ndarray
    crossing: np.ndarray
    crossed: np.ndarray
    arrangement: np.ndarray
    arranged: np.ndarray


# --- parts


@inlined
def barred_pair(source, target):
    """Part for the barred turn between two points."""
    return 1 + (source << PAIR_BITS | target)


@inlined
def mill_part(line, stones):
    """Part for a mill: number of its line, mask of its stones."""
    return (line + 1) << _LINE_SHIFT | stones


@inlined
def image_part(recall, symmetry, part):
    """Image of a part under a symmetry."""
    if part == 0:
        return np.int64(0)
    if recall.kind == NO_IMMEDIATE:
        pair = part - 1
        return barred_pair(recall.points[symmetry, pair >> PAIR_BITS], recall.points[symmetry, pair & _PAIR_POINT])
    line = (part >> _LINE_SHIFT) - 1
    return mill_part(recall.line_images[symmetry, line], image(recall.images, symmetry, part & _STONES))


@inlined
def moved_part(part, source, target):
    """A mill's part after the stone ``source`` has gone to ``target``, both masks with one point."""
    return part ^ source ^ target if part & source else part


@inlined
def closed_mills(recall, mills, x, target):
    """The mills of ``x`` through the stone ``target`` as parts, lower line first, and their number."""
    first, second, number = np.int64(0), np.int64(0), 0
    for word in range(mills.part.shape[0]):
        whole = whole_lines(mills, word, x)
        while whole != 0:
            line = word * 64 + trailing_zeros(whole)
            whole &= whole - 1
            if recall.lines[line] & target:
                number += 1
                if first == 0:
                    first = mill_part(line, recall.lines[line])
                else:
                    second = mill_part(line, recall.lines[line])
    return first, second, number


@inlined
def closes_now(recall, part):
    """Whether a mill's part is that of a mill just closed: its three stones stand on its line."""
    return part != 0 and part & _STONES == recall.lines[(part >> _LINE_SHIFT) - 1]


@inlined
def line_and_stones(recall, part):
    """Masks of a mill's line and of its stones."""
    return recall.lines[(part >> _LINE_SHIFT) - 1], part & _STONES


@inlined
def is_barred_mill(recall, target, part):
    """Whether the stone ``target`` has just gone to the mill that ``part`` remembers, and those very stones make it."""
    return closes_now(recall, part) and part & target != 0


@inlined
def is_barred(recall, source, target, closing, first, second):
    """Whether a player that remembers these parts may not go from ``source`` to ``target`` (masks)."""
    if not closing or first == 0 or source == 0:
        return False
    if recall.kind == NO_IMMEDIATE:
        return first == barred_pair(trailing_zeros(source), trailing_zeros(target))
    return is_barred_mill(recall, target, moved_part(first, source, target)) or is_barred_mill(
        recall, target, moved_part(second, source, target)
    )


# --- records


@inlined
def records_and(table, word, x):
    """Intersection over the bytes of ``x``."""
    return (
        table[word, 0, x & 255] & table[word, 1, (x >> 8) & 255] & table[word, 2, (x >> 16) & 255] & table[word, 3, (x >> 24) & 255]
    )


@inlined
def open_below(records, taken, number):
    """Records below ``number`` that the stones ``taken`` leave open: the block of that record."""
    below = np.int64(0)
    for word in range(number >> 6):
        below += popcount(~hops_or(records.touching, word, taken))
    bits = ~hops_or(records.touching, number >> 6, taken) & ((np.int64(1) << (number & 63)) - 1)
    return below + popcount(bits)


@inlined
def held_below(records, own, number):
    """Records below ``number`` that the stones ``own`` may remember: the place of that record's row."""
    below = np.int64(0)
    for word in range(number >> 6):
        below += popcount(records_and(records.holding, word, own) & ~hops_or(records.leaving, word, own))
    bits = records_and(records.holding, number >> 6, own) & ~hops_or(records.leaving, number >> 6, own)
    return below + popcount(bits & ((np.int64(1) << (number & 63)) - 1))


@inlined
def count_held(records, own):
    """Number of records that the stones ``own`` may remember."""
    number = np.int64(0)
    for word in range(records.holding.shape[0]):
        number += popcount(records_and(records.holding, word, own) & ~hops_or(records.leaving, word, own))
    return number


@inlined
def barred_index(records, own, occupied, part):
    """Number of the record of a barred turn from 1 on, 0 where it can forbid nothing: a stone is gone, or a point is taken."""
    if part == 0:
        return np.int64(0)
    pair = part - 1
    for number in range(records.first[pair], records.first[pair + 1]):
        if records.required[number] & ~own == 0 and records.excluded[number] & occupied == 0:
            return np.int64(number + 1)
    return np.int64(0)


@inlined
def mills_index(recall, records, own, first, second):
    """Number of the record of one or two mills from 1 on, 0 where a stone of each is gone."""
    if second != 0 and (second & _STONES) & ~own != 0:
        second = np.int64(0)
    if first == 0 or (first & _STONES) & ~own != 0:
        first, second = second, np.int64(0)
    if first == 0:
        return np.int64(0)
    lines, threes = recall.lines.size, records.threes.size
    line = (first >> _LINE_SHIFT) - 1
    if second == 0:
        return 1 + line * threes + np.int64(LOW[extract(first & _STONES, own)])
    later = (second >> _LINE_SHIFT) - 1
    if later < line:
        first, second, line, later = second, first, later, line
    one, other = first & _STONES, second & _STONES
    together = one | other
    crossing = records.crossing[line * lines + later]
    arrangement = records.arrangement[extract(one, together) << 5 | extract(other, together)]
    return 1 + lines * threes + (crossing * records.fives.size + np.int64(LOW[extract(together, own)])) * ARRANGEMENTS + arrangement


@inlined
def memory_index(recall, records, own, occupied, first, second):
    """Number of what a player with the stones ``own`` remembers, 0 for nothing that matters; ``occupied``: the stones of both players."""
    if recall.kind == NO_IMMEDIATE:
        return barred_index(records, own, occupied, first)
    return mills_index(recall, records, own, first, second)


@inlined
def parts_of(recall, records, own, index):
    """The parts behind a `memory_index` from 1 on."""
    if recall.kind == NO_IMMEDIATE:
        return records.pairs[index - 1] + 1, np.int64(0)
    lines, threes = recall.lines.size, records.threes.size
    number = index - 1
    if number < lines * threes:
        return mill_part(number // threes, deposit(records.threes[number % threes], own)), np.int64(0)
    number -= lines * threes
    arrangement, number = number % ARRANGEMENTS, number // ARRANGEMENTS
    together = deposit(records.fives[number % records.fives.size], own)
    crossed = number // records.fives.size
    return (
        mill_part(records.crossed[crossed, 0], deposit(records.arranged[arrangement, 0], together)),
        mill_part(records.crossed[crossed, 1], deposit(records.arranged[arrangement, 1], together)),
    )
