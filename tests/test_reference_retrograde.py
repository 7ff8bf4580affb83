"""The reference analysis: every value follows from its successors' values, and agrees with the facts."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from merels.position import Position, engine
from merels.reference.retrograde import Value, all_states, solve
from merels.reference.symmetry import Representatives
from merels.state import State
from merels.variants import Variant, variant

OPPOSITE = {"win": "loss", "draw": "draw", "loss": "win"}


def best_over_turns(game: Variant, state: State, values: Mapping[State, Value]) -> Value:
    """The value of a state by definition, from the values after its turns."""
    judge = engine(game)
    after = [values[judge.play(state, turn)] for turn in judge.turns(state)]
    if not after:
        outcome = judge.outcome(state)
        return outcome, None if outcome == "draw" else 0
    won = [dtw for value, dtw in after if value == "loss"]
    if won:
        return "win", 1 + min(won)
    if any(value == "draw" for value, _ in after):
        return "draw", None
    return "loss", 1 + max(dtw for _, dtw in after)


def moving(game: Variant, own: int, other: int) -> list[State]:
    return list(all_states(game, own, other))


# ------------------------------------------------------------------------------------------------------- consistency


class Reduced(dict):
    """Values of representatives, looked up for any state."""

    def __init__(self, game: Variant, values: Mapping[State, Value]) -> None:
        super().__init__(values)
        self._representative = Representatives(game)

    def __missing__(self, state: State) -> Value:
        return self[self._representative(state)]


@pytest.mark.parametrize(
    "name",
    [
        "three",
        "three-orthogonal",
        "three+mill=remove",
        "three+flying=3+mill=remove+placing=place-or-move",
        "three+full_board=loss+men=4+mill=remove+stalemate=draw",
        "three-orthogonal+men=4+mill=remove+repeat_mill=no-immediate",
    ],
)
def test_every_value_is_the_best_over_its_turns(name):
    game = variant(name)
    values = solve(game, [Position.start(game).state])
    assert all(best_over_turns(game, state, values) == value for state, value in values.items())
    assert len({value for value, _ in values.values()}) >= 2


@pytest.mark.parametrize(
    "name",
    [
        "three-orthogonal+men=4+mill=remove+repeat_mill=different",
        pytest.param(
            "three+men=4+mill=remove+protection=mills+removals=per-mill+repeat_mill=different", marks=pytest.mark.slow
        ),
    ],
)
def test_every_value_of_a_representative_is_the_best_over_its_turns(name):
    game = variant(name)
    values = Reduced(game, solve(game, [Position.start(game).state], reduce=True))
    assert all(best_over_turns(game, state, values) == value for state, value in values.items())


@pytest.mark.parametrize(
    "name",
    [
        "three",
        "three+mill=remove",
        "three-orthogonal+men=4+mill=remove+repeat_mill=no-immediate",
        pytest.param("three-orthogonal+men=4+mill=remove+repeat_mill=different", marks=pytest.mark.slow),
    ],
)
def test_representatives_have_the_values_of_all_they_stand_for(name):
    game = variant(name)
    start = [Position.start(game).state]
    representative, reduced = Representatives(game), solve(game, start, reduce=True)
    values = solve(game, start)
    assert all(reduced[representative(state)] == value for state, value in values.items())
    assert {representative(state) for state in values} == set(reduced)


def test_all_states_of_a_subspace_are_placements_with_white_to_move():
    states = list(all_states(variant("three"), 2, 1, 1, 2))
    assert len(set(states)) == len(states) == 36 * 7
    assert all(state.to_move == 0 and state.hands == (1, 2) and state.memory is None for state in states)
    assert next(all_states(variant("nine-norepeat"), 3, 3)).memory == (None, None)


def test_a_root_that_is_over_has_distance_zero():
    game = variant("nine")
    position = Position.parse(game, "b a1,a4 b2,b4,b6 0,0")
    assert solve(game, [position.state]) == {position.state: ("win", 0)}


def test_a_barred_return_changes_values():
    free = variant("three-orthogonal+men=4+mill=remove")
    barred = free.derive(repeat_mill="no-immediate")
    values, others = (solve(game, [Position.start(game).state], reduce=True) for game in (free, barred))
    unburdened = {state._replace(memory=None): value for state, value in others.items() if not any(state.memory)}
    assert any(values[state] != value for state, value in unburdened.items())


# ------------------------------------------------------------------------------------------------------------- facts


def check_samples(game: Variant, samples: list[dict], values: Mapping[State, Value]) -> None:
    representative = Representatives(game)
    for sample in samples:
        state = representative(Position.parse(game, sample["position"]).state)
        assert values[state] == (sample["wdl"], sample["dtw"]), sample["position"]


def check_game(facts, key: str) -> None:
    """Start value, values after every first turn, and samples of a game solved from the start."""
    said = facts("start_values")["starts"][key]
    game = variant(said["variant"], rules={rule: str(value) for rule, value in said["rules"].items()})
    start = Position.start(game)
    assert str(start) == said["position"]
    values = solve(game, [start.state], reduce=True)
    after = [{"position": str(start.play(turn)), **value} for turn, value in said["turns"].items()]
    check_samples(game, [said, *after, *facts("start_samples")["games"][key]["samples"]], values)


def check_three_against_three(facts, name: str) -> None:
    game = variant(name, rules={"men": "3"})
    check_samples(game, facts("samples")["samples"][name]["3-3"], solve(game, moving(game, 3, 3), reduce=True))


@pytest.mark.parametrize("key", ["three", "three-orthogonal"])
def test_three_is_solved_as_the_facts_tell(facts, key):
    check_game(facts, key)


@pytest.mark.slow
@pytest.mark.parametrize("key", ["nine men=3", "lasker men=3", "morabaraba men=3", "mlynek men=3", "spatial men=3"])
def test_games_of_three_men_are_solved_as_the_facts_tell(facts, key):
    check_game(facts, key)


@pytest.mark.parametrize("name", ["five", "six", "seven"])
def test_three_against_three_is_solved_as_the_facts_tell(facts, name):
    check_three_against_three(facts, name)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "nine",
        "nine-noflying",
        "nine-norepeat",
        "mlynek",
        "mlynek-different",
        "mlynek-knight",
        "mlynek-rook",
        "twelve",
        "spatial",
        "spatial-extended",
    ],
)
def test_three_against_three_on_large_boards_is_solved_as_the_facts_tell(facts, name):
    check_three_against_three(facts, name)


def test_counts_of_five_three_against_three_are_those_of_the_facts(facts):
    game = variant("five")
    said = facts("counts")["counts"]["five"]["3-3"]
    representative = Representatives(game)
    values = solve(game, moving(game, 3, 3), reduce=True)
    orbits = {representative(state) for state in moving(game, 3, 3)}
    found = [values[state] for state in orbits]
    assert len(orbits) == said["positions"]
    assert {kind: sum(value == kind for value, _ in found) for kind in OPPOSITE} == {
        kind: said[kind] for kind in OPPOSITE
    }
    assert max(dtw for value, dtw in found if value == "win") == said["maxdtw_win"]
    assert max(dtw for value, dtw in found if value == "loss") == said["maxdtw_loss"]
