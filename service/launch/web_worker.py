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
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from gunicorn.asgi.parser import CallbackRequest, ParseError, UnsupportedTransferCoding
from gunicorn.asgi.protocol import ASGIProtocol, BodyReceiver
from gunicorn.workers.gasgi import ASGIWorker

from service.http.pipeline import Pending
from service.http.request import Request
from service.http.response import DEFAULTS, Response
from service.launch.bridge import PIECE_BYTES, TAKEN, Bridge, Taken
from service.launch.environ import environ_of_line, environ_of_request
from service.launch.gathering import Gathering
from service.launch.heads import RequestParser
from service.launch.stream_line import DETACH, Remainder, StreamLine, Wakeups
from service.launch.stream_relay import Relay
from service.waiting import Wait

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

REQUEST_HOOKS: Final = ("pre_request", "post_request")
"""What an operator may have gunicorn call for each request."""

SHORT_BYTES: Final = 16_384
"""A request whose body is longer goes by ASGI."""


class Asked(NamedTuple):
    """A request without a body, as it came, that was answered together with others."""

    text: bytes
    request: CallbackRequest
    asked: Request
    gathering: Gathering


class Line(ASGIProtocol):  # type: ignore[misc]  # gunicorn has no types
    """A client's connection: heads come in time and are well formed, and what was said of its end holds."""

    worker: WebWorker
    _closed: bool
    _conn_lost_handled: bool
    _callback_parser: Any
    _flow_control: Any
    _current_request: Any
    _body_receiver: Any
    _request_ready: Any
    _response_buffer: Any
    _h2c_upgrade_settings: Any

    def __init__(self, worker: WebWorker) -> None:
        """Take the process that it belongs to."""
        super().__init__(worker)
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at, self._due = 0.0, 0.0
        self._is_last_look = False
        self._begun = False
        self._told: tuple[object, bool] = (None, False)
        self._is_held = self._is_unread = False
        self._environ: dict[str, Any] | None = None
        self._taken: Taken | None = None
        self._asked: Asked | None = None
        self._awaited: Wait | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for a head, and hold back whoever writes as soon as the client has something to read."""
        stream = cast("asyncio.WriteTransport", transport)
        if stream.get_extra_info("peername") is None:  # the client has reset the connection already
            self._closed = self._conn_lost_handled = True
            stream.abort()
            return
        super().connection_made(transport)
        stream.set_write_buffer_limits(high=0)
        self.worker.lines.add(self)
        self._environ = self.worker.environ_of(transport)
        self.await_head(self.worker.head_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        """Be forgotten."""
        if self._conn_lost_handled:
            return
        super().connection_lost(exc)
        self._leave()
        if self._awaited is not None:
            self._awaited.end()
        if self._task.done():
            self._drop_parser()
        else:
            self._task.add_done_callback(self._drop_parser)

    def _leave(self) -> None:
        """Be none of the process' lines any more."""
        self.worker.lines.discard(self)
        self._cancel_timer()
        if self._timer is not None:
            self._timer.cancel()

    def _drop_parser(self, _task: object = None) -> None:
        """Let go of what knows this, so that the collector of cycles need not find it."""
        self._callback_parser = self._body_receiver = self._current_request = self._taken = None

    def resume_writing(self) -> None:
        """Let writers go on; where an answer was not read at once, only now the next request has its turn."""
        super().resume_writing()
        if self._is_unread:
            self._is_unread = False
            self._begin_next()

    @property
    def has_head(self) -> bool:
        """Tell whether the head of a request is whole that is not answered yet."""
        return self._current_request is not None

    def await_head(self, seconds: float) -> None:
        """Close the line so long from now on unless a whole head comes."""
        self._cancel_timer()
        self._due = self.worker.loop.time() + seconds
        if self._timer is None or self._timer_at > self._due:
            self._set_timer()

    def _set_timer(self) -> None:
        """Look at the time when the line is due; one timer does for many requests, since each puts that off."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at = self._due
        self._timer = self.worker.loop.call_at(self._due, self._look_at_time)

    def _look_at_time(self) -> None:
        """Close the line if it is due, after the loop has read what is there already; a head keeps the line open."""
        self._timer = None
        if self._due > self.worker.loop.time():
            self._set_timer()
        elif self._due:
            self._is_last_look = True
            self._timer = self.worker.loop.call_later(TICK_SECONDS, self._close_unasked)

    def _close_unasked(self) -> None:
        """Close the line; whoever has sent half a head is told why."""
        if self._begun:
            self._send_error_response(HTTPStatus.REQUEST_TIMEOUT, "no whole head")
        self._keepalive_timeout()

    def _cancel_timer(self) -> None:
        """Wait for a head no longer."""
        self.worker.idle.pop(self, None)
        self._due = 0.0
        if self._is_last_look and self._timer is not None:
            self._is_last_look = False
            self._timer.cancel()
            self._timer = None

    def _answer_together(self, text: bytes) -> bool:
        """Have the request that came answered together with others; False where gunicorn has it answered, by ASGI.

        gunicorn's task of the line goes on waiting meanwhile, or begins to, as if nothing had come.
        `text` is all that has come on the line since the last request, if it came in one piece.
        """
        request: CallbackRequest = self._current_request
        if (
            self._environ is None
            or (self.req_count and not self._awaiting_request)
            or self._finishing_calls
            or not self._callback_parser.is_complete
            or request.chunked
            or request.method == "HEAD"
            or request.content_length > SHORT_BYTES
        ):
            return False
        body = b"".join(self._body_receiver._chunks)  # noqa: SLF001 -- gunicorn's own way is a coroutine
        asked = self.worker.bridge.request_of(_scope_of(self._environ, request), body)
        gathering = None if asked is None else self.worker.bridge.gathering_of(asked)
        if asked is None or gathering is None:
            self._taken = Taken(request, environ_of_request(self._environ, request, body))
            return False
        if text and not request.content_length and not self._callback_parser.remaining():
            self._asked = Asked(text, request, asked, gathering)
        gathering.submit(asked, partial(self._answer, gathering, request))
        return True

    def _answer_again(self, asked: Asked) -> None:
        """Have a request answered that is the same, byte by byte, as one before on this line; so it is not parsed."""
        self._cancel_timer()
        self._callback_parser.repeat()
        self._current_request = asked.request
        asked.gathering.submit(asked.asked, partial(self._answer, asked.gathering, asked.request))

    def _await(self, gathering: Gathering, request: CallbackRequest, pending: Pending, wait: Wait) -> None:
        """Have a request answered after a wait, which is over when the client has left."""
        timer = self.worker.loop.call_later(wait.left or 0, wait.end)
        again = partial(gathering.submit, pending, partial(self._answer, gathering, request))
        go_on = partial(self._end_wait, wait, timer, again)
        self._awaited = wait
        wait.notify(partial(self.worker.wakeups.add, go_on))
        if self._closed:
            wait.end()
        elif wait.is_done:
            go_on()

    def _end_wait(self, wait: Wait, timer: asyncio.TimerHandle, go_on: Callable[[], object]) -> None:
        """Go on after a wait, once."""
        if self._awaited is wait:
            self._awaited = None
            timer.cancel()
            go_on()

    def _answer(self, gathering: Gathering, request: CallbackRequest, reply: Response | Pending) -> None:
        """Send the response to a request that was answered in a batch; long ones go by ASGI."""
        if isinstance(reply, Pending):
            if reply.wait is not None:
                self._await(gathering, request, reply, reply.wait)
            return
        if self._closed:
            return
        if len(reply.body) > PIECE_BYTES:
            self._taken = Taken(request, response=reply)
            if self._body_receiver is None:
                self._body_receiver = BodyReceiver(request, self)
                self._body_receiver.set_complete()
            self._request_ready.set()
            return
        worker, closes = self.worker, self._will_close(request, response_requires_close=False)
        self._send_response_start(reply.status, (), request, close=closes)
        first, end, rest = self._response_buffer.partition(b"\r\n")
        lines = b"".join([b"%b: %b\r\n" % header for header in reply.raw_headers])
        self._safe_write(b"".join((first, end, lines, rest, reply.body)))
        self._response_buffer = self._taken = None
        worker.nr += 1
        if worker.nr >= worker.max_requests:
            worker.alive = False
        if closes or not worker.alive:
            self._keepalive_timeout()
        elif self._flow_control.write_paused:
            self._is_unread = True
        else:
            self._begin_next()

    def _begin_next(self) -> None:
        """Wait for the next request, or take the one that has come already."""
        self._resume_reading()
        tail = self._callback_parser.remaining()
        self._callback_parser.reset()
        self._current_request = self._body_receiver = None
        self._told = None, False
        self._arm_keepalive_timer()
        if tail:
            self._feed_callback_parser(tail)

    def detach(self, rest: Remainder, wait: Wait) -> bool:
        """Have what is left of the present answer sent by a connection that does nothing else; False if it cannot be.

        The client has read all that was sent, and has sent no more than this request.
        """
        request, parser, transport = self._current_request, self._callback_parser, self.transport
        blocked = self._closed or self._reading_paused or self._flow_control.write_paused or self._finishing_calls
        if blocked or request.version < (1, 1) or not parser.is_complete or parser.remaining():
            return False
        if self._response_buffer:
            transport.write(self._response_buffer)
            self._response_buffer = None
        stream = StreamLine(
            self.worker, transport, rest, closes=self._will_close(request, response_requires_close=False)
        )
        self._leave()
        self._closed = self._conn_lost_handled = True  # for gunicorn, which ends its tasks now
        self._drop_parser()
        self._flow_control = None
        stream.begin(wait)
        return True

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
        text = b""
        if not self.has_head and not self._begun:
            text, asked = data, self._asked
            if asked is not None and asked.text == data and self._awaiting_request and not self._finishing_calls:
                self._answer_again(asked)
                return True
            self._begun = True
            if not self._due or self in self.worker.idle:
                self.await_head(self.worker.head_seconds)
        goes_on = False
        try:
            goes_on = bool(super()._feed_callback_parser(data))
        except ValueError:  # a Content-Length of more digits than Python reads
            self._send_error_response(HTTPStatus.BAD_REQUEST, "a number is too long")
            self._close_transport()
        finally:
            if self._is_held:
                self._is_held = False
                if not (goes_on and self._answer_together(text)):
                    self._request_ready.set()
        return goes_on

    def _on_headers_complete(self) -> bool:
        """Wait for this head no longer; raise ParseError where it is not one of HTTP."""
        self._begun = False
        self._cancel_timer()
        has_host = self._callback_parser.http_version < (1, 1)
        for name, value in self._callback_parser.headers:
            if name == b"host":
                has_host = True
            elif name == b"transfer-encoding" and value.lower() != b"chunked":
                raise UnsupportedTransferCoding(value.decode("latin-1"))
        if not has_host:
            raise ParseError("Host is missing")
        # The line's task is woken when all is taken in that came with the head, unless it need not be.
        ready, self._request_ready = self._request_ready, None
        try:
            skips_body = bool(super()._on_headers_complete())
        finally:
            self._request_ready = ready
        self._is_held = self._h2c_upgrade_settings is None
        return skips_body

    def _setup_callback_parser(self) -> None:
        """Parse requests by a parser of ours."""
        super()._setup_callback_parser()
        self._callback_parser.__class__ = RequestParser

    def _http1_buffered(self) -> int:
        """Return how many bytes of this request and the next ones are kept that nobody has taken."""
        kept: int = self._body_receiver.buffered if self._body_receiver is not None else 0
        parser = self._callback_parser
        return kept + len(parser._buffer) if parser.is_complete else kept  # noqa: SLF001 -- as gunicorn does

    def _build_http_scope(self, request: Any, *addresses: Any) -> dict[str, Any]:
        """Return the scope of a request, with what is known of it already, and who takes the rest of an answer over."""
        scope: dict[str, Any] = super()._build_http_scope(request, *addresses)
        scope[DETACH] = self.detach
        taken, self._taken = self._taken, None
        if taken is not None and taken.request is request:
            scope[TAKEN] = taken
        return scope

    def _send_error_response(self, status: int, message: str, extra_headers: Iterable[tuple[str, str]] = ()) -> None:
        """Refuse what is no request; the message may quote it, so no browser is to take it for a page."""
        super()._send_error_response(status, message, (*extra_headers, *DEFAULTS.items()))

    def _will_close(self, request: Any, response_requires_close: bool) -> bool:  # noqa: FBT001 -- gunicorn's
        """Tell whether the line closes after an answer; what was told once, in its head, stays so."""
        if self._told[0] is not request:
            closes = super()._will_close(request, response_requires_close) or self.worker.stopping
            self._told = request, closes
        return self._told[1]


def _scope_of(line: Mapping[str, Any], request: CallbackRequest) -> dict[str, Any]:
    """Return what a request is made from."""
    return {
        "http_version": f"{request.version[0]}.{request.version[1]}",
        "method": request.method,
        "path": request.path,
        "raw_path": request.uri.partition("?")[0].encode("latin-1"),
        "query_string": request.query.encode("latin-1"),
        "headers": request.headers_bytes,
        "client": (line["REMOTE_ADDR"],),
    }


class WebWorker(ASGIWorker):  # type: ignore[misc]  # gunicorn has no types
    """A process of the web server; `alive` stays true until all that it has promised is done."""

    patience = 20.0
    """Seconds for a head."""

    idle_lines = 1_000
    """So many lines may be idle; one more, and the one that is idle longest is closed."""

    core: int | None = None
    """The core that it is bound to, if any."""

    relay: Relay
    """Where streams are told."""

    bridge: Bridge
    """What answers requests at the public port."""

    public_ports: frozenset[int] = frozenset()
    """The ports at which requests may be answered together, past ASGI."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        """Begin without a line."""
        super().__init__(*arguments, **more)
        self.lines: set[Line] = set()
        self.idle: dict[Line, None] = {}
        self._asked, self._hurried = asyncio.Event(), asyncio.Event()

    def relay_through(self, control: socket.socket) -> None:
        """Have streams told by the stream processes whose connections come over a socket."""
        self.relay = Relay(control, self._asked.set)

    @property
    def stopping(self) -> bool:
        """Tell whether the process is asked to stop."""
        return self._asked.is_set()

    def environ_of(self, transport: asyncio.BaseTransport) -> dict[str, Any] | None:
        """Return what the environments of a line's requests have in common; None where all of them go by ASGI.

        That is so where gunicorn is told to look at requests itself.
        """
        server, client = transport.get_extra_info("sockname"), transport.get_extra_info("peername")
        if (
            not isinstance(server, tuple)  # a socket of Unix
            or server[1] not in self.public_ports
            or self.log.access_log_enabled
            or self.cfg.proxy_protocol != "off"
            or self.cfg.root_path
            or any(getattr(self.cfg, hook) is not self.cfg.settings[hook].default for hook in REQUEST_HOOKS)
        ):
            return None
        return environ_of_line(server, client)

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

    def take_back(self, transport: asyncio.Transport, early: bytes) -> None:
        """Read the next request of a connection that has sent an answer by itself; some of it may be there."""
        line = Line(self)
        self.nr_conns -= 1
        transport.set_protocol(line)
        line.connection_made(transport)
        line.req_count = 1  # so that it may be idle for longer than one that was never used
        if early:
            line.data_received(early)

    def count_lost(self) -> None:
        """Count a connection that has ended while it was not ours to count."""
        self.nr_conns -= 1

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
        self.wakeups = Wakeups(self.loop)
        self.relay.begin(self.loop, self.wakeups)
        for listener in self.sockets:
            server = await self.loop.create_server(lambda: Line(self), sock=listener.sock, backlog=self.cfg.backlog)
            self.servers.append(server)
        while self.alive and not self.stopping and self.ppid == os.getppid():
            self.notify()
            await _told(self._asked, BEAT_SECONDS)
        self._asked.set()  # or there is no master any more, or gunicorn lets a process answer no more than so often
        self.relay.close()
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
        await self.relay.end(BEAT_SECONDS)

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
