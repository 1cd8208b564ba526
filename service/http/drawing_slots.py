"""Pictures are drawn one at a time in a process; a few requests may wait for that, and others come again later."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, Lock
from typing import Final

from service.http.problems import Problem
from service.http.work_clock import ClientGone

RETRY_SECONDS: Final = "1"
TURN_SECONDS: Final = 0.5
"""How long a request waits before it looks whether its client is still there."""


class DrawingSlots:
    """The right to draw in this process: one request has it, so many wait for it."""

    def __init__(self, places: int) -> None:
        """Take how many may draw or wait for it at the same time."""
        self._places = BoundedSemaphore(places)
        self._pen = Lock()

    @contextmanager
    def slot(self, gone: Callable[[], bool]) -> Iterator[None]:
        """Wait for the right to draw and have it for a while.

        Raise Problem where too many wait already, and ClientGone once nobody waits for the picture.
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
