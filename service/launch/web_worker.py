"""gunicorn's process for an event loop, with a limit on how long a head may take and a stop that cuts nobody off.

Once it is asked to stop, every answer says that its line will be closed. The listener stays open for a second longer,
so that whoever balances load has noticed; then all that still waits at it is taken in, and only after that it closes.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import socket
import struct
import sys
from contextlib import suppress
from http import HTTPStatus
from typing import Any, Final, cast

from gunicorn.asgi.protocol import ASGIProtocol
from gunicorn.workers.gasgi import ASGIWorker

LISTEN_SECONDS: Final = 1.0
"""How long a process goes on listening after it was asked to stop."""

_ATTACH_FILTER: Final = 26
"""Linux' SO_ATTACH_FILTER, which Python does not name."""

_RETURN: Final = 6
"""The instruction of a packet filter that lets so many bytes through."""

TICK_SECONDS: Final = 0.1
BEAT_SECONDS: Final = 1.0


class Line(ASGIProtocol):  # type: ignore[misc]  # gunicorn has no types
    """A client's connection: its first head comes in time, and what was said of its end holds."""

    worker: WebWorker

    def __init__(self, worker: WebWorker) -> None:
        """Take the process that it belongs to."""
        super().__init__(worker)
        self._head: asyncio.TimerHandle | None = None
        self._heard = False
        self._told: tuple[object, bool] = (None, False)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for a head, and hold back whoever writes as soon as the client has something to read."""
        super().connection_made(transport)
        cast("asyncio.WriteTransport", transport).set_write_buffer_limits(high=0)
        self.worker.lines.add(self)
        self.await_head(self.worker.idle_seconds if self.worker.stopping else self.worker.patience)

    def connection_lost(self, exc: Exception | None) -> None:
        """Be forgotten."""
        super().connection_lost(exc)
        self.worker.lines.discard(self)
        self._cease()

    def data_received(self, data: bytes) -> None:
        """Take in a part of a request."""
        self._heard = True
        super().data_received(data)

    def await_head(self, seconds: float) -> None:
        """Give the first head so long from now on, if it has not come yet."""
        if not self.has_asked:
            self._cease()
            self._head = self.worker.loop.call_later(seconds, self._give_up)

    @property
    def has_asked(self) -> bool:
        """Tell whether a whole head has come; gunicorn closes what is idle after that by itself."""
        return self.req_count > 1 or self._current_request is not None

    def _on_headers_complete(self) -> bool:
        """Wait for this head no longer."""
        self._cease()
        return bool(super()._on_headers_complete())

    def _cease(self) -> None:
        """Wait for a head no longer."""
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _give_up(self) -> None:
        """Close the line; whoever has sent half a head is told why."""
        if self._heard:
            self._send_error_response(HTTPStatus.REQUEST_TIMEOUT, "no whole head")
        self._keepalive_timeout()

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

    def __init__(self, *arguments: Any, **more: Any) -> None:
        """Begin without a line."""
        super().__init__(*arguments, **more)
        self.lines: set[Line] = set()
        self._asked, self._hurried = asyncio.Event(), asyncio.Event()

    @property
    def stopping(self) -> bool:
        """Tell whether the process is asked to stop."""
        return self._asked.is_set()

    @property
    def idle_seconds(self) -> float:
        """For how long a line may say nothing between two requests, or once the process is asked to stop."""
        return float(self.cfg.keepalive)

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
        for listener in self.sockets:
            server = await self.loop.create_server(lambda: Line(self), sock=listener.sock, backlog=self.cfg.backlog)
            self.servers.append(server)
        while self.alive and not self.stopping and self.ppid == os.getppid():
            self.notify()
            await _told(self._asked, BEAT_SECONDS)
        self._asked.set()  # or there is no master any more, or gunicorn lets a process answer no more than so often
        # The master ends by force who is still there after the same time, which began a moment earlier.
        until = self.loop.time() + self.cfg.graceful_timeout - BEAT_SECONDS
        await _told(self._hurried, LISTEN_SECONDS)
        await self._close_listeners()
        for line in self.lines:
            line.await_head(self.idle_seconds)
        await _told(self._hurried, TICK_SECONDS)  # whoever was taken in last is counted soon
        while self.nr_conns and self.loop.time() < until and not self._hurried.is_set():
            await _told(self._hurried, TICK_SECONDS)

    async def _close_listeners(self) -> None:
        """Take in who waits at the listeners, and close them at once after that."""
        for server, listener in zip(self.servers, self.sockets, strict=True):
            waiting = []
            _admit_nobody(listener.sock)
            with suppress(OSError):  # nobody waits any more
                while True:
                    waiting.append(listener.sock.accept()[0])
            server.close()
            for line in waiting:
                line.settimeout(0)
                await self.loop.connect_accepted_socket(lambda: Line(self), line)


def _admit_nobody(listener: socket.socket) -> None:
    """Let nobody come who is not there yet: a caller whom the system drops tries again later, and is refused then.

    Whoever came between the last look at a listener and its end would be cut off. Linux only.
    """
    if sys.platform == "linux":
        nothing = ctypes.create_string_buffer(struct.pack("HBBI", _RETURN, 0, 0, 0))
        with suppress(OSError):
            listener.setsockopt(socket.SOL_SOCKET, _ATTACH_FILTER, struct.pack("HP", 1, ctypes.addressof(nothing)))


async def _told(event: asyncio.Event, seconds: float) -> None:
    """Wait until an event has happened, or for so long."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
