"""A queue for drawing pictures. A process draws one picture at a time, and only a few requests may wait."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, Lock
from typing import Final

from service.work_clock import ClientGone

TURN_SECONDS: Final = 0.5
"""Interval in seconds at which a waiting request checks whether its client is still connected."""


class DrawingsBusy(Exception):
    """Raised if too many requests already wait to draw a picture."""


class DrawingSlots:
    """The queue of requests that draw a picture.

    One request draws at a time, and a limited number of requests wait for it.
    """

    def __init__(self, places: int) -> None:
        """Create the queue. `places` is its maximum number of requests, including the request that draws."""
        self._places = BoundedSemaphore(places)
        self._pen = Lock()

    @contextmanager
    def slot(self, gone: Callable[[], bool]) -> Iterator[None]:
        """Wait until no other request draws, and then run the block.

        Raise DrawingsBusy if the queue is full. Raise ClientGone if the client disconnects during the wait.
        """
        if not self._places.acquire(blocking=False):
            raise DrawingsBusy
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
