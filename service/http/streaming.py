"""An answer that goes on: it holds a wait slot until it ends, and ends where Redis goes away."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Final

import structlog
from flask import Response
from redis.exceptions import RedisError

from service.context import current_context
from service.http.handover import as_body
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
