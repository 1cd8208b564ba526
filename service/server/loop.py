"""Waiting on the event loop: calls from other threads in batches, and pauses that a client's departure ends."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from threading import Lock
from typing import Any

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class Wakeups:
    """Calls functions on an event loop for other threads; functions added before its next turn share one wake-up."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop, self._lock = loop, Lock()
        self._functions: list[Callable[[], object]] = []

    def add(self, function: Callable[[], object]) -> None:
        """Have a function called soon, from any thread."""
        with self._lock:
            self._functions.append(function)
            is_first = len(self._functions) == 1
        if is_first:
            with suppress(RuntimeError):  # the loop is closed, and nobody waits any more
                self._loop.call_soon_threadsafe(self._call)

    def _call(self) -> None:
        with self._lock:
            functions, self._functions = self._functions, []
        for function in functions:
            function()


class LoopPause:
    """A wait that ends by a call, at its time, or when the client leaves; it needs no task of its own."""

    __slots__ = ("_is_over", "_timeout")

    def __init__(self) -> None:
        self._is_over = False
        self._timeout: asyncio.Timeout | None = None

    def end(self) -> None:
        """End it, on the loop; a second call does nothing."""
        if not self._is_over:
            self._is_over = True
            if self._timeout is not None:
                self._timeout.reschedule(0)

    async def take(self, receive: Receive, seconds: float | None = None) -> bool:
        """Wait, and return whether the client is still there."""
        if self._is_over:
            return True
        try:
            async with asyncio.timeout(seconds) as self._timeout:
                while (await receive())["type"] != "http.disconnect":
                    continue
        except TimeoutError:
            return True
        finally:
            self._is_over, self._timeout = True, None
        return False
