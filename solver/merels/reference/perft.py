"""Perft with memory: sequences of turns counted over representatives, so that equal positions are played on once."""

from __future__ import annotations

from collections import Counter

from merels.reference.engine import Engine
from merels.reference.symmetry import Representatives
from merels.variants import Variant


def perft_counts(variant: Variant, depth: int) -> list[int]:
    """Numbers of sequences of 1 to ``depth`` turns from the start; `Engine.perft` gives the same, one depth and one state at a time."""
    engine = Engine(variant)
    representative = Representatives(variant) if variant.rules.players == 2 else _itself
    reached = Counter([representative(engine.start())])
    counts = []
    for ply in range(1, depth + 1):
        total, following = 0, Counter()
        for state, ways in reached.items():
            turns = engine.turns(state)
            total += ways * len(turns)
            if ply < depth:
                for turn in turns:
                    following[representative(engine.play(state, turn))] += ways
        counts.append(total)
        reached = following
    return counts


def _itself(state):
    return state
