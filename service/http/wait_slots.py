"""A bound on requests that only wait, so that a thread is left for those that do something."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Final

GONE: Final = "dorfplatz.gone"
"""The key in a request's environment of a function that says whether the client has hung up, if the server knows."""


class WaitSlot:
    """A place in a waiting room, until it is given back; giving it back again does nothing."""

    def __init__(self, give_back: Callable[[], None]) -> None:
        self._give_back: Callable[[], None] | None = give_back
        self._lock = Lock()

    def release(self) -> None:
        """Give the place back."""
        with self._lock:
            give_back, self._give_back = self._give_back, None
        if give_back is not None:
            give_back()


class CallerSlotsTaken(Exception):
    """A caller has as many places as one may have."""


class WaitSlots:
    """So many may wait at the same time in this process, so many of them for one caller, and none once it closes."""

    def __init__(self, places: int, each: int) -> None:
        self._places, self._each = places, each
        self._taken: Counter[Hashable] = Counter()
        self._lock = Lock()
        self.closing: Callable[[], bool] = lambda: False

    def take(self, caller: Hashable) -> WaitSlot | None:
        """Take a place for a caller, if one is free; raise CallerSlotsTaken where the caller has too many already."""
        with self._lock:
            if self._taken[caller] >= self._each:
                raise CallerSlotsTaken
            if self._taken.total() >= self._places:
                return None
            self._taken[caller] += 1
        return WaitSlot(lambda: self._give_back(caller))

    def _give_back(self, caller: Hashable) -> None:
        """Let a place be free again."""
        with self._lock:
            self._taken[caller] -= 1
            if not self._taken[caller]:
                del self._taken[caller]

    @contextmanager
    def place(self, caller: Hashable) -> Iterator[bool]:
        """Take a place for a while; yield whether one was free for this caller."""
        place = None
        with suppress(CallerSlotsTaken):
            place = self.take(caller)
        try:
            yield place is not None
        finally:
            if place is not None:
                place.release()
