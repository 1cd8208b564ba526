"""Undo. A player requests to take back a decision. All other persons at the table can consent or refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from flask import Response, request

from service.api.auth import IF_MATCH, allow_seat, require, seat_token, with_version
from service.api.session_replies import state_reply
from service.http.blueprint import Blueprint
from service.http.context import current_context
from service.http.idempotency import KEY_HEADER, Act, idempotent
from service.sessions.services import SessionServices
from service.sessions.undo import UndoReply, ask, consent, done_before, refuse
from service.store.sessions import Session
from service.wire.session_responses import SessionState

UNDO_PROBLEMS: Final = ("undo-off", "session-waiting", "session-over", "too-many-writers")
VERSION_PROBLEMS: Final = ("invalid-precondition", "precondition-required", "stale-version", "history-cut")

blp = Blueprint("undo", __name__, url_prefix="/v1/sessions", description="Decisions taken back by consent.")


@blp.post("/<id>/undo")
@require(allow_seat)
@blp.arguments(headers=[IF_MATCH])
@blp.response(
    200,
    SessionState,
    headers=("ETag",),
    problems=(*UNDO_PROBLEMS, *VERSION_PROBLEMS, "nothing-to-undo", "undo-pending", "undo-denied"),
)
@idempotent(seat_token)
def ask_for_undo(session: Session, viewer: int) -> Act:
    """Request an undo.

    Request to take back the caller's last decision. This requires a session with `undo` set to `consent`. All other
    persons at the table must consent; `undo_request` lists the seats that have not consented yet. With the last
    consent, the caller's decision and all later decisions are undone. Versions continue to grow, and random draws do
    not repeat. If no other person plays, the decision is undone at once.

    A request expires at the next event that every player receives, usually a move. Consents do not end the request.
    After a request has expired, a player may request the undo again. But if a request was refused or withdrawn, no
    player may request the same undo again. A session allows 20 undos, and none after its end.
    """
    return _act(session, viewer, with_version(ask))


@blp.post("/<id>/undo/consent")
@require(allow_seat)
@blp.arguments(headers=[IF_MATCH])
@blp.response(200, SessionState, headers=("ETag",), problems=(*UNDO_PROBLEMS, *VERSION_PROBLEMS, "no-undo-pending"))
@idempotent(seat_token)
def consent_to_undo(session: Session, viewer: int) -> Act:
    """Consent to an undo.

    Consent to the undo in `undo_request`. The last consent undoes the decision. Requires the caller's current version
    in `If-Match`, so that nobody consents to an undo that they have not seen.
    """
    return _act(session, viewer, with_version(consent))


@blp.post("/<id>/undo/refuse")
@require(allow_seat)
@blp.response(200, SessionState, headers=("ETag",), problems=(*UNDO_PROBLEMS, "no-undo-pending"))
@idempotent(seat_token)
def refuse_undo(session: Session, viewer: int) -> Act:
    """Refuse an undo.

    Refuse the undo in `undo_request`. If the caller has requested this undo, the request is withdrawn. In both cases,
    the decision becomes final, and its undo cannot be requested again.
    """
    return _act(session, viewer, refuse)


def _act(session: Session, viewer: int, change: Callable[[SessionServices, Session, int, str], UndoReply]) -> Act:
    def act(operation: str) -> Response:
        services = current_context().sessions
        done = done_before(services, session, viewer, operation) if KEY_HEADER in request.headers else None
        state, repeated = done or change(services, session, viewer, operation)
        return state_reply(state.session, viewer, state, repeated=repeated)

    return act
