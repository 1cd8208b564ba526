"""Subscribers: streams and long polls, which share the wait slots of the process."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final

from flask import Response, request

from service.api.callers import caller
from service.context import current_context
from service.http.handover import answer_after
from service.http.streaming import take_slot
from service.sessions.listening import Listener
from service.store.sessions import Session
from service.wire.session_events import NDJSON, SSE

BEAT: Final = 4 / 5
"""After which part of the promised time a heartbeat is sent, so that it is there in time."""


def beat_seconds() -> float:
    """Return after how many silent seconds a heartbeat is sent."""
    return current_context().settings.limits.heartbeat_seconds * BEAT


def listener(viewer: int) -> Listener:
    """Return the caller as a listener."""
    return Listener(
        services=current_context().sessions,
        broadcasts=current_context().broadcasts,
        viewer=viewer,
        beat=beat_seconds(),
    )


def stream_type() -> str:
    """Return the format of a stream that Accept likes best."""
    return request.accept_mimetypes.best_match([SSE, NDJSON], SSE)


def audience(session: Session, viewer: int) -> Hashable:
    """Return the caller that a wait slot is counted for: a seat, by token or ticket, or all spectators together."""
    return session.id, viewer


def answer_changed(session: Session, viewer: int, seconds: int, answer: Callable[[Session], Response]) -> Response:
    """Answer once a session is new for a viewer, or after so many seconds; raise Problem where no slot is free."""
    slot = take_slot(audience(session, viewer), caller().address)
    try:
        wait, end = listener(viewer).wait(session, seconds)
    except BaseException:
        slot.release()
        raise

    def go_on() -> Response:
        slot.release()
        return answer(end())

    return answer_after(wait, go_on)
