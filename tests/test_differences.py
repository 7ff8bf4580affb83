"""Two rule sets compared position by position give what comparing them with the reference engine gives."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from merels.boards import Board
from merels.errors import InputError, MissingTableError
from merels.indexing import geometry
from merels.kernels.pairs import Block, count_pairs
from merels.position import Position
from merels.reference import retrograde
from merels.reference.symmetry import Representatives
from merels.rules import Rules
from merels.state import State, mask_of, points_of
from merels.subspaces import Subspace
from merels.tables import WDL, Differences, Store, Tablebase, compare_stores
from merels.tables.changes import VALUES, Changes
from merels.variants import Variant, variant
from solved import solved, stored

Worth = tuple[str, int | None]
Pairs = Counter[tuple[Worth, Worth]]
Answer = Callable[..., str]

SQUARE = ("three+men=4+mill=remove", "three+flying=3+men=4+mill=remove")
RINGS = {"six": "six+flying=3", "five": "five+flying=0"}


@pytest.fixture(scope="module")
def root(small_games: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with all that is compared here; not to be changed."""
    root = tmp_path_factory.mktemp("differences")
    for game in RINGS:
        (root / game).symlink_to(small_games / game)
    for game in (*RINGS.values(), *SQUARE):
        stored(game, root)
    return root


def compared(root: Path, one: str, two: str, *subspaces: str, **options: int) -> Differences:
    stores = (Store(root, variant(name)) for name in (one, two))
    return compare_stores(*stores, [Subspace.parse(name) for name in subspaces], **options)


def pairs_of_play(one: Variant, two: Variant, subspace: Subspace) -> Pairs:
    """What the positions of a subspace, one of each orbit, are worth under both rules, by the reference engine."""
    representative = Representatives(one)
    roots = {representative(state) for state in retrograde.all_states(one, *subspace)}
    worths = [retrograde.solve(game, roots, reduce=True) for game in (one, two)]
    return Counter((worths[0][root], worths[1][root]) for root in roots)


def assert_changes_are_those_of(pairs: Pairs, changes: Changes, with_distances: bool = True) -> None:
    assert changes.positions == pairs.total()
    for one in VALUES:
        for two in VALUES:
            expected = sum(number for (a, b), number in pairs.items() if (a[0], b[0]) == (one, two))
            assert changes.values[one][two] == expected, (one, two)
    if not with_distances:
        assert changes.distances is None
        return
    for value in ("win", "loss"):
        shift = changes.distances[value]
        by_plies: Counter[int] = Counter()
        for (a, b), number in pairs.items():
            if a[0] == b[0] == value:
                by_plies[b[1] - a[1]] += number
        assert shift.longer == sum(number for plies, number in by_plies.items() if plies > 0)
        assert shift.shorter == sum(number for plies, number in by_plies.items() if plies < 0)
        assert shift.most_longer == max((plies for plies in by_plies if plies > 0), default=None)
        assert shift.most_shorter == max((-plies for plies in by_plies if plies < 0), default=None)


def kind(one: Worth, two: Worth) -> str | None:
    """In words what has changed, None if nothing has."""
    if one[0] != two[0]:
        return f"{one[0]} {two[0]}"
    if one == two or None in (one[1], two[1]):
        return None
    return f"{one[0]} {'longer' if two[1] > one[1] else 'shorter'}"


ORDER = [f"{a} {b}" for a in VALUES for b in VALUES if a != b] + [f"{v} {d}" for v in ("win", "loss") for d in ("longer", "shorter")]
"""Kinds of change in the order of examples."""


# --- against the reference engine


def test_every_position_of_a_small_game_is_compared(root: Path) -> None:
    found = compared(root, *SQUARE)
    assert not found.left_out
    assert {one.subspace for one in found.subspaces} == set(solved(SQUARE[0]).tables)
    for one in found.subspaces:
        pairs = pairs_of_play(found.one, found.two, one.subspace)
        assert_changes_are_those_of(pairs, one.changes)
        assert [kind(e.one, e.two) for e in one.examples] == sorted({kind(*pair) for pair in pairs} - {None}, key=ORDER.index)
    assert found.total.positions == sum(one.changes.positions for one in found.subspaces)
    assert found.total.changed > 0 and any(one.changes.changed for one in found.subspaces)


@pytest.mark.parametrize(("one", "two"), RINGS.items())
def test_two_rings_are_compared_as_play_does(root: Path, one: str, two: str) -> None:
    found = compared(root, one, two, "3-3-0-0", examples=2)
    (table,) = found.subspaces
    assert_changes_are_those_of(pairs_of_play(found.one, found.two, table.subspace), table.changes)
    assert found.total == table.changes and table.changes.changed > 0


def test_a_win_by_flying_is_compared_where_one_player_flies(root: Path) -> None:
    found = compared(root, "six", "six+flying=3", "4-3-0-0", "3-4-0-0")
    with Tablebase(Store(root, found.one)) as one, Tablebase(Store(root, found.two)) as two:
        for table in found.subspaces:
            assert_changes_are_those_of(pairs_of_tables(one, two, table.subspace), table.changes)


def pairs_of_tables(one: Tablebase, two: Tablebase, subspace: Subspace) -> Pairs:
    """What the positions of a subspace, one of each orbit, are worth by look-ups."""
    representative = Representatives(one.variant)
    states = sorted({representative(state) for state in retrograde.all_states(one.variant, *subspace)})
    movers, others = (np.array([state.stones[player] for state in states]) for player in (0, 1))
    columns = []
    for tablebase in (one, two):
        wdl, dtw = tablebase.probe_many(movers, others, subspace[2:])
        columns.append([(VALUES[1 - w], None if d < 0 else d) for w, d in zip(wdl.tolist(), dtw.tolist(), strict=True)])
    return Counter(zip(*columns, strict=True))


def test_steps_and_knights_are_compared_though_their_boards_have_other_hops(tmp_path: Path) -> None:
    names = ("mlynek+flying=0+men=3", "mlynek-knight+flying=0+men=3")
    one, two = (stored(name, tmp_path) for name in names)
    assert geometry(one.variant) is not geometry(two.variant)
    found = compare_stores(one, two)
    assert found.subspaces[-1].changes.positions == 1
    with Tablebase(one) as first, Tablebase(two) as second:
        for table in found.subspaces:
            if min(table.subspace[:2]) and sum(table.subspace) == 6 and table.subspace.stones + table.subspace.other < 6:
                assert_changes_are_those_of(pairs_of_tables(first, second, table.subspace), table.changes)
    assert found.total.changed > 0


# --- boards with other symmetries


def ladder(name: str, *without: str) -> Variant:
    """Three men on a ladder of three rungs that lacks some of its edges."""
    points = {f"{file}{rank}": (x, rank) for x, file in enumerate("abc") for rank in (1, 2, 3)}
    lines = ["a1-b1-c1", "a2-b2-c2", "a3-b3-c3", "a1-a2-a3", "c1-c2-c3"]
    edges = ["a1-b1", "b1-c1", "a2-b2", "b2-c2", "a3-b3", "b3-c3", "a1-a2", "a2-a3", "c1-c2", "c2-c3"]
    board = Board.build(name, points, [line.split("-") for line in lines], [edge.split("-") for edge in edges if edge not in without])
    return Variant(name, board, Rules(men=3, flying=0, mill="win"))


LADDER, LEFT_OPEN, LOW_OPEN = ladder("ladder"), ladder("left", "a2-b2"), ladder("low", "a1-b1", "b1-c1")


@pytest.mark.parametrize(
    ("one", "two", "shared"), [(LADDER, LEFT_OPEN, 2), (LEFT_OPEN, LADDER, 2), (LEFT_OPEN, LOW_OPEN, 1)], ids=lambda x: str(x)[:20]
)
def test_positions_are_counted_once_where_both_have_the_symmetry(one: Variant, two: Variant, shared: int, tmp_path: Path) -> None:
    symmetries = [symmetry for symmetry in one.symmetries if symmetry in two.symmetries]
    assert len(symmetries) == shared
    found = compare_stores(stored(one, tmp_path), stored(two, tmp_path), examples=3)
    for table in found.subspaces:
        states = list(retrograde.all_states(one, *table.subspace))
        roots = [state for state in states if state.stones == min(images(state, symmetries))]
        worths = [retrograde.solve(game, states) for game in (one, two)]
        pairs = Counter((worths[0][state], worths[1][state]) for state in roots)
        assert_changes_are_those_of(pairs, table.changes)
        for example in table.examples:
            assert (example.one, example.two) == tuple(worth[example.position.state] for worth in worths)
    assert found.total.changed > 0


def images(state: State, symmetries: list[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
    for symmetry in symmetries:
        yield tuple(mask_of([symmetry[point] for point in points_of(stones)]) for stones in state.stones)


# --- blocks


def test_the_first_rows_and_columns_of_a_wider_table_are_counted_alone() -> None:
    board = geometry(variant("three"))
    space, dice = board.rows(3, 2), np.random.default_rng(4)
    rows, columns = space.shape
    narrow = dice.integers(0, 5, (rows, columns)).astype(np.uint8)
    narrow[narrow == 4] = 255
    wide = dice.integers(0, 9, (rows + 3, columns + 11)).astype(np.uint16)
    wide[wide >= 7] = 65535
    blocks = Block(narrow.reshape(-1), columns, 4), Block(wide.reshape(-1), columns + 11, 7)
    counts, first = np.zeros(5 * 8, np.int64), np.full(5 * 8, -1)
    fixed = (board.full, space.orbits.representatives, space.orbits.stabilisers, space.columns.masks, board.images)
    count_pairs(0, 2, *blocks, *fixed, counts, first)
    count_pairs(2, rows, *blocks, *fixed, counts, first)
    expected: dict[int, list[int]] = {}
    seen = set()
    for row in range(rows):
        for column in range(columns):
            state = Representatives(variant("three"))(State(0, space.position(row, column), (0, 0)))
            if state not in seen:
                seen.add(state)
                pair = min(int(narrow[row, column]), 4) * 8 + min(int(wide[row, column]), 7)
                expected.setdefault(pair, []).append(row * columns + column)
    assert {pair: int(number) for pair, number in enumerate(counts) if number} == {pair: len(cells) for pair, cells in expected.items()}
    assert all(first[pair] == cells[0] for pair, cells in expected.items())
    assert counts.sum() == space.positions


def test_sets_of_some_rows_are_those_of_their_cells() -> None:
    space = geometry(variant("six")).rows(2, 3)
    movers, others = space.sets(5, 9)
    cells = [(row, column) for row in range(5, 9) for column in range(space.shape[1])]
    assert list(zip(movers.tolist(), others.tolist(), strict=True)) == [space.position(*cell) for cell in cells]
    assert space.locate(movers, others)[0].tolist() == [row for row, _ in cells]


# --- examples


def test_examples_are_chosen_the_same_by_any_number_of_threads(root: Path) -> None:
    alone = compared(root, "six", "six+flying=3", "4-4-0-0", "5-3-0-0", jobs=1, examples=3)
    assert alone == compared(root, "six", "six+flying=3", "5-3-0-0", "4-4-0-0", jobs=3, examples=3)
    assert not any(table.examples for table in compared(root, "six", "six+flying=3", "5-3-0-0", examples=0).subspaces)


def test_examples_have_the_values_that_both_tables_give_them(root: Path) -> None:
    found = compared(root, "six", "six+flying=3", examples=2)
    with Tablebase(Store(root, found.one)) as one, Tablebase(Store(root, found.two)) as two:
        for table in found.subspaces:
            kinds: Counter[str | None] = Counter()
            for example in table.examples:
                text = str(example.position)
                assert one.probe(Position.parse(found.one, text)) == example.one
                assert two.probe(Position.parse(found.two, text)) == example.two
                kinds[kind(example.one, example.two)] += 1
            assert None not in kinds and max(kinds.values(), default=0) <= 2
            shifts = table.changes.distances
            longest = [e.two.dtw - e.one.dtw for e in table.examples if kind(e.one, e.two) == "win longer"]
            assert not longest or longest[0] == shifts["win"].most_longer


# --- values only


def test_values_are_compared_without_distances(root: Path, tmp_path: Path) -> None:
    bare, whole = stored("six+flying=3", tmp_path, WDL), Store(root, variant("six"))
    names = [Subspace.parse(name) for name in ("4-3-0-0", "5-5-1-0")]
    plain = compared(root, "six", "six+flying=3", "4-3-0-0", "5-5-1-0")
    found, reverse = compare_stores(whole, bare, names), compare_stores(bare, whole, names)
    for table, with_plies, back in zip(found.subspaces, plain.subspaces, reverse.subspaces, strict=True):
        assert (table.metrics, back.metrics) == (("DTW", "WDL"), ("WDL", "DTW"))
        assert table.changes == Changes(with_plies.changes.values, None)
        assert back.changes.values == {two: {one: table.changes.values[one][two] for one in VALUES} for two in VALUES}
        assert all(example.two.dtw is None for example in table.examples)
    assert found.total.distances is None and plain.total.distances is not None
    assert found.subspaces[0].examples
    assert compare_stores(bare, bare, names).total.changed == 0


# --- what cannot be compared


def test_other_boards_are_refused(tmp_path: Path) -> None:
    for one, two, words in (("six", "seven", "other points \\(16 and 17\\)"), ("nine", "twelve", "other lines \\(16 and 20\\)")):
        with pytest.raises(InputError, match=f"{one} and {two} cannot be compared position by position: .*{words}"):
            compare_stores(Store(tmp_path, variant(one)), Store(tmp_path, variant(two)))


def test_what_only_one_store_has_is_told_with_the_command_that_builds_it(root: Path, tmp_path: Path) -> None:
    part = Store(tmp_path, variant("six+flying=3"))
    part.folder.mkdir(parents=True)
    shutil.copy(root / "six+flying=3" / "4-3-0-0.h5", part.folder)
    whole = Store(root, variant("six"))
    found = compare_stores(whole, part)
    assert [table.subspace.name for table in found.subspaces] == ["3-4-0-0", "4-3-0-0"]
    gone = next(gone for gone in found.left_out if gone.subspace.name == "5-5-0-0")
    assert (gone.store, gone.command) == (part, f"merels solve six --rule flying=3 --subspace 5-5-0-0 --store {tmp_path}")
    assert {gone.store for gone in found.left_out} == {part}
    with pytest.raises(MissingTableError, match="nothing to compare: table 5-5-0-0 of six") as refused:
        compare_stores(whole, part, [Subspace(5, 5, 0, 0)])
    assert refused.value.command == gone.command


def test_what_the_rules_do_not_have_is_told(root: Path, tmp_path: Path) -> None:
    smaller = stored("six+men=3", tmp_path)
    found = compare_stores(Store(root, variant("six")), smaller)
    reasons = {gone.subspace.name: gone.reason for gone in found.left_out if gone.command is None}
    assert reasons["4-3-0-0"] == "4-3-0-0: six+men=3 has no such positions"
    with pytest.raises(InputError, match="2-2-0-0: under the rules of six the game is over"):
        compare_stores(Store(root, variant("six")), smaller, [Subspace(2, 2, 0, 0)])


# --- the command


def test_command_prints_both_values_of_every_position(root: Path, answer: Answer) -> None:
    command = ("stats", "six", "--against", "six+flying=3", "--store", root, "--subspace", "4-3-0-0")
    record = json.loads(answer(*command, "--json"))
    assert list(record) == ["variant", "fingerprint", "against", "subspaces", "total", "left_out"]
    assert record["against"] == {"variant": "six+flying=3", "fingerprint": variant("six+flying=3").fingerprint}
    (table,) = record["subspaces"]
    assert list(table) == ["name", "metric", "against_metric", "positions", "values", "distances", "examples"]
    assert list(table["examples"][0]) == ["position", "value", "dtw", "against_value", "against_dtw"]
    assert record["total"] == {key: table[key] for key in ("positions", "values", "distances")}
    counts = json.loads(answer("stats", "six", "--store", root, "--subspace", "4-3-0-0", "--json"))["total"]
    assert {value: sum(table["values"][value].values()) for value in VALUES} == {value: counts[value] for value in VALUES}
    other = json.loads(answer("stats", "six+flying=3", "--store", root, "--subspace", "4-3-0-0", "--json"))["total"]
    assert all(sum(table["values"][one][two] for one in VALUES) == other[two] for two in VALUES)
    shown = answer(*command, "--examples", "2")
    assert shown.startswith("six (down) against six+flying=3 (across).")
    words = [line.split() for line in shown.splitlines()]
    assert next(line[:2] for line in words if line[:1] == ["4-3-0-0"]) == ["4-3-0-0", "win"]
    assert ["total", "win", f"{counts['win']:,}"] in [line[:3] for line in words]
    assert f"{table['examples'][0]['position']}  " in shown
    assert "example" not in answer(*command, "--examples", "0")


def test_command_takes_the_second_tables_from_another_store(
    root: Path, tmp_path: Path, merels: Callable[..., object], refusal: Answer
) -> None:
    command = ("stats", "five", "--against", "five+flying=0", "--store", root)
    message = refusal(*command, "--against-store", tmp_path, code=1)
    assert "nothing to compare: " in message and f"merels solve five --rule flying=0 --store {tmp_path}" in message
    shutil.copytree(root / "five+flying=0", tmp_path / "five+flying=0")
    (tmp_path / "five+flying=0" / "3-3-0-0.h5").unlink()
    result = merels(*command, "--subspace", "3-3-0-0", "--subspace", "4-3-0-0", "--against-store", tmp_path)
    assert result.exit_code == 0
    assert result.stderr == (
        f"merels: table 3-3-0-0 of five+flying=0 is missing in {tmp_path / 'five+flying=0'}; build it with: "
        f"merels solve five --rule flying=0 --subspace 3-3-0-0 --store {tmp_path}\n"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--against", "seven"], "their boards, morris16 and morris17, have other points"),
        (["--against", "sixx"], "unknown variant 'sixx'"),
        (["--against", "six+flying=3", "--reachable"], "--histogram, --reachable and --quiet-limit do not go with --against"),
        (["--against-store", "."], "--against-store and --examples go with --against VARIANT2"),
        (["--against", "six+flying=3", "--examples", "-1"], "Invalid value for '--examples'"),
        (["--against", "six+flying=3", "--subspace", "2-2-0-0"], "2-2-0-0: a player has fewer than three stones, the game is over"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_each_mistake_gets_its_message(arguments: list[str], words: str, root: Path, refusal: Answer) -> None:
    assert words in refusal("stats", "six", "--store", root, *arguments)
