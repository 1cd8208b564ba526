"""From an event loop to the application's threads: a thread is taken by a whole request, never by a slow client.

The loop waits for bodies, for clients that read, and for what answers wait for (`service.waiting`); the application,
which is WSGI, is called in a thread once there is something to do. What can be answered before it is answered together.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from http import HTTPStatus
from tempfile import SpooledTemporaryFile
from typing import IO, Any, Final, NamedTuple, cast

import structlog
from a2wsgi.wsgi import build_environ
from werkzeug.wsgi import ClosingIterator, FileWrapper

from service.http.flask_views import GONE, WAITS
from service.http.operation import AnyOperation
from service.http.pipeline import Pending, answer
from service.http.request import MalformedRequest, Request
from service.http.response import Response
from service.http.targets import read_target
from service.launch.gathering import Gathering
from service.launch.stream_line import DETACH
from service.waiting import Wait

_log = structlog.get_logger("service")

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Longest = Callable[[Mapping[str, Any]], int]
Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

BODILESS: Final = {HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED}
_DECLARED: Final = {"CONTENT_LENGTH", "HTTP_TRANSFER_ENCODING"}
"""How a request says that it has a body."""

IN_MEMORY: Final = 262_144
"""A longer body waits in a file for its end."""

MOST_PIECES: Final = 16_384
"""A body comes in no more pieces, be they chunks or packets: each takes microseconds, however short it is."""

MAX_DISCARDED_BYTES: Final = 64 * 1024 * 1024
DISCARD_SECONDS: Final = 10.0
DISCARD_PAUSE_SECONDS: Final = 0.5
"""Bounds for the rest of a body that is too long: its size, its time, and the longest pause in it."""

TAKEN: Final = "dorfplatz.taken"
"""Where the scope of a request has that it came whole."""

LONG_BYTES: Final = 65_536
"""A longer answer is read from the application as the client reads it."""

FIELDS_KEPT: Final = 1_024
"""How many headers are kept as they are sent."""

PIECE_BYTES: Final = 16_384
"""So much is sent at once; the next piece goes out when the client has taken this one."""


class Answered(NamedTuple):
    """What the application has answered: a head, a piece of the body, what is read of it later, after which wait."""

    head: Message
    body: bytes = b""
    rest: ClosingIterator | None = None
    wait: Wait | None = None


@dataclass(frozen=True, slots=True)
class Taken:
    """A request that has come whole: its environment for Flask, or else its response."""

    request: object
    environ: dict[str, Any] | None = None
    response: Response | None = None


class Queues(NamedTuple):
    """The two queues of an operation: slow requests do not hold up others."""

    operation: AnyOperation
    usual: Gathering
    slow: Gathering

    @classmethod
    def of(cls, operation: AnyOperation) -> Queues:
        """Make the queues, each with threads of its own.

        Of all threads a batch would find the one that has rested longest: the processor's caches have forgotten it.
        """
        respond, most = partial(answer, operation), operation.max_batch
        usual = Gathering(respond, ThreadPoolExecutor(operation.threads), operation.threads, most)
        return cls(operation, usual, Gathering(respond, ThreadPoolExecutor(1), 1, most))


class Bridge:
    """A WSGI application as an ASGI one that has so many threads."""

    def __init__(
        self,
        application: Application,
        *,
        threads: int,
        longest: Longest,
        patience: float,
        before: Sequence[Queues] = (),
        trusted_proxies: int = 0,
    ) -> None:
        """Take the application, a function of how long a request's body may be, and how many seconds it may take.

        Requests for one of the operations `before` the application are answered in batches.
        """
        self._application = application
        self._threads = ThreadPoolExecutor(threads)
        self._before, self._proxies = before, trusted_proxies
        self._longest = longest
        self._patience = patience

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Answer one request; a web socket is refused."""
        if scope["type"] != "http":
            await send({"type": "websocket.close"})
            return
        client = Client(asyncio.get_running_loop(), receive)
        rest = None
        try:
            head, body, rest, wait = await self._asked(scope, receive, client)
            while not head and rest is not None and wait is not None:  # it waits before it begins
                await client.await_news(wait)
                if client.left:
                    return
                head, body, rest, wait = await self._in_thread(_next_piece, head, rest)
            await send(head)
            head = {}  # a stream may last for hours
            while rest is not None:
                if body:
                    await _pour(send, body, more=True)
                    body = b""
                if wait is not None:
                    if _detach(scope, Rest(rest, self._threads), wait):
                        rest = None  # it is closed by whoever has it now
                        return
                    await client.await_news(wait, send)
                if client.left:
                    return
                _, body, following, wait = await self._in_thread(_next_piece, {}, rest)
                rest = following
            await _pour(send, body, more=False)
        finally:
            client.forget()
            if rest is not None:
                self._threads.submit(rest.close)

    async def _asked(self, scope: Any, receive: Receive, client: Client) -> Answered:
        """Take a request in and have it answered, in as many turns as it takes."""
        taken: Taken | None = scope.pop(TAKEN, None)
        if taken is not None:
            while (await receive()).get("more_body"):
                pass  # it is at hand, and in the environment
            if taken.response is not None:
                return _answered(taken.response)
            return await self._called(taken.environ or {}, client)
        with SpooledTemporaryFile(IN_MEMORY) as body:
            environ: dict[str, Any] = {**build_environ(scope, body)}  # type: ignore[arg-type]  # any file will do
            query = scope["query_string"]
            target = scope.get("raw_path") or scope["path"].encode()
            read_target(environ, (target + (query and b"?" + query)).decode("latin-1"))
            is_whole = await self._take_in(receive, body, environ)
            request = self.request_of(scope, body.read() if is_whole else None)
            body.seek(0)
            gathering = None if request is None else self.gathering_of(request)
            if request is not None and gathering is not None:
                return _answered(await self._gathered(gathering, request, client))
            return await self._called(environ, client)

    def request_of(self, scope: Mapping[str, Any], body: bytes | None) -> Request | None:
        """Return a request; None for one that Flask refuses."""
        try:
            return Request.from_scope(scope, body, trusted_proxies=self._proxies)
        except MalformedRequest:
            return None

    def gathering_of(self, request: Request) -> Gathering | None:
        """Return the queue of a request, if it is answered in a batch."""
        for operation, usual, slow in self._before:
            if operation.takes(request):
                return slow if operation.is_slow(request) else usual
        return None

    async def _gathered(self, gathering: Gathering, request: Request, client: Client) -> Response:
        """Return the response to a request that is answered in a batch."""
        found = await gathering.answer(request)
        while isinstance(found, Pending):
            if found.wait is not None:
                await client.await_news(found.wait)
            found = await gathering.answer(found)
        return found

    async def _called(self, environ: dict[str, Any], client: Client) -> Answered:
        """Have a thread answer a request."""
        environ |= {GONE: client.gone, WAITS: True}
        found: Answered = await self._in_thread(self._answered, environ)
        return found

    async def _in_thread(self, function: Callable[..., Any], *arguments: object) -> Any:
        """Return what a function returns that a thread calls."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, function, *arguments)

    async def _take_in(self, receive: Receive, body: IO[bytes], environ: dict[str, Any]) -> bool:
        """Wait for a body; what is too long or stays too short the application refuses by the length it ought to have.

        One that comes in chunks has no length before it is whole, and is nothing until then.
        """
        if not _DECLARED & environ.keys():
            await receive()  # the end of a body that there is not, which the loop has at hand
            return True
        longest = self._longest(environ)
        if int(environ.get("CONTENT_LENGTH") or 0) > longest:
            if "HTTP_EXPECT" not in environ:
                await _discard(receive)
            return True
        whole = await self._received(receive, body, longest)
        if body.tell() > longest and not whole:
            await _discard(receive)
        if environ.pop("HTTP_TRANSFER_ENCODING", None) and (whole or body.tell() > longest):
            environ["CONTENT_LENGTH"] = str(body.tell())
        whole = whole or body.tell() > longest
        body.seek(0)
        return whole

    async def _received(self, receive: Receive, body: IO[bytes], longest: int) -> bool:
        """Write a body down as it comes, and tell whether it is whole; one in very many pieces is not waited for."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience):
                for _ in range(MOST_PIECES):
                    if body.tell() > longest:
                        break
                    message = await receive()
                    body.write(message.get("body", b""))
                    if not message.get("more_body"):
                        return bool(message["type"] == "http.request")
        return False

    def _answered(self, environ: dict[str, Any]) -> Answered:
        """Call the application, in a thread; return what it answers, as far as that is there, or what it waits for."""
        head: Message = {}

        def start(status: str, headers: list[tuple[str, str]], _error: object = None) -> None:
            head.update(_head(int(status.split(" ", 1)[0]), headers))

        environ["wsgi.file_wrapper"] = _file_wrapper
        chunks = ClosingIterator(self._application(environ, start))
        fields = head.get("headers", ())  # none if it waits before it begins
        length = next((int(text) for name, text in fields if name == b"content-length"), None)
        if head.get("status") in BODILESS or (length is not None and length <= LONG_BYTES):
            with closing(chunks):
                return Answered(head, b"".join(chunks))
        return _next_piece(head, chunks)


async def _discard(receive: Receive) -> None:
    """Receive the rest of a body that is too long, as long as it comes; a client that still sends reads no response."""
    size, until = 0, time.monotonic() + DISCARD_SECONDS
    with suppress(TimeoutError):
        while size < MAX_DISCARDED_BYTES and time.monotonic() < until:
            async with asyncio.timeout(DISCARD_PAUSE_SECONDS):
                message = await receive()
            size += len(message.get("body", b""))
            if not message.get("more_body"):
                return


def _head(status: int, headers: list[tuple[str, str]]) -> Message:
    """Return the head of an answer as it is sent."""
    return {"type": "http.response.start", "status": status, "headers": [_field(*header) for header in headers]}


def _answered(response: Response) -> Answered:
    """Return a response that was made before the application."""
    head = {"type": "http.response.start", "status": response.status, "headers": response.raw_headers}
    return Answered(head, response.body)


@lru_cache(FIELDS_KEPT)
def _field(name: str, text: str) -> tuple[bytes, bytes]:
    """Return a header as it is sent; streams that are open share what they have in common."""
    return name.lower().encode("latin-1"), text.encode("latin-1")


def _next_piece(head: Message, rest: ClosingIterator) -> Answered:
    """Return what comes next of an answer: a piece, or less where it waits or ends."""
    pieces, size = list[bytes](), 0
    try:
        for part in cast("Iterator[bytes | Wait]", rest):
            if isinstance(part, Wait):
                return Answered(head, b"".join(pieces), rest, part)
            pieces.append(part)
            size += len(part)
            if size >= PIECE_BYTES:
                return Answered(head, b"".join(pieces), rest)
    except BaseException:
        rest.close()
        raise
    rest.close()
    return Answered(head, b"".join(pieces))


def _detach(scope: Mapping[str, Any], rest: Rest, wait: Wait) -> bool:
    """Have the client's connection send the rest of an answer by itself; False where it cannot."""
    detach: Callable[[Rest, Wait], bool] | None = scope.get(DETACH)
    return detach is not None and detach(rest, wait)


class Rest:
    """What is left of an answer, for a connection that sends it by itself."""

    __slots__ = ("_rest", "_threads")

    def __init__(self, rest: ClosingIterator, threads: ThreadPoolExecutor) -> None:
        """Take what is left, and the threads that read it."""
        self._rest, self._threads = rest, threads

    def read_on(self, take: Callable[[bytes, Wait | None, bool], object], fail: Callable[[], object]) -> None:
        """Have a thread read on, and call one of both: `take` with what was found, or `fail`."""
        self._threads.submit(self._read_on, take, fail)

    def _read_on(self, take: Callable[[bytes, Wait | None, bool], object], fail: Callable[[], object]) -> None:
        """Read a piece, in a thread."""
        try:
            found = _next_piece({}, self._rest)
        except Exception:  # noqa: BLE001 -- whatever it is, this line alone ends
            _log.exception("answer broken off")
            fail()
        else:
            take(found.body, found.wait, found.rest is None)

    def close(self) -> None:
        """Have a thread close it; nothing more is read."""
        self._threads.submit(self._rest.close)


class ByPort:
    """An ASGI application that hands requests on by the port that they came to."""

    def __init__(self, usual: Bridge, others: Mapping[int, Bridge]) -> None:
        """Take the application of the usual port, and those of others."""
        self._usual, self._others = usual, others

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Have a request answered."""
        await self._others.get(scope["server"][1], self._usual)(scope, receive, send)


async def _pour(send: Send, body: bytes, *, more: bool) -> None:
    """Send a body, or a part of one after which more comes, in pieces."""
    for start in range(0, len(body) or 1, PIECE_BYTES):
        end = start + PIECE_BYTES
        await send({"type": "http.response.body", "body": body[start:end], "more_body": more or end < len(body)})


def _file_wrapper(file: IO[bytes], _size: int) -> FileWrapper:
    """Return what reads a file in pieces."""
    return FileWrapper(file, PIECE_BYTES)


class Client:
    """Whoever waits for an answer: it may leave, and be woken from any thread."""

    __slots__ = ("_loop", "_parting", "_receive", "_sleeper", "left")

    def __init__(self, loop: asyncio.AbstractEventLoop, receive: Receive) -> None:
        """Take how to hear of its parting, and the loop that this belongs to."""
        self._loop, self._receive = loop, receive
        self._parting: asyncio.Task[Message] | None = None
        self._sleeper: asyncio.Future[None] | None = None
        self.left = False

    def gone(self) -> bool:
        """Tell, in any thread, whether the client has closed its connection."""
        if self._parting is None:
            self._loop.call_soon_threadsafe(self._listen)
        return self.left

    def forget(self) -> None:
        """Wait for the client's parting no more."""
        if self._parting is not None:
            self._parting.cancel()

    async def await_news(self, wait: Wait, send: Send | None = None) -> None:
        """Send what comes during a wait, until it is over or the client has left."""
        self._listen()
        wait.notify(self._ring)
        while not self.left:
            chunks, over = wait.take()
            if chunks and send is not None:
                await send({"type": "http.response.body", "body": b"".join(chunks), "more_body": True})
            elif over or (wait.left is not None and wait.left <= 0):
                return
            else:
                await self._sleep(wait.left)

    async def _sleep(self, seconds: float | None) -> None:
        """Wait until woken, or for so long; who waits without end needs no timer."""
        self._sleeper = self._loop.create_future()
        if seconds is None:
            await self._sleeper
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._sleeper

    def _listen(self) -> None:
        """Note from now on when the client leaves: after a whole request there is nothing else left to receive."""
        if self._parting is None:
            self._parting = self._loop.create_task(self._receive())  # type: ignore[arg-type]  # a coroutine, of gunicorn
            self._parting.add_done_callback(self._note_parting)

    def _note_parting(self, _parting: asyncio.Task[Message]) -> None:
        self.left = True
        self._wake()

    def _ring(self) -> None:
        """Wake whoever awaits news, from any thread."""
        self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        if self._sleeper is not None and not self._sleeper.done():
            self._sleeper.set_result(None)
