"""The drawing slot: a process draws one picture at a time. A few requests may wait; the others must retry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, Lock
from typing import Final

from service.http.problems import Problem
from service.http.work_clock import ClientGone

RETRY_SECONDS: Final = "1"
TURN_SECONDS: Final = 0.5
"""Interval at which a waiting request checks its client's connection."""


class DrawingSlots:
    """The drawing slot of this process. One request holds it, and a limited number of requests wait for it."""

    def __init__(self, places: int) -> None:
        """Create the slot. `places` is the maximum number of requests that draw or wait to draw."""
        self._places = BoundedSemaphore(places)
        self._pen = Lock()

    @contextmanager
    def slot(self, gone: Callable[[], bool]) -> Iterator[None]:
        """Wait for the slot and hold it during the block.

        Raise Problem if the queue is full, and ClientGone if the client disconnects.
        """
        if not self._places.acquire(blocking=False):
            raise Problem("drawings-busy", headers={"Retry-After": RETRY_SECONDS})
        try:
            while not self._pen.acquire(timeout=TURN_SECONDS):
                if gone():
                    raise ClientGone
            try:
                yield
            finally:
                self._pen.release()
        finally:
            self._places.release()
