"""Batches of requests. A batch contains requests for one operation. They are processed together."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from service.http.operation import AnyOperation
from service.http.pipeline import Pending, answer
from service.http.request import Request
from service.http.response import Response
from service.overload.gate import OverdueError
from service.waiting import Wait

BATCH_PAUSE_SECONDS: Final = 0.001
MIN_PAUSES: Final = 2
MAX_PAUSES: Final = 6
"""Maximum number of pauses in which a queue collects requests before it starts the next batch.

As soon as enough requests wait, the batch starts. Otherwise, the queue makes at least MIN_PAUSES pauses. It makes each
further pause only if a request arrived during the previous pause.
"""

Waiter = Callable[[Wait], Awaitable[object]]
"""An async function that returns when a `Wait` ends or the client has disconnected."""

Check = Callable[[], object]
"""A function that raises OverdueError if a request has waited too long in the queue."""

Entry = tuple[Request | Pending, asyncio.Future[Response | Pending], Check]


class Queue:
    """A queue of requests. While all threads are busy, it collects the requests for the next batch."""

    def __init__(self, operation: AnyOperation, threads: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._operation = operation
        self._free = self._all = threads
        # A larger pool would give a batch to the thread that was idle longest, with cold caches.
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=operation.endpoint)
        self._entries: deque[Entry] = deque()
        self._awaited = self._pauses = self._arrived = 0
        self._turned_at = 0.0
        self._pause: asyncio.TimerHandle | None = None

    def age(self) -> float:
        """Return the seconds for which all threads have been busy and no batch has started or ended."""
        return 0.0 if self._free or self._pause is not None else time.monotonic() - self._turned_at

    async def answer(self, request: Request, wait_for: Waiter, check: Check) -> Response:
        found = await self._submit(request, check)
        while isinstance(found, Pending):
            if found.wait is not None:
                await wait_for(found.wait)
            found = await self._submit(found)
        return found

    def _submit(self, turn: Request | Pending, check: Check = bool) -> asyncio.Future[Response | Pending]:
        """Add a new request to the end of the queue. A `Pending` goes to the front, because its request is older."""
        future: asyncio.Future[Response | Pending] = self._loop.create_future()
        if isinstance(turn, Pending):
            self._entries.appendleft((turn, future, check))
        else:
            self._entries.append((turn, future, check))
        if self._pause is not None:
            if len(self._entries) >= self._awaited:
                self._pause.cancel()
                self._pause = None
                self._begin()
        elif self._free:
            self._free -= 1
            self._turned_at = time.monotonic()
            if self._free + 1 == self._all or self._operation.max_batch == 1:
                self._loop.call_soon(self._begin)
            else:  # another batch has the processor, so more requests can join this one until the other ends
                self._awaited, self._pauses = self._operation.max_batch, MAX_PAUSES
                self._pause = self._loop.call_later(MAX_PAUSES * BATCH_PAUSE_SECONDS, self._continue_pause)
        return future

    def _begin(self) -> None:
        self._turned_at = time.monotonic()
        entries: list[Entry] = []
        while self._entries and len(entries) < self._operation.max_batch:
            entry = _, future, check = self._entries.popleft()
            try:
                check()
            except OverdueError as error:
                if not future.done():
                    future.set_exception(error)
            else:
                entries.append(entry)
        if entries:
            self._threads.submit(self._answer, entries)
        else:
            self._free += 1

    def _answer(self, entries: Sequence[Entry]) -> None:
        found: Sequence[Response | Pending | BaseException]
        try:
            found = answer(self._operation, [turn for turn, *_ in entries])
        except BaseException as error:  # noqa: BLE001 -- it is raised where the responses are awaited
            found = [error] * len(entries)
        self._loop.call_soon_threadsafe(self._end, entries, found)

    def _end(self, entries: Sequence[Entry], found: Sequence[Response | Pending | BaseException]) -> None:
        for (_, future, _), each in zip(entries, found, strict=True):
            if future.done():  # cancelled: the server ends
                continue
            if isinstance(each, BaseException):
                future.set_exception(each)
            else:
                future.set_result(each)
        left = len(self._entries)
        if self._pause is not None:  # one thread is enough for the requests of both
            self._pause.cancel()
            self._pause = None
            self._free += 1
        if left < len(entries) > 1:
            self._awaited = min(self._operation.max_batch, len(entries) + left)
            self._pauses = 0
            self._continue_pause()
        else:
            self._begin()

    def _continue_pause(self) -> None:
        before, self._arrived = self._arrived, len(self._entries)
        if self._pauses < (MAX_PAUSES if self._arrived > before else MIN_PAUSES):
            self._pauses += 1
            self._pause = self._loop.call_later(BATCH_PAUSE_SECONDS, self._continue_pause)
        else:
            self._pause = None
            self._begin()


class Batches:
    """The two queues of an operation. Slow requests have their own queue, so that they do not delay fast requests."""

    def __init__(self, operation: AnyOperation) -> None:
        self.operation = operation
        self._usual, self._slow = Queue(operation, operation.threads), Queue(operation, 1)

    def age(self) -> float:
        return max(self._usual.age(), self._slow.age())

    async def answer(self, request: Request, wait_for: Waiter, check: Check = bool) -> Response:
        """Return the response to a request. Raise OverdueError if the request has waited too long in the queue."""
        return await (self._slow if self.operation.is_slow(request) else self._usual).answer(request, wait_for, check)
