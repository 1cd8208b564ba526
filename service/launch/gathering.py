"""Requests that are answered together, by one thread at a time, so that none of them costs a thread of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import Final

import structlog

from service.http.operation import MAX_BATCH
from service.http.pipeline import Pending
from service.http.request import Request
from service.http.response import Response

_log = structlog.get_logger("service")

AGAIN_SECONDS: Final = 0.001
"""Those who were answered together have so long to ask again together; one alone waits for nobody."""

Asked = Request | Pending
Answer = Response | Pending
Reply = Callable[[Answer], object]
"""Takes the response to a request, or what it waits for."""

BATCH_FAILED: Final = Response(500, [(b"content-length", b"0")])
"""The response to requests whose batch has failed, which is a fault of the service."""


class Gathering:
    """Gathers requests while threads answer those that came before, or until the event loop's next turn."""

    def __init__(
        self,
        answer: Callable[[Sequence[Asked]], Sequence[Answer]],
        executor: Executor,
        threads: int = 1,
        max_batch: int = MAX_BATCH,
    ) -> None:
        """Take the function that answers a batch, and the executor that calls it in so many threads."""
        self._answers, self._executor, self._threads, self._max = answer, executor, threads, max_batch
        self._waiting: list[tuple[Asked, Reply]] = []
        self._busy = 0
        self._awaited = 0
        self._pause: asyncio.TimerHandle | None = None

    async def answer(self, asked: Asked) -> Answer:
        """Return the response to a request, or what it waits for."""
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.submit(asked, partial(_resolve, future))
        return await future

    def submit(self, asked: Asked, reply: Reply) -> None:
        """Have a request answered, and the response given to a function, on the event loop."""
        self._waiting.append((asked, reply))
        if self._pause is not None:
            if len(self._waiting) >= self._awaited:
                self._pause.cancel()
                self._go_on(asyncio.get_running_loop())
        elif self._busy < self._threads:
            self._busy += 1
            loop = asyncio.get_running_loop()
            loop.call_soon(self._begin, loop)

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Have a thread answer those who wait, as far as anybody does."""
        taken, self._waiting = self._waiting[: self._max], self._waiting[self._max :]
        if taken:
            self._executor.submit(self._answer, loop, *zip(*taken, strict=True))
        else:
            self._busy -= 1

    def _answer(
        self,
        loop: asyncio.AbstractEventLoop,
        asked: tuple[Asked, ...],
        replies: tuple[Reply, ...],
    ) -> None:
        """Answer, in a thread."""
        found: Sequence[Answer] = [BATCH_FAILED] * len(asked)
        try:
            found = self._answers(asked)
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
        rest = [pair for pair in zip(found, replies, strict=True) if _is_unfinished(pair[0])]
        self._waiting[:0] = rest  # type: ignore[assignment]  # no response is unfinished
        for reply, answer in zip(replies, found, strict=True):
            if _is_unfinished(answer):
                continue
            try:
                reply(answer)
            except Exception:  # noqa: BLE001 -- as above
                _log.exception("an answer was not sent")
        left = len(self._waiting)
        if self._pause is None and left < len(replies) > 1 and not rest:
            self._awaited = min(self._max, len(replies) + left)
            self._pause = loop.call_later(AGAIN_SECONDS, self._go_on, loop)
        else:
            self._begin(loop)

    def _go_on(self, loop: asyncio.AbstractEventLoop) -> None:
        """End a pause."""
        self._pause = None
        self._begin(loop)


def _is_unfinished(answer: Answer) -> bool:
    """Return whether a request goes into the next batch."""
    return isinstance(answer, Pending) and answer.wait is None


def _resolve(future: asyncio.Future[Answer], reply: Answer) -> None:
    """Give an answer to whoever waits for it, unless the client has left."""
    if not future.done():
        future.set_result(reply)
