"""Calls Flask in steps. A request takes a thread during each step. Between two steps, it waits without a thread."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from functools import lru_cache
from http import HTTPStatus
from tempfile import TemporaryFile
from typing import Any, Final, NamedTuple, cast

from werkzeug.wsgi import ClosingIterator, FileWrapper

from service.http.flask_views import WAITS
from service.http.streaming import PIECE_BYTES, STREAMS, Stream
from service.waiting import Wait

Environ = dict[str, Any]
WsgiApplication = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]

BODILESS: Final = {HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED}

LONG_BYTES: Final = 65_536
"""Length in bytes above which a response is not kept in memory, but sent from a file or piece by piece."""

MAX_FIELDS: Final = 1_024


Rest = ClosingIterator | FileWrapper


class Outgoing(NamedTuple):
    """A response. The server sends `body` first.

    If there is a `rest` or a `stream`, the server sends it after `body`. If `closes` is true, the server must close the
    connection after the response.
    """

    status: int
    raw_headers: Sequence[tuple[bytes, bytes]]
    body: bytes = b""
    stream: Stream | None = None
    rest: Rest | None = None
    closes: bool = False


def exchange(application: WsgiApplication, environ: Environ) -> Generator[Wait | Outgoing]:
    """Call a WSGI application. Yield each `Wait` from the response body, and finally yield the response.

    Each call of `next` on this generator may block the thread.
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
        yield Outgoing(status, headers, first, rest=body)


def _begun(stream: Stream, method: str) -> Stream | None:
    """Read the first piece of a stream, and return the stream.

    Reading may block the thread, so it must not happen in the event loop. This function runs in another thread. The
    event loop then gets the first piece at once.

    If `method` is HEAD, close the stream and return None.
    """
    if method == "HEAD":
        stream.close()
        return None
    stream.begin()
    return stream


@lru_cache(MAX_FIELDS)
def _field(name: str, text: str) -> tuple[bytes, bytes]:
    return name.lower().encode("latin-1"), text.encode("latin-1")


def _spill(body: bytes) -> FileWrapper:
    """Write a body to a file. The bodies for many slow clients would otherwise fill the memory."""
    file = TemporaryFile()  # noqa: SIM115 -- it is closed once it is sent
    file.write(body)
    file.seek(0)
    return FileWrapper(file, PIECE_BYTES)
