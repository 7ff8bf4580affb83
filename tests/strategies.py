"""Hypothesis strategies for boards and positions."""

from __future__ import annotations

from hypothesis import strategies as st

from merels.boards import Board
from merels.position import Position, engine
from merels.state import State
from merels.variants import Variant, variant, variant_names

VARIANTS = st.sampled_from(variant_names()).map(variant)
TWO_PLAYERS = st.sampled_from([name for name in variant_names() if variant(name).rules.players == 2]).map(variant)


@st.composite
def played(draw: st.DrawFn, games: st.SearchStrategy[Variant] = VARIANTS, plies: int = 60) -> Position:
    """A position reached by random turns from the start; mills are closed more often than chance would."""
    game = draw(games)
    position = Position.start(game)
    random = draw(st.randoms(use_true_random=False))
    for _ in range(draw(st.integers(0, plies))):
        turns = engine(game).turns(position.state)
        closing = [turn for turn in turns if turn.removals]
        if not turns:
            break
        turn = random.choice(closing if closing and random.random() < 0.5 else turns)
        position = Position(game, engine(game).play(position.state, turn))
    return position


@st.composite
def placed(draw: st.DrawFn, games: st.SearchStrategy[Variant] = TWO_PLAYERS) -> Position:
    """A random placement of two players' stones, reachable or not, with nothing remembered."""
    game = draw(games)
    men, size = game.rules.men, game.board.size
    points = draw(st.permutations(range(size)))
    own, other = draw(st.integers(0, men)), draw(st.integers(0, men))
    hands = (0, 0)
    if game.rules.placing != "none":
        hands = (draw(st.integers(0, men - own)), draw(st.integers(0, men - other)))
    stones = (sum(1 << p for p in points[:own]), sum(1 << p for p in points[own : own + other]))
    memory = None if game.rules.repeat_mill == "free" else (None, None)
    return Position(game, State(draw(st.integers(0, 1)), stones, hands, memory))


@st.composite
def small_boards(draw: st.DrawFn, largest: int = 6) -> Board:
    """A board of a few points with arbitrary lines and edges."""
    labels = [f"a{k}" for k in range(1, draw(st.integers(3, largest)) + 1)]
    stroke = st.permutations(labels).map(lambda order: order[:3])
    lines = draw(st.lists(stroke, max_size=4, unique_by=frozenset))
    edge = st.permutations(labels).map(lambda order: order[:2])
    edges = draw(st.none() | st.lists(edge, max_size=6, unique_by=frozenset))
    return Board.build("drawn", {label: (1, k) for k, label in enumerate(labels)}, lines, edges)
