"""Requests that are answered together, by one thread at a time, so that none of them costs a thread of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import Any, Final, Protocol

import structlog

from service.http.fast_reply import Answer

_log = structlog.get_logger("service")

MOST: Final = 64
"""So many are answered at once: those behind them wait for milliseconds, however many there are."""


AGAIN_SECONDS: Final = 0.001
"""Those who were answered together have so long to ask again together; one alone waits for nobody."""

Reply = Callable[[Answer], object]
"""Takes the answer to a request."""


class AnsweredTogether(Protocol):
    """What answers some requests together before the application is called, in so many threads at most."""

    threads: int

    def takes(self, environ: dict[str, Any]) -> bool:
        """Tell, on the event loop, whether a request may be answered here."""

    def answer_together(self, environs: Sequence[dict[str, Any]]) -> Sequence[Answer]:
        """Return the answer to each request, in a thread."""


class Gathering:
    """Gathers requests while threads answer those that came before, or until the event loop's next turn."""

    def __init__(self, answers: AnsweredTogether, threads: Executor) -> None:
        """Take what answers, and the threads that call it."""
        self.takes = answers.takes
        self._answers, self._threads = answers, threads
        self._waiting: list[tuple[dict[str, Any], Reply]] = []
        self._busy = 0
        self._awaited = 0
        self._pause: asyncio.TimerHandle | None = None

    async def answer(self, environ: dict[str, Any]) -> Answer:
        """Return the answer to a request."""
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.submit(environ, partial(_resolve, future))
        return await future

    def submit(self, environ: dict[str, Any], reply: Reply) -> None:
        """Have a request answered, and its answer given to a function, on the event loop."""
        self._waiting.append((environ, reply))
        if self._pause is not None:
            if len(self._waiting) >= self._awaited:
                self._pause.cancel()
                self._go_on(asyncio.get_running_loop())
        elif self._busy < self._answers.threads:
            self._busy += 1
            loop = asyncio.get_running_loop()
            loop.call_soon(self._begin, loop)

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Have a thread answer those who wait, as far as anybody does."""
        taken, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
        if taken:
            self._threads.submit(self._answer, loop, *zip(*taken, strict=True))
        else:
            self._busy -= 1

    def _answer(
        self,
        loop: asyncio.AbstractEventLoop,
        environs: tuple[dict[str, Any], ...],
        replies: tuple[Reply, ...],
    ) -> None:
        """Answer, in a thread; where that fails the application is asked for each of them."""
        found: Sequence[Answer] = [None] * len(environs)
        try:
            found = self._answers.answer_together(environs)
        except Exception:  # noqa: BLE001 -- whatever is wrong with one is no fault of the others
            _log.exception("answering broken off")
        loop.call_soon_threadsafe(self._end, loop, replies, found)

    def _end(
        self,
        loop: asyncio.AbstractEventLoop,
        replies: Sequence[Reply],
        found: Sequence[Answer],
    ) -> None:
        """Hand out what was answered, and have those answered who have come meanwhile."""
        for reply, answer in zip(replies, found, strict=True):
            try:
                reply(answer)
            except Exception:  # noqa: BLE001 -- as above
                _log.exception("an answer was not sent")
        left = len(self._waiting)
        if self._pause is None and left < len(replies) > 1:
            self._awaited = min(MOST, len(replies) + left)
            self._pause = loop.call_later(AGAIN_SECONDS, self._go_on, loop)
        else:
            self._begin(loop)

    def _go_on(self, loop: asyncio.AbstractEventLoop) -> None:
        """End a pause."""
        self._pause = None
        self._begin(loop)


def _resolve(future: asyncio.Future[Answer], reply: Answer) -> None:
    """Give an answer to whoever waits for it, unless the client has left."""
    if not future.done():
        future.set_result(reply)
