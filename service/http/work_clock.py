"""A clock per request: so much processor time it may take, and none once its client has gone.

Long loops call `games.core.checkpoint.checkpoint`; a request that is over its time ends at the next one with 503.
Processor time is the thread's own, so neither waiting nor what other requests do counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from flask import Flask, request

from games.core.checkpoint import Interrupted, check_with
from service.http.handover import GONE

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

    def __init__(self, milliseconds: int, gone: Callable[[], bool]) -> None:
        """Take the processor time allowed, and a function that tells whether the client has gone."""
        self._began = time.thread_time()
        self._milliseconds = milliseconds
        self._gone = gone
        self._looked = 0.0

    def check(self) -> None:
        """Raise TooMuchWork once the time is over, and ClientGone where nobody waits for the answer."""
        spent = time.thread_time() - self._began
        if spent * 1000 > self._milliseconds:
            raise TooMuchWork(self._milliseconds)
        if spent - self._looked > LOOK_CPU_SECONDS:
            self._looked = spent
            if self._gone():
                raise ClientGone


def client_gone() -> Callable[[], bool]:
    """Return a function that tells whether the client of this request has gone, if the server knows."""
    found: Callable[[], bool] = request.environ.get(GONE, lambda: False)
    return found


def install(app: Flask, milliseconds: int) -> None:
    """Give every request a clock."""

    @app.url_value_preprocessor
    def start(_endpoint: str | None, _values: object) -> None:
        check_with(WorkClock(milliseconds, client_gone()).check)

    @app.teardown_request
    def stop(_error: BaseException | None) -> None:
        check_with(None)
