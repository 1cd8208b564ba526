"""From an event loop to the application's threads: a thread is taken by a whole request, never by a slow client.

The loop waits for bodies and for clients that read; the application, which is WSGI, is called in a thread once there is
something to do. Only a stream keeps its thread meanwhile; `service.http.wait_slots` bounds those.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from http import HTTPStatus
from tempfile import SpooledTemporaryFile
from typing import IO, Any, Final, NamedTuple

from a2wsgi.wsgi import build_environ
from werkzeug.wsgi import ClosingIterator, FileWrapper

from service.http.wait_slots import GONE

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

LONG_BYTES: Final = 65_536
"""A longer answer is read from the application as the client reads it."""

PIECE_BYTES: Final = 16_384
"""So much is sent at once; the next piece goes out when the client has taken this one."""


class Answered(NamedTuple):
    """What the application has answered: a head unless it is sent already, a body, and what is read of it later."""

    head: Message | None
    body: bytes = b""
    rest: ClosingIterator | None = None


class Bridge:
    """A WSGI application as an ASGI one that has so many threads."""

    def __init__(self, application: Application, *, threads: int, longest: Longest, patience: float) -> None:
        """Take the application, a function of how long a request's body may be, and how many seconds it may take."""
        self._application = application
        self._threads = ThreadPoolExecutor(threads)
        self._longest = longest
        self._patience = patience

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Answer one request; a web socket is refused."""
        if scope["type"] != "http":
            await send({"type": "websocket.close"})
            return
        head, body, rest = await self._asked(scope, receive, send)
        if head is not None:
            await send(head)
        if rest is not None:
            with closing(rest):
                while (chunk := await self._in_thread(next, rest, None)) is not None:
                    await _pour(send, body, more=True)
                    body = chunk
        await _pour(send, body, more=False)

    async def _asked(self, scope: Any, receive: Receive, send: Send) -> Answered:
        """Take a request in and have it answered."""
        with SpooledTemporaryFile(IN_MEMORY) as body:
            environ: dict[str, Any] = {**build_environ(scope, body)}  # type: ignore[arg-type]  # any file will do
            await self._take_in(receive, body, environ)
            client = Client(asyncio.get_running_loop(), receive, send)
            environ[GONE] = client.gone
            try:
                answered: Answered = await self._in_thread(self._answered, environ, client)
            finally:
                client.forget()
        return answered

    async def _in_thread(self, function: Callable[..., Any], *arguments: object) -> Any:
        """Return what a function returns that a thread calls."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, function, *arguments)

    async def _take_in(self, receive: Receive, body: IO[bytes], environ: dict[str, Any]) -> None:
        """Wait for a body; what is too long or stays too short the application refuses by the length it ought to have.

        One that comes in chunks has no length before it is whole, and is nothing until then.
        """
        if not _DECLARED & environ.keys():
            await receive()  # the end of a body that there is not, which the loop has at hand
            return
        longest = self._longest(environ)
        if int(environ.get("CONTENT_LENGTH") or 0) > longest:
            return
        whole = await self._received(receive, body, longest)
        if environ.pop("HTTP_TRANSFER_ENCODING", None) and (whole or body.tell() > longest):
            environ["CONTENT_LENGTH"] = str(body.tell())
        body.seek(0)

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

    def _answered(self, environ: dict[str, Any], client: Client) -> Answered:
        """Call the application, in a thread; return what is to be sent, or send it as it comes if it is a stream."""
        head: Message = {"type": "http.response.start"}

        def start(status: str, headers: list[tuple[str, str]], _error: object = None) -> None:
            head["status"] = int(status.split(" ", 1)[0])
            head["headers"] = [(name.lower().encode("latin-1"), text.encode("latin-1")) for name, text in headers]

        environ["wsgi.file_wrapper"] = _file_wrapper
        chunks = ClosingIterator(self._application(environ, start))
        with ExitStack() as ending:
            ending.callback(chunks.close)
            length = next((int(text) for name, text in head["headers"] if name == b"content-length"), None)
            if length is not None and length > LONG_BYTES and head["status"] not in BODILESS:
                ending.pop_all()
                return Answered(head, rest=chunks)
            if length is not None or head["status"] in BODILESS:
                return Answered(head, b"".join(chunks))
            client.tell(head)
            for chunk in chunks:
                client.tell({"type": "http.response.body", "body": chunk, "more_body": True})
        return Answered(None)


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
    """Whoever waits for an answer, as seen from a thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop, receive: Receive, send: Send) -> None:
        """Take the two ways of its connection, and the loop that they belong to."""
        self._loop = loop
        self._receive = receive
        self._send = send
        self._parting: Future[Message] | None = None

    def tell(self, message: Message) -> None:
        """Send a part of an answer, and wait while the client has too much to read already."""
        asyncio.run_coroutine_threadsafe(self._sent(message), self._loop).result()

    def gone(self) -> bool:
        """Tell whether the client has closed its connection; after a whole request nothing else is left to receive."""
        if self._parting is None:
            self._parting = asyncio.run_coroutine_threadsafe(self._left(), self._loop)
        return self._parting.done()

    def forget(self) -> None:
        """Wait for the client's parting no more."""
        if self._parting is not None:
            self._parting.cancel()

    async def _sent(self, message: Message) -> None:
        await self._send(message)

    async def _left(self) -> Message:
        return await self._receive()
