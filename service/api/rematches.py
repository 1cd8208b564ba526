"""Rematches: those of a session that is over play again."""

from __future__ import annotations

from flask import Response, request
from msgspec import UNSET

from games.core.table import SPECTATOR
from service.api.auth import VIEW, allow_assigner, etag_of, require
from service.api.callers import SESSION_QUOTAS, account_of_sessions, charge_sessions, keyed
from service.api.seats import sent_credential
from service.api.session_replies import links
from service.auth.api_keys import PLAY_SCOPE
from service.http.blueprint import ETAG, LOCATION, Blueprint, answer
from service.http.context import current_context
from service.http.idempotency import Act, idempotent, replayed
from service.sessions.rematch import rematch
from service.sessions.tokens import OWNER, bearer
from service.store.sessions import Session
from service.wire.session_responses import RematchGiven
from service.wire.sessions import serialize_seats

blp = Blueprint("rematches", __name__, url_prefix="/v1/sessions", description="The same people play again.")


@blp.post("/<id>/rematch")
@keyed(PLAY_SCOPE)
@require(allow_assigner)
@blp.response(
    201,
    RematchGiven,
    headers={"ETag": ETAG, "Location": LOCATION},
    problems=("session-running", "session-waiting", "too-many-writers", *SESSION_QUOTAS),
)
@idempotent(sent_credential)
def begin_rematch(session: Session, viewer: int) -> Act:  # noqa: ARG001 -- `require` hands both in
    """Play again with the same people and bots, each one seat further, once a session is over; all are told of it.

    Any seat and the founder may ask. There is one rematch of a session: who asks later gets the same. The token of a
    seat of the old session is that person's token at the new one, and the owner's is the owner's. Game, options, clock,
    language, names and bots' levels stay as they were; chance is new, and no bot stands in for anybody. The caller is
    charged for it as for any new session.
    """

    def act(_operation: str) -> Response:
        made = rematch(current_context().sessions, session, account_of_sessions(), charge_sessions)
        token = request.headers.get("Authorization", "").partition(" ")[2].strip()
        holder = bearer(made.session, token) if token else None
        viewer = SPECTATOR if holder is None or holder == OWNER else holder
        value = RematchGiven(
            id=made.session.id,
            seat=UNSET if viewer == SPECTATOR else viewer,
            token=UNSET if holder is None else token,
            version=made.session.versions[viewer],
            status=made.session.status,
            seats=serialize_seats(made.session),
            links=links(made.session),
        )
        headers = {
            "ETag": etag_of(made.session, viewer, VIEW),
            "Location": value.links.session,
            "Cache-Control": "no-store",
        }
        return answer(value, 201, replayed(headers) if made.repeated else headers)

    return act
