"""gunicorn's process for an event loop, with timers of its own for lines, and a stop that cuts nobody off.

A line is closed when a head does not come whole in `patience` seconds, or when nothing at all is asked for `keepalive`
seconds. Before it is closed the sockets are read once more: a process that got no CPU for long may find its timers due
before it has read what came in time.

Once the process is asked to stop, every answer says that its line will be closed. The listener stays open for a second
longer, so that whoever balances load has noticed; then all that still waits at it is taken in, and only after that it
closes. Lines that say nothing are left open for half of the time that remains.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import socket
import struct
import sys
from collections.abc import Iterable
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, cast

from gunicorn.asgi.parser import ParseError, UnsupportedTransferCoding
from gunicorn.asgi.protocol import ASGIProtocol
from gunicorn.workers.gasgi import ASGIWorker

from service.http.response_headers import DEFAULTS

LISTEN_SECONDS: Final = 1.0
"""How long a process goes on listening after it was asked to stop."""

HANDSHAKE_SECONDS: Final = 0.25
"""For how long of that only those are let in who have begun to connect before."""

_ATTACH_FILTER: Final = 26
"""Linux' SO_ATTACH_FILTER, which Python does not name."""

_NO_SYN: Final = b"".join(
    struct.pack("HBBI", *instruction)
    for instruction in (
        (0x30, 0, 0, 13),  # load the byte of TCP's header that has the flags
        (0x45, 0, 1, 0x02),  # jump over the next instruction unless SYN is set
        (0x06, 0, 0, 0),  # let nothing of the packet through
        (0x06, 0, 0, 0xFFFF_FFFF),  # let all of it through
    )
)
"""A packet filter that drops the first packet of every new connection."""

ENDING: Final = {signal.SIGTERM, signal.SIGINT, signal.SIGQUIT}
"""The signals that ask a process to stop; they are blocked when it is forked, and let through once its loop runs."""

TICK_SECONDS: Final = 0.1
BEAT_SECONDS: Final = 1.0


class Line(ASGIProtocol):  # type: ignore[misc]  # gunicorn has no types
    """A client's connection: heads come in time and are well formed, and what was said of its end holds."""

    worker: WebWorker

    def __init__(self, worker: WebWorker) -> None:
        """Take the process that it belongs to."""
        super().__init__(worker)
        self._timer: asyncio.TimerHandle | None = None
        self._begun = False
        self._told: tuple[object, bool] = (None, False)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for a head, and hold back whoever writes as soon as the client has something to read."""
        super().connection_made(transport)
        cast("asyncio.WriteTransport", transport).set_write_buffer_limits(high=0)
        self.worker.lines.add(self)
        self.await_head(self.worker.head_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        """Be forgotten."""
        super().connection_lost(exc)
        self.worker.lines.discard(self)
        self._cancel_timer()

    @property
    def has_head(self) -> bool:
        """Tell whether the head of a request is whole that is not answered yet."""
        return self._current_request is not None

    def await_head(self, seconds: float) -> None:
        """Close the line so long from now on unless a whole head comes."""
        self._cancel_timer()
        self._timer = self.worker.loop.call_later(seconds, self._read_once_more)

    def _read_once_more(self) -> None:
        """Close the line after the loop has read what is there already; a head that it finds keeps the line open."""
        self._timer = self.worker.loop.call_later(TICK_SECONDS, self._close_unasked)

    def _close_unasked(self) -> None:
        """Close the line; whoever has sent half a head is told why."""
        if self._begun:
            self._send_error_response(HTTPStatus.REQUEST_TIMEOUT, "no whole head")
        self._keepalive_timeout()

    def _cancel_timer(self) -> None:
        """Wait for a head no longer."""
        self.worker.idle.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # What follows is called by gunicorn.

    def _arm_keepalive_timer(self) -> None:
        """Wait for the next request, unless its head has begun already."""
        if not self._begun:
            self.await_head(self.worker.idle_seconds)
            self.worker.add_idle(self)

    def _cancel_keepalive_timer(self) -> None:
        """Wait for a head no longer."""
        self._cancel_timer()

    def _feed_callback_parser(self, data: bytes) -> bool:
        """Parse a part of a request; False where the line is closed.

        The head of a line's first request has as long as was given when it came, every other from its first byte on.
        """
        if not self.has_head and not self._begun:
            self._begun = True
            if self._timer is None or self in self.worker.idle:
                self.await_head(self.worker.head_seconds)
        try:
            return bool(super()._feed_callback_parser(data))
        except ValueError:  # a Content-Length of more digits than Python reads
            self._send_error_response(HTTPStatus.BAD_REQUEST, "a number is too long")
            self._close_transport()
            return False

    def _on_headers_complete(self) -> bool:
        """Wait for this head no longer; raise ParseError where it is not one of HTTP."""
        self._begun = False
        self._cancel_timer()
        headers = self._callback_parser.headers
        if self._callback_parser.http_version >= (1, 1) and not any(name == b"host" for name, _ in headers):
            raise ParseError("Host is missing")
        for name, value in headers:
            if name == b"transfer-encoding" and value.lower() != b"chunked":
                raise UnsupportedTransferCoding(value.decode("latin-1"))
        return bool(super()._on_headers_complete())

    def _send_error_response(self, status: int, message: str, extra_headers: Iterable[tuple[str, str]] = ()) -> None:
        """Refuse what is no request; the message may quote it, so no browser is to take it for a page."""
        super()._send_error_response(status, message, (*extra_headers, *DEFAULTS.items()))

    def _will_close(self, request: Any, response_requires_close: bool) -> bool:  # noqa: FBT001 -- gunicorn's
        """Tell whether the line closes after an answer; what was told once, in its head, stays so."""
        if self._told[0] is not request:
            closes = super()._will_close(request, response_requires_close) or self.worker.stopping
            self._told = request, closes
        return self._told[1]


class WebWorker(ASGIWorker):  # type: ignore[misc]  # gunicorn has no types
    """A process of the web server; `alive` stays true until all that it has promised is done."""

    patience = 20.0
    """Seconds for a head."""

    idle_lines = 1_000
    """So many lines may be idle; one more, and the one that is idle longest is closed."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        """Begin without a line."""
        super().__init__(*arguments, **more)
        self.lines: set[Line] = set()
        self.idle: dict[Line, None] = {}
        self._asked, self._hurried = asyncio.Event(), asyncio.Event()

    @property
    def stopping(self) -> bool:
        """Tell whether the process is asked to stop."""
        return self._asked.is_set()

    @property
    def idle_seconds(self) -> float:
        """For how long a line may say nothing.

        Once the process is asked to stop it is half of the time that is left after listening, 3 s of 8.
        """
        if self.stopping:
            return float(max(0, self.cfg.graceful_timeout - LISTEN_SECONDS - BEAT_SECONDS)) / 2
        return float(self.cfg.keepalive)

    @property
    def head_seconds(self) -> float:
        """How long a head may take."""
        return min(self.patience, self.idle_seconds) if self.stopping else self.patience

    def add_idle(self, line: Line) -> None:
        """Note that a line is idle from now on, and close the one that is idle longest where they are too many."""
        self.idle[line] = None
        if len(self.idle) > self.idle_lines:
            next(iter(self.idle)).await_head(0)

    def handle_exit_signal(self) -> None:
        """Begin to stop."""
        self._asked.set()

    def handle_quit_signal(self) -> None:
        """Stop at once."""
        self._asked.set()
        self._hurried.set()
        super().handle_quit_signal()

    async def _serve(self) -> None:
        """Answer until we are asked to stop, then let what is under way come to its end."""
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
        for listener in self.sockets:
            server = await self.loop.create_server(lambda: Line(self), sock=listener.sock, backlog=self.cfg.backlog)
            self.servers.append(server)
        while self.alive and not self.stopping and self.ppid == os.getppid():
            self.notify()
            await _told(self._asked, BEAT_SECONDS)
        self._asked.set()  # or there is no master any more, or gunicorn lets a process answer no more than so often
        # The master ends by force who is still there after the same time, which began a moment earlier.
        until = self.loop.time() + self.cfg.graceful_timeout - BEAT_SECONDS
        await _told(self._hurried, LISTEN_SECONDS - HANDSHAKE_SECONDS)
        await self._close_listeners()
        for line in self.lines:
            if not line.has_head:
                line.await_head(self.idle_seconds)
        await _told(self._hurried, TICK_SECONDS)  # whoever was taken in last is counted soon
        while self.nr_conns and self.loop.time() < until and not self._hurried.is_set():
            await _told(self._hurried, TICK_SECONDS)

    async def _close_listeners(self) -> None:
        """Take in who waits at the listeners, and close them; where the master keeps them others do the former."""
        ends = [not _has_open(self.ppid, listener.sock) for listener in self.sockets]
        for listener, ending in zip(self.sockets, ends, strict=True):
            if ending:
                _refuse_connections(listener.sock)
        await _told(self._hurried, HANDSHAKE_SECONDS)
        for server, listener, ending in zip(self.servers, self.sockets, ends, strict=True):
            waiting = []
            with suppress(OSError):  # nobody waits any more
                while ending:
                    waiting.append(listener.sock.accept()[0])
            server.close()
            for line in waiting:
                line.settimeout(0)
                with suppress(OSError):  # it has gone meanwhile
                    await self.loop.connect_accepted_socket(lambda: Line(self), line)


def _has_open(pid: int, listener: socket.socket) -> bool:
    """Tell whether a process has a socket open, or may have; False where there is no /proc."""
    inode = Path(f"socket:[{os.fstat(listener.fileno()).st_ino}]")
    try:
        for file in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(FileNotFoundError):  # closed just now
                if file.readlink() == inode:
                    return True
    except FileNotFoundError:
        return False
    except PermissionError:
        return True
    return False


def _refuse_connections(listener: socket.socket) -> None:
    """Let nobody begin to connect: a caller whom the system drops tries again later, and is refused then.

    Whoever connected between the last look at a listener and its end would be cut off. Whoever has begun may end it.
    Linux only.
    """
    if sys.platform == "linux":
        code = ctypes.create_string_buffer(_NO_SYN)
        program = struct.pack("HP", len(_NO_SYN) // 8, ctypes.addressof(code))
        with suppress(OSError):
            listener.setsockopt(socket.SOL_SOCKET, _ATTACH_FILTER, program)


async def _told(event: asyncio.Event, seconds: float) -> None:
    """Wait until an event has happened, or for so long."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
