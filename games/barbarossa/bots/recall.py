"""An identity-keyed cache: bots decide again and again, and little changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

Found = TypeVar("Found")


class Recall(Generic[Found]):
    """Some results; the oldest is forgotten first.

    The key of a result is the identity of unchangeable things, which it keeps alive, and a number. So an equal but
    other thing is computed again, with the same result.
    """

    def __init__(self, most: int) -> None:
        """Take the maximum number of results."""
        self.most = most
        self.kept: dict[tuple[int, ...], tuple[tuple[object, ...], Found]] = {}

    def get(self, things: tuple[object, ...], number: int, find: Callable[[], Found]) -> Found:
        """Return the result for things and a number, which `find` computes."""
        key = (number, *map(id, things))
        known = self.kept.get(key)
        if known is not None:
            return known[1]
        found = find()
        while len(self.kept) >= self.most:
            self.kept.pop(next(iter(self.kept)), None)
        self.kept[key] = (things, found)
        return found
