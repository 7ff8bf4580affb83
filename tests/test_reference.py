"""The reference engine plays by the rule book: perft, turn lists and games of the facts, then rule after rule."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from merels.boards import Board
from merels.position import Position, engine
from merels.reference.symmetry import Representatives, exchange_colours
from merels.rules import Rules
from merels.state import Turn, points_of
from merels.variants import Variant, variant, variant_names
from strategies import TWO_PLAYERS, placed, played


def parse(text: str, name: str = "nine", **rules: str) -> Position:
    return Position.parse(variant(name, rules=rules), text)


def tokens(position: Position) -> list[str]:
    return [position.token(turn) for turn in position.turns()]


# ------------------------------------------------------------------------------------------------------------- facts


@pytest.mark.parametrize("name", variant_names())
def test_start_is_that_of_the_facts(facts, name):
    assert str(Position.start(variant(name))).removesuffix(" -") == facts("boards")["variants"][name]["start"]


@pytest.mark.parametrize("name", variant_names())
def test_perft_from_the_start_is_that_of_the_facts(facts, name):
    start = Position.start(variant(name))
    for depth, count in facts("perft")["perft"][name].items():
        if count < 100_000:
            assert start.perft(int(depth)) == count


@pytest.mark.slow
@pytest.mark.parametrize("name", variant_names())
def test_deep_perft_from_the_start_is_that_of_the_facts(facts, name):
    start = Position.start(variant(name))
    assert {str(depth): start.perft(depth) for depth in range(1, 5)} == facts("perft")["perft"][name]


def test_turns_perft_and_outcome_of_hand_picked_positions_are_those_of_the_facts(facts):
    for said in facts("edge_positions")["positions"]:
        position = parse(said["position"], said["variant"], **said["rules"])
        assert tokens(position) == said["turns"], said["note"]
        assert {depth: position.perft(int(depth)) for depth in said["perft"]} == said["perft"], said["note"]
        assert position.outcome() == said.get("value_without_turns"), said["note"]


def test_games_go_as_the_facts_tell(facts):
    for play in facts("edge_positions")["plays"]:
        position = parse(play["position"], play["variant"], **play["rules"])
        for step in play["steps"]:
            position = position.play(step["turn"])
            assert str(position) == step["position"], play["note"]
            assert tokens(position) == step["turns"], play["note"]


# -------------------------------------------------------------------------------------------------------- properties


@settings(deadline=None, max_examples=60)
@given(played())
def test_play_keeps_stones_apart_and_counts_them(position):
    state, game = position.state, engine(position.variant)
    for turn in game.turns(state)[:30]:
        after = game.play(state, turn)
        assert sum(own.bit_count() for own in after.stones) == sum(after.stones).bit_count()
        assert max(map(after.total, range(len(after.hands)))) <= position.variant.rules.men
        if position.variant.rules.players == 2:
            lost = state.total(after.to_move) - after.total(after.to_move)
            assert lost == len(turn.removals)


@settings(deadline=None, max_examples=60)
@given(played())
def test_turns_end_exactly_with_the_game(position):
    assert (position.outcome() is None) == bool(position.turns())


@settings(deadline=None, max_examples=60)
@given(played(TWO_PLAYERS))
def test_images_of_a_position_have_the_images_of_its_successors(position):
    representative, game = Representatives(position.variant), engine(position.variant)

    def successors(state):
        return sorted(map(repr, (representative(game.play(state, turn)) for turn in game.turns(state))))

    expected = successors(position.state)
    for image in [*representative.images(position.state), exchange_colours(position.state)]:
        assert representative(image) == representative(position.state)
        assert game.outcome(image) == game.outcome(position.state)
        assert successors(image) == expected


@settings(deadline=None, max_examples=60)
@given(placed())
def test_a_representative_is_its_own_representative(position):
    representative = Representatives(position.variant)
    assert representative(representative(position.state)) == representative(position.state)


# ------------------------------------------------------------------------------------------------- turns, rule by rule


def test_a_mill_that_is_already_there_earns_nothing():
    assert not any(turn.removals for turn in parse("w a1,a4,a7 b4,d2 6,6").turns())


def test_a_stone_may_not_slide_along_the_line_it_leaves_to_close_it():
    assert "d5-d6" not in tokens(parse("w a7,d5,d6,g7 a1,d1,g1 0,0"))


def test_protection_mills_lets_a_turn_end_without_removal():
    position = parse("w a7,c3,g7 a1,d1,g1 6,6", protection="mills")
    assert "d7" in tokens(position)
    assert not any(turn.removals for turn in position.turns())


def test_removals_per_mill_stop_where_nothing_is_removable():
    assert "d7xb4" in tokens(parse("w a7,d5,d6,g7 a1,b4,d1,g1 5,5", removals="per-mill", protection="mills"))


def test_both_removals_are_made_even_below_three_stones():
    position = parse("w a7,d5,d6,g7 b4,f2,g1 5,0", removals="per-mill")
    assert "d7xb4xf2" in tokens(position)
    assert position.play("d7xb4xf2").outcome() == "loss"


def test_stones_in_hand_are_never_removed():
    assert str(parse("w a7,g7 b4 7,8").play("d7xb4")) == "b a7,d7,g7 - 6,8"


def test_flying_needs_exactly_the_number_of_stones_hand_included():
    assert "a7-g1" in tokens(parse("w a7,d6,g7 b4,b6,d2,f4 0,2", "lasker"))
    assert "a7-g1" not in tokens(parse("w a7,d6,g7 b4,b6,d2,f4 1,2", "lasker"))
    assert "a7-g1" not in tokens(parse("w a7,d6,g7 b4,b6,d2,f4 0,2", "lasker", flying="0"))
    assert "a7-g1" in tokens(parse("w a7,d6,g7,f2 b4,b6,d2,f4 0,2", "lasker", flying="4"))
    assert "a7-g1" not in tokens(parse("w a7,d6,g7 b4,b6,d2,f4 0,2", "lasker", flying="4"))


def test_whether_a_player_places_is_judged_by_its_own_hand():
    assert "a7-a4" in tokens(parse("w a7,d6,g4,g7 b4 0,8"))
    assert set(tokens(parse("b a7,d6,g4,g7 b4 0,8"))) & {"a4", "b4-a4"} == {"a4"}


# ---------------------------------------------------------------------------------------------------------- game end


@pytest.mark.parametrize(
    ("name", "text", "outcome"),
    [
        ("nine", "w a1,a4 b2,b4,b6 0,0", "loss"),
        ("nine", "b a1,a4 b2,b4,b6 0,0", "win"),
        ("nine", "w a1,a4 b2,b4 0,0", "loss"),
        ("nine", "w a1,a4 b2,b4,b6 1,0", None),
        ("three", "w a1,b1 a2,b2 0,0", None),
        ("three", "w a1,b2,c3 a2,b1,c1 0,0", None),
        ("three", "b a1,b2,c3 a2,b1,c1 0,0", "loss"),
        ("three-orthogonal", "w a1,a2,a3 c1,c2,c3 0,0", "loss"),
        ("nine", "w a1,a4,d1,g1 a7,b4,d2,g4 0,0", "loss"),
        ("mlynek", "w a1,a4,d1,g1 a7,b4,d2,g4 0,0", "draw"),
    ],
)
def test_outcome_is_told_for_the_player_to_move(name, text, outcome):
    position = parse(text, name)
    assert position.outcome() == outcome
    assert bool(position.turns()) == (outcome is None)


FULL = "w a1,a7,b4,c3,c5,d2,d5,d7,e4,f2,f6,g4 a4,b2,b6,c4,d1,d3,d6,e3,e5,f4,g1,g7 0,0"


@pytest.mark.parametrize(("full_board", "stalemate"), [("draw", "loss"), ("loss", "draw")])
def test_a_full_board_is_judged_before_stalemate(full_board, stalemate):
    assert parse(FULL, "twelve", full_board=full_board, stalemate=stalemate).outcome() == full_board


# ------------------------------------------------------------------------------------------------------ repeated mills


def test_the_return_is_barred_for_one_turn_only():
    position = parse("w a7,c3,d7,g7 b6,d2,e4,f6 0,0 -", "nine-norepeat").play("a7-a4").play("b6-b4")
    assert "a4-a7xb4" not in tokens(position)
    position = position.play("c3-c4").play("b4-b6")
    assert "a4-a7xb6" in tokens(position)


def test_another_stone_may_close_the_mill_at_once():
    position = parse("w a4,b4,d7,g7 b6,d2,e4,f6 0,0 b4-a7/-", "nine-norepeat", flying="4")
    assert "a4-a7xb6" in tokens(position)
    assert "b4-a7xb6" not in tokens(position)


def test_a_return_that_closes_no_mill_is_free():
    position = parse("w a7,c3,d7,g4 b6,d2,e4,f6 0,0 -", "nine-norepeat").play("a7-a4").play("b6-b4")
    assert "a4-a7" in tokens(position)


def test_the_return_is_barred_even_if_the_opening_closed_another_mill():
    position = parse("w a7,b4,c4,d7,g7 b6,d2,e4,f6 0,0 -", "nine-norepeat").play("a7-a4xb6")
    assert str(position).endswith(" a4-a7/-")
    assert "a4-a7xd1" not in tokens(position.play("d2-d1"))


def test_memory_ends_when_the_point_is_taken_or_a_stone_of_the_mill_is_gone():
    position = parse("w a4,c3,d7,g7 b6,d2,e4,a1 0,0 a4-a7/-", "nine-norepeat", flying="4")
    black = Position(position.variant, position.state._replace(to_move=1))
    assert str(black.play("b6-a7")).endswith(" -")
    assert str(black.play("b6-b4")).endswith(" a4-a7/-")
    black = parse("b a4,c3,d7,g7 b6,d6,f4,e3 0,0 a4-a7/-", "nine-norepeat")
    assert str(black.play("f4-f6xd7")).endswith(" -")
    assert str(black.play("f4-f6xc3")).endswith(" a4-a7/-")


def test_memory_ends_when_the_rook_finds_its_way_blocked():
    game = variant("nine-norepeat", rules={"movement": "rook"})
    black = Position.parse(game, "w a7,d7,g7,c3 b4,f2,e4,d1 0,0 -").play("a7-a1")
    assert str(black).endswith(" a1-a7/-")
    assert str(black.play("b4-a4")).endswith(" -")
    assert str(black.play("b4-b6")).endswith(" a1-a7/-")


def test_memory_ends_when_the_stone_can_no_longer_fly_back():
    game = variant("nine-norepeat", rules={"flying": "4"})
    black = Position.parse(game, "w a7,d7,g7,c3 b2,f2,d1,e4,e5 0,0 -").play("a7-f4")
    assert str(black).endswith(" f4-a7/-")
    assert str(black.play("d1-d2xc3")).endswith(" -")


@pytest.mark.parametrize("stalemate", ["loss", "draw"])
def test_a_player_whose_every_turn_is_barred_is_stalemated(stalemate):
    """Knights: c4-a7 is White's only move."""
    stones = "w c4,d7,g7 a1,a4,c5,d1,d5,e3,e4,e5,g1 0,0"
    rules = {"movement": "knight", "flying": "0", "stalemate": stalemate}
    assert tokens(parse(f"{stones} -", "nine-norepeat", **rules))[0] == "c4-a7xa4"
    barred = parse(f"{stones} c4-a7/-", "nine-norepeat", **rules)
    assert barred.turns() == []
    assert barred.outcome() == stalemate


def test_the_same_stones_may_close_another_line_and_then_the_first_again():
    position = parse("w a4,d7,g7 b6,d2,e4,f6 0,0 a7,d7,g7=a4,d7,g7/-", "mlynek-different")
    assert "a4-a7xb6" not in tokens(position)
    position = position.play("d7-g1").play("b6-b4").play("a4-g4xb4")
    assert str(position).split()[-1] == "g1,g4,g7=g1,g4,g7/-"


def test_mills_closed_by_placing_are_remembered():
    position = parse("w a7,d7 b6,f2 1,1 -", "mlynek-different").play("g7xb6")
    assert str(position) == "b a7,d7,g7 f2 0,1 a7,d7,g7=a7,d7,g7/-"


def test_both_mills_of_a_turn_are_remembered_until_a_stone_of_them_is_gone():
    position = parse("w a7,d5,d6,g7 c4,e3,f4,g4,b2,f2 1,0 -", "mlynek-different").play("d7xb2xf2")
    assert str(position).split()[-1] == "a7,d7,g7=a7,d7,g7+d5,d6,d7=d5,d6,d7/-"
    closing = "e4,f4,g4=e4,f4,g4"
    assert str(position.play("e3-e4xd5")).split()[-1] == f"a7,d7,g7=a7,d7,g7/{closing}"
    assert str(position.play("e3-e4xd7")).split()[-1] == f"-/{closing}"


# ------------------------------------------------------------------------------------------------------- three players


def test_protection_is_judged_for_each_opponent():
    position = parse("w a11,b11,c12,c33 a31,b31,c31,c22 a13,b13,c13 0,0,0", "spatial-three")
    assert {token for token in tokens(position) if "x" in token} == {
        f"c12-c11x{taken}" for taken in ("a13", "b13", "c13", "c22")
    }


def test_red_moves_third_and_white_again():
    position = Position.start(variant("spatial-three"))
    movers = []
    for token in ("a11", "a12", "a13", "a21"):
        movers.append(str(position)[0])
        position = position.play(token)
    assert movers == ["w", "b", "r", "w"]


def test_the_last_of_two_players_left_wins():
    position = parse("w a11,b11,c12,c33 - a13,b13,c22 0,0,0", "spatial-three").play("c12-c11xa13")
    assert str(position) == "w a11,b11,c11,c33 - - 0,0,0"
    assert position.outcome() == "win"
    assert position.turns() == []


def test_two_removals_can_put_both_opponents_out():
    position = parse("w a11,b11,c21,c31 a32,b31,c13 a13,b13,a33 2,0,0", "spatial-three", removals="per-mill")
    assert str(position.play("c11xa13xa32")) == "w a11,b11,c11,c21,c31 - - 1,0,0"


def test_a_players_stones_in_hand_leave_with_it():
    position = parse("w a11,b11 a31 a13,b13,b22 4,2,3", "spatial-three").play("c11xa31")
    assert str(position) == "r a11,b11,c11 - a13,b13,b22 3,0,3"


def test_a_stone_that_leaves_frees_its_point_for_the_next_player():
    before = parse("w b11,b12,b13,b23 a11,a12,a13,a21 a22,a31,b21,c33 0,0,0", "spatial-three")
    after = before.play("b23-a23")
    index = after.variant.board.index
    assert Turn(index["a22"], index["a21"]) in after.turns()
    assert points_of(after.state.stones[1]) == []


def test_a_full_board_with_three_players_is_a_draw_or_puts_the_player_to_move_out():
    board = Board.build("row", {f"a{k}": (1, k) for k in range(1, 10)}, [])
    text = "w a1,a2,a3 a4,a5,a6 a7,a8,a9 0,0,0"
    draw = Variant("row", board, Rules(men=3, players=3, flying=0))
    assert Position.parse(draw, text).outcome() == "draw"
    loss = Variant("row", board, Rules(men=3, players=3, flying=3, full_board="loss"))
    assert str(Position(loss, engine(loss).settle(Position.parse(draw, text).state))).startswith(
        "b - a4,a5,a6 a7,a8,a9"
    )
