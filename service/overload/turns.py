"""Turns: the order in which requests start in threads, and the number of requests that run at once.

Many running requests delay the event loop, because their threads compete with it for the interpreter's lock. If the
event loop is late, fewer requests may run at once.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Final, TypeVar

from service.overload.gate import GATE_TICK_SECONDS, Gate, Ticket
from service.overload.priorities import Priority

MIN_RUNNING_REQUESTS: Final = 8
"""Number of requests that may run at the same time even if the event loop is late.

A call of `tick` increases the permitted number of requests by at most MIN_RUNNING_REQUESTS.
"""

MAX_LAG_SECONDS: Final = 0.01
"""Maximum delay of the event loop in seconds. A longer delay reduces the permitted number of running requests."""

MAX_HELD_SECONDS: Final = 0.5
"""Seconds for which a late event loop may keep the oldest request waiting.

After this time, `Turns.tick` permits more running requests even if the event loop is late. Otherwise, running requests
that never end could block all waiting requests.
"""

Result = TypeVar("Result")


class Turns:
    """Lets requests run in the threads of a pool by priority, at most `threads` at the same time."""

    def __init__(self, gate: Gate, pool: Executor, threads: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._gate, self._pool, self._threads, self._clock = gate, pool, threads, clock
        self._queues = [deque[tuple[float, asyncio.Future[None]]]() for _ in Priority]
        self._running, self._allowed = 0, min(MIN_RUNNING_REQUESTS, threads)

    async def run(self, ticket: Ticket, function: Callable[..., Result], *arguments: object) -> Result:
        """Wait for a request's turn. Then call a function in a thread, and return its result.

        Raise OverdueError if the request has waited too long.
        """
        loop = asyncio.get_running_loop()
        if self._running < self._allowed:
            self._running += 1
        else:
            turn: asyncio.Future[None] = loop.create_future()
            self._queues[ticket.priority].append((self._clock(), turn))
            await self._wait_for(turn)
        try:
            ticket.check()
            ticket.start()
            return await loop.run_in_executor(self._pool, function, *arguments)
        finally:
            self._end()

    async def watch(self) -> None:
        """Call `tick` and `Gate.tick` at intervals. This method never returns."""
        while True:
            before = time.monotonic()
            await asyncio.sleep(GATE_TICK_SECONDS)
            self._gate.tick(max(0.0, time.monotonic() - before - GATE_TICK_SECONDS))
            self.tick()

    def tick(self) -> None:
        """Adapt the number of requests that may run at the same time."""
        if any(self._queues):
            oldest = min(queue[0][0] for queue in self._queues if queue)
            is_held = self._clock() - oldest > MAX_HELD_SECONDS
            if self._gate.lag <= MAX_LAG_SECONDS or is_held:
                self._allowed = min(self._allowed + MIN_RUNNING_REQUESTS, self._threads)
            else:
                self._allowed = max(self._allowed // 2, min(MIN_RUNNING_REQUESTS, self._threads))
            self._start_next()
        else:
            self._allowed = min(max(self._running, MIN_RUNNING_REQUESTS), self._allowed)

    async def _wait_for(self, turn: asyncio.Future[None]) -> None:
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._end()
            raise

    def _end(self) -> None:
        self._running -= 1
        self._start_next()

    def _start_next(self) -> None:
        for queue in self._queues:
            while queue and self._running < self._allowed:
                _, turn = queue.popleft()
                if not turn.done():
                    self._running += 1
                    turn.set_result(None)
