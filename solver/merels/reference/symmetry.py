"""Representatives: one state for all that symmetry or an exchange of colours makes equal.

Values do not change under either, so an analysis may keep the representatives alone. This only saves time; the
reference engine is right without it.
"""

from __future__ import annotations

from collections.abc import Iterator

from merels.state import State, mask_of, points_of
from merels.variants import Variant


class Representatives:
    """Maps each state of a two-player variant to its representative, with White to move.

    Parameters
    ----------
    variant : Variant
    """

    def __init__(self, variant: Variant) -> None:
        self._symmetries = variant.symmetries
        self._move_memory = variant.rules.repeat_mill == "no-immediate"
        self._images: dict[int, list[int]] = {}
        self._least: dict[int, list[int]] = {}

    def __call__(self, state: State) -> State:
        """The least of the state's images, with White to move."""
        if state.to_move == 1:
            state = exchange_colours(state)
        own, other = state.stones
        candidates = self._least_symmetries(own)
        own = self._images_of(own)[candidates[0]]
        if state.memory is None or not any(state.memory):
            images = self._images_of(other)
            other = images[candidates[0]] if len(candidates) == 1 else min(images[k] for k in candidates)
            return State(0, (own, other), state.hands, state.memory)
        images = []
        for k in candidates:
            memory = tuple(self._memory_image(remembered, k) for remembered in state.memory)
            images.append((self._images_of(other)[k], tuple(remembered or () for remembered in memory), memory))
        other, _, memory = min(images)
        return State(0, (own, other), state.hands, memory)

    def images(self, state: State) -> Iterator[State]:
        """All images of the state under the symmetries, colours as they are."""
        for k in range(len(self._symmetries)):
            stones = tuple(self._images_of(own)[k] for own in state.stones)
            memory = state.memory and tuple(self._memory_image(remembered, k) for remembered in state.memory)
            yield State(state.to_move, stones, state.hands, memory)

    def _images_of(self, mask: int) -> list[int]:
        """The images of a set of points under each symmetry."""
        images = self._images.get(mask)
        if images is None:
            points = points_of(mask)
            images = [mask_of([symmetry[point] for point in points]) for symmetry in self._symmetries]
            self._images[mask] = images
        return images

    def _least_symmetries(self, mask: int) -> list[int]:
        """The symmetries that map a set of points to its least image."""
        least = self._least.get(mask)
        if least is None:
            images = self._images_of(mask)
            least = [k for k, image in enumerate(images) if image == min(images)]
            self._least[mask] = least
        return least

    def _memory_image(self, remembered: tuple | None, k: int) -> tuple | None:
        if remembered is None:
            return None
        if self._move_memory:
            return tuple(self._symmetries[k][point] for point in remembered)
        return tuple(sorted((self._images_of(line)[k], self._images_of(stones)[k]) for line, stones in remembered))


def exchange_colours(state: State) -> State:
    """The same state of two players with Black's and White's parts exchanged."""
    memory = state.memory and state.memory[::-1]
    return State(1 - state.to_move, state.stones[::-1], state.hands[::-1], memory)
