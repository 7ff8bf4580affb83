"""Tablebase: values of positions, looked up in the finished tables of one variant.

Where a game is over the rules answer; every other value comes out of a table of the very rules, or there is an error.
What lies in which file is a matter of `store`, how arrays of positions are looked up one of `lookup`.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from merels.errors import InputError
from merels.machine import processors
from merels.position import Position
from merels.solvable import require_quiet_limit, require_solvable, require_two_players
from merels.subspaces import Subspace
from merels.tables.lookup import CACHE_BYTES, Lookup
from merels.tables.metric import DTW
from merels.tables.origin import variant_of
from merels.tables.quiet import QuietLookup
from merels.tables.reading import TableFile
from merels.tables.schema import ENDING
from merels.tables.store import Store
from merels.variants import Variant
from merels.variants import variant as variant_named

if TYPE_CHECKING:
    from merels.tables.triplebase import TripleTablebase

_AFTER_TURN = {"win": "loss", "draw": "draw", "loss": "win"}
_RANK = {"win": 0, "draw": 1, "loss": 2}


class Probe(NamedTuple):
    """What a position is worth to the player to move.

    Attributes
    ----------
    value : "win", "draw" or "loss".
    dtw : plies until the game is over with best play of both; None for a draw, or if the table holds values only.
    """

    value: str
    dtw: int | None


class ProbedTurn(NamedTuple):
    """A legal turn with its worth to the player who makes it.

    Attributes
    ----------
    turn : its token.
    position : the position after it.
    value : "win", "draw" or "loss" for the player who makes the turn.
    dtw : plies until the game is over, this turn included; None for a draw, or if the table holds values only.
    """

    turn: str
    position: Position
    value: str
    dtw: int | None


def turn_order(value: str, dtw: int | None, turn: str) -> tuple[int, int, str]:
    """Sort key of turns, the best first: wins by rising distance, draws, losses by falling distance; then the token.

    Any other value, such as "unknown", comes last.
    """
    distance = dtw or 0
    return _RANK.get(value, len(_RANK)), -distance if value == "loss" else distance, turn


def open_tablebase(
    path: str | PathLike[str],
    variant: Variant | str | None = None,
    cache_bytes: int = CACHE_BYTES,
    jobs: int | None = None,
) -> Tablebase | TripleTablebase:
    """Open the tables of a variant for reading; those of a game for three tell what each player can force.

    Parameters
    ----------
    path : a store, with a folder for each variant, or a variant's folder itself.
    variant : whose tables, as a `Variant` or by name; may be left out where ``path`` is a variant's folder or holds
        but one.
    cache_bytes : memory for chunks that have been decompressed.
    jobs : threads that decompress for arrays and whole tables; default: as many as there are processors.

    Raises
    ------
    InputError
        It is not clear whose tables are meant.
    TableError
        The tables are of other rules, or damaged.

    Notes
    -----
    A table that has not been built is told by the look-up that needs it (`MissingTableError`).
    """
    path = Path(path)
    if isinstance(variant, str):
        variant = variant_named(variant)
    if variant is None:
        folder = _only_folder(path)
        variant = _variant_of(folder)
        return _opened(Store(folder.parent, variant, folder), cache_bytes, jobs)
    own_folder = not (path / variant.name).is_dir() and any(path.glob("*" + ENDING))
    store = Store(path.parent, variant, path) if own_folder else Store(path, variant)
    return _opened(store, cache_bytes, jobs)


def _opened(store: Store, cache_bytes: int, jobs: int | None) -> Tablebase | TripleTablebase:
    if store.variant.rules.players == 3:
        from merels.tables.triplebase import TripleTablebase

        return TripleTablebase(store, cache_bytes, jobs)
    return Tablebase(store, cache_bytes, jobs)


class Tablebase:
    """The tables of one variant, open for look-ups; used as a context manager. Several threads may probe at once.

    Parameters
    ----------
    store : where the tables are.
    cache_bytes, jobs : as `open_tablebase`.

    Attributes
    ----------
    store : as given.
    variant : of the store.
    """

    def __init__(self, store: Store, cache_bytes: int = CACHE_BYTES, jobs: int | None = None):
        require_solvable(store.variant)
        require_two_players(store.variant, "this class looks tables up")
        self.store, self.variant = store, store.variant
        self._lookup = Lookup(store, cache_bytes, jobs or processors())
        self._quiet: dict[int, QuietLookup] = {}

    def __enter__(self) -> Tablebase:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        """Close all files and free what was loaded."""
        self._lookup.close()
        for quiet in self._quiet.values():
            quiet.close()

    def load(self, subspace: Subspace | str) -> None:
        """Keep a whole table in memory, decompressed, until the tablebase is closed."""
        self._lookup.load(Subspace.parse(subspace) if isinstance(subspace, str) else subspace)

    def probe(self, position: Position) -> Probe:
        """The value of a position for the player to move.

        Raises
        ------
        InputError
            The position is of a variant with other rules.
        MissingTableError
            Its table has not been built; `command` builds it.
        TableError
            The table is damaged.
        """
        if position.variant != self.variant and position.variant.fingerprint != self.variant.fingerprint:
            raise InputError(
                f"'{position}' is a position of {position.variant.name}, and these are tables of {self.variant.name}, "
                "which has other rules"
            )
        outcome = position.outcome()
        if outcome is not None:
            return Probe(outcome, None if outcome == "draw" else 0)
        own, other = position.state.to_move, 1 - position.state.to_move
        stones = position.state.stones
        subspace = subspace_of(position)
        movers, others = np.array([stones[own]], np.uint32), np.array([stones[other]], np.uint32)
        memory = position.state.memory
        memories = (memory[own], memory[other]) if memory and any(memory) else None
        codes, draw = self._lookup.codes(subspace, movers, others, memories=memories)
        code = int(codes[0])
        if code == draw:
            return Probe("draw", None)
        return Probe("win" if code % 2 else "loss", code if self.metric(subspace) == DTW else None)

    def cursed(self, position: Position, limit: int) -> bool:
        """Whether a win is cursed, or a loss blessed: drawn where a game ends after ``limit`` plies without a placing and without a mill.

        None of them is played yet. False for draws and finished games. Errors as `probe`; `MissingTableError` also where the table has
        not been examined for that limit.
        """
        if self.probe(position).value == "draw" or position.outcome() is not None:
            return False
        require_quiet_limit(self.variant, limit)
        if limit not in self._quiet:
            self._quiet[limit] = QuietLookup(self.store, limit)
        own, other = position.state.to_move, 1 - position.state.to_move
        stones = position.state.stones
        return self._quiet[limit].is_changed(subspace_of(position), stones[own], stones[other])

    def metric(self, subspace: Subspace) -> str:
        """What a table tells: "DTW", distances, or "WDL", values only. Errors as `probe`."""
        return self._lookup.metric(subspace)

    def probe_turns(self, position: Position) -> list[ProbedTurn]:
        """Every legal turn with its value, the best first (`turn_order`). Errors as `probe`."""
        probed = []
        for turn in position.turns():
            after = position.play(turn)
            value, dtw = self.probe(after)
            own_dtw = None if dtw is None else dtw + 1
            probed.append(ProbedTurn(position.token(turn), after, _AFTER_TURN[value], own_dtw))
        return sorted(probed, key=lambda one: turn_order(one.value, one.dtw, one.turn))

    def probe_many(
        self, movers: np.ndarray, others: np.ndarray, hands: tuple[int, int] = (0, 0)
    ) -> tuple[np.ndarray, np.ndarray]:
        """Values of many positions at once; each chunk they lie in is decompressed once.

        Parameters
        ----------
        movers, others : integers, 1-D, equal length: for each position the bit masks of the points that the stones of
            the player to move and of the other stand on (bit = index of the point in `Board.points`). Numbers of stones
            may be mixed.
        hands : stones in hand of the player to move and of the other, the same for all positions.

        Under a repeated-mill rule they are positions in which no player remembers anything.

        Returns
        -------
        wdl : int8: 1 won for the player to move, 0 drawn, -1 lost.
        dtw : int32: plies until the game is over, -1 for draws and where the table holds values only.

        Raises
        ------
        InputError
            Stones on one point, outside the board, or more than the variant has.
        MissingTableError, TableError
            As `probe`.
        """
        return self._lookup.many(np.asarray(movers), np.asarray(others), hands)


def subspace_of(position: Position) -> Subspace:
    """The subspace of a position of a two-player variant."""
    own, other = position.state.to_move, 1 - position.state.to_move
    stones, hands = position.state.stones, position.state.hands
    return Subspace(stones[own].bit_count(), stones[other].bit_count(), hands[own], hands[other])


def _only_folder(path: Path) -> Path:
    """The one folder with tables that is ``path`` or lies in it."""
    if any(path.glob("*" + ENDING)):
        return path
    folders = sorted({file.parent for file in path.glob("*/*" + ENDING)})
    if len(folders) == 1:
        return folders[0]
    if folders:
        names = ", ".join(folder.name for folder in folders)
        raise InputError(f"{path}: holds tables of several variants; name one of {names}")
    raise InputError(f"{path}: holds no tables; build some with merels solve VARIANT --store {path}")


def _variant_of(folder: Path) -> Variant:
    path = min(folder.glob("*" + ENDING))
    with TableFile(path) as file, file.telling():
        return variant_of(file.header)
