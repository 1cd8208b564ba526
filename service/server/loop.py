"""Helpers for the event loop: calls from other threads, and pauses that end when a client disconnects."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


def call_on(loop: asyncio.AbstractEventLoop, function: Callable[[], object]) -> None:
    """Schedule a function on an event loop. Any thread may call this."""
    with suppress(RuntimeError):  # the loop is closed, and nobody waits any longer
        loop.call_soon_threadsafe(function)


async def watch_departure(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue


class LoopPause:
    """A pause without an asyncio task. It ends at a call of `end`, at a timeout, or when the client disconnects."""

    __slots__ = ("_is_over", "_timeout")

    def __init__(self) -> None:
        self._is_over = False
        self._timeout: asyncio.Timeout | None = None

    def end(self) -> None:
        """End the pause. Call this method only on the event loop. A second call does nothing."""
        if not self._is_over:
            self._is_over = True
            if self._timeout is not None:
                self._timeout.reschedule(0)

    async def take(self, receive: Receive, seconds: float | None = None) -> bool:
        """Wait until the pause ends, and return whether the client is still connected."""
        if self._is_over:
            return True
        try:
            async with asyncio.timeout(seconds) as self._timeout:
                await watch_departure(receive)
        except TimeoutError:
            return True
        finally:
            self._is_over, self._timeout = True, None
        return False
