"""A client's connection while an answer waits: what comes is written as it comes, without a task of its own.

The tasks, the parser and what else a connection needs for a request take several times the memory of this, and the
collector of cycles looks at all of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from typing import Final, Protocol

from service.waiting import Wait

DETACH: Final = "dorfplatz.detach"
"""Where the scope of a request has the function that takes the rest of its answer over, and tells whether it did."""

EARLY_BYTES: Final = 65_536
"""So much of the next request is taken in while an answer goes on."""

LAST_CHUNK: Final = b"0\r\n\r\n"


class Remainder(Protocol):
    """What is left of an answer that waits."""

    def read_on(self, take: Callable[[bytes, Wait | None, bool], object], fail: Callable[[], object]) -> None:
        """Have a thread read on, and call one of both: `take` with what was found, or `fail`.

        That is a piece, the wait that follows if any, and whether there is no more.
        """

    def close(self) -> None:
        """Have a thread close it; nothing more is read."""


class Owner(Protocol):
    """The process that a connection belongs to."""

    alive: bool
    loop: asyncio.AbstractEventLoop
    wakeups: Wakeups

    def take_back(self, transport: asyncio.Transport, early: bytes) -> None:
        """Read the next request of a connection, which may have begun to come."""

    def count_lost(self) -> None:
        """Count a connection that has ended."""


class Wakeups:
    """Calls functions on an event loop for other threads: all that come before its next turn in one turn."""

    __slots__ = ("_functions", "_lock", "_loop")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin without a function."""
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
        """Call all functions that were added."""
        with self._lock:
            functions, self._functions = self._functions, []
        for function in functions:
            function()


class StreamLine(asyncio.Protocol):
    """Writes the chunks of an answer that waits, in HTTP/1.1, while the client reads them.

    Once the answer has ended the connection is closed or handed back, as its head said.
    """

    __slots__ = (
        *("_closes", "_early", "_has_ended", "_is_lost", "_is_over", "_is_paused", "_is_reading"),
        *("_owner", "_rest", "_timer", "_transport", "_wait"),
    )

    def __init__(self, owner: Owner, transport: asyncio.Transport, rest: Remainder, *, closes: bool) -> None:
        """Take a connection whose head is written; `closes` is whether that said that it will be closed."""
        self._owner, self._transport, self._rest, self._closes = owner, transport, rest, closes
        self._wait: Wait | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._early = b""
        self._is_lost = self._is_paused = self._is_reading = self._is_over = self._has_ended = False

    def begin(self, wait: Wait) -> None:
        """Take the connection over, and write what comes during a wait and after it."""
        self._transport.set_protocol(self)
        self._await(wait)

    # The transport calls these.

    def data_received(self, data: bytes) -> None:
        """Keep what is asked next for later; who asks too much is not read meanwhile."""
        self._early += data
        if len(self._early) > EARLY_BYTES:
            self._transport.pause_reading()

    def pause_writing(self) -> None:
        """Write nothing until the client has read."""
        self._is_paused = True

    def resume_writing(self) -> None:
        """Write what has come meanwhile."""
        self._is_paused = False
        self._go_on()

    def connection_lost(self, _exc: Exception | None) -> None:
        """Read no further."""
        self._is_lost = True
        self._owner.count_lost()
        self._forget_wait()
        if not self._is_reading and not self._is_over:
            self._rest.close()

    # All of these are called on the event loop.

    def _await(self, wait: Wait) -> None:
        """Write what comes during a wait."""
        self._wait = wait
        wait.notify(self._ring)
        if (left := wait.left) is not None:
            self._timer = self._owner.loop.call_later(max(0.0, left), self._go_on)
        self._go_on()

    def _go_on(self) -> None:
        """Do what is next, as far as the client reads."""
        if self._is_lost or self._is_reading or self._is_paused:
            return
        if self._wait is not None:
            self._write_news(self._wait)
        elif not self._is_over:
            self._read_on()
        elif not self._has_ended:
            self._has_ended = True
            self._transport.write(LAST_CHUNK)
            self._go_on()
        else:
            self._end()

    def _write_news(self, wait: Wait) -> None:
        """Write what has come during a wait, and go on once that is over."""
        chunks, over = wait.take()
        if chunks:
            self._write(b"".join(chunks))
        if over or ((left := wait.left) is not None and left <= 0):
            self._forget_wait()
            self._go_on()

    def _write(self, chunk: bytes) -> None:
        """Write a chunk as HTTP has it."""
        self._transport.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))

    def _read_on(self) -> None:
        """Have a thread read on."""
        self._is_reading = True
        call = self._owner.loop.call_soon_threadsafe
        self._rest.read_on(lambda *found: call(self._take, *found), lambda: call(self._break_off))

    def _take(self, piece: bytes, wait: Wait | None, is_over: bool) -> None:  # noqa: FBT001 -- as it is called
        """Take what was read."""
        self._is_reading, self._is_over = False, is_over
        if self._is_lost:
            if not is_over:
                self._rest.close()
            return
        if piece:
            self._write(piece)
        if wait is None:
            self._go_on()
        else:
            self._await(wait)

    def _break_off(self) -> None:
        """Close the connection in the middle of an answer, so that nobody takes it for whole."""
        self._is_reading, self._is_over = False, True
        if not self._is_lost:
            self._transport.close()

    def _end(self) -> None:
        """Close the connection, or hand it back."""
        if self._closes or not self._owner.alive:
            self._is_lost = True
            self._transport.write_eof()
            self._transport.close()
            return
        self._transport.resume_reading()
        self._owner.take_back(self._transport, self._early)

    # Any thread may call this.

    def _ring(self) -> None:
        """Go on soon."""
        self._owner.wakeups.add(self._go_on)

    def _forget_wait(self) -> None:
        """Wait no longer."""
        self._wait = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
