"""The ASGI application. It receives requests, runs them in batches or in Flask, and sends the responses."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from os import SEEK_END
from tempfile import SpooledTemporaryFile
from typing import Any, Final

import structlog
from flask import Flask

from service.health import FreeThread
from service.http.bodies import discard_body, receive_body
from service.http.flask_steps import Environ, Outgoing, exchange
from service.http.flask_views import GONE
from service.http.pipeline import operations, refuse
from service.http.problems import overloaded
from service.http.request import MalformedRequest, Request
from service.http.streaming import PIECE_BYTES
from service.overload.gate import Gate, OverdueError, Ticket
from service.overload.priorities import PROBES, priority_of
from service.overload.turns import Turns
from service.server.batches import Batches
from service.server.loop import LoopPause, Receive, Send, call_on, watch_departure
from service.server.streams import StreamHub, StreamWriter
from service.telemetry.logs import places
from service.waiting import Wait

IN_MEMORY_BYTES: Final = 262_144
"""Size in bytes above which a request body is stored in a temporary file."""

PROBE_THREADS: Final = 2
"""Number of threads reserved for probes. Probes need a response even if all other threads are stuck."""

CLOSE: Final = (b"connection", b"close")

HANDLER_CLOSED: Final = "the handler is closed"
"""Last words of uvloop's error message for a write to a connection that the client has closed."""

_DECLARED: Final = {"content-length", "transfer-encoding"}
"""A request has a body if it has one of these headers."""

_log = structlog.get_logger("service")


class Application:
    """The service as an ASGI application. During shutdown, every response closes its connection."""

    def __init__(self, app: Flask, *, threads: int, patience: float, max_delay: float = 0.0) -> None:
        pool = ThreadPoolExecutor(threads, thread_name_prefix="flask")
        self._probe_pool = ThreadPoolExecutor(PROBE_THREADS, thread_name_prefix="probes")
        self.is_draining = False
        self.hub = StreamHub(pool, patience)
        self.gate = Gate(max_delay)
        self.turns = Turns(self.gate, pool, threads)
        self._app, self._pool = app, pool
        self._batches = [Batches(operation) for operation in operations(app)]
        self._body_limit = app.extensions["body_limit"]
        self._trusted_proxies = app.extensions["context"].settings.trusted_proxies
        self._patience = patience
        free_thread = FreeThread(pool)
        ages = [free_thread.age, *(each.age for each in self._batches)]
        app.extensions["context"].health.threads_age = lambda: max(age() for age in ages)

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        try:
            reply = await self._reply(scope, receive)
            if reply is None:
                return
            await self._begin(reply, send)
            if reply.stream is not None:
                writer = StreamWriter(self.hub, reply.stream, send)
                del reply  # a stream keeps nothing of its request
                await writer.run(receive)
            elif reply.rest is not None or len(reply.body) > PIECE_BYTES:
                await self._send_body(reply, send)
        except TimeoutError:
            _log.info("client cut off", reason="it does not read")
        except Exception as error:
            if str(error).endswith(HANDLER_CLOSED):
                return  # the client has reset the connection
            _log.error("response broken off", kind=type(error).__name__, places=places(error.__traceback__))
            raise  # the server closes the connection

    async def _reply(self, scope: Mapping[str, Any], receive: Receive) -> Outgoing | None:
        try:
            request = Request.from_scope(scope, trusted_proxies=self._trusted_proxies)
        except MalformedRequest as malformed:
            refused = await self._in_thread(refuse, self._app, malformed.request, malformed)
            return Outgoing(*refused)._replace(closes=True)
        ticket = self.gate.admit(priority_of(request.method, request.path))
        if request.path not in PROBES and (seconds := self.gate.retry_after(ticket.priority)):
            return self._refuse(request, seconds)
        try:
            return await self._process(request, scope, receive, ticket)
        except OverdueError as overdue:
            return self._refuse(request, overdue.seconds)

    def _refuse(self, request: Request, seconds: int) -> Outgoing:
        return Outgoing(*refuse(self._app, request, overloaded(seconds)), closes="expect" in request.headers)

    async def _process(
        self, request: Request, scope: Mapping[str, Any], receive: Receive, ticket: Ticket
    ) -> Outgoing | None:
        has_body = not _DECLARED.isdisjoint(request.headers)
        batches = next((each for each in self._batches if each.operation.takes(request)), None)
        if batches is not None and not has_body:
            with ticket:
                return Outgoing(*await batches.answer(request, partial(self._wait, receive, ticket), ticket.check))
        with SpooledTemporaryFile(IN_MEMORY_BYTES) as body:
            limit = self._body_limit(request) if batches is None else batches.operation.max_body
            is_whole = not has_body or await receive_body(request, receive, body, limit, self._patience)
            size = body.seek(0, SEEK_END)
            body.seek(0)
            if not is_whole and max(size, request.length) > limit and "expect" not in request.headers:
                await discard_body(receive)
            if batches is not None:
                is_known = is_whole or max(size, request.length) > limit
                text, now = body.read() if is_known else None, time.monotonic_ns() // 1_000_000
                whole = request.replace(body=text, arrived_ms=now)
                with ticket:
                    response = await batches.answer(whole, partial(self._wait, receive, ticket), ticket.check)
                return Outgoing(*response, closes=not is_whole)
            if is_whole or size > limit:  # a chunked body has no length before
                request = request.with_length(size)
            with ticket:
                reply = await self._call_flask(request.to_environ(scope, body), receive, ticket)
        return reply._replace(closes=True) if reply is not None and not is_whole else reply

    async def _call_flask(self, environ: Environ, receive: Receive, ticket: Ticket) -> Outgoing | None:
        watch: asyncio.Task[None] | None = None

        def begin() -> None:
            nonlocal watch
            watch = watch or self.hub.loop.create_task(watch_departure(receive))

        def has_left() -> bool:
            """Return whether the client has disconnected. Any thread may call this, because it never blocks."""
            call_on(self.hub.loop, begin)
            return watch is not None and watch.done()

        steps = exchange(self._app, environ | {GONE: has_left})
        step: Callable[..., Awaitable[Wait | Outgoing]] = partial(self.turns.run, ticket)
        if environ["PATH_INFO"] in PROBES:
            ticket.start()
            step = partial(self.hub.loop.run_in_executor, self._probe_pool)
        try:
            while isinstance(found := await step(next, steps), Wait):
                if not await self._wait(receive, ticket, found):
                    self._pool.submit(steps.close)
                    return None
        finally:
            if watch is not None:
                watch.cancel()
        reply: Outgoing = found
        return reply

    async def _wait(self, receive: Receive, ticket: Ticket, wait: Wait) -> bool:
        pause = LoopPause()
        wait.notify(partial(call_on, self.hub.loop, pause.end))
        with ticket.asleep():
            return await pause.take(receive, wait.left)

    async def _begin(self, reply: Outgoing, send: Send) -> None:
        headers = [*reply.raw_headers, CLOSE] if reply.closes or self.is_draining else reply.raw_headers
        left = reply.stream or reply.rest
        try:
            async with asyncio.timeout(self._patience):  # earlier responses may be unread
                await send({"type": "http.response.start", "status": reply.status, "headers": headers})
                if left is None and len(reply.body) <= PIECE_BYTES:
                    await send({"type": "http.response.body", "body": reply.body})
        except BaseException:
            if left is not None:
                self._pool.submit(left.close)
            raise

    async def _send_body(self, reply: Outgoing, send: Send) -> None:
        rest, more = reply.rest, reply.rest is not None
        try:
            await self._pour(reply.body, send, more=more)
            while rest is not None and more:
                part = await self._in_thread(next, rest, b"")
                more = bool(part)
                await self._pour(part, send, more=more)
        finally:
            if rest is not None:
                self._pool.submit(rest.close)

    async def _pour(self, part: bytes, send: Send, *, more: bool) -> None:
        # The server buffers at most one piece for a slow client.
        for start in range(0, len(part) or (not more), PIECE_BYTES):
            end = start + PIECE_BYTES
            async with asyncio.timeout(self._patience):
                piece, follows = part[start:end], more or end < len(part)
                await send({"type": "http.response.body", "body": piece, "more_body": follows})

    async def _in_thread(self, function: Callable[..., Any], *arguments: object) -> Any:
        return await self.hub.loop.run_in_executor(self._pool, function, *arguments)
