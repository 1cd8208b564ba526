"""The stream process of a web process: it reads Redis for all streams there, and makes what they are sent.

It has an interpreter of its own, so that requests and streams do not take turns. `fork_keeper` starts one before the
web process has threads, and starts another where it dies.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from threading import Lock
from typing import BinaryIO, Final

import msgspec
import structlog
from redis.exceptions import RedisError

from service.api.subscribers import BEAT
from service.context import AppContext
from service.launch.stream_relay import LENGTH, News, Ping, Subscribe, Unsubscribe, framed
from service.sessions.listening import Attendance, Broadcasts, Listener
from service.store.feed import NEWS, Feed
from service.waiting import tell
from service.wire.session_events import EventSerializer

REST_SECONDS: Final = 1.0
"""How long after the death of a stream process the next is started."""

IGNORED: Final = (
    signal.SIGTERM,
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGHUP,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGWINCH,
)
"""Signals that a group of processes may be sent, which the web process answers; this one ends when that has."""

_orders: Final = msgspec.msgpack.Decoder(Subscribe | Unsubscribe | Ping)

_log = structlog.get_logger("service")


def fork_keeper(context: AppContext, listeners: Iterable[socket.socket]) -> socket.socket:
    """Fork a process that keeps a stream process running, and return a socket over which the connections to it come.

    Neither of them has the listeners. Call it before there are threads.
    """
    ours, theirs = socket.socketpair()
    if os.fork():
        theirs.close()
        return ours
    try:
        ours.close()
        for listener in listeners:
            listener.close()
        for number in IGNORED:
            signal.signal(number, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _keep(context, theirs)
    except Exception:  # noqa: BLE001 -- it is told, and the web process gives way to another
        _log.exception("stream process not kept")
    finally:
        os._exit(0)


def _keep(context: AppContext, control: socket.socket) -> None:
    """Run stream processes, one after the other, until one ends by itself or the web process has gone."""
    while True:
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if not pid:
            control.close()
            theirs.close()
            _run(context, ours)
        ours.close()
        try:
            socket.send_fds(control, [b"1"], [theirs.fileno()])
        except BrokenPipeError:
            return
        theirs.close()
        if os.waitpid(pid, 0)[1] == 0:
            return
        time.sleep(REST_SECONDS)


def _run(context: AppContext, connection: socket.socket) -> None:
    """Be the stream process."""
    code = 1
    try:
        gc.freeze()
        serve(context, connection)
        code = 0
    except Exception:  # noqa: BLE001 -- it is told, and another takes this one's place
        _log.exception("stream process broken off")
    finally:
        os._exit(code)


def serve(context: AppContext, connection: socket.socket) -> None:
    """Take orders from a connection until it is closed, and write there what subscriptions are told."""
    outbox = Outbox(connection.sendall)
    subscribers = Subscribers(context, outbox)
    with connection, connection.makefile("rb") as file:
        for message in messages(file):
            order = _orders.decode(message)
            if isinstance(order, Ping):
                outbox.add((0, 0, None))
            elif isinstance(order, Subscribe):
                subscribers.add(order)
            else:
                subscribers.remove(order.number)


def messages(file: BinaryIO) -> Iterator[bytes]:
    """Yield messages until no whole one comes any more."""
    while len(head := file.read(LENGTH.size)) == LENGTH.size:
        (length,) = LENGTH.unpack(head)
        if len(message := file.read(length)) < length:
            return
        yield message


class Outbox:
    """What is to be sent, in order; what several subscriptions are told together is one message."""

    def __init__(self, send: Callable[[bytes], object]) -> None:
        """Take a function that sends bytes, all of them."""
        self._send = send
        self._news: list[News] = []
        self._lock, self._sending = Lock(), Lock()

    def add(self, news: News) -> None:
        """Have something sent, from any thread."""
        with self._lock:
            self._news.append(news)
        tell(self._flush)

    def _flush(self) -> None:
        """Send all that is there."""
        with self._sending:
            with self._lock:
                news, self._news = self._news, []
            if news:
                self._send(framed(news))


class OutboxSink:
    """Takes the chunks for one number."""

    __slots__ = ("_is_over", "_number", "_outbox")

    def __init__(self, outbox: Outbox, number: int) -> None:
        """Take where they are put."""
        self._outbox, self._number = outbox, number
        self._is_over = False

    def push(self, chunk: bytes, position: int) -> bool:
        """Have a chunk sent; the web process sees who does not read."""
        if not self._is_over:
            self._outbox.add((self._number, position, chunk))
        return not self._is_over

    def end(self) -> None:
        """Have the end told."""
        if not self._is_over:
            self._is_over = True
            self._outbox.add((self._number, 0, None))


class Subscribers:
    """The subscriptions by number, each with what hears for it."""

    def __init__(self, context: AppContext, outbox: Outbox) -> None:
        """Begin without one; a reader of Redis is there as soon as it is needed."""
        self._services = context.sessions
        self._beat = context.settings.limits.heartbeat_seconds * BEAT
        self._broadcasts = Broadcasts(Feed(context.sessions_redis, NEWS, lambda: False))
        self._outbox = outbox
        self._attendances: dict[int, tuple[Attendance, OutboxSink]] = {}

    def add(self, order: Subscribe) -> None:
        """Tell a subscription all that comes after a revision; where that fails it ends, and no other."""
        sink = OutboxSink(self._outbox, order.number)
        try:
            self._add(order, sink)
        except RedisError as error:
            _log.warning("stream broken off", kind=type(error).__name__)
            sink.end()
        except Exception:  # noqa: BLE001 -- whatever is wrong with one session is no fault of the others
            _log.exception("stream broken off")
            sink.end()

    def remove(self, number: int) -> None:
        """Tell a subscription nothing more."""
        attendance, sink = self._attendances.pop(number, (None, None))
        if attendance is not None and sink is not None:
            attendance.leave(sink)
            attendance.release()

    def _add(self, order: Subscribe, sink: OutboxSink) -> None:
        """Tell a subscription all that comes after a revision."""
        subscription = order.subscription
        game = self._services.games[subscription.game]
        listener = Listener(
            services=self._services, broadcasts=self._broadcasts, viewer=subscription.viewer, beat=self._beat
        )
        attendance = self._broadcasts.attend(self._services, subscription, game, self._beat)
        self._attendances[order.number] = attendance, sink
        writer = EventSerializer(game, *subscription.key)
        steps = listener.again(game, subscription.session_id, order.revision)
        for chunk, position in listener.catch_up(attendance, game, subscription, steps, writer, sink):
            sink.push(chunk, position)
