"""Pauses that all players agree to, vacations, and votes to continue the game without an absent player."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from flask import Response

from service.api.auth import IF_MATCH, allow_seat, require, seat_token, with_version
from service.api.session_replies import state_reply
from service.http.blueprint import Blueprint
from service.http.context import current_context
from service.http.idempotency import Act, idempotent
from service.sessions import pauses
from service.sessions.absence import vote
from service.sessions.services import SessionServices
from service.store.connections import Register
from service.store.sessions import Session
from service.wire.session_responses import SessionState
from service.wire.session_schemas import PauseWanted, VacationWanted

RUNNING_PROBLEMS: Final = ("session-waiting", "session-over", "too-many-writers")
IF_MATCH_PROBLEMS: Final = ("invalid-precondition", "precondition-required", "stale-version")

blp = Blueprint(
    "pauses", __name__, url_prefix="/v1/sessions", description="Pauses, vacations, and votes on absent players."
)


@blp.post("/<id>/pause")
@require(allow_seat)
@blp.arguments(PauseWanted())
@blp.response(
    200,
    SessionState,
    headers=("ETag",),
    problems=(*RUNNING_PROBLEMS, "pauses-off", "pause-pending", "no-pauses-left"),
)
@idempotent(seat_token)
def ask_for_pause(body: dict[str, Any], session: Session, viewer: int) -> Act:
    """Request a pause.

    Request that all clocks stop for some time. This requires a session with `pauses.consent`. All other persons must
    consent; `pause_request` lists the seats that have not consented yet. The pause starts with the last consent. During
    the pause, players can still move. Deadlines and limits on absence are postponed by the length of the pause. A new
    request replaces the caller's earlier request. A session allows 100 pauses and vacations in total.
    """
    return _act(session, viewer, pauses.ask, body["duration_ms"])


@blp.post("/<id>/pause/consent")
@require(allow_seat)
@blp.arguments(headers=[IF_MATCH])
@blp.response(
    200,
    SessionState,
    headers=("ETag",),
    problems=(*RUNNING_PROBLEMS, *IF_MATCH_PROBLEMS, "pauses-off", "no-pause-pending"),
)
@idempotent(seat_token)
def consent_to_pause(session: Session, viewer: int) -> Act:
    """Consent to a pause.

    Consent to the pause in `pause_request`. The last consent starts the pause. Requires the caller's current version in
    `If-Match`, so that nobody consents to a pause that they have not seen.
    """
    return _act(session, viewer, with_version(pauses.consent))


@blp.post("/<id>/pause/refuse")
@require(allow_seat)
@blp.response(200, SessionState, headers=("ETag",), problems=(*RUNNING_PROBLEMS, "pauses-off", "no-pause-pending"))
@idempotent(seat_token)
def refuse_pause(session: Session, viewer: int) -> Act:
    """Refuse a pause.

    Refuse the pause in `pause_request`. If the caller has requested it, the request is withdrawn.
    """
    return _act(session, viewer, pauses.refuse)


@blp.post("/<id>/pause/end")
@require(allow_seat)
@blp.response(200, SessionState, headers=("ETag",), problems=(*RUNNING_PROBLEMS, "not-paused"))
@idempotent(seat_token)
def end_pause(session: Session, viewer: int) -> Act:
    """End a pause.

    End the caller's own pause early.
    """
    return _act(session, viewer, pauses.end)


@blp.post("/<id>/vacation")
@require(allow_seat)
@blp.arguments(VacationWanted())
@blp.response(200, SessionState, headers=("ETag",), problems=(*RUNNING_PROBLEMS, "pauses-off", "no-pauses-left"))
@idempotent(seat_token)
def take_vacation(body: dict[str, Any], session: Session, viewer: int) -> Act:
    """Take a vacation.

    Stop the clock of the caller's seat for `days` days. The seat must have enough vacation days left (`days_left`).
    The session must have `pauses.days_per_seat`. The caller can still move during the vacation. If the seat is already
    on vacation, the vacation is extended.
    """
    return _act(session, viewer, pauses.take_vacation, body["days"])


@blp.post("/<id>/vacation/end")
@require(allow_seat)
@blp.response(200, SessionState, headers=("ETag",), problems=(*RUNNING_PROBLEMS, "not-paused"))
@idempotent(seat_token)
def end_vacation(session: Session, viewer: int) -> Act:
    """End a vacation.

    End the caller's vacation early. Unused whole days may be taken later.
    """
    return _act(session, viewer, pauses.end_vacation)


@blp.post("/<id>/seats/<int:number>/absence")
@require(allow_seat)
@blp.response(
    200, SessionState, headers=("ETag",), problems=(*RUNNING_PROBLEMS, "not-found", "absence-off", "not-absent")
)
@idempotent(seat_token)
def vote_on_absence(session: Session, viewer: int, number: int) -> Act:
    """Vote on an absent seat.

    Vote to continue without a seat that has a pending decision. The session must have `absence.vote_after_ms`. In
    `absences`, `vote_from` is the time at which votes on this seat become possible. The seat must not be connected.
    Once all other connected persons have voted, the service applies `absence.then` within a second. Votes lapse when
    the seat decides. If a bot takes over the seat, the absent person may reclaim the seat later.
    """
    return _act(session, viewer, _vote, number)


def _vote(
    services: SessionServices, session: Session, viewer: int, number: int, operation: str
) -> tuple[Session, bool]:
    present = Register(services.store.client).look(session.id, services.now()).seats
    return vote(services, session, viewer, number, present, operation)


def _act(session: Session, viewer: int, change: Callable[..., tuple[Session, bool]], *given: int) -> Act:
    def act(operation: str) -> Response:
        after, repeated = change(current_context().sessions, session, viewer, *given, operation)
        return state_reply(after, viewer, repeated=repeated)

    return act
