"""Calls Flask in steps. A request occupies a thread only during a step, not while it waits."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from functools import lru_cache
from http import HTTPStatus
from io import BufferedIOBase
from tempfile import TemporaryFile
from typing import IO, Any, Final, NamedTuple, cast

from werkzeug.wsgi import ClosingIterator, FileWrapper

from service.http.flask_views import WAITS
from service.http.request import REQUEST, Request
from service.http.streaming import PIECE_BYTES, STREAMS, Stream
from service.waiting import Wait

Environ = dict[str, Any]
WsgiApplication = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]

BODILESS: Final = {HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED}

LONG_BYTES: Final = 65_536
"""Length in bytes above which a response is not kept in memory, but sent from a file or piece by piece."""

MAX_NAMES: Final = 256
MAX_FIELDS: Final = 1_024
_OWN_NAMES: Final = {"content-length": "CONTENT_LENGTH", "content-type": "CONTENT_TYPE"}


Rest = ClosingIterator | BufferedIOBase


class Outgoing(NamedTuple):
    """A response to send: `body`, then `rest` or `stream`, if any. With `closes`, the connection must close."""

    status: int
    raw_headers: Sequence[tuple[bytes, bytes]]
    body: bytes = b""
    rest: Rest | None = None
    stream: Stream | None = None
    closes: bool = False


def exchange(application: WsgiApplication, environ: Environ) -> Generator[Wait | Outgoing]:
    """Call a WSGI application. Yield each `Wait` that the response body yields, and then the response.

    Each step may block its thread.
    """
    started, streams = list[Any](), list[Stream]()
    environ |= {STREAMS: streams, WAITS: True, "wsgi.file_wrapper": lambda file, _: FileWrapper(file, PIECE_BYTES)}
    body = ClosingIterator(application(environ, lambda *given: started.extend(given)))
    try:
        while isinstance(first := cast("bytes | Wait", next(body, b"")), Wait):
            yield first
    except GeneratorExit:  # the client has left
        body.close()
        raise
    status, headers = int(started[0].partition(" ")[0]), [_field(*header) for header in started[1]]
    length = next((int(text) for name, text in headers if name == b"content-length"), None)
    if streams:
        body.close()
        yield Outgoing(status, headers, stream=_begun(streams[0], environ["REQUEST_METHOD"]))
    elif status in BODILESS or (length is not None and length <= LONG_BYTES):
        try:
            whole = b"".join((first, *body))
        finally:
            body.close()
        yield Outgoing(status, headers, whole)
    elif len(first) == length:
        body.close()
        yield Outgoing(status, headers, rest=_spill(first))
    else:
        yield Outgoing(status, headers, first, body)


def _begun(stream: Stream, method: str) -> Stream | None:
    """Read the first piece of a stream now, because this thread may block. Return None for a HEAD request."""
    if method == "HEAD":
        stream.close()
        return None
    stream.begin()
    return stream


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
    """Write a body to a temporary file. Otherwise, responses for many slow clients would fill the memory."""
    file = cast("BufferedIOBase", TemporaryFile())  # noqa: SIM115 -- it is closed once it is sent
    file.write(body)
    file.seek(0)
    return file
