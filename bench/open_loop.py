"""Requests on a schedule, whether or not earlier ones have been answered, by a client that costs little."""

from __future__ import annotations

import asyncio
import errno
import time
from collections import Counter, deque
from collections.abc import Callable
from random import Random
from typing import Final, NamedTuple, cast

from bench.load import BODILESS, body_length

END: Final = b"\r\n\r\n"
PATIENCE_SECONDS: Final = 10.0
"""Time after which a request without a response counts as lost."""

STEP_SECONDS: Final = 0.002
"""Interval in which requests that are due are sent."""

LOST: Final = 0
"""The status of a request without a response."""


class Sample(NamedTuple):
    """A request: its kind, whether it had an API key, when it was due, its seconds, its status, and its Retry-After.

    `late` is the part of the seconds for which this client has delayed the request.
    """

    kind: str
    has_key: bool
    due: float
    late: float
    seconds: float
    status: int
    retry_after: float | None


Done = Callable[[int, bytes, bytes], object]
"""A function that takes the status, the head and the body of a response."""


class Connection(asyncio.Protocol):
    """A kept connection that carries one request at a time."""

    def __init__(self, free: deque[Connection]) -> None:
        self._free = free
        self._transport: asyncio.Transport | None = None
        self._done: Done | None = None
        self._is_stream = False
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport."""
        self._transport = cast("asyncio.Transport", transport)

    def send(self, sent: bytes, done: Done, *, is_stream: bool) -> None:
        """Send a request. `done` is called with its response."""
        self._done, self._is_stream, self._received = done, is_stream, b""
        if self._transport is None or self._transport.is_closing():
            self._end(LOST, b"", b"")
        else:
            self._transport.write(sent)

    def data_received(self, data: bytes) -> None:
        """Collect a response."""
        if self._done is None:
            return  # of a stream that has begun
        self._received += data
        at = self._received.find(END)
        if at < 0:
            return
        head = self._received[: at + len(END)]
        status = int(head[9:12])
        if self._is_stream and status == 200:
            self._end(status, head, b"", keeps=False)
            return
        length = 0 if any(bare in head[:13] for bare in BODILESS) else body_length(head)
        if len(self._received) >= len(head) + length:
            self._end(status, head, self._received[len(head) :])

    def connection_lost(self, exc: Exception | None) -> None:
        """End the request without a response."""
        self._transport = None
        self._end(LOST, b"", b"")

    def close(self) -> None:
        """Close the connection at once."""
        if self._transport is not None:
            self._transport.abort()

    def _end(self, status: int, head: bytes, body: bytes, *, keeps: bool = True) -> None:
        done, self._done = self._done, None
        if done is not None:
            done(status, head, body)
        if keeps and status != LOST and b"connection: close" not in head:
            self._free.append(self)


class Wanted(NamedTuple):
    """A request to send: its kind, whether it has an API key, its bytes, and what to do with its last response."""

    kind: str
    has_key: bool
    sent: bytes
    done: Done


class OpenLoop:
    """Sends requests at random times with a given rate. `stream` is the kind whose responses do not end."""

    def __init__(self, port: int, choose: Callable[[], Wanted | None], stream: str, stream_seconds: float) -> None:
        self._port, self._choose, self._stream, self._stream_seconds = port, choose, stream, stream_seconds
        self._free = deque[Connection]()
        self._chance = Random("open loop")  # noqa: S311 -- a schedule
        self._opening = set[asyncio.Task[None]]()
        self.samples = list[Sample]()
        self.repeats = 0.0
        """The part of the refused requests that are repeated after their Retry-After."""

        self.errors = Counter[str]()
        """Connections that could not be opened, by the name of the error."""

        self.unfinished = self.skipped = 0
        self.lags = list[float]()
        """The seconds by which each turn of this client's loop was late."""

    async def run(self, rate: float, seconds: float) -> list[Sample]:
        """Send requests for some seconds, and return the samples of all responses that have arrived meanwhile."""
        first, began = len(self.samples), time.perf_counter()
        due = began + self._chance.expovariate(rate)
        while (now := time.perf_counter()) < began + seconds:
            while due <= now:
                wanted = self._choose()
                if wanted is None:
                    self.skipped += 1
                else:
                    self.send(wanted, due)
                due += self._chance.expovariate(rate)
            await asyncio.sleep(STEP_SECONDS)
            self.lags.append(time.perf_counter() - now - STEP_SECONDS)
        return self.samples[first:]

    async def settle(self) -> None:
        """Wait until no request is unfinished."""
        until = time.perf_counter() + PATIENCE_SECONDS
        while self.unfinished and time.perf_counter() < until:  # noqa: ASYNC110 -- an event would cost more
            await asyncio.sleep(STEP_SECONDS)

    def send(self, wanted: Wanted, due: float, kind: str = "") -> None:
        """Send a request that is due at a time. `kind` replaces its kind in the samples."""
        self.unfinished += 1
        loop, late = asyncio.get_running_loop(), time.perf_counter() - due
        is_stream = wanted.kind == self._stream

        def end(status: int, head: bytes, body: bytes) -> None:
            self.unfinished -= 1
            found = Sample(
                kind or wanted.kind, wanted.has_key, due, late, time.perf_counter() - due, status, _retry_after(head)
            )
            self.samples.append(found)
            if is_stream and status not in {LOST, 503}:
                loop.call_later(self._stream_seconds, connection.close)
            if found.retry_after is not None and not kind and self._chance.random() < self.repeats:
                again = time.perf_counter() + found.retry_after
                loop.call_later(found.retry_after, self.send, wanted, again, f"repeated {wanted.kind}")
            else:
                wanted.done(status, head, body)

        if self._free:
            connection = self._free.pop()
            connection.send(wanted.sent, end, is_stream=is_stream)
            return
        connection = Connection(self._free)

        async def begin() -> None:
            try:
                await loop.create_connection(lambda: connection, "127.0.0.1", self._port)
            except OSError as error:
                self.errors[errno.errorcode.get(error.errno or 0, type(error).__name__)] += 1
                end(LOST, b"", b"")
            else:
                connection.send(wanted.sent, end, is_stream=is_stream)

        task = loop.create_task(begin())
        self._opening.add(task)
        task.add_done_callback(self._opening.discard)


def _retry_after(head: bytes) -> float | None:
    lower = head.lower()
    at = lower.find(b"\r\nretry-after:")
    return float(lower[at + 14 : lower.index(b"\r\n", at + 2)]) if at >= 0 else None
