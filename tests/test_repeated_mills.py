"""Tables of positions that remember mills: against the plain engine on every position of small games, and through the command line."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from merels.boards import Board
from merels.errors import RulesError
from merels.indexing import geometry
from merels.position import Position, engine
from merels.reference.retrograde import solve
from merels.reference.symmetry import Representatives, exchange_colours
from merels.retrograde.plan import make_plan
from merels.retrograde.unit import solve_unit
from merels.retrograde.verification import verify
from merels.retrograde.workers import Workers
from merels.rules import Rules
from merels.solvable import require_solvable
from merels.state import State
from merels.subspaces import Graph, Subspace
from merels.tables import Store, Table, Tablebase
from merels.tables.statistics import count
from merels.variants import Variant, variant

RULES = ("no-immediate", "different")
REMOVING = {"mill": "remove", "flying": "3"}
SMALL = [
    ("three", REMOVING),
    ("three-orthogonal", REMOVING | {"flying": "0", "protection": "mills", "removals": "per-mill", "stalemate": "draw"}),
    ("three", REMOVING | {"movement": "rook", "protection": "none"}),
    ("three-orthogonal", REMOVING | {"placing": "place-or-move", "removals": "per-mill", "protection": "none"}),
]
LARGER = [
    ("five", {"men": "3"}),
    ("six", {"men": "3", "protection": "none", "stalemate": "draw"}),
    ("seven", {"men": "3"}),
    ("three", REMOVING | {"men": "4", "flying": "4", "removals": "per-mill", "protection": "none"}),
    ("three-orthogonal", REMOVING | {"men": "4", "flying": "0", "protection": "mills", "removals": "per-mill", "full_board": "loss"}),
    ("three-orthogonal", REMOVING | {"men": "4", "movement": "knight", "placing": "place-or-move"}),
    ("five", {"men": "4", "flying": "0", "placing": "place-or-move"}),
]
Cell = tuple[Subspace, int, State]


def _game(name: str, rules: dict[str, str], rule: str) -> Variant:
    return variant(name, rules=rules | {"repeat_mill": rule})


def _solved(game: Variant, roots: list[Subspace] | None = None) -> dict[Subspace, Table]:
    graph, board, tables = Graph(game), geometry(game), {}
    with Workers(1) as workers:
        for unit in graph.closure(list(graph.whole()) if roots is None else roots):
            tables.update(solve_unit(graph, board, workers, unit, tables.__getitem__))
    return tables


def _cells(game: Variant, subspace: Subspace) -> Iterator[Cell]:
    """Every cell of a table that stands for a position, with it."""
    space = geometry(game).space(subspace)
    for row in range(space.shape[0]):
        for column, stones, memories in space.of_row(row):
            yield subspace, row * space.shape[1] + column, State(0, stones, (subspace.hand, subspace.other_hand), memories)


def _differences(game: Variant, roots: list[Subspace] | None = None) -> list[str]:
    """Every cell whose value is not that of the plain engine, and every position that play leads to and no cell stands for."""
    tables = _solved(game, roots)
    cells = [cell for subspace in tables for cell in _cells(game, subspace)]
    values = solve(game, (state for _, _, state in cells), reduce=True)
    representative = Representatives(game)
    found, covered = [], set()
    for subspace, cell, state in cells:
        table, least = tables[subspace], representative(state)
        covered.add(least)
        code = int(table.values[cell])
        value = ("draw", None) if code == table.draw else ("win" if code % 2 else "loss", code)
        if value != values[least] or engine(game).forget(state) != state:
            found.append(f"{subspace.name} {Position(game, state)}: {value}, should be {values[least]}")
    return found + [str(Position(game, state)) for state in values if state not in covered and engine(game).outcome(state) is None]


def _contradictions(game: Variant, tables: dict[Subspace, Table], states: Iterable[State]) -> list[str]:
    """Those of the states, White to move and the game not over, whose value is not the best over the turns of the plain engine."""
    plain = engine(game)

    def value(state: State) -> tuple[str, int]:
        outcome = plain.outcome(state)
        if outcome is not None:
            return outcome, 0
        own, other = state.to_move, 1 - state.to_move
        sets = [np.array([state.stones[player]]) for player in (own, other)]
        subspace = Subspace(*(state.stones[player].bit_count() for player in (own, other)), state.hands[own], state.hands[other])
        space, table = geometry(game).space(subspace), tables[subspace]
        rows, columns = space.locate(*sets, (state.memory[own], state.memory[other]))
        code = int(table.values[int(rows[0]) * space.shape[1] + int(columns[0])])
        return ("draw", 0) if code == table.draw else ("win" if code % 2 else "loss", code)

    found = []
    for state in states:
        if plain.outcome(state) is not None:
            continue
        after = [value(plain.play(state, turn)) for turn in plain.turns(state)]
        won = [plies + 1 for name, plies in after if name == "loss"]
        lost = [plies + 1 for name, plies in after if name == "win"]
        best = ("win", min(won)) if won else ("loss", max(lost)) if len(lost) == len(after) else ("draw", 0)
        if value(state) != best:
            found.append(f"{Position(game, state)}: {value(state)}, should be {best}")
    return found


def _some(game: Variant, subspace: Subspace, number: int, dice: random.Random) -> list[State]:
    """Some positions of a subspace, drawn by cell."""
    space, states = geometry(game).space(subspace), []
    while len(states) < number:
        row, column = dice.randrange(space.shape[0]), dice.randrange(space.shape[1])
        stones = space.position(row, column)
        if stones[0] >= 0:
            states.append(State(0, stones, (subspace.hand, subspace.other_hand), space.memories(row, column)))
    return states


@pytest.mark.parametrize(("name", "rules"), LARGER[3:5], ids=["flying four", "mills protected"])
def test_some_positions_with_four_men_have_the_best_value_over_the_turns_of_the_plain_engine(name: str, rules: dict[str, str]) -> None:
    """Under `different` a removal may leave a memory or take it away; with three men the first removal ends the game."""
    game = _game(name, rules, "different")
    tables, dice = _solved(game), random.Random(8)
    for subspace in tables:
        assert _contradictions(game, tables, _some(game, subspace, 30, dice)) == [], subspace.name


@pytest.mark.parametrize(("name", "rules"), LARGER[3:5], ids=["flying four", "mills protected"])
def test_every_position_with_four_men_has_the_value_of_the_plain_engine(name: str, rules: dict[str, str]) -> None:
    assert _differences(_game(name, rules, "no-immediate")) == []


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("name", "rules"), SMALL, ids=lambda value: value if isinstance(value, str) else "+".join(value.values()))
def test_every_position_has_the_value_of_the_plain_engine(name: str, rules: dict[str, str], rule: str) -> None:
    assert _differences(_game(name, rules, rule)) == []


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("name", "rules"), LARGER, ids=lambda value: value if isinstance(value, str) else "+".join(value.values()))
def test_every_position_of_larger_games_has_the_value_of_the_plain_engine(name: str, rules: dict[str, str], rule: str) -> None:
    assert _differences(_game(name, rules, rule)) == []


@pytest.mark.slow
def test_every_position_of_nine_with_three_men_has_the_value_of_the_plain_engine() -> None:
    assert _differences(variant("nine-norepeat", men=3)) == []


@pytest.mark.slow
def test_positions_of_mlynek_with_three_men_have_the_best_value_over_the_turns_of_the_plain_engine() -> None:
    """There are 49 million positions: the plain engine looks at some of them only."""
    game, dice = variant("mlynek-different", men=3), random.Random(11)
    tables = _solved(game, [Subspace(3, 3, 0, 0), Subspace(2, 2, 1, 1)])
    assert _contradictions(game, tables, _some(game, Subspace(3, 3, 0, 0), 3000, dice)) == []


def _crossing(**rules: Any) -> Variant:
    """Two lines that cross, on a board where a player can have five stones: one turn may close both."""
    points = {label: (ord(label[0]) - 96, int(label[1])) for label in ("a3", "b3", "c3", "c1", "c2", "d2", "d3", "e3")}
    lines = [("a3", "b3", "c3"), ("c1", "c2", "c3")]
    edges = [("a3", "b3"), ("b3", "c3"), ("c1", "c2"), ("c2", "c3"), ("c3", "d3"), ("d3", "e3"), ("d3", "d2"), ("d2", "c2")]
    more = {f"{letter}9": (ord(letter) - 96, 9) for letter in "fg"}
    return Variant("crossing", Board.build("crossing", points | more, lines, edges), Rules(men=5, flying=0, **rules))


@pytest.mark.parametrize("removals", ["one", "per-mill"])
def test_two_mills_that_one_turn_closed_are_remembered_both(removals: str) -> None:
    game = _crossing(repeat_mill="different", removals=removals, protection="none", stalemate="draw")
    start = Position.parse(game, "w a3,b3,c1,c2,d3 d2,e3,f9 0,0 -")
    after = start.play("d3-c3xd2" if removals == "one" else "d3-c3xd2xe3")
    assert str(after).endswith("a3,b3,c3=a3,b3,c3+c1,c2,c3=c1,c2,c3/-")
    root = Subspace(5, 3, 0, 0)
    tables, dice = _solved(game, [root]), random.Random(3)
    for subspace in (root, root.partner):
        states = _some(game, subspace, 150, dice)
        assert sum(len(remembered or ()) > 1 for state in states for remembered in state.memory) > 50
        assert _contradictions(game, tables, states) == []


@pytest.mark.slow
@pytest.mark.parametrize("removals", ["one", "per-mill"])
def test_every_position_with_two_mills_remembered_has_the_value_of_the_plain_engine(removals: str) -> None:
    game = _crossing(repeat_mill="different", removals=removals, protection="mills-unless-all")
    assert _differences(game, [Subspace(5, 3, 0, 0)]) == []


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Store]:
    """The store of a small game under a rule; not to be changed."""
    made: dict[str, Store] = {}

    def stored(rule: str) -> Store:
        if rule not in made:
            game = _game(*SMALL[0], rule)
            tables, made[rule] = _solved(game), Store(tmp_path_factory.mktemp(rule), game)
            made[rule].prepare()
            with Workers(1) as workers:
                for unit in Graph(game).closure(list(Graph(game).whole())):
                    made[rule].write(unit, {s: tables[s] for s in unit.subspaces}, workers)
        return made[rule]

    return stored


def _sample(game: Variant, number: int) -> list[Position]:
    cells = [state for subspace in Graph(game).whole() for _, _, state in _cells(game, subspace)]
    remembering = [state for state in cells if any(state.memory)]
    return [Position(game, state) for state in random.Random(5).sample(remembering, min(number, len(remembering)))]


@pytest.mark.parametrize("rule", RULES)
def test_images_and_exchanged_colours_have_the_same_value(rule: str, store: Callable[[str], Store]) -> None:
    game = store(rule).variant
    representative = Representatives(game)
    with Tablebase(store(rule)) as tablebase:
        for position in _sample(game, 40):
            probed = {tablebase.probe(Position(game, image)) for image in representative.images(position.state)}
            exchanged = Position(game, exchange_colours(position.state))
            assert probed == {tablebase.probe(position)} == {tablebase.probe(exchanged)}, position


@pytest.mark.parametrize("rule", RULES)
def test_value_equals_best_over_turns(rule: str, store: Callable[[str], Store]) -> None:
    with Tablebase(store(rule)) as tablebase:
        for position in _sample(store(rule).variant, 100):
            turns = tablebase.probe_turns(position)
            assert {one.turn for one in turns} == {position.token(turn) for turn in position.turns()}
            if turns:
                assert tuple(tablebase.probe(position)) == (turns[0].value, turns[0].dtw), position


@pytest.mark.parametrize("rule", RULES)
def test_counts_are_those_of_the_positions(rule: str, store: Callable[[str], Store]) -> None:
    game = store(rule).variant
    representative = Representatives(game)
    with Workers(1) as workers:
        for unit in store(rule).units():
            for subspace in unit.subspaces:
                least = {representative(state) for _, _, state in _cells(game, subspace)}
                assert count(store(rule).read(subspace), geometry(game), workers).positions == len(least)
                assert geometry(game).space(subspace).positions == len(least)


@pytest.mark.parametrize("rule", RULES)
def test_plan_knows_the_slots(rule: str, store: Callable[[str], Store]) -> None:
    game = store(rule).variant
    plan = make_plan(game, Graph(game).whole())
    for planned in plan.units:
        shapes = [store(rule).shape(subspace) for subspace in planned.unit.subspaces]
        assert planned.slots == sum(rows * width for rows, width in shapes)
        assert planned.positions > 0


@pytest.mark.parametrize("rule", RULES)
def test_where_nothing_is_remembered_rows_and_columns_are_the_plain_ones(rule: str) -> None:
    board, plain = geometry(_game("five", {"men": "4"}, rule)), geometry(variant("five"))
    space, bare = board.space(Subspace(4, 3, 0, 0)), plain.rows(4, 3)
    for row in range(bare.shape[0]):
        cells = space.of_row(row, bare.shape[1])
        assert [stones for _, stones, _ in cells] == [bare.position(row, column) for column in range(bare.shape[1])]
        assert all(memories == (None, None) for _, _, memories in cells)


@pytest.mark.parametrize("rule", RULES)
def test_verification_passes_and_finds_a_spoiled_value(rule: str, store: Callable[[str], Store], tmp_path: Path) -> None:
    report = verify(store(rule).variant, store(rule), jobs=1)
    assert report.findings == [] and report.proven
    spoiled = Store(tmp_path, store(rule).variant)
    spoiled.prepare()
    subspace = Subspace(3, 3, 0, 0)
    rows, width = store(rule).shape(subspace)
    plain = geometry(spoiled.variant).rows(3, 3).shape
    with Workers(1) as workers:
        for unit in store(rule).units():
            tables = {s: store(rule).read(s) for s in unit.subspaces}
            if subspace in tables:
                row, column = next(
                    (row, column)
                    for row in range(plain[0], rows)
                    for column, _, memories in geometry(spoiled.variant).space(subspace).of_row(row)
                    if all(memories)
                )
                cell = tables[subspace].values[row * width + column : row * width + column + 1]
                cell[:] = 2 if cell[0] != 2 else 4
            spoiled.write(unit, tables, workers)
    problems = [finding.problem for finding in verify(spoiled.variant, spoiled, jobs=1).findings]
    assert any(re.search(r"values? differ.* the first at 'w .*/", problem) for problem in problems), problems


@pytest.mark.parametrize("rule", RULES)
def test_command_line_solves_and_answers(rule: str, tmp_path: Path, answer: Callable[..., str]) -> None:
    game = ["three", *(word for pair in (*REMOVING.items(), ("repeat_mill", rule)) for word in ("--rule", "=".join(pair)))]
    at = ["--store", str(tmp_path)]
    record = json.loads(answer("solve", *game, *at, "--json"))
    planned = json.loads(answer("estimate", *game, "--json"))
    assert planned["total"]["slots"] == json.loads(answer("stats", *game, *at, "--json"))["total"]["slots"] > 0
    assert record
    memory = "b1-a1/-" if rule == "no-immediate" else "a1,a2,a3=a2,a3,b1/-"
    position = f"w a2,a3,b1 b3,c1,c2 0,0 {memory}"
    asked = json.loads(answer("query", *game, position, *at, "--json"))
    assert asked["position"] == position and asked["value"] in ("win", "draw", "loss")
    assert asked["turns"] and not any(turn["turn"].startswith("b1-a1") for turn in asked["turns"])
    assert json.loads(answer("turns", *game, position, "--json"))["turns"] == sorted(turn["turn"] for turn in asked["turns"])
    assert json.loads(answer("line", *game, position, *at, "--json"))["value"] == asked["value"]
    assert "all is right" in answer("verify", *game, *at)


def test_files_tell_their_index_scheme(store: Callable[[str], Store]) -> None:
    for rule in RULES:
        with h5py.File(store(rule).path(store(rule).units()[0])) as file:
            assert file.attrs["index_scheme"] == b"orbit-rows-memory 1"


def test_filter_of_reachable_positions_is_for_stones_alone(refusal: Callable[..., str], store: Callable[[str], Store]) -> None:
    assert "positions remember mills" in refusal("stats", "nine-norepeat", "--reachable", "--store", store("different").root)


@pytest.mark.parametrize(
    ("name", "rules", "words"),
    [
        ("twelve", {}, "for twelve.*where no turn can close three mills at once"),
        ("spatial-extended", {"men": "7"}, "where no turn can close three mills at once"),
    ],
)
def test_more_than_two_mills_at_once_are_refused(name: str, rules: dict[str, str], words: str) -> None:
    with pytest.raises(RulesError, match=words.removeprefix("for twelve.*")):
        require_solvable(_game(name, rules, "different"))
    require_solvable(_game(name, {"men": "6"}, "different"))


def test_arrays_are_of_positions_that_remember_nothing(store: Callable[[str], Store]) -> None:
    game = store("different").variant
    states = [state for _, _, state in _cells(game, Subspace(3, 3, 0, 0)) if not any(state.memory)]
    sets = [np.array([state.stones[k] for state in states]) for k in (0, 1)]
    with Tablebase(store("different")) as tablebase:
        wdl, dtw = tablebase.probe_many(*sets)
        names = {1: "win", 0: "draw", -1: "loss"}
        for k in range(0, len(states), 20):
            value = (names[int(wdl[k])], None if wdl[k] == 0 else int(dtw[k]))
            assert value == tuple(tablebase.probe(Position(game, states[k])))


