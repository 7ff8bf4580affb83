"""A board: labelled points, the lines that carry mills, the edges along which stones step.

From these everything else is derived: the hops a movement allows and the symmetries, which are found by search and
never written by hand. Who has how many stones, and what they may do, is a matter of `rules`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise, product

from merels.errors import BoardError

MAX_POINTS = 27
MAX_COORDINATE = 99
LABEL = re.compile(r"[a-z][0-9]{1,3}")


@dataclass(frozen=True)
class Board:
    """A board in normal form; make one with `Board.build`, which checks it.

    Attributes
    ----------
    name : str
    points : tuple of str
        Labels sorted by file, rank and level. The place in this tuple is the *index* of a point, and bit ``1 << index``
        stands for it in every bit mask.
    coordinates : tuple of tuple of int
        Two or three whole numbers for each point, file first; for pictures only.
    lines : tuple of (int, int, int)
        Points of each line in the order of the stroke, the lower end first. Three stones of a player there are a mill.
    edges : tuple of (int, int)
        Pairs (lower, higher) of points between which a stone may step.
    diagonals : tuple of (int, int, int)
        Strokes that carry no mill and serve the rook movement alone.
    """

    name: str
    points: tuple[str, ...]
    coordinates: tuple[tuple[int, ...], ...]
    lines: tuple[tuple[int, int, int], ...]
    edges: tuple[tuple[int, int], ...]
    diagonals: tuple[tuple[int, int, int], ...] = ()

    @classmethod
    def build(
        cls,
        name: str,
        points: Mapping[str, Sequence[int]],
        lines: Iterable[Sequence[str]],
        edges: Iterable[Sequence[str]] | None = None,
        diagonals: Iterable[Sequence[str]] = (),
    ) -> Board:
        """Make a board from labels.

        Parameters
        ----------
        name : str
        points : mapping of label to coordinates
            A label is one letter a-z with one to three digits. Coordinates are two or three whole numbers.
        lines, diagonals : iterables of three labels, in the order of the stroke
        edges : iterable of two labels, optional
            All edges of the board. Where they are left out, the neighbours on the lines are the edges.

        Raises
        ------
        BoardError
            Names the field and the entry that is wrong.
        """
        _check_points(points)
        labels = tuple(sorted(points, key=lambda label: (label[0], int(label[1:]), label)))
        index = {label: i for i, label in enumerate(labels)}
        strokes = _resolve(lines, "lines", index)
        if edges is None:
            links = {tuple(sorted(pair)) for a, b, c in strokes for pair in ((a, b), (b, c))}
        else:
            links = set(_resolve(edges, "edges", index))
        return cls(
            name=name,
            points=labels,
            coordinates=tuple(tuple(points[label]) for label in labels),
            lines=tuple(sorted(strokes)),
            edges=tuple(sorted(links)),
            diagonals=tuple(sorted(_resolve(diagonals, "diagonals", index))),
        )

    @property
    def size(self) -> int:
        """Number of points."""
        return len(self.points)

    @cached_property
    def index(self) -> dict[str, int]:
        """Index of each label."""
        return {label: i for i, label in enumerate(self.points)}

    @cached_property
    def line_masks(self) -> tuple[int, ...]:
        """Each line as a bit mask, in the order of `lines`."""
        return tuple(1 << a | 1 << b | 1 << c for a, b, c in self.lines)


def _check_points(points: Mapping[str, Sequence[int]]) -> None:
    """Raise BoardError unless labels and coordinates are well formed, few enough and distinct."""
    if not points:
        raise BoardError("points: a board needs at least one point")
    if len(points) > MAX_POINTS:
        raise BoardError(f"points: {len(points)} points, but a board has at most {MAX_POINTS}")
    seen: dict[tuple[int, ...], str] = {}
    for label, place in points.items():
        if not isinstance(label, str) or not LABEL.fullmatch(label):
            raise BoardError(f"points: label {label!r} should be one letter a-z and one to three digits, such as a1")
        whole = isinstance(place, Sequence) and all(isinstance(x, int) and not isinstance(x, bool) for x in place)
        if not whole or len(place) not in (2, 3) or any(abs(x) > MAX_COORDINATE for x in place):
            raise BoardError(
                f"points: {label} is at {place!r}, but should have two or three whole numbers "
                f"from -{MAX_COORDINATE} to {MAX_COORDINATE}, such as [1, 1]"
            )
        other = seen.setdefault(tuple(place), label)
        if other != label:
            raise BoardError(f"points: {other} and {label} are both at {list(place)}; give each its own place")
    if len({len(place) for place in seen}) > 1:
        raise BoardError("points: some points have two coordinates and some three; give all of them the same number")


def _resolve(strokes: Iterable[Sequence[str]], field: str, index: Mapping[str, int]) -> list[tuple]:
    """Point indices of lines, diagonals (three labels) or edges (two), the lower end first."""
    count = 2 if field == "edges" else 3
    found: dict[frozenset[int], str] = {}
    result = []
    for labels in strokes:
        name = "-".join(labels)
        if len(labels) != count:
            raise BoardError(f"{field}: {name!r} should have {count} points, such as {'-'.join(list(index)[:count])}")
        for label in labels:
            if label not in index:
                raise BoardError(f"{field}: {name} has the unknown point {label!r}; the points are {', '.join(index)}")
        if len(set(labels)) != count:
            raise BoardError(f"{field}: {name} names a point twice; it should have {count} different points")
        stroke = tuple(index[label] for label in labels)
        other = found.setdefault(frozenset(stroke), name)
        if other != name or stroke in result:
            raise BoardError(f"{field}: {name} and {other} are the same; leave one of them out")
        result.append(stroke)
    return [stroke if stroke[0] < stroke[-1] else stroke[::-1] for stroke in result]


@dataclass(frozen=True, order=True)
class Hop:
    """A way for a stone from `source` to `target`, open while the points of the bit mask `between` are empty."""

    source: int
    target: int
    between: int


def hops(board: Board, movement: str) -> tuple[Hop, ...]:
    """All hops of a movement, directed and sorted; with every hop its reverse is there too.

    Parameters
    ----------
    board : Board
    movement : {"step", "knight", "rook"}
        `step`: along an edge. `knight`: two points straight along a line and one along a line that crosses it there, or
        one and then two. `rook`: along a line or a diagonal, over empty points. (Flying is no hop: any empty point
        will do.)

    Raises
    ------
    BoardError
        Two lines join the same two points by different ways, so that a rook's turn would not tell which it takes.
    """
    if movement == "step":
        ways = {(a, b, 0) for a, b in board.edges}
    elif movement == "knight":
        ways = {(a, b, 0) for a, b in _knight_ways(board) if a != b}
    elif movement == "rook":
        strokes = board.lines + board.diagonals
        ways = {way for a, b, c in strokes for way in ((a, b, 0), (b, c, 0), (a, c, 1 << b))}
    else:
        raise ValueError(f"no movement {movement!r}")
    ways |= {(b, a, between) for a, b, between in ways}
    open_ways = {(a, b) for a, b, between in ways if not between}
    kept = sorted(Hop(*way) for way in ways if not way[2] or way[:2] not in open_ways)
    for one, other in pairwise(kept):
        if (one.source, one.target) == (other.source, other.target):
            pair = f"{board.points[one.source]} and {board.points[one.target]}"
            raise BoardError(
                f"lines: {pair} are the ends of two lines; the rook movement needs one way between two points"
            )
    return tuple(kept)


def _knight_ways(board: Board) -> Iterator[tuple[int, int]]:
    """Two points along one line, then one along another through the point reached. The reverses are 'one, then two'."""
    for line in board.lines:
        for start, corner in ((line[0], line[2]), (line[2], line[0])):
            for other in board.lines:
                if other != line and corner in other:
                    place = other.index(corner)
                    yield from ((start, other[k]) for k in (place - 1, place + 1) if 0 <= k < 3)


def symmetries(board: Board, hops: Sequence[Hop], limit: int = 64) -> tuple[tuple[int, ...], ...]:
    """Symmetries of the board under a movement, found by search.

    A symmetry is a permutation ``p`` of the points (``p[i]`` is the image of point ``i``) that maps lines to lines with
    the middle point to the middle point, edges to edges, and hops to hops with the points between.

    Parameters
    ----------
    board : Board
    hops : sequence of Hop
        Of the movement in use.
    limit : int
        Where the whole group is larger, the largest of the subgroups that hold point 0, points 0 and 1, ... in place
        and is no larger than this is returned. Any subgroup is right; a smaller one only saves less.

    Returns
    -------
    tuple of permutations, the identity first, sorted
    """
    facts = {("line", frozenset({b}), frozenset({a, c})) for a, b, c in board.lines}
    facts |= {("edge", frozenset(edge)) for edge in board.edges}
    for hop in hops:
        between = frozenset(i for i in range(board.size) if hop.between >> i & 1)
        facts.add(("hop", frozenset({hop.source}), frozenset({hop.target}), between))
    return _group(board.size, facts, limit)


def line_symmetries(board: Board, limit: int = 1024) -> tuple[tuple[int, ...], ...]:
    """The permutations that map every line onto a line in any order of its points, edges disregarded.

    They keep the values of positions in which both players fly. Arguments and result as in `symmetries`.
    """
    return _group(board.size, {("line", frozenset(line)) for line in board.lines}, limit)


def _group(size: int, facts: set[tuple], limit: int) -> tuple[tuple[int, ...], ...]:
    """All permutations that map facts to facts, or a subgroup no larger than the limit; see `symmetries`."""
    kinds = _refine(size, facts)
    for held in range(size + 1):
        group: list[tuple[int, ...]] = []
        for permutation in _search(size, facts, kinds, held):
            group.append(permutation)
            if len(group) > limit:
                break
        else:
            return tuple(sorted(group))
    raise AssertionError("the identity alone is always within the limit")


def _refine(size: int, facts: set[tuple]) -> list[int]:
    """Sort points into kinds that no symmetry can mix: by the facts they are in and the kinds of their partners."""
    kinds = [0] * size
    while True:
        seen: list[list] = [[] for _ in range(size)]
        for fact in facts:
            partners = tuple(tuple(sorted(kinds[i] for i in part)) for part in fact[1:])
            for role, part in enumerate(fact[1:]):
                for i in part:
                    seen[i].append((fact[0], role, partners))
        signatures = [(kinds[i], tuple(sorted(seen[i]))) for i in range(size)]
        ranks = {signature: rank for rank, signature in enumerate(sorted(set(signatures)))}
        refined = [ranks[signature] for signature in signatures]
        if len(set(refined)) == len(set(kinds)):
            return refined
        kinds = refined


def _search(size: int, facts: set[tuple], kinds: list[int], held: int) -> Iterator[tuple[int, ...]]:
    """All permutations that map facts to facts and leave the points below `held` in place, by backtracking.

    Mapping each fact to a fact suffices: a permutation is one-to-one, so the finite set of facts is mapped onto itself.
    """
    order = _connected_order(size, facts, held)
    rank = {point: k for k, point in enumerate(order)}
    complete: list[list[tuple]] = [[] for _ in range(size)]
    for fact in facts:
        complete[max(rank[i] for part in fact[1:] for i in part)].append(fact)
    image = [-1] * size
    used = [False] * size

    def holds(fact: tuple) -> bool:
        return (fact[0], *(frozenset(image[i] for i in part) for part in fact[1:])) in facts

    def extend(k: int) -> Iterator[tuple[int, ...]]:
        if k == size:
            yield tuple(image)
            return
        point = order[k]
        for target in (point,) if point < held else range(size):
            if used[target] or kinds[target] != kinds[point]:
                continue
            image[point], used[target] = target, True
            if all(holds(fact) for fact in complete[k]):
                yield from extend(k + 1)
            used[target] = False
        image[point] = -1

    return extend(0)


def _connected_order(size: int, facts: set[tuple], held: int) -> list[int]:
    """The held points, then the rest so that each follows its partners in facts, which cuts dead ends early."""
    partners: list[set[int]] = [set() for _ in range(size)]
    for fact in facts:
        points = frozenset().union(*fact[1:])
        for i in points:
            partners[i] |= points
    order = list(range(held))
    while len(order) < size:
        placed = set(order)
        rest = [i for i in range(size) if i not in placed]
        order.append(max(rest, key=lambda i: (len(partners[i] & placed), -i)))
    return order


# ------------------------------------------------------------------------------------------ boards of the rule book


def _squares(name: str, sides: Sequence[int], lines: Iterable[str] = (), diagonals: Iterable[str] = ()) -> Board:
    """Nested squares around one centre; `sides` are half the side lengths, `lines` further lines.

    The midpoints of the sides are joined by edges, the spokes: from each square to the next, or to the centre (side 0).
    """
    middle = max(sides) + 1
    label = {(x, y): f"{'abcdefg'[x - 1]}{y}" for x, y in product(range(1, 2 * middle), repeat=2)}
    points, strokes, edges = {}, [], []
    for side in sides:
        steps = (-side, 0, side)
        for x, y in product(steps, repeat=2):
            if (x, y) != (0, 0) or side == 0:
                points[label[middle + x, middle + y]] = (middle + x, middle + y)
        if side:
            for end in (-side, side):
                strokes.append([label[middle + end, middle + k] for k in steps])
                strokes.append([label[middle + k, middle + end] for k in steps])
    strokes += [line.split("-") for line in lines]
    for outer, inner in pairwise(sides):
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            edges.append([label[middle + r * dx, middle + r * dy] for r in (outer, inner)])
    edges += [pair for a, b, c in strokes for pair in ((a, b), (b, c))]
    distinct = {frozenset(edge): edge for edge in edges}
    return Board.build(name, points, strokes, distinct.values(), [stroke.split("-") for stroke in diagonals])


def _cube(name: str, extended: bool) -> Board:
    """The cube of 27 points; `extended` adds columns, diagonals of the faces and diagonals of the body as lines."""
    places = list(product((1, 2, 3), repeat=3))
    label = {place: f"{'abc'[place[0] - 1]}{place[1]}{place[2]}" for place in places}
    lines, edges = [], []
    for a, b in combinations(places, 2):
        middle = tuple((x + y) / 2 for x, y in zip(a, b, strict=True))
        apart = [abs(x - y) for x, y in zip(a, b, strict=True)]
        if sum(apart) == 1:
            edges.append((label[a], label[b]))
        straight_in_level = sum(apart) == 2 and apart[2] == 0
        diagonal_through_centre = middle == (2, 2, 2) and apart.count(2) == 2
        if middle in label and (straight_in_level or (extended and not diagonal_through_centre)):
            lines.append((label[a], label[middle], label[b]))
    return Board.build(name, {label[place]: place for place in places}, lines, edges)


_CORNERS = ("a1-b2-c3", "g1-f2-e3", "a7-b6-c5", "g7-f6-e5")
_SPOKES = ("a4-b4-c4", "e4-f4-g4", "d1-d2-d3", "d5-d6-d7")
_CROSS = ("a2-b2-c2", "b1-b2-b3")


def _rule_book_boards() -> Iterator[Board]:
    yield _squares("square9", (1, 0), (*_CROSS, "a1-b2-c3", "a3-b2-c1"))
    yield _squares("square9-orthogonal", (1, 0), _CROSS)
    yield _squares("morris16", (2, 1))
    yield _squares("morris17", (2, 1, 0), ("b3-c3-d3", "c2-c3-c4"))
    yield _squares("morris24", (3, 2, 1), _SPOKES, diagonals=_CORNERS)
    yield _squares("morris24-diagonals", (3, 2, 1), (*_SPOKES, *_CORNERS))
    yield _cube("cube27", extended=False)
    yield _cube("cube27-extended", extended=True)


BOARDS: dict[str, Board] = {board.name: board for board in _rule_book_boards()}
