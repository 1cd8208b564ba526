"""Streaming responses. They hold a wait slot until they end, and they end if Redis is unavailable.

A server that can wait without a thread puts a list under `STREAMS` into the WSGI environment. An operation adds its
`Stream` there and returns a response without a body. On other servers the response's body blocks its thread.
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
"""A stream reads the log in pieces of about this size, as fast as its client reads them."""

_log = structlog.get_logger("service")


class Piece(NamedTuple):
    """A part of a stream: the bytes to send, and the subscription that follows them, if any."""

    text: bytes
    subscription: Subscription | None = None
    is_last: bool = False


class Stream:
    """An open stream: an iterator over chunks and subscriptions, and the wait slot that it holds until it is closed."""

    __slots__ = ("_chunks", "_first", "_slot")

    def __init__(self, chunks: Iterator[bytes | Subscription], slot: WaitSlot) -> None:
        self._chunks, self._slot = chunks, slot
        self._first: Piece | None = None

    def begin(self) -> None:
        """Read the first piece in advance. This blocks the thread."""
        self._first = self.read()

    def read(self) -> Piece:
        """Return the next piece, and close the stream after the last one.

        This blocks the thread, except for a piece that `begin` has read.
        """
        if (first := self._first) is not None:
            self._first = None
            return first
        found, size = list[bytes](), 0
        try:
            for chunk in self._chunks:
                if isinstance(chunk, Subscription):
                    return Piece(b"".join(found), chunk)
                found.append(chunk)
                size += len(chunk)
                if size >= PIECE_BYTES:
                    return Piece(b"".join(found))
        except RedisError as error:
            _log.warning("stream broken off", kind=type(error).__name__)
        except BaseException:
            self.close()
            raise
        self.close()
        return Piece(b"".join(found), is_last=True)

    def close(self) -> None:
        """Unsubscribe from the broadcast and release the slot; a second call does nothing."""
        try:
            if (close := getattr(self._chunks, "close", None)) is not None:
                close()
        finally:
            self._slot.release()

    def __iter__(self) -> Iterator[bytes]:
        """Yield the whole stream. This blocks the thread while there is nothing to send."""
        try:
            for chunk in self._chunks:
                yield from chunk if isinstance(chunk, Subscription) else (chunk,)
        except RedisError as error:
            _log.warning("stream broken off", kind=type(error).__name__)
        finally:
            self.close()


def streaming_response(
    chunks: Iterator[bytes | Subscription], kind: str, caller: Hashable, address: str | None
) -> Response:
    """Return a response that streams chunks.

    Raise Problem if no wait slot is free, or if this caller or this address has its maximum.
    """
    stream = Stream(chunks, current_context().wait_slots.take(caller, address, stream=True))
    streams: list[Stream] | None = request.environ.get(STREAMS)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "X-Content-Type-Options": "nosniff"}
    response = Response(iter(stream if streams is None else ()), headers=headers, content_type=kind)
    response.vary.update(("Accept", "Authorization"))
    if streams is None:
        response.call_on_close(stream.close)  # an unread body never ends by itself
    else:
        streams.append(stream)
    return response
