"""A cache that forgets what was used longest ago when it grows too heavy. Threads may share it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Cache(Generic[Key, Value]):
    """Values by key, up to a total weight.

    Parameters
    ----------
    limit : the most that all values together weigh.
    weight : tells what a value weighs.
    """

    def __init__(self, limit: int, weight: Callable[[Value], int]):
        self._limit, self._weight = limit, weight
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._total = 0
        self._lock = threading.Lock()

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """The value of a key, made where it is not there. Two threads may both make it; one of the two is kept."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        with self._lock:
            if key not in self._values:
                self._values[key] = value
                self._total += self._weight(value)
            while self._total > self._limit and len(self._values) > 1:
                _, forgotten = self._values.popitem(last=False)
                self._total -= self._weight(forgotten)
            return value

    def clear(self) -> list[Value]:
        """Forget everything; returns what was there."""
        with self._lock:
            values = list(self._values.values())
            self._values.clear()
            self._total = 0
            return values
