"""A clock per request: so much processor time it may take, and none once its client has gone.

Long loops call `games.core.checkpoint.checkpoint`; a request that is over its time ends at the next one with 503.
Processor time is the thread's own, so neither waiting nor what other requests do counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from games.core.checkpoint import Interrupted

LOOK_CPU_SECONDS: Final = 0.02
"""Processor time between two looks at the client, so that a short request never looks."""


class TooMuchWork(Interrupted):
    """A request has taken its processor time, so many milliseconds."""

    def __init__(self, milliseconds: int) -> None:
        """Take the time allowed."""
        super().__init__(milliseconds)
        self.milliseconds = milliseconds


class ClientGone(Interrupted):
    """The client of a request has closed its connection."""


class WorkClock:
    """The clock of one request, in the thread that answers it."""

    __slots__ = ("_began", "_gone", "_looked", "_milliseconds")

    def __init__(self, milliseconds: int, gone: Callable[[], bool], spent: float = 0.0) -> None:
        """Take the processor time allowed, a function that tells whether the client has gone, and the time spent."""
        self._began = time.thread_time() - spent
        self._milliseconds = milliseconds
        self._gone = gone
        self._looked = spent

    def check(self) -> None:
        """Raise TooMuchWork once the time is over, and ClientGone where nobody waits for the answer."""
        spent = time.thread_time() - self._began
        if spent * 1000 > self._milliseconds:
            raise TooMuchWork(self._milliseconds)
        if spent - self._looked > LOOK_CPU_SECONDS:
            self._looked = spent
            if self._gone():
                raise ClientGone
