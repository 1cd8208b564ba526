"""A clock per request: it bounds the processor time, and ends the request once its client has disconnected.

Long loops call `games.core.checkpoint.checkpoint`. A request beyond its time ends at the next call with 503. The clock
measures the thread's processor time, so waiting and other requests do not count.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from games.core.checkpoint import Interrupted

LOOK_CPU_SECONDS: Final = 0.02
"""Processor time between two checks of the connection, so that a short request needs none."""


class TooMuchWork(Interrupted):
    """A request has spent its processor time, given in milliseconds."""

    def __init__(self, milliseconds: int) -> None:
        super().__init__(milliseconds)
        self.milliseconds = milliseconds


class ClientGone(Interrupted):
    """The client of a request has disconnected."""


class WorkClock:
    """The clock of one request, in the thread that processes it."""

    __slots__ = ("_began", "_gone", "_looked", "_milliseconds")

    def __init__(self, milliseconds: int, gone: Callable[[], bool], spent: float = 0.0) -> None:
        """Start the clock. `milliseconds` is its limit, and `spent` the seconds that the request has already used.

        `gone` returns whether the client has disconnected.
        """
        self._began = time.thread_time() - spent
        self._milliseconds = milliseconds
        self._gone = gone
        self._looked = spent

    def check(self) -> None:
        """Raise TooMuchWork if the time is over, and ClientGone if the client has disconnected."""
        spent = time.thread_time() - self._began
        if spent * 1000 > self._milliseconds:
            raise TooMuchWork(self._milliseconds)
        if spent - self._looked > LOOK_CPU_SECONDS:
            self._looked = spent
            if self._gone():
                raise ClientGone
