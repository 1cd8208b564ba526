"""Streaming responses. A stream has a wait slot until it ends. If Redis becomes unavailable, the stream ends early.

Usually, a stream is the body of its response, and takes a thread until it ends. A server that needs no thread per
stream puts an empty list into the WSGI environment, under the key `STREAMS`. The service then appends each stream to
this list, and the server sends the stream.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Final, NamedTuple

import structlog
from flask import Response, request
from redis.exceptions import RedisError

from service.http.context import current_context
from service.http.wait_slots import WaitSlot
from service.subscription import Subscription

STREAMS: Final = "dorfplatz.streams"

PIECE_BYTES: Final = 16_384
"""Approximate size in bytes of the pieces in which a stream reads a session's log."""

_log = structlog.get_logger("service")


class Piece(NamedTuple):
    """A part of a stream. It contains bytes to send.

    It can also contain a subscription. Then the subscription's chunks follow the bytes. The next part begins when the
    subscription has ended.
    """

    text: bytes
    subscription: Subscription | None = None
    is_last: bool = False


Part = tuple[list[bytes], Subscription | None, bool]
"""The members of a `Piece`, with a list of chunks in place of `text`."""


class Stream:
    """An open stream. It yields chunks of bytes, and subscriptions to wait for.

    The stream has a wait slot until it is closed.
    """

    __slots__ = ("_chunks", "_first", "_slot")

    def __init__(self, chunks: Iterator[bytes | Subscription], slot: WaitSlot) -> None:
        self._chunks, self._slot = chunks, slot
        self._first: Part | None = None

    def begin(self) -> None:
        """Read the first piece in advance. This blocks the thread."""
        self._first = self._read()

    def read(self) -> Piece:
        """Return the next piece, and close the stream after the last one. This may block the thread."""
        chunks, subscription, is_last = self._read()
        return Piece(b"".join(chunks), subscription, is_last)

    def _read(self) -> Part:
        if (first := self._first) is not None:
            self._first = None
            return first
        found, size = list[bytes](), 0
        try:
            for chunk in self._chunks:
                if isinstance(chunk, Subscription):
                    return [*found, *chunk.take()[0]], chunk, False
                found.append(chunk)
                size += len(chunk)
                if size >= PIECE_BYTES:
                    return found, None, False
        except RedisError as error:
            _log.warning("stream broken off", kind=type(error).__name__)
        except BaseException:
            self.close()
            raise
        self.close()
        return found, None, True

    def close(self) -> None:
        """End the subscription and release the wait slot. A second call does nothing."""
        try:
            if (close := getattr(self._chunks, "close", None)) is not None:
                close()
        finally:
            self._slot.release()

    def __iter__(self) -> Iterator[bytes]:
        """Yield the whole stream. This blocks the thread until the stream ends."""
        is_last = False
        try:
            while not is_last:
                chunks, subscription, is_last = self._read()
                yield from chunks
                if subscription is not None:
                    yield from subscription
        finally:
            self.close()


def streaming_response(
    chunks: Iterator[bytes | Subscription], kind: str, caller: Hashable, address: str | None
) -> Response:
    """Return a response that streams `chunks`. `kind` is its media type.

    Raise Problem if the process, the caller or the address has no free wait slot.
    """
    stream = Stream(chunks, current_context().wait_slots.take(caller, address, stream=True))
    return carry(stream, Response(headers=stream_headers(kind)))


def stream_headers(kind: str) -> dict[str, str]:
    """Return the headers of a response that streams the media type `kind`."""
    return {"Content-Type": kind, "X-Accel-Buffering": "no", "Vary": "Accept, Authorization"}


def carry(stream: Stream, response: Response) -> Response:
    """Attach a stream to a response, and return the response.

    If the WSGI environment contains a list of streams, append the stream to this list, and leave the body of the
    response empty. Otherwise, make the stream the body of the response.
    """
    streams: list[Stream] | None = request.environ.get(STREAMS)
    response.response = iter(stream if streams is None else ())
    if streams is None:
        response.call_on_close(stream.close)  # an unread body never ends by itself
    else:
        streams.append(stream)
    return response
