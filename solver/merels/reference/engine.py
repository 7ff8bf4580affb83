"""The rules of play: which turns are legal, what a turn leads to, and when a game is over.

Follows the rule book section by section; speed is no aim. Values and distances belong to `retrograde`.
"""

from __future__ import annotations

from collections.abc import Iterator

from merels.reference.memory import Different, Free, NoImmediate
from merels.state import State, Turn, mask_of, points_of
from merels.variants import Variant


class Engine:
    """The rules of one variant, applied to bare states.

    Parameters
    ----------
    variant : Variant
    """

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.rules = variant.rules
        self.players = variant.rules.players
        self.full = (1 << variant.board.size) - 1
        self.lines = variant.board.line_masks
        self.lines_through = [[line for line in self.lines if line >> point & 1] for point in range(variant.board.size)]
        self.hops_from: list[list[tuple[int, int]]] = [[] for _ in range(variant.board.size)]
        for hop in variant.hops:
            self.hops_from[hop.source].append((hop.target, hop.between))
        self.repeated_mills = {
            "free": Free(),
            "no-immediate": NoImmediate(self._closes_by_moving),
            "different": Different(),
        }[self.rules.repeat_mill]

    def start(self) -> State:
        """The start position."""
        memory = None if self.rules.repeat_mill == "free" else (None,) * self.players
        if self.rules.start is None:
            return State(0, (0,) * self.players, (self.rules.men,) * self.players, memory)
        index = self.variant.board.index
        stones = tuple(mask_of([index[label] for label in labels]) for labels in self.rules.start)
        return self.settle(State(0, stones, (0,) * self.players, memory))

    # -------------------------------------------------------------------------------------------------- legal turns

    def turns(self, state: State) -> list[Turn]:
        """All legal turns; none where the game is over."""
        if self._decided(state):
            return []
        turns = []
        for source, target, closed in self._actions(state):
            stones = self._after_action(state, source, target)
            for removals in self._removal_sets(stones, state.to_move, self._removals_earned(len(closed))):
                turns.append(Turn(source, target, removals))
        return turns

    def _actions(self, state: State) -> Iterator[tuple[int | None, int, list[int]]]:
        """The legal actions of the player to move, each with the mills that it closes."""
        player = state.to_move
        remembered = state.memory and state.memory[player]
        for source, target in self._placings_and_moves(state):
            closed = self._mills_at(self._after_action(state, source, target)[player], target)
            if not self.repeated_mills.bars(remembered, source, target, closed):
                yield source, target, closed

    def _placings_and_moves(self, state: State) -> Iterator[tuple[int | None, int]]:
        """Whether a player places or moves is judged by its own hand alone."""
        player = state.to_move
        if state.hands[player] > 0:
            for target in points_of(self._empty(state)):
                yield None, target
        if state.hands[player] == 0 or self.rules.placing == "place-or-move":
            for source in points_of(state.stones[player]):
                for target in self._targets(state, player, source):
                    yield source, target

    def _targets(self, state: State, player: int, source: int) -> list[int]:
        """Where the movement lets a stone of the player go; flying counts the stones in hand."""
        empty = self._empty(state)
        if self.rules.flying and state.total(player) == self.rules.flying:
            return points_of(empty)
        return [target for target, between in self.hops_from[source] if empty >> target & 1 and between & ~empty == 0]

    def _after_action(self, state: State, source: int | None, target: int) -> tuple[int, ...]:
        """The stones of all players after the action, before any removal."""
        own = state.stones[state.to_move] | 1 << target
        if source is not None:
            own ^= 1 << source
        return (*state.stones[: state.to_move], own, *state.stones[state.to_move + 1 :])

    def _removals_earned(self, mills: int) -> int:
        if self.rules.mill == "win":
            return 0
        return min(mills, 1) if self.rules.removals == "one" else mills

    def _removal_sets(self, stones: tuple[int, ...], player: int, earned: int) -> list[tuple[int, ...]]:
        """Every set of removals once, in the lowest order in which each is legal.

        Orders are tried from the lowest on, so the first one found for a set is the one that names it.
        """
        if not earned:
            return [()]
        found: dict[frozenset[int], tuple[int, ...]] = {}

        def extend(stones: tuple[int, ...], taken: tuple[int, ...]) -> None:
            candidates = self._removable(stones, player) if len(taken) < earned else []
            if not candidates:
                found.setdefault(frozenset(taken), taken)
            for point in candidates:
                extend(_without(stones, 1 << point), (*taken, point))

        extend(stones, ())
        return list(found.values())

    def _removable(self, stones: tuple[int, ...], player: int) -> list[int]:
        """The opponents' stones that may be taken, protection judged for each opponent."""
        removable = 0
        for opponent, theirs in enumerate(stones):
            if opponent != player:
                loose = theirs & ~self._in_mills(theirs)
                protection = self.rules.protection
                everything = protection == "none" or (protection == "mills-unless-all" and not loose)
                removable |= theirs if everything else loose
        return points_of(removable)

    # -------------------------------------------------------------------------------------------------------- play

    def play(self, state: State, turn: Turn) -> State:
        """The state after a legal turn."""
        player = state.to_move
        stones = self._after_action(state, turn.source, turn.target)
        own = stones[player]
        hands = state.hands
        if turn.source is None:
            hands = (*hands[:player], hands[player] - 1, *hands[player + 1 :])
        if turn.removals:
            stones = _without(stones, mask_of(turn.removals))
        after = State((player + 1) % self.players, stones, hands)
        if state.memory is not None:
            closed = self._mills_at(own, turn.target)
            opened = [] if turn.source is None else self._mills_at(state.stones[player], turn.source)
            memory = list(state.memory)
            memory[player] = self.repeated_mills.after(memory[player], turn.source, turn.target, opened, closed)
            after = self.forget(after._replace(memory=tuple(memory)))
        return self.settle(after)

    @staticmethod
    def is_quiet(turn: Turn) -> bool:
        """Whether the turn counts for `quiet_limit`: no stone is placed and none taken. (Where a mill wins, the game is over anyway.)"""
        return turn.source is not None and not turn.removals

    def forget(self, state: State) -> State:
        """The state without memory that can no longer forbid anything."""
        if state.memory is None:
            return state
        kept = [self.repeated_mills.keep(remembered, state, player) for player, remembered in enumerate(state.memory)]
        return state._replace(memory=tuple(kept))

    def settle(self, state: State) -> State:
        """With three players: take those off the board that are out, and let the next one be to move.

        Fewer than three stones is judged for everyone at the end of a turn; no legal turn when a player's turn comes.
        """
        if self.players == 2:
            return state
        for player in range(self.players):
            if state.total(player) < 3:
                state = self._take_off(state, player)
        while sum(state.total(player) > 0 for player in range(self.players)) > 1:
            player = state.to_move
            if state.total(player) == 0:
                state = state._replace(to_move=(player + 1) % self.players)
                continue
            full = self._full_board(state)
            if self.rules.full_board == "draw" if full else any(self._actions(state)):
                return state
            state = self._take_off(state, player)
        survivors = [player for player in range(self.players) if state.total(player) > 0]
        return state._replace(to_move=survivors[0]) if survivors else state

    @staticmethod
    def _take_off(state: State, player: int) -> State:
        stones = tuple(0 if owner == player else theirs for owner, theirs in enumerate(state.stones))
        hands = tuple(0 if owner == player else hand for owner, hand in enumerate(state.hands))
        return state._replace(stones=stones, hands=hands)

    # ---------------------------------------------------------------------------------------------------- game end

    def outcome(self, state: State) -> str | None:
        """How the game has ended for the player to move, or None while it goes on.

        Returns
        -------
        {"win", "draw", "loss"} or None
            With three players "win" tells that the player to move is the last one left.
        """
        decided = self._decided(state)
        if decided:
            return decided
        return None if any(self._actions(state)) else self.rules.stalemate

    def _decided(self, state: State) -> str | None:
        """The outcome, where it can be told without looking for turns.

        **[choice]** Where both players have lost by the stones they have, it is judged for the player to move first.
        """
        player = state.to_move
        others = [other for other in range(self.players) if other != player]
        if self.players == 3:
            if state.total(player) < 3:
                return "loss"
            if not any(state.total(other) for other in others):
                return "win"
        elif self.rules.mill == "win":
            if self._in_mills(state.stones[others[0]]):
                return "loss"
        elif state.total(player) < 3:
            return "loss"
        elif state.total(others[0]) < 3:
            return "win"
        return self.rules.full_board if self._full_board(state) else None

    def _full_board(self, state: State) -> bool:
        return not self._empty(state) and not any(state.hands)

    # ------------------------------------------------------------------------------------------------------- perft

    def perft(self, state: State, depth: int) -> int:
        """Number of sequences of `depth` legal turns."""
        if depth == 0:
            return 1
        turns = self.turns(state)
        if depth == 1:
            return len(turns)
        return sum(self.perft(self.play(state, turn), depth - 1) for turn in turns)

    # ------------------------------------------------------------------------------------------------------ helpers

    def _empty(self, state: State) -> int:
        """The empty points."""
        empty = self.full
        for theirs in state.stones:
            empty &= ~theirs
        return empty

    def _mills_at(self, stones: int, point: int) -> list[int]:
        """The mills of these stones on the lines through a point."""
        return [line for line in self.lines_through[point] if stones & line == line]

    def _in_mills(self, stones: int) -> int:
        """Those of the stones that stand in mills."""
        standing = 0
        for line in self.lines:
            if stones & line == line:
                standing |= line
        return standing

    def _closes_by_moving(self, state: State, player: int, source: int, target: int) -> bool:
        """Whether the player could move so, were it to move, and would close a mill."""
        own = state.stones[player]
        must_place = state.hands[player] > 0 and self.rules.placing == "place-only"
        if must_place or not own >> source & 1 or target not in self._targets(state, player, source):
            return False
        return bool(self._mills_at(own ^ 1 << source | 1 << target, target))


def _without(stones: tuple[int, ...], taken: int) -> tuple[int, ...]:
    return tuple(theirs & ~taken for theirs in stones)
