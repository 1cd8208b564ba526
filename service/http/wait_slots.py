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
    """A wait slot: one request may wait until it is released; a second release does nothing."""

    def __init__(self, on_release: Callable[[], None]) -> None:
        self._on_release: Callable[[], None] | None = on_release
        self._lock = Lock()

    def release(self) -> None:
        """Let another request wait."""
        with self._lock:
            on_release, self._on_release = self._on_release, None
        if on_release is not None:
            on_release()


class CallerSlotsTaken(Exception):
    """A caller has as many slots as one may have."""


class WaitSlots:
    """How many requests may wait at the same time in this process, how many of one caller, and none once it closes."""

    def __init__(self, slots: int, each: int) -> None:
        self._slots, self._each = slots, each
        self._taken: Counter[Hashable] = Counter()
        self._lock = Lock()
        self.closing: Callable[[], bool] = lambda: False

    def take(self, caller: Hashable) -> WaitSlot | None:
        """Return a slot, None where none is free; raise CallerSlotsTaken where the caller has too many."""
        with self._lock:
            if self._taken[caller] >= self._each:
                raise CallerSlotsTaken
            if self._taken.total() >= self._slots:
                return None
            self._taken[caller] += 1
        return WaitSlot(lambda: self._release(caller))

    def _release(self, caller: Hashable) -> None:
        """Count one slot less for a caller."""
        with self._lock:
            self._taken[caller] -= 1
            if not self._taken[caller]:
                del self._taken[caller]

    @contextmanager
    def hold(self, caller: Hashable) -> Iterator[bool]:
        """Hold a slot during the block; yield whether one was free for this caller."""
        slot = None
        with suppress(CallerSlotsTaken):
            slot = self.take(caller)
        try:
            yield slot is not None
        finally:
            if slot is not None:
                slot.release()
