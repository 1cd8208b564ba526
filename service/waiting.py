"""A bound on requests that only wait, so that a thread is left for those that do something."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore


class WaitingRoom:
    """So many may wait at the same time in this process."""

    def __init__(self, places: int) -> None:
        """Take the number of places."""
        self._places = BoundedSemaphore(places)

    @contextmanager
    def place(self) -> Iterator[bool]:
        """Take a place for a while, and tell whether one was free."""
        free = self._places.acquire(blocking=False)
        try:
            yield free
        finally:
            if free:
                self._places.release()
