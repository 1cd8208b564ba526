"""Flask in a bounded thread pool: a complete request takes a thread, a slow client never does."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from functools import lru_cache
from http import HTTPStatus
from io import BufferedIOBase
from tempfile import TemporaryFile
from typing import IO, Any, Final, NamedTuple, cast

from werkzeug.wsgi import ClosingIterator, FileWrapper

from service.http.flask_views import GONE, WAITS
from service.http.request import REQUEST, Request
from service.http.streaming import PIECE_BYTES, STREAMS, Stream
from service.waiting import Wait

Environ = dict[str, Any]
WsgiApplication = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]

BODILESS: Final = {HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED}

LONG_BYTES: Final = 65_536
"""Size above which a response waits for its client in a file, or is produced at the client's speed."""

MAX_NAMES: Final = 256
MAX_FIELDS: Final = 1_024
_OWN_NAMES: Final = {"content-length": "CONTENT_LENGTH", "content-type": "CONTENT_TYPE"}


Rest = ClosingIterator | BufferedIOBase


class Outgoing(NamedTuple):
    """A response to send: its body may have a rest, or be a stream; `closes` if it must close the connection."""

    status: int
    raw_headers: Sequence[tuple[bytes, bytes]]
    body: bytes = b""
    rest: Rest | None = None
    stream: Stream | None = None
    closes: bool = False


class Exchange:
    """One call of the application, in one turn more than it waits."""

    def __init__(self, application: WsgiApplication, environ: Environ) -> None:
        self._application, self._environ = application, environ
        self._started: tuple[str, list[tuple[str, str]]] = ("", [])
        self._streams: list[Stream] = []
        self._body = ClosingIterator(())
        self._is_called = False

    def turn(self) -> Outgoing | Wait:
        """Return the response, or the wait before it, in a thread."""
        if not self._is_called:
            self._is_called = True
            self._environ |= {
                STREAMS: self._streams,
                WAITS: True,
                "wsgi.file_wrapper": lambda file, _: FileWrapper(file, PIECE_BYTES),
            }
            self._body = ClosingIterator(self._application(self._environ, self._start))
        first = cast("bytes | Wait", next(self._body, b""))
        if isinstance(first, Wait):
            return first
        status, headers = int(self._started[0].partition(" ")[0]), [_field(*header) for header in self._started[1]]
        if self._streams:
            self._body.close()
            return Outgoing(status, headers, stream=self._begun(self._streams[0]))
        length = next((int(text) for name, text in headers if name == b"content-length"), None)
        if status in BODILESS or (length is not None and length <= LONG_BYTES):
            try:
                return Outgoing(status, headers, b"".join((first, *self._body)))
            finally:
                self._body.close()
        if len(first) == length:
            self._body.close()
            return Outgoing(status, headers, rest=_spill(first))
        return Outgoing(status, headers, first, self._body)

    def close(self) -> None:
        """End a call whose client left during a wait, in a thread."""
        self._body.close()

    def _start(self, status: str, headers: list[tuple[str, str]], _error: object = None) -> None:
        self._started = status, headers

    def _begun(self, stream: Stream) -> Stream | None:
        """Read the first piece of a stream, so that it needs no second thread; a HEAD request has none."""
        if self._environ["REQUEST_METHOD"] == "HEAD":
            stream.close()
            return None
        stream.begin()
        return stream


class ThreadedFlask:
    """Calls a WSGI application in threads."""

    def __init__(self, application: WsgiApplication, threads: Executor) -> None:
        self._application, self._threads = application, threads

    async def answer(
        self, environ: Environ, gone: Callable[[], bool], wait_for: Callable[[Wait], Any]
    ) -> Outgoing | None:
        """Return the response to a request; None if the client has left."""
        exchange = Exchange(self._application, environ | {GONE: gone})
        found = await self._in_thread(exchange.turn)
        while isinstance(found, Wait):
            if not await wait_for(found):
                self._threads.submit(exchange.close)
                return None
            found = await self._in_thread(exchange.turn)
        reply: Outgoing = found
        return reply

    async def read(self, rest: Rest) -> bytes:
        """Return the next part of a body, nothing after the last one."""
        if isinstance(rest, BufferedIOBase):
            return rest.read(PIECE_BYTES)  # the file is in memory
        part: bytes = await self._in_thread(next, rest, b"")
        return part

    def close(self, rest: Rest) -> None:
        self._threads.submit(rest.close)

    async def _in_thread(self, function: Callable[..., Any], *arguments: object) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._threads, function, *arguments)


def environ_of(scope: Mapping[str, Any], request: Request, body: IO[bytes]) -> Environ:
    server, client = scope.get("server") or ("", 0), scope.get("client") or ("", 0)
    environ: Environ = {
        "REQUEST_METHOD": request.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": request.path.encode().decode("latin-1"),
        "QUERY_STRING": request.query,
        REQUEST: request,
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "SERVER_NAME": server[0],
        "SERVER_PORT": str(server[1]),
        "REMOTE_ADDR": client[0],
        "REMOTE_PORT": str(client[1]),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": body,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    environ.update((_key(name), text) for name, text in request.headers.items())
    return environ


@lru_cache(MAX_NAMES)
def _key(name: str) -> str:
    return _OWN_NAMES.get(name) or f"HTTP_{name.upper().replace('-', '_')}"


@lru_cache(MAX_FIELDS)
def _field(name: str, text: str) -> tuple[bytes, bytes]:
    return name.lower().encode("latin-1"), text.encode("latin-1")


def _spill(body: bytes) -> BufferedIOBase:
    """Return a file with a body, at its start; bodies of many slow clients would otherwise fill the memory."""
    file = cast("BufferedIOBase", TemporaryFile())  # noqa: SIM115 -- it is closed once it is sent
    file.write(body)
    file.seek(0)
    return file
