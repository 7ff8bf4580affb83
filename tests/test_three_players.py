"""The game for three: values of every position of small boards against the plain analysis, files, and the commands."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result

from merels.counting import Counter
from merels.endings import ending_variant
from merels.errors import InputError, MissingTableError
from merels.indexing import geometry
from merels.position import Position, engine
from merels.reference.triple_retrograde import Representative, all_triples, solve_triples
from merels.retrograde import triple_sweeps
from merels.retrograde.build import build
from merels.retrograde.plan import plan_build
from merels.retrograde.verification import verify
from merels.retrograde.workers import Workers
from merels.state import State
from merels.tables import Store, Tablebase, TripleTablebase
from merels.triples import Seat, Triple, TripleGraph
from merels.variants import variant

Answer = Callable[..., str]


def ring(points: int) -> list[str]:
    """TOML of a board: points in a circle, any three in succession are a line."""
    labels = [f"a{k}" for k in range(1, points + 1)]
    lines = ["-".join(labels[(k + i) % points] for i in range(3)) for k in range(points)]
    places = [f"{label} = [{k}, {k * (points - k)}]" for k, label in enumerate(labels)]
    return [f'name = "ring{points}"', f"lines = {json.dumps(lines)}", "[board.points]", *places]


def ladder(rungs: int) -> list[str]:
    """TOML of a board: two rows with a rung at each point."""
    lines = [f"{c}{k}-{c}{k + 1}-{c}{k + 2}" for c in "ab" for k in range(1, rungs - 1)]
    edges = [f"{c}{k}-{c}{k + 1}" for c in "ab" for k in range(1, rungs)] + [f"a{k}-b{k}" for k in range(1, rungs + 1)]
    places = [f"{c}{k} = [{'ab'.index(c)}, {k}]" for c in "ab" for k in range(1, rungs + 1)]
    return [f'name = "ladder{rungs}"', f"lines = {json.dumps(lines)}", f"edges = {json.dumps(edges)}", "[board.points]", *places]


BOARDS = {"ring10": ring(10), "ring11": ring(11), "ring12": ring(12), "ladder5": ladder(5)}
GAMES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "stepping": ("ring10", "3-3-3-0-0-0", {"flying": 0}),
    "flying": ("ring11", "3-3-3-0-0-0", {"flying": 3}),
    "ladder": ("ladder5", "3-3-3-0-0-0", {"flying": 0, "protection": "none"}),
}
LARGER: dict[str, tuple[str, str, dict[str, Any]]] = {
    "two-mills": ("ring12", "4-3-3-0-0-0", {"men": 4, "flying": 4, "removals": "per-mill", "protection": "mills"}),
    "four-and-three": ("ring12", "3-4-3-0-0-0", {"men": 4, "flying": 3}),
}
"""With removals that leave all three in, and turns that close two mills."""


def game_file(folder: Path, board: str, rules: dict[str, Any]) -> Path:
    path = folder / f"{board}-three.toml"
    parameters = [f"{key} = {json.dumps(value)}" for key, value in {"men": 3, "players": 3, **rules}.items()]
    text = [f'name = "{board}-three"', "[rules]", *parameters, "[board]", *BOARDS[board]]
    path.write_text("\n".join(text) + "\n", encoding="utf-8")
    return path


def built(folder: Path, board: str, name: str, rules: dict[str, Any]) -> Store:
    game = variant(game_file(folder, board, rules))
    store = Store(folder, game)
    build(game, store, plan_build(game, subspaces=[name]), jobs=2)
    return store


@pytest.fixture(scope="session")
def stepping(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A finished store of a small game; not to be changed."""
    return built(tmp_path_factory.mktemp("three"), *GAMES["stepping"])


def differences(store: Store) -> list[str]:
    """Every cell of every table whose value is not the one that the plain engine finds for its position."""
    game, found = store.variant, []
    seats = [seat for unit in store.units() for seat in unit.subspaces]
    representative, settle = Representative(game), engine(game).settle
    cells: dict[Triple, list[tuple[State, int]]] = {}
    for triple in {seat.triple for seat in seats}:
        space = geometry(game).triples(*triple.board)
        states = (settle(State(0, space.position(*place), (0, 0, 0), None)) for place in np.ndindex(space.shape))
        cells[triple] = [representative(state) for state in states]
    values = solve_triples(game, {state for states in cells.values() for state, _ in states})
    for seat in seats:
        table = store.read(seat)
        for code, (same, turned) in zip(table.values.tolist(), cells[seat.triple], strict=True):
            value = ("hold", None) if code == table.draw else ("win" if code % 2 else "loss", code // 2)
            if value != values[same][(seat.role - turned) % 3]:
                found.append(f"{seat.name} {same}: {value}, should be {values[same][(seat.role - turned) % 3]}")
    return found


def check(store: Store) -> None:
    assert differences(store) == []
    report = verify(store.variant, store, jobs=2)
    assert report.findings == [] and report.proven and report.positions > 0
    counter = Counter(store.variant)
    for unit in store.manifest()["units"].values():
        for name, record in unit["subspaces"].items():
            assert record["positions"] == counter.positions(*Triple.parse(name.rpartition("-")[0]).board), name


@pytest.mark.parametrize("name", GAMES)
def test_every_position_has_the_values_of_the_plain_analysis(name: str, tmp_path: Path) -> None:
    check(built(tmp_path, *GAMES[name]))


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGER)
def test_every_position_with_four_men_has_the_values_of_the_plain_analysis(name: str, tmp_path: Path) -> None:
    check(built(tmp_path, *LARGER[name]))


@pytest.mark.parametrize("name", LARGER)
def test_values_with_four_men_are_the_best_over_the_turns_of_the_plain_engine(name: str, tmp_path: Path) -> None:
    """The tables are right if `verify` says so; that it looks at the right turns is seen here, on positions of all subspaces."""
    store = built(tmp_path, *LARGER[name])
    assert verify(store.variant, store, jobs=2).findings == []
    board, settle, left_in, two_taken = geometry(store.variant), engine(store.variant).settle, 0, 0
    score = {"win": lambda plies: 1000 - plies, "draw": lambda _: 0, "loss": lambda plies: plies - 1000}
    with TripleTablebase(store) as tables:
        for triple in (Triple(3, 3, 3), Triple(4, 3, 3), Triple(3, 4, 3), Triple(3, 3, 4)):
            space = board.triples(*triple.board)
            for cell in range(0, space.slots, space.slots // 400):
                state = State(0, space.position(*divmod(cell, space.shape[1])), (0, 0, 0), None)
                position = Position(store.variant, state)
                if settle(state) != state or not any(turn.removals for turn in position.turns()):
                    continue
                turns = tables.probe_turns(position)
                for player, worth in enumerate(tables.probe(position)):
                    scores = [score[turn.worths[player].value](turn.worths[player].dtw) for turn in turns]
                    assert score[worth.value](worth.dtw) == (max if player == 0 else min)(scores), position
                left_in += any("x" in turn.turn and all(turn.position.state.stones) for turn in turns)
                two_taken += any(turn.turn.count("x") == 2 for turn in turns)
    assert left_in > 5 and (two_taken > 5) == (name == "two-mills"), (left_in, two_taken)


def test_the_named_game_ends_in_tables_of_spatial() -> None:
    three = variant("spatial-three")
    assert ending_variant(three) == variant("spatial")
    assert ending_variant(variant("spatial-three", men=4)) == variant("spatial")
    other = ending_variant(variant("spatial-three", rules={"flying": "0"}))
    assert (other.name, other.rules.players, other.rules.men) == ("spatial-three+flying=0+players=2", 2, 6)
    graph = TripleGraph(three)
    plan = plan_build(three, moving=True, stones=9)
    assert [unit.unit.name for unit in plan.units] == ["3-3-3-0-0-0"]
    assert [unit.unit.name for unit in plan.endings.units] == ["3-3-0-0"]
    assert plan.units[0].slots == 3 * np.prod(geometry(three).triples(3, 3, 3).shape)
    assert graph.unit(Triple(4, 3, 3)) == graph.unit(Triple(3, 3, 4)) != graph.unit(Triple(3, 5, 4))
    assert [unit.unit.name for unit in plan_build(three, subspaces=["3-4-3-0-0-0"]).units] == ["3-3-3-0-0-0", "4-3-3-0-0-0"]


def test_cells_that_hold_the_same_position_are_found_from_each(stepping: Store) -> None:
    board = geometry(stepping.variant)
    space = board.triples(3, 3, 3)
    cells = np.arange(space.shape[0] * space.shape[1])
    sets = np.array([space.position(*divmod(int(cell), space.shape[1])) for cell in cells], np.uint32)
    rows, columns = space.locate(*sets.T)
    table = stepping.read(Seat(0, 3, 3, 3))
    assert (table.values[rows * space.shape[1] + columns] == table.values).all()
    turned = np.array([[sum(1 << (bit + 1) % 10 for bit in range(10) if int(x) >> bit & 1) for x in row] for row in sets], np.uint32)
    rows, columns = space.locate(*turned.T)
    assert (table.values[rows * space.shape[1] + columns] == table.values).all()


# --- what is asked of the tables


def test_a_forced_win_is_forced_whatever_the_others_do(stepping: Store) -> None:
    """Follow wins of White by its best turns and every answer of the others; and the defeats of Black by the others' best."""
    tables, seen = TripleTablebase(stepping), set()
    wins = [s for s in all_triples(stepping.variant, 3, 3, 3) if engine(stepping.variant).settle(s) == s]
    waiting = [p for p in (Position(stepping.variant, s) for s in wins[::29]) if tables.probe(p)[0].value == "win"]
    assert waiting
    while waiting:
        position = waiting.pop()
        worth = tables.probe(position)[0]
        assert worth.value == "win"
        if position in seen or worth.dtw == 0:
            continue
        seen.add(position)
        turns = tables.probe_turns(position)
        after = turns[:1] if position.state.to_move == 0 else turns
        assert max(turn.worths[0].dtw for turn in after) == worth.dtw
        waiting += [turn.position for turn in after]
    assert len(seen) > 20


def test_no_tables_with_stones_in_hand(answer: Answer, refusal: Callable[..., str], tmp_path: Path) -> None:
    assert "--reachable: the start" in refusal("estimate", "spatial-three", "--reachable")
    for arguments in (["estimate"], ["solve", "--store", tmp_path]):
        message = refusal(arguments[0], "spatial-three", *arguments[1:], code=1)
        assert "positions with stones in hand, and there are no tables of such" in message and "--moving --stones N" in message
        assert int(message.split(" has ")[1].split()[0].replace(",", "")) > 10**13
    assert "stones in hand" in refusal("solve", "spatial-three", "--subspace", "3-3-3-1-1-1", code=1)
    assert "expected six numbers" in refusal("solve", "spatial-three", "--subspace", "3-3-0-0")
    assert "tables are those of spatial" in refusal("solve", "spatial-three", "--subspace", "3-3-2-0-0-0")
    assert "6 men for each player" in refusal("solve", "spatial-three", "--subspace", "7-3-3-0-0-0")
    assert "leave it out" in refusal("solve", "spatial-three", "--moving", "--stones", 9, "--wdl")
    record = json.loads(answer("estimate", "spatial-three", "--moving", "--stones", 9, "--json"))
    assert record["moving"]["subspaces"] == 3 and record["moving"]["files"] == 1 and record["two players"]["files"] == 1
    assert record["moving"]["positions"] == 3 * Counter(variant("spatial-three")).positions(3, 3, 3)


def test_missing_tables_name_the_command_that_builds_them(refusal: Callable[..., str], tmp_path: Path) -> None:
    position = "w a11,a21,b33 b11,c22,c33 a33,b13,c11 0,0,0"
    message = refusal("query", "spatial-three", position, "--store", tmp_path, code=1)
    assert message.endswith(f"build it with: merels solve spatial-three --subspace 3-3-3-0-0-0 --store {tmp_path}")
    message = refusal("line", "spatial-three", "w a11,a21,b33 - a33,b13,c11 0,0,0", "--store", tmp_path, code=1)
    assert message.endswith(f"build it with: merels solve spatial --subspace 3-3-0-0 --store {tmp_path}")
    message = refusal("query", "spatial-three", "w a11,a21 - a33,b13,c11 1,0,0", "--store", tmp_path, code=1)
    assert message.endswith(f"build it with: merels solve spatial --subspace 2-3-1-0 --store {tmp_path}")
    assert "empty hands alone" in refusal("query", "spatial-three", "w a11,a21 b11,c22 a33,b13 4,4,4", "--store", tmp_path, code=1)
    assert "for two players only" in refusal("query", "spatial-three", position, "--search", 2, "--store", tmp_path)
    assert "for two players only" in refusal("stats", "spatial-three", "--reachable", "--store", tmp_path)
    with pytest.raises(InputError):
        Tablebase(Store(tmp_path, variant("spatial-three")))


def test_commands_build_show_and_verify(answer: Answer, merels: Callable[..., Result], tmp_path: Path) -> None:
    game = game_file(tmp_path, *GAMES["stepping"][::2])
    chosen = [game, "--store", tmp_path]
    text = answer("solve", *chosen, "--moving")
    assert "Solved 2 files of tables" in text
    assert json.loads(answer("solve", *chosen, "--moving", "--json"))["skipped"] == 2
    rows = json.loads(answer("stats", *chosen, "--json"))["subspaces"]
    assert [row["name"] for row in rows] == [f"3-3-3-0-0-0-{role}" for role in ("mover", "next", "previous")]
    for row in rows:
        assert (row["metric"], row["positions"]) == ("DTD", row["win"] + row["draw"] + row["loss"])
    assert rows[0]["win"] > 0 and rows[0]["draw"] > 0
    shown = answer("stats", *chosen, "--subspace", "3-3-3-0-0-0", "--histogram")
    assert shown.splitlines()[0].split()[0] == "subspace" and "Decided positions by distance" in shown
    verified = json.loads(answer("verify", *chosen, "--json"))
    assert (verified["findings"], verified["proven"], verified["units"]) == ([], True, 1)
    assert verified["endings"]["units"] == 1 and verified["endings"]["findings"] == 0

    position = "w a1,a2,a4 a5,a6,a8 a7,a9,a10 0,0,0"
    record = json.loads(answer("query", *chosen, position, "--json"))
    assert list(record["values"]) == ["w", "b", "r"] and record["turns"]
    best = record["turns"][0]["values"]["w"]
    assert best["value"] == record["values"]["w"]["value"]
    ranks = [("win", "hold", "beaten").index(turn["values"]["w"]["value"]) for turn in record["turns"]]
    assert ranks == sorted(ranks)
    text = answer("query", *chosen, position)
    assert text.count("White") >= 2 and "position after it" in text
    line = json.loads(answer("line", *chosen, position, "--json"))
    assert line["values"] == record["values"] and line["turns"][0] == record["turns"][0]["turn"]
    assert "has won" in answer("line", *chosen, position) or "go on for ever" in answer("line", *chosen, position)
    ended = answer("query", *chosen, "w a1,a2,a4 - a3,a9,a10 0,0,0")
    assert "Black is out." in ended

    command = merels("query", *chosen[:1], position, "--store", tmp_path / "none").stderr
    assert shlex.join(["merels", "solve", str(game), "--subspace", "3-3-3-0-0-0", "--store", str(tmp_path / "none")]) in command


def test_a_full_board_is_a_draw_for_all_without_a_table(answer: Answer, tmp_path: Path) -> None:
    squares = [f"{file}{rank} = [{'abc'.index(file)}, {rank}]" for file in "abc" for rank in (1, 2, 3)]
    lines = [f"{file}1-{file}2-{file}3" for file in "abc"] + [f"a{rank}-b{rank}-c{rank}" for rank in (1, 2, 3)]
    board = ['name = "square"', f"lines = {json.dumps(lines)}", "[board.points]", *squares]
    path = tmp_path / "full.toml"
    path.write_text("\n".join(['name = "full"', "[board]", *board, "[rules]", "men = 3", "players = 3"]))
    record = json.loads(answer("query", path, "w a1,b2,c3 a2,b3,c1 a3,b1,c2 0,0,0", "--store", tmp_path, "--json"))
    assert [worth["value"] for worth in record["values"].values()] == ["hold"] * 3 and record["turns"] == []


def test_line_ends_with_the_win_that_was_told(stepping: Store) -> None:
    from merels.triple_analysis import best_triple_line

    with TripleTablebase(stepping) as tables:
        states = [s for s in all_triples(stepping.variant, 3, 3, 3) if engine(stepping.variant).settle(s) == s]
        won = [p for p in (Position(stepping.variant, s) for s in states[::97]) if any(w.value == "win" for w in tables.probe(p))]
        assert won
        for position in won:
            winner, worth = next((k, w) for k, w in enumerate(tables.probe(position)) if w.value == "win")
            line = best_triple_line(tables, position, 0)
            assert line.position.outcome() == "win" and line.position.state.to_move == winner
            assert len(line.turns) <= worth.dtw


# --- files


@pytest.mark.slow
def test_two_bytes_a_value_tell_the_same(stepping: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(triple_sweeps, "_TURNS_IN_A_BYTE", 0)
    store = built(tmp_path, *GAMES["stepping"])
    for seat in store.units()[0].subspaces:
        wide, plain = store.read(seat), stepping.read(seat)
        assert wide.values.dtype == np.uint16 and wide.longest == plain.longest
        assert (np.where(wide.values == wide.draw, plain.draw, wide.values) == plain.values).all()
    assert verify(store.variant, store, jobs=1).findings == []


def test_verify_finds_a_wrong_value_and_damage(stepping: Store, tmp_path: Path) -> None:
    store = built(tmp_path, *GAMES["stepping"])
    (unit,) = store.units()
    assert store.path(unit).read_bytes() == stepping.path(unit).read_bytes()
    tables = {seat: store.read(seat) for seat in unit.subspaces}
    seat = unit.subspaces[1]
    values = tables[seat].values.copy()
    cell = int(np.flatnonzero(values == tables[seat].draw)[7])
    values[cell] = 2
    with Workers(1) as workers:
        store.write(unit, {**tables, seat: replace(tables[seat], values=values)}, workers)
    findings = verify(store.variant, store, jobs=1).findings
    assert any(f"(cell {cell})" in finding.problem and finding.table == seat.name for finding in findings)
    data = bytearray(store.path(unit).read_bytes())
    data[len(data) // 2] ^= 0xFF
    store.path(unit).write_bytes(data)
    assert verify(store.variant, store, jobs=1).findings
    store.endings.delete(store.endings.units()[0])
    with pytest.raises(MissingTableError):
        TripleTablebase(store).probe(Position.parse(store.variant, "w a1,a2,a4 - a3,a9,a10 0,0,0"))


def test_tables_are_read_only_for_their_rules(stepping: Store) -> None:
    other = replace(stepping.variant, rules=replace(stepping.variant.rules, protection="none"))
    from merels.errors import RuleMismatchError

    with pytest.raises(RuleMismatchError):
        Store(stepping.root, other)
