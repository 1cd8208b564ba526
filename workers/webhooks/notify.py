"""Converts stored notifications of sessions to webhook messages and push messages, and enqueues these messages."""

from __future__ import annotations

from typing import Any

from service.sessions.clocks import time_out_at
from service.sessions.errors import OtherRuleset, SessionUnreadable
from service.sessions.reading import find, game_of
from service.sessions.resign import losers
from service.sessions.services import SessionServices
from service.sessions.states import current_state
from service.sessions.turns import CLAIMED, NEAR, NOTICE_ENDED, PUSH, actors, decision
from service.store.clock import rfc3339
from service.store.pushes import PushStore, seat_name
from service.store.sessions import FINISHED, FORFEITED, Session, coarse
from service.webhooks.messages import DEADLINE_NEAR, SEAT_ASKED_EVENT, SEAT_CLAIMED, SESSION_ENDED, is_heard, notify

EVENT_TYPES = {CLAIMED: SEAT_CLAIMED, NOTICE_ENDED: SESSION_ENDED, NEAR: DEADLINE_NEAR}


def notify_of_session(services: SessionServices, notification: str, now: int) -> None:
    """Queue the message for a stored notification about a session.

    `notification` is a text that the module `service.sessions.turns` has created. The message is a webhook message for
    an API key, or a push message for a seat.
    """
    session_id, seat, matter, key = notification.split("/")
    if key == PUSH:
        PushStore(services.hooks.client).add(seat_name(session_id, int(seat)), matter, now)
        return
    kind, _, decided = matter.rpartition("~")
    event = EVENT_TYPES.get(kind, SEAT_ASKED_EVENT)
    if not is_heard(services.hooks, key, event):
        return
    named = {"session": session_id, "url": f"/v1/sessions/{session_id}"}
    data = _more(services, event, int(seat), decided, named)
    if data is not None:
        identified = decided if event == SEAT_ASKED_EVENT else f"{session_id}/{seat}/{matter}"
        notify(services.hooks, key, event, identified, data, now, services.store.calendar().shown(now))


def _more(
    services: SessionServices, event: str, seat: int, decided: str, data: dict[str, Any]
) -> dict[str, Any] | None:
    if event in {SEAT_ASKED_EVENT, SEAT_CLAIMED}:
        return {**data, "seat": seat}
    try:
        session = find(services, data["session"])
    except SessionUnreadable:
        session = None
    if session is None:
        return data if event == SESSION_ENDED else None
    if event == SESSION_ENDED:
        rewards = _rewards(services, session)
        outcome = {} if rewards is None else {"outcome": {"rewards": rewards}}
        return {**data, "status": session.status, **outcome}
    return _deadline(services, session, seat, decided, data)


def _rewards(services: SessionServices, session: Session) -> list[float] | None:
    try:
        game = game_of(services, session)
        if session.status == FORFEITED:
            return game.forfeit(len(session.seats), losers(session))
        table = current_state(game, session).dealt if session.status == FINISHED else None
    except (OtherRuleset, SessionUnreadable):
        return None
    return None if table is None else game.outcome(table)


def _deadline(
    services: SessionServices, session: Session, seat: int, decided: str, data: dict[str, Any]
) -> dict[str, Any] | None:
    try:
        game = game_of(services, session)
        asked = actors(game, current_state(game, session).dealt, session)
    except (OtherRuleset, SessionUnreadable):
        return None
    if session.charter.clock is None or seat not in asked or session.seats[seat].level is not None:
        return None
    if decision(session, seat) != decided:
        return None
    end = time_out_at(session, seat)
    return {**data, "seat": seat, "deadline": rfc3339(coarse(end) + session.calendar.offset(end))}
