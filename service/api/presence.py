"""Presence of players.

It shows connected seats, seats that have made their current decision, and the number of watchers.
"""

from __future__ import annotations

from flask import Response
from msgspec import UNSET

from service.api.auth import allow_founder, audience_of, require, revalidate_etag
from service.http.blueprint import IF_NONE_MATCH, Blueprint, answer
from service.http.context import current_context
from service.sessions.presence import presence
from service.sessions.reading import game_of
from service.sessions.states import current_state
from service.store.connections import Register
from service.store.sessions import RUNNING, Session
from service.wire.session_events import PresenceTold

blp = Blueprint(
    "presence",
    __name__,
    url_prefix="/v1/sessions",
    description=("Seats that have answered, and seats that are connected."),
)


@blp.get("/<id>/presence")
@require(allow_founder)
@blp.response(200, PresenceTold, not_modified=IF_NONE_MATCH)
def get_presence(session: Session, viewer: int) -> Response:
    """Get presence.

    Return the lists `asked`, `answered`, `connected` and `paused`, which contain seats. `asked` contains the seats that
    take part in the current decision. `answered` contains those seats in `asked` that have already decided. `paused`
    contains the seats whose clock rests in a pause or a vacation. `watchers` is the number of spectators, rounded down
    to one significant digit. This information is public and changes no version. If several seats decide at the same
    time, every view contains all these seats in `actors` until the last seat has decided. Only `answered` shows which
    of these seats have already decided. A seat is in `connected` while it has a stream or a long poll open, and for
    some seconds afterwards.
    """
    services = current_context().sessions
    game = game_of(services, session)
    company = Register(current_context().sessions_redis).look(session.id, services.now())
    state = current_state(game, session)
    asked = game.view(state.table, viewer).actors if session.status == RUNNING else []
    found = presence(game, state, asked, company.seats, company.watchers)
    parts = [sum(1 << seat for seat in seats) for seats in (found.asked, found.answered, found.connected, found.paused)]
    headers = revalidate_etag(f'"{".".join(map(str, (*parts, found.watchers)))}@{audience_of(viewer)}"')
    told = PresenceTold(
        asked=found.asked,
        answered=found.answered,
        connected=found.connected,
        paused=found.paused or UNSET,
        watchers=found.watchers or UNSET,
    )
    return answer(told, headers=headers)
