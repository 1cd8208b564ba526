"""Subscribers: streams and long polls, which share the wait slots of the process."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Final

from flask import Response, request

from service.api.callers import caller
from service.context import current_context
from service.http.streaming import streaming_response, take_slot
from service.http.wait_slots import GONE
from service.sessions.listening import Listener
from service.store.blocking import Register
from service.store.sessions import Session
from service.wire.session_events import FORMATS, NDJSON, SSE, Message

BEAT: Final = 2 / 3
"""After which part of the promised time a heartbeat is sent, so that it is there in time."""


def listener(viewer: int) -> Listener:
    """Return the caller as a listener, who is gone once the connection is closed or the server stops."""
    return Listener(
        services=current_context().sessions,
        reader=current_context().blocking_reader,
        register=Register(current_context().sessions_redis),
        viewer=viewer,
        beat=current_context().settings.limits.heartbeat_seconds * BEAT,
        gone=caller_gone(),
    )


def message_stream(messages: Iterator[Message | None], audience: Hashable) -> Response:
    """Answer with messages as they come, in the format that Accept likes best; None is no message."""
    media_type = request.accept_mimetypes.best_match([SSE, NDJSON], SSE)
    preamble, write = FORMATS[media_type]

    def chunks() -> Iterator[bytes]:
        if preamble:
            yield preamble
        yield from (write(message) for message in messages if message is not None)

    return streaming_response(chunks(), media_type, audience, caller().address)


def caller_gone() -> Callable[[], bool]:
    """Return a function that says whether the caller has closed the connection, or the server stops."""
    room, hung_up = current_context().wait_slots, request.environ.get(GONE, lambda: False)
    return lambda: room.closing() or hung_up()


def audience(session: Session, viewer: int) -> Hashable:
    """Return the caller that a wait slot is counted for: a seat, by token or ticket, or all spectators together."""
    return session.id, viewer


def wait_for_change(session: Session, viewer: int, seconds: int) -> Session:
    """Return a session once it is new for a viewer, or after so many seconds; raise Problem where no slot is free."""
    place = take_slot(audience(session, viewer), caller().address)
    try:
        return listener(viewer).wait(session, min(seconds, current_context().settings.limits.wait_seconds))
    finally:
        place.release()
