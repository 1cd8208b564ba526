"""Who has answered the decision at hand, and who is connected."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Response

from service.api.seated import BEARER_OR_NONE, IF_NONE_MATCH, admitted, fresh_as, onlooker
from service.api.sessions import refused
from service.contract.http import ETAG, Blueprint, answer
from service.contract.stream import PresenceTold
from service.house import house
from service.sessions.course import present
from service.sessions.errors import SessionError
from service.sessions.presence import presence
from service.sessions.reading import game_of
from service.store.listening import Register
from service.store.sessions import Session

blp = Blueprint("presence", __name__, url_prefix="/v1/sessions", description="Who has answered, and who is connected.")

blp.register_error_handler(SessionError, refused)


@blp.get("/<id>/presence")
@admitted(onlooker)
@blp.returns(200, PresenceTold, headers={"ETag": ETAG})
@blp.alt_response(304, description="Nothing is new.")
@blp.problems("unknown-session", "unauthorized", "forbidden", "unknown-ruleset", "session-unreadable", "store-away")
@blp.doc(security=BEARER_OR_NONE, parameters=[IF_NONE_MATCH])
def get_presence(session: Session, viewer: int) -> Response:
    """Tell who has answered the decision at hand, and who is connected, which is no secret and moves no version.

    Where several are asked at once, `actors` in every view are all of them until the last has answered; who has
    answered already stands here alone. A seat is connected while it has a stream or waits for an answer, and for some
    seconds after its connection broke off.
    """
    desk = house().sessions
    game = game_of(desk, session)
    company = Register(house().kept).look(session.name, desk.now())
    found = presence(game, present(game, session), viewer, company.seats)
    parts = (found.asked, found.answered, found.connected)
    headers, unchanged = fresh_as('"' + ".".join(str(_bits(seats)) for seats in parts) + '"')
    if unchanged is not None:
        return unchanged
    told = PresenceTold(asked=found.asked, answered=found.answered, connected=found.connected)
    return answer(told, headers=headers)


def _bits(seats: Sequence[int]) -> int:
    """Return a set of seats as a number."""
    return sum(1 << seat for seat in seats)
