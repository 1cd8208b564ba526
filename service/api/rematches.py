"""Rematches. A rematch is a new session with the players of a finished session."""

from __future__ import annotations

from flask import Response, request
from msgspec import UNSET

from games.core.table import SPECTATOR
from service.api.auth import VIEW, allow_assigner, etag_of, require
from service.api.callers import SESSION_QUOTAS, account_of_sessions, charge_sessions, keyed
from service.api.seats import sent_credential
from service.api.session_replies import links
from service.auth.api_keys import PLAY_SCOPE
from service.http.blueprint import Blueprint, answer
from service.http.context import current_context
from service.http.idempotency import Act, idempotent
from service.sessions.rematch import rematch
from service.sessions.tokens import OWNER, bearer
from service.store.sessions import Session
from service.wire.session_responses import RematchGiven
from service.wire.sessions import serialize_seats

blp = Blueprint("rematches", __name__, url_prefix="/v1/sessions", description="New sessions with the same players.")


@blp.post("/<id>/rematch")
@keyed(PLAY_SCOPE)
@require(allow_assigner)
@blp.response(
    201,
    RematchGiven,
    headers=("ETag", "Location"),
    problems=("session-running", "session-waiting", "too-many-writers", *SESSION_QUOTAS),
)
@idempotent(sent_credential)
def begin_rematch(session: Session, viewer: int) -> Act:  # noqa: ARG001 -- `require` hands both in
    """Start a rematch.

    Start a new session with the same people and bots, after a session has ended. The owner and every seat may start the
    rematch. Every player is notified. A session has only one rematch, and later calls return the same rematch.

    In the rematch, every player moves to the next seat. A person's token of the old session is also valid in the
    rematch. Game, options, clock, language, names and bot levels stay the same. Random draws are new. If a bot took
    over a person's seat, the person plays in the rematch, not the bot. The caller is charged as for a new session.
    """

    def act(_operation: str) -> Response:
        made, repeated = rematch(current_context().sessions, session, account_of_sessions(), charge_sessions)
        token = request.headers.get("Authorization", "").partition(" ")[2].strip()
        holder = bearer(made, token) if token else None
        viewer = SPECTATOR if holder is None or holder == OWNER else holder
        value = RematchGiven(
            id=made.id,
            seat=UNSET if viewer == SPECTATOR else viewer,
            token=UNSET if holder is None else token,
            version=made.versions[viewer],
            status=made.status,
            seats=serialize_seats(made),
            links=links(made),
        )
        headers = {"ETag": etag_of(made, viewer, VIEW), "Location": value.links.session}
        return answer(value, 201, headers, repeated=repeated)

    return act
