"""Clients that wait for changes of a session. Each stream and each long poll takes a wait slot."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final, NamedTuple

from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header

from service.http.context import current_context
from service.http.problems import Problem
from service.http.request_context import current_call
from service.http.wait_slots import WaitSlot
from service.sessions.broadcast import Waiting
from service.store.sessions import Session
from service.wire.session_events import NDJSON, SSE

BEAT: Final = 4 / 5
"""The heartbeat is sent after this fraction of the documented interval, so that it arrives in time."""


def beat_seconds() -> float:
    """Return the number of seconds after which a stream without new data sends a heartbeat."""
    return current_context().settings.limits.heartbeat_seconds * BEAT


def stream_type() -> str:
    """Return the media type of the requested stream."""
    accept = current_call().request.headers.get("accept", "")
    return parse_accept_header(accept, MIMEAccept).best_match([SSE, NDJSON], SSE)


def audience(session: Session, viewer: int) -> Hashable:
    """Return the key for counting wait slots. Each seat has its own key. All spectators of a session share one key."""
    return session.id, viewer


class Poll(NamedTuple):
    """A long poll. `seconds` is its timeout. `address` is None if the caller has an API key."""

    session: Session
    viewer: int
    seconds: int
    address: str | None


class WaitingPoll(NamedTuple):
    """A waiting long poll and its wait slot. After the wait, the caller must call `WaitingPoll.end` exactly once."""

    slot: WaitSlot
    waiting: Waiting

    def end(self) -> None:
        self.slot.release()
        self.waiting.end()


def wait_for_changes(polls: Sequence[Poll]) -> list[WaitingPoll | Exception]:
    """Start long polls with one round trip to Redis. Return a waiting poll or an exception for each long poll."""
    slots = [slot_of(poll.session, poll.viewer, poll.address) for poll in polls]
    admitted = [poll for poll, slot in zip(polls, slots, strict=True) if isinstance(slot, WaitSlot)]
    context = current_context()
    asked = [(poll.session, poll.viewer, float(poll.seconds)) for poll in admitted]
    found = iter(context.broadcasts.wait_each(context.sessions, asked))
    return [_waiting(slot, next(found)) if isinstance(slot, WaitSlot) else slot for slot in slots]


def slot_of(session: Session, viewer: int, address: str | None, *, stream: bool = False) -> WaitSlot | Problem:
    """Take a wait slot and return it. Return a Problem if the process, the viewer or the address has no free slot."""
    try:
        return current_context().wait_slots.take(audience(session, viewer), address, stream=stream)
    except Problem as problem:
        return problem


def _waiting(slot: WaitSlot, found: Waiting | Exception) -> WaitingPoll | Exception:
    if isinstance(found, Exception):
        slot.release()
        return found
    return WaitingPoll(slot, found)
