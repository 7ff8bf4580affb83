"""Look-ups give the value of play: one position, its turns, arrays of positions, from any store that fits the rules."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import h5py
import numpy as np
import pytest

import merels
from merels.errors import InputError, MissingTableError, RuleMismatchError, RulesError
from merels.position import Position
from merels.subspaces import Subspace
from merels.tables import Store, Tablebase, lookup, open_tablebase, turn_order
from merels.variants import Variant, variant
from solved import solved, stored

GAMES = ("three", "five", "six")
START = {"three": ("win", 9), "five": ("draw", None), "six": ("draw", None)}
OPPOSITE = {"win": "loss", "draw": "draw", "loss": "win"}

LADDER = """
name = "ladder"
[board]
name = "ladder9"
lines = ["a1-b1-c1", "a2-b2-c2", "a3-b3-c3", "a1-a2-a3", "c1-c2-c3"]
edges = ["a1-b1", "b1-c1", "a2-b2", "b2-c2", "a3-b3", "b3-c3", "a1-a2", "a2-a3", "c1-c2", "c2-c3"]
[board.points]
a1 = [1, 1]
a2 = [1, 5]
a3 = [1, 9]
b1 = [2, 1]
b2 = [2, 5]
b3 = [2, 9]
c1 = [3, 1]
c2 = [3, 5]
c3 = [3, 9]
[rules]
men = 3
flying = 0
mill = "win"
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tables")
    for game in GAMES:
        stored(game, root)
    return root


def random_positions(game: str, number: int, seed: int = 1) -> list[Position]:
    """Positions that random play comes across."""
    dice, found = random.Random(seed), []
    while len(found) < number:
        position = Position.start(variant(game))
        for _ in range(dice.randrange(1, 60)):
            turns = position.turns()
            if not turns:
                break
            position = position.play(dice.choice(turns))
        found.append(position)
    return found


# --- one position


@pytest.mark.parametrize("game", GAMES)
def test_start_has_its_known_value(root: Path, game: str) -> None:
    with open_tablebase(root, game) as tablebase:
        assert tablebase.probe(Position.start(variant(game))) == START[game]


@pytest.mark.parametrize("game", GAMES)
def test_value_equals_best_over_turns(root: Path, game: str) -> None:
    with open_tablebase(root, game) as tablebase:
        for position in random_positions(game, 150):
            value, dtw = tablebase.probe(position)
            turns = tablebase.probe_turns(position)
            if turns:
                assert (turns[0].value, turns[0].dtw) == (value, dtw)
                assert sorted(one.turn for one in turns) == [position.token(turn) for turn in position.turns()]
            else:
                assert (value, dtw) == (position.outcome(), None if value == "draw" else 0)
            for one in turns:
                after = tablebase.probe(one.position)
                assert one.position == position.play(one.turn)
                assert OPPOSITE[after.value] == one.value
                assert one.dtw == (None if after.dtw is None else after.dtw + 1)


@pytest.mark.parametrize("game", GAMES)
def test_images_and_exchanged_colours_have_the_same_value(root: Path, game: str) -> None:
    group = variant(game).symmetries
    dice = random.Random(7)
    with open_tablebase(root, game) as tablebase:
        for position in random_positions(game, 60, seed=2):
            state, permutation = position.state, dice.choice(group)
            images = tuple(
                sum(1 << permutation[point] for point in range(len(permutation)) if own >> point & 1)
                for own in state.stones
            )
            image = Position(position.variant, state._replace(stones=images))
            exchanged = Position(
                position.variant,
                state._replace(to_move=1 - state.to_move, stones=state.stones[::-1], hands=state.hands[::-1]),
            )
            assert tablebase.probe(position) == tablebase.probe(image) == tablebase.probe(exchanged)


def test_finished_games_are_answered_without_tables(tmp_path: Path) -> None:
    six = variant("six")
    with open_tablebase(tmp_path / "nowhere", six) as tablebase:
        assert tablebase.probe(Position.parse(six, "w a1,c1 a5,c5,e5 0,0")) == ("loss", 0)
        assert tablebase.probe(Position.parse(six, "b a1,c1 a5,c5,e5 0,0")) == ("win", 0)
        blocked = Position.parse(six, "w a1,c1,e1 a3,c2,e3 0,0")
        assert blocked.turns() == []
        assert tablebase.probe(blocked) == ("loss", 0)
        assert tablebase.probe_turns(blocked) == []
        with pytest.raises(MissingTableError) as caught:
            tablebase.probe(Position.start(six))
    assert caught.value.command == f"merels solve six --subspace 0-0-6-6 --store {tmp_path}/nowhere"


def test_position_of_other_rules_is_refused(root: Path) -> None:
    with open_tablebase(root, "six") as tablebase, pytest.raises(InputError, match=r"position of five.*tables of six"):
        tablebase.probe(Position.start(variant("five")))


def test_limits_of_played_games_do_not_matter(root: Path) -> None:
    patient = variant("six", rules={"quiet_limit": "0"})
    with open_tablebase(root, "six") as tablebase:
        assert tablebase.probe(Position.start(patient)) == ("draw", None)


def test_turns_come_in_the_order_of_merit() -> None:
    ordered = [("win", 1, "b"), ("win", 3, "a"), ("draw", None, "a"), ("draw", None, "b")]
    ordered += [("loss", 8, "b"), ("loss", 2, "a"), ("loss", 2, "b"), ("unknown", None, "a")]
    for seed in range(5):
        shuffled = ordered[:]
        random.Random(seed).shuffle(shuffled)
        assert sorted(shuffled, key=lambda one: turn_order(*one)) == ordered


# --- arrays


def sets_of(positions: list[Position]) -> tuple[np.ndarray, np.ndarray]:
    own = [p.state.stones[p.state.to_move] for p in positions]
    other = [p.state.stones[1 - p.state.to_move] for p in positions]
    return np.array(own), np.array(other)


def as_numbers(probe: tuple[str, int | None]) -> tuple[int, int]:
    value, dtw = probe
    return {"win": 1, "draw": 0, "loss": -1}[value], -1 if dtw is None else dtw


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("loaded", [False, True])
def test_arrays_get_the_values_of_single_positions(root: Path, game: str, loaded: bool) -> None:
    groups: dict[tuple[int, int], list[Position]] = {}
    for position in random_positions(game, 400, seed=3):
        own = position.state.to_move
        groups.setdefault((position.state.hands[own], position.state.hands[1 - own]), []).append(position)
    with open_tablebase(root, game, cache_bytes=5000) as tablebase:
        if loaded:
            for subspace in solved(game).tables:
                tablebase.load(subspace)
        for hands, positions in groups.items():
            wdl, dtw = tablebase.probe_many(*sets_of(positions), hands)
            assert (wdl.dtype, dtw.dtype) == (np.int8, np.int32)
            assert list(zip(wdl.tolist(), dtw.tolist(), strict=True)) == [
                as_numbers(tablebase.probe(p)) for p in positions
            ]


def test_every_cell_of_every_table_is_found(root: Path) -> None:
    known = solved("five")
    with open_tablebase(root, "five") as tablebase:
        for subspace, table in known.tables.items():
            space = known.geometry.rows(subspace.stones, subspace.other)
            free = [
                [p for p in range(known.geometry.points) if not int(t) >> p & 1] for t in space.orbits.representatives
            ]
            if table.values.size > 50_000:
                continue
            movers = [
                sum(1 << points[k] for k in range(len(points)) if int(mask) >> k & 1)
                for points in free
                for mask in space.columns.masks
            ]
            others = np.repeat(space.orbits.representatives, space.shape[1])
            wdl, dtw = tablebase.probe_many(np.array(movers), others, subspace[2:])
            drawn = table.values == table.draw
            np.testing.assert_array_equal(dtw, np.where(drawn, -1, table.values.astype(np.int32)))
            np.testing.assert_array_equal(wdl, np.where(drawn, 0, np.where(table.values % 2 == 1, 1, -1)))


def test_each_chunk_is_unpacked_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unpacked = []
    chunk = lookup.TableFile.chunk
    monkeypatch.setattr(lookup.TableFile, "chunk", lambda file, *place: unpacked.append(place) or chunk(file, *place))
    generator = np.random.default_rng(5)
    points = np.argsort(generator.random((5000, 16)), axis=1)
    movers, others = (1 << points[:, :6]).sum(axis=1), (1 << points[:, 6:11]).sum(axis=1)
    with open_tablebase(root, "six", cache_bytes=1) as tablebase:
        tablebase.probe_many(movers, others)
    assert len(unpacked) > 2
    assert len(set(unpacked)) == len(unpacked)


def test_arrays_may_be_empty_and_of_finished_games(root: Path) -> None:
    with open_tablebase(root, "six") as tablebase:
        assert [part.size for part in tablebase.probe_many(np.array([]), np.array([]))] == [0, 0]
        wdl, dtw = tablebase.probe_many([0b11, 0b111, 0b11], [0b111000, 0b11000, 0b11000])
    assert (wdl.tolist(), dtw.tolist()) == ([-1, 1, -1], [0, 0, 0])


@pytest.mark.parametrize(
    ("movers", "others", "hands", "message"),
    [
        ([1], [1], (0, 0), "both players on one point"),
        ([1 << 16], [1], (0, 0), "16 points, so sets are below 65536"),
        ([-1], [1], (0, 0), "a bit that is no point"),
        ([0b1111111], [1 << 10], (0, 0), "six has 6 men"),
        ([0b111], [0b111000], (4, 0), "six has 6 men"),
        ([0b111], [0b111000], (-1, 0), "hands"),
        ([0b111], [0b111000, 0b111000], (0, 0), "equally long"),
        ([[0b111]], [[0b111000]], (0, 0), "1-D"),
        ([0.5], [0b111000], (0, 0), "whole numbers"),
    ],
)
def test_impossible_arrays_are_refused(root: Path, movers: list, others: list, hands: tuple, message: str) -> None:
    with open_tablebase(root, "six") as tablebase, pytest.raises(InputError, match=message):
        tablebase.probe_many(np.array(movers), np.array(others), hands)


@pytest.mark.parametrize("stones", range(28))
def test_sizes_of_sets(stones: int) -> None:
    sets = np.array([(1 << stones) - 1, ((1 << stones) - 1) << (27 - stones)], np.uint32)
    assert lookup._sizes(sets).tolist() == [stones, stones]


def test_threads_may_probe_together(root: Path) -> None:
    positions = random_positions("six", 200, seed=4)
    with open_tablebase(root, "six", cache_bytes=3000) as tablebase, ThreadPoolExecutor(4) as pool:
        alone = [tablebase.probe(position) for position in positions]
        for _ in range(3):
            assert list(pool.map(tablebase.probe, positions)) == alone


def test_few_files_are_open_at_a_time(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookup, "_OPEN_FILES", 2)
    with open_tablebase(root, "six", cache_bytes=1) as tablebase:
        before = [tablebase.probe(position) for position in random_positions("six", 50, seed=6)]
        assert before == [tablebase.probe(position) for position in random_positions("six", 50, seed=6)]


# --- opening


def test_folder_tells_its_variant(root: Path) -> None:
    with open_tablebase(root / "six") as tablebase:
        assert tablebase.variant == variant("six")
        assert tablebase.probe(Position.start(variant("six"))) == START["six"]
    with open_tablebase(str(root / "six"), variant("six")) as tablebase:
        assert tablebase.store.folder == root / "six"


def test_public_name_opens_a_tablebase(root: Path) -> None:
    with merels.open_tablebase(root, "three") as tablebase:
        assert tablebase.probe(merels.Position.start(merels.variant("three"))).dtw == 9


def test_store_of_several_variants_needs_a_name(root: Path) -> None:
    with pytest.raises(InputError, match="several variants; name one of five, six, three"):
        open_tablebase(root)


def test_folder_without_tables_is_told(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(InputError, match="holds no tables; build some with merels solve"):
            open_tablebase(path)


def test_tables_of_other_rules_are_refused(root: Path, tmp_path: Path) -> None:
    with pytest.raises(RuleMismatchError, match=r"'six'.*'five' here"):
        open_tablebase(root / "six", "five")
    with pytest.raises(RulesError, match="repeat_mill"):
        open_tablebase(root, variant("spatial-extended", rules={"repeat_mill": "different"}))


def own_variant(folder: Path) -> Variant:
    path = folder / "ladder.toml"
    path.write_text(LADDER)
    return variant(path)


def test_tables_of_a_users_own_game_tell_its_rules(tmp_path: Path) -> None:
    ladder = own_variant(tmp_path)
    stored(ladder, tmp_path)
    with open_tablebase(tmp_path) as tablebase:
        assert tablebase.variant == ladder
        assert tablebase.variant.board.coordinates == ladder.board.coordinates
        assert tablebase.probe(Position.start(ladder)) == tablebase.probe(Position.start(tablebase.variant))


@pytest.mark.parametrize(
    "game", [variant("six").derive(flying=3, stalemate="draw"), variant("three").derive(removals="per-mill")]
)
def test_tables_of_a_derived_game_tell_its_rules(tmp_path: Path, game: Variant) -> None:
    stored(game, tmp_path)
    with open_tablebase(tmp_path) as tablebase:
        assert tablebase.variant == game
        assert tablebase.store.folder == tmp_path / game.name


def test_derived_own_game_with_stones_at_the_start_is_read_back(tmp_path: Path) -> None:
    text = LADDER.replace("men = 3", 'men = 3\nplacing = "none"\nstart = [["c1", "a1", "b1"], ["a3", "b3", "c3"]]')
    path = tmp_path / "ladder.toml"
    path.write_text(text.replace('"ladder"', '"ladder-start"'))
    game = variant(path, rules={"stalemate": "draw"})
    stored(game, tmp_path)
    with open_tablebase(tmp_path) as tablebase:
        assert tablebase.variant.name == "ladder-start+stalemate=draw"
        assert tablebase.variant.fingerprint == game.fingerprint
        assert tablebase.probe(Position.start(game)).value in OPPOSITE


def test_a_store_and_its_tablebase_are_two_views(root: Path) -> None:
    with Tablebase(Store(root, variant("six"))) as tablebase:
        tablebase.load("5-4-0-0")
        table = tablebase.store.read(Subspace(5, 4, 0, 0))
        assert tablebase._lookup._loaded[Subspace(5, 4, 0, 0)].values.tobytes() == table.values.tobytes()


def test_other_programs_may_read_a_file_that_is_open(root: Path) -> None:
    with open_tablebase(root, "six") as tablebase:
        tablebase.probe(Position.start(variant("six")))
        path = tablebase.store.path(tablebase.store.graph.unit(Subspace(0, 0, 6, 6)))
        with h5py.File(path) as file:
            assert file["0-0-6-6"].shape == (1, 1)


def test_one_package_alone_imports_h5py() -> None:
    source = Path(merels.__file__).parent
    importers = {path.parent.name for path in source.rglob("*.py") if "import h5py" in path.read_text(encoding="utf-8")}
    assert importers == {"tables"}
