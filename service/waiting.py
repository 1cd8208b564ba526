"""A bound on requests that only wait, so that a thread is left for those that do something."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, Lock
from typing import Final

BUFFER: Final = 65_536


class Place:
    """A place in a waiting room, until it is given back; giving it back again does nothing."""

    def __init__(self, give_back: Callable[[], None]) -> None:
        """Take what gives the place back."""
        self._give_back: Callable[[], None] | None = give_back
        self._lock = Lock()

    def release(self) -> None:
        """Give the place back."""
        with self._lock:
            give_back, self._give_back = self._give_back, None
        if give_back is not None:
            give_back()


class WaitingRoom:
    """So many may wait at the same time in this process, and none once it closes."""

    def __init__(self, places: int) -> None:
        """Take the number of places."""
        self._places = BoundedSemaphore(places)
        self.closing: Callable[[], bool] = lambda: False

    def take(self) -> Place | None:
        """Take a place, if one is free."""
        return Place(self._places.release) if self._places.acquire(blocking=False) else None

    @contextmanager
    def place(self) -> Iterator[bool]:
        """Take a place for a while, and tell whether one was free."""
        place = self.take()
        try:
            yield place is not None
        finally:
            if place is not None:
                place.release()


def narrow(line: socket.socket | None) -> None:
    """Let no more than BUFFER bytes lie between us and a client that does not read."""
    if line is not None:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER)


def hung_up(line: socket.socket | None) -> bool:
    """Tell whether a client has closed its connection; one that cannot be asked has not."""
    if line is None:
        return False
    try:
        return line.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
    except (BlockingIOError, ValueError):  # nothing to read, or encrypted
        return False
    except OSError:
        return True
