"""An answer that goes on: it holds a wait slot until it ends, and ends where Redis goes away."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any, Final

import structlog
from flask import Response, request
from redis.exceptions import RedisError

from service.context import current_context
from service.http.flask_views import WAITS
from service.http.problems import Problem
from service.http.wait_slots import CallerSlotsTaken, WaitSlot
from service.waiting import Wait

STREAM_RETRY_SECONDS: Final = "5"

_log = structlog.get_logger("service")


def streaming_response(chunks: Iterator[bytes | Wait], kind: str, caller: Hashable, address: str | None) -> Response:
    """Answer with chunks as they come, with waits in between.

    Raise Problem where no slot is free, or none for this caller or address.
    """
    slot = take_slot(caller, address, stream=True)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "X-Content-Type-Options": "nosniff"}
    response = Response(as_body(_release_at_end(chunks, slot)), headers=headers, content_type=kind)
    response.vary.update(("Accept", "Authorization"))
    response.call_on_close(slot.release)  # a stream that nobody begins to read has no end of its own
    return response


def take_slot(caller: Hashable, address: str | None, *, stream: bool = False) -> WaitSlot:
    """Take a wait slot; raise Problem where none is free, or none for this caller or address."""
    try:
        slot = current_context().wait_slots.take(caller, address, stream=stream)
    except CallerSlotsTaken:
        raise Problem("too-many-streams", headers={"Retry-After": STREAM_RETRY_SECONDS}) from None
    if slot is None:
        raise Problem("streams-busy", headers={"Retry-After": STREAM_RETRY_SECONDS})
    return slot


def _release_at_end(chunks: Iterator[bytes | Wait], slot: WaitSlot) -> Iterator[bytes | Wait]:
    """Pass chunks on, and release the slot at the end."""
    try:
        yield from chunks
    except RedisError as error:
        _log.warning("stream broken off", kind=type(error).__name__)
    finally:
        slot.release()


def as_body(parts: Iterable[bytes | Wait]) -> Iterable[Any]:
    """Return the body of a response, with its waits if the server understands them."""
    return parts if WAITS in request.environ else _in_thread(parts)


def _in_thread(parts: Iterable[bytes | Wait]) -> Iterator[bytes]:
    """Yield chunks, and hold the thread during waits."""
    for part in parts:
        if isinstance(part, Wait):
            yield from part
        else:
            yield part
