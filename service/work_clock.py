"""Limits the processor time of a request, and stops a request whose client has disconnected.

Time spent waiting does not count. If a request exceeds the limit, `games.core.checkpoint.checkpoint` raises an
exception, and the client receives 503.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from games.core.checkpoint import Interrupted

LOOK_CPU_SECONDS: Final = 0.02
"""Seconds of processor time between two checks of the client's connection. Short requests make no such check."""


class TooMuchWork(Interrupted):
    """A request has exceeded its limit of processor time. `milliseconds` is this limit."""

    def __init__(self, milliseconds: int) -> None:
        super().__init__(milliseconds)
        self.milliseconds = milliseconds


class ClientGone(Interrupted):
    """The client of a request has disconnected."""


class WorkClock:
    """Limits the processor time of one request. Only the thread of this request may use the clock."""

    __slots__ = ("_began", "_gone", "_looked", "_milliseconds")

    def __init__(self, milliseconds: int, gone: Callable[[], bool], spent: float = 0.0) -> None:
        """Start the clock of a request, with a limit of `milliseconds`.

        `gone` returns whether the client has disconnected. `spent` is the processor time in seconds that the request
        has already used.
        """
        self._began = time.thread_time() - spent
        self._milliseconds = milliseconds
        self._gone = gone
        self._looked = spent

    def check(self) -> None:
        """Raise TooMuchWork if the limit is exceeded. Raise ClientGone if the client has disconnected."""
        spent = time.thread_time() - self._began
        if spent * 1000 > self._milliseconds:
            raise TooMuchWork(self._milliseconds)
        if spent - self._looked > LOOK_CPU_SECONDS:
            self._looked = spent
            if self._gone():
                raise ClientGone
