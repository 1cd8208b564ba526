"""Clients that wait for changes of a session: streams and long polls."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final, NamedTuple

from flask import request

from service.http.context import current_context
from service.http.problems import Problem
from service.http.wait_slots import WaitSlot
from service.sessions.broadcast import Waiting
from service.sessions.listening import Listener
from service.store.sessions import Session
from service.wire.session_events import NDJSON, SSE, heartbeat

BEAT: Final = 4 / 5
"""The heartbeat is sent after this fraction of the documented interval, so that it arrives in time."""


def beat_seconds() -> float:
    """Return the seconds without data after which a stream sends a heartbeat."""
    return current_context().settings.limits.heartbeat_seconds * BEAT


def listener(viewer: int) -> Listener:
    return Listener(
        services=current_context().sessions,
        broadcasts=current_context().broadcasts,
        viewer=viewer,
        heartbeat=heartbeat(stream_type(), beat_seconds()),
    )


def stream_type() -> str:
    return request.accept_mimetypes.best_match([SSE, NDJSON], SSE)


def audience(session: Session, viewer: int) -> Hashable:
    """Return the key by which wait slots are counted. Each seat has its own; all spectators of a session share one."""
    return session.id, viewer


class Poll(NamedTuple):
    """A long poll: a session, its viewer, the timeout in seconds, and the caller's address (None with an API key)."""

    session: Session
    viewer: int
    seconds: int
    address: str | None


class WaitingPoll(NamedTuple):
    """A waiting long poll and its wait slot. `end` must be called exactly once."""

    slot: WaitSlot
    waiting: Waiting

    def end(self) -> None:
        self.slot.release()
        self.waiting.end()


def wait_for_changes(polls: Sequence[Poll]) -> list[WaitingPoll | Exception]:
    """Start long polls, with one round trip to Redis. Return the wait of each, or the exception that rejects it."""
    slots = [_slot_of(poll) for poll in polls]
    admitted = [poll for poll, slot in zip(polls, slots, strict=True) if isinstance(slot, WaitSlot)]
    context = current_context()
    asked = [(poll.session, poll.viewer, float(poll.seconds)) for poll in admitted]
    found = iter(context.broadcasts.wait_each(context.sessions, asked))
    return [_waiting(slot, next(found)) if isinstance(slot, WaitSlot) else slot for slot in slots]


def _slot_of(poll: Poll) -> WaitSlot | Problem:
    try:
        return current_context().wait_slots.take(audience(poll.session, poll.viewer), poll.address)
    except Problem as problem:
        return problem


def _waiting(slot: WaitSlot, found: Waiting | Exception) -> WaitingPoll | Exception:
    if isinstance(found, Exception):
        slot.release()
        return found
    return WaitingPoll(slot, found)
