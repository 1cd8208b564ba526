"""The web process's side of its stream process: subscriptions go there, and what it is to send comes back.

The stream process (`service.launch.stream_process`) reads Redis and plays sessions on in an interpreter of its own, so
that requests need not wait for that. Connections stay here. Where it dies another takes its place: that is told every
subscription with the revision up to which its chunks have come, and goes on from there.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any, Final, cast

import msgspec
import structlog

from service.launch.stream_line import Wakeups
from service.sessions.listening import Attendance, Subscription, Writer
from service.sessions.states import TableState
from service.waiting import Sink, told_together

LENGTH: Final = struct.Struct("!I")
"""Stands in front of every message between the two: how many bytes it has."""

_log = structlog.get_logger("service")


class Subscribe(msgspec.Struct, frozen=True, array_like=True, tag=0):
    """Begin to tell a subscription, under a number, what comes after a revision."""

    number: int
    subscription: Subscription
    revision: int


class Unsubscribe(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """Tell it nothing more. This is said of every number once, of one that has ended, too."""

    number: int


class Ping(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """Send news of the number 0, so that the web process knows that this one responds."""


PING_SECONDS: Final = 1.0
SILENT_SECONDS: Final = 4.0
"""How long a stream process may be silent before it counts as one that does not respond."""

News = tuple[int, int, bytes | None]
"""A number, the revision that it has come to, and a chunk for it; None ends it."""

_encoder: Final = msgspec.msgpack.Encoder()
_news: Final = msgspec.msgpack.Decoder(list[News])


def framed(message: Any) -> bytes:
    """Return a message as it is sent."""
    text = _encoder.encode(message)
    return LENGTH.pack(len(text)) + text


class Relay:
    """All subscriptions of a web process; what changes them is done on its event loop."""

    def __init__(self, control: socket.socket, fail: Callable[[], object]) -> None:
        """Take a socket over which the connection of every new stream process comes.

        `fail` is called where none will come any more.
        """
        self._control, self._fail = control, fail
        self._open: dict[int, _Entry] = {}
        self._numbers = count(1)
        self._transport: asyncio.WriteTransport | None = None
        self._is_closed = False
        self._ended: asyncio.Future[None] | None = None
        self._wakeups: Wakeups | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._heard_at = time.monotonic()

    def attend(self, subscription: Subscription) -> Attendance:
        """Hear for a subscription, in the stream process."""
        return RelayedAttendance(self, subscription)

    def subscribe(self, subscription: Subscription, revision: int, sink: Sink) -> int:
        """Let a sink be told what comes after a revision, and return the number to unsubscribe by, in any thread."""
        number = next(self._numbers)
        self._soon(partial(self._subscribe, number, _Entry(subscription, revision, sink)))
        return number

    def unsubscribe(self, number: int) -> None:
        """Let it be told nothing more, in any thread."""
        self._soon(partial(self._unsubscribe, number))

    def responds(self) -> bool:
        """Return whether a stream process is connected and has responded lately, in any thread."""
        return self._transport is not None and time.monotonic() - self._heard_at < SILENT_SECONDS

    # All of these are called on the event loop.

    def begin(self, loop: asyncio.AbstractEventLoop, wakeups: Wakeups) -> None:
        """Wait for the stream process."""
        self._wakeups = wakeups
        self._ended = loop.create_future()
        loop.add_reader(self._control.fileno(), self._take_process, loop)
        self._ping(loop)

    def close(self) -> None:
        """End all subscriptions, and those to come; whatever listens is sent nothing more."""
        self._is_closed = True
        for entry in list(self._open.values()):
            entry.sink.end()

    async def end(self, seconds: float) -> None:
        """Let the stream process forget who was here, and end; that takes so long at most."""
        if self._transport is not None and self._ended is not None:
            self._transport.write_eof()
            await asyncio.wait({self._ended}, timeout=seconds)
        self._forget_control()

    def connected(self, transport: asyncio.WriteTransport) -> None:
        """Tell a new stream process of all subscriptions."""
        self._transport, self._heard_at = transport, time.monotonic()
        transport.writelines(self._order(number, entry) for number, entry in self._open.items())

    def lost(self, transport: asyncio.BaseTransport) -> None:
        """Go on without the stream process until there is another, if the one that was lost has no successor yet."""
        if transport is not self._transport:
            return
        self._transport = None
        if not self._is_closed:
            _log.warning("stream process lost", streams=len(self._open))
        elif self._ended is not None and not self._ended.done():
            self._ended.set_result(None)

    def take(self, news: Iterable[News]) -> None:
        """Hand chunks on to whom they are for."""
        with told_together():
            self._heard_at = time.monotonic()
            for number, revision, chunk in news:
                entry = self._open.get(number)
                if entry is None:
                    continue
                if chunk is None:
                    entry.sink.end()
                elif entry.sink.push(chunk, revision):
                    entry.revision = revision

    def _ping(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._is_closed:
            return
        if self._transport is not None:
            self._transport.write(framed(Ping()))
        loop.call_later(PING_SECONDS, self._ping, loop)

    def _soon(self, function: Callable[[], object]) -> None:
        """Have a function called on the event loop."""
        if self._wakeups is not None:
            self._wakeups.add(function)

    def _subscribe(self, number: int, entry: _Entry) -> None:
        """Note a subscription, and tell the stream process."""
        self._open[number] = entry
        if self._is_closed:
            entry.sink.end()
        elif self._transport is not None:
            self._transport.write(self._order(number, entry))

    def _unsubscribe(self, number: int) -> None:
        """Forget a subscription, and tell the stream process."""
        del self._open[number]
        if self._transport is not None:
            self._transport.write(framed(Unsubscribe(number)))

    def _order(self, number: int, entry: _Entry) -> bytes:
        """Return what the stream process is told of a subscription."""
        return framed(Subscribe(number, entry.subscription, entry.revision))

    def _forget_control(self) -> None:
        """Wait for no stream process any more."""
        if self._control.fileno() >= 0:
            asyncio.get_running_loop().remove_reader(self._control.fileno())
            self._control.close()

    def _take_process(self, loop: asyncio.AbstractEventLoop) -> None:
        """Connect with a new stream process, or fail where there is nobody to start one."""
        _, found, _, _ = socket.recv_fds(self._control, 1, 1)
        if not found:
            self._forget_control()
            if not self._is_closed:
                self._fail()
            return
        connecting = loop.create_unix_connection(partial(_Pipe, self), sock=socket.socket(fileno=found[0]))
        task = loop.create_task(connecting)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


@dataclass(slots=True)
class _Entry:
    """A subscription, the revision up to which its sink has all, and the sink."""

    subscription: Subscription
    revision: int
    sink: Sink


class _Pipe(asyncio.Protocol):
    """The connection with a stream process: it cuts what comes into messages."""

    def __init__(self, relay: Relay) -> None:
        """Take whom the messages are for."""
        self._relay = relay
        self._unread = b""
        self._transport: asyncio.BaseTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = transport
        self._relay.connected(cast("asyncio.WriteTransport", transport))

    def data_received(self, data: bytes) -> None:
        """Hand on what is whole."""
        data, start = self._unread + data, 0
        while len(data) - start >= LENGTH.size:
            end = start + LENGTH.size + LENGTH.unpack_from(data, start)[0]
            if end > len(data):
                break
            self._relay.take(_news.decode(memoryview(data)[start + LENGTH.size : end]))
            start = end
        self._unread = data[start:]

    def connection_lost(self, _exc: Exception | None) -> None:
        """End."""
        if self._transport is not None:
            self._relay.lost(self._transport)


class RelayedAttendance:
    """Hears for a subscription by way of the stream process; that catches up with the log by itself."""

    __slots__ = ("_number", "_relay", "_subscription")

    def __init__(self, relay: Relay, subscription: Subscription) -> None:
        """Begin without a sink."""
        self._relay, self._subscription = relay, subscription
        self._number = 0

    def join(self, state: TableState, _writer: Writer, sink: Sink) -> bool:
        """Let a sink be told what comes after a state."""
        self._number = self._relay.subscribe(self._subscription, state.session.revision, sink)
        return True

    def leave(self, _sink: Sink) -> None:
        """Let the sink be told nothing more, if it has joined."""
        if self._number:
            self._relay.unsubscribe(self._number)
            self._number = 0

    def release(self) -> None:
        """Hear no longer, which `leave` has seen to."""
