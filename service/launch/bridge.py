"""From an event loop to the application's threads: a thread is taken by a whole request, never by a slow client.

The loop waits for bodies and for clients that read; the application, which is WSGI, is called in a thread once there is
something to do. Only what is told bit by bit, a stream, keeps its thread meanwhile; `service.waiting` bounds those.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from http import HTTPStatus
from tempfile import SpooledTemporaryFile
from typing import IO, Any, Final

from a2wsgi.wsgi import build_environ
from werkzeug.wsgi import ClosingIterator

from service.waiting import GONE

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

BODILESS: Final = {HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED}
_DECLARED: Final = {"CONTENT_LENGTH", "HTTP_TRANSFER_ENCODING"}
"""How a request says that it has a body."""

IN_MEMORY: Final = 262_144
"""A longer body waits in a file for its end."""


class Bridge:
    """A WSGI application as an ASGI one that has so many threads."""

    def __init__(self, application: Application, *, threads: int, longest: int, patience: float) -> None:
        """Take the application, the length of the longest body that it reads, and how many seconds a body may take."""
        self._application = application
        self._threads = ThreadPoolExecutor(threads)
        self._longest = longest
        self._patience = patience

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Answer one request; a web socket is refused."""
        if scope["type"] != "http":
            await send({"type": "websocket.close"})
            return
        with SpooledTemporaryFile(IN_MEMORY) as body:
            environ: dict[str, Any] = {**build_environ(scope, body)}  # type: ignore[arg-type]  # any file will do
            await self._take_in(receive, body, environ)
            loop = asyncio.get_running_loop()
            client = Client(loop, receive, send)
            environ[GONE] = client.gone
            try:
                messages = await loop.run_in_executor(self._threads, self._answered, environ, client)
            finally:
                client.forget()
        for message in messages:
            await send(message)

    async def _take_in(self, receive: Receive, body: IO[bytes], environ: dict[str, Any]) -> None:
        """Wait for a body; what is too long or stays too short the application refuses by the length it ought to have.

        One that comes in chunks has no length before it is whole, and is nothing until then.
        """
        if not _DECLARED & environ.keys():
            await receive()  # the end of a body that there is not, which the loop has at hand
            return
        if int(environ.get("CONTENT_LENGTH") or 0) > self._longest:
            return
        whole = await self._received(receive, body)
        if environ.pop("HTTP_TRANSFER_ENCODING", None) and (whole or body.tell() > self._longest):
            environ["CONTENT_LENGTH"] = str(body.tell())
        body.seek(0)

    async def _received(self, receive: Receive, body: IO[bytes]) -> bool:
        """Write a body down as it comes, and tell whether it is whole."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience):
                while body.tell() <= self._longest:
                    message = await receive()
                    body.write(message.get("body", b""))
                    if not message.get("more_body"):
                        return bool(message["type"] == "http.request")
        return False

    def _answered(self, environ: dict[str, Any], client: Client) -> list[Message]:
        """Call the application, in a thread; return what is to be sent, or send it as it comes if it is a stream."""
        head: Message = {"type": "http.response.start"}

        def start(status: str, headers: list[tuple[str, str]], _error: object = None) -> None:
            head["status"] = int(status.split(" ", 1)[0])
            head["headers"] = [(name.lower().encode("latin-1"), text.encode("latin-1")) for name, text in headers]

        with closing(ClosingIterator(self._application(environ, start))) as chunks:
            if head["status"] in BODILESS or any(name == b"content-length" for name, _ in head["headers"]):
                return [head, {"type": "http.response.body", "body": b"".join(chunks)}]
            client.tell(head)
            for chunk in chunks:
                client.tell({"type": "http.response.body", "body": chunk, "more_body": True})
        return [{"type": "http.response.body"}]


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
