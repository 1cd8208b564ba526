"""Streams of a session's events, as server-sent events or JSON lines."""

from __future__ import annotations

import re
from functools import partial
from typing import Any, Final

from flask import Response, request

from games.core.texts import LANGUAGES
from service.api.auth import allow_ticket, require
from service.api.callers import caller
from service.api.subscribers import audience, listener, stream_type
from service.http.blueprint import Blueprint
from service.http.context import current_context
from service.http.fields import Choice, Query, Words
from service.http.problems import Problem
from service.http.request_context import language, set_language
from service.http.streaming import streaming_response
from service.sessions.reading import game_of
from service.sessions.tickets import EVENTS
from service.store.sessions import Session
from service.validation.faults import Fault
from service.wire.session_events import NDJSON, SSE, EventSerializer, ServerSentEvent, SessionStreamMessage, beginning

CURSOR_CHARACTERS: Final = 32
TICKET_CHARACTERS: Final = 256

_CURSOR: Final = r"[0-9]{1,15}(~[0-9a-f]{1,16})?"
"""Matches an event id: a version, with or without a mark that only recipients of the event can know."""

LAST_EVENT_ID: Final = {
    "in": "header",
    "name": "Last-Event-ID",
    "schema": {"type": "string", "pattern": f"^(?:{_CURSOR})?$"},
    "description": "Id of the last received message. Takes precedence over `after`.",
}

blp = Blueprint(
    "streams",
    __name__,
    url_prefix="/v1/sessions",
    description="Live events of a session, one stream for each seat and one for the spectators.",
)


class Ticketed(Query):
    """Query parameters of URLs that accept a ticket."""

    ticket = Words(1, TICKET_CHARACTERS, description="Read-only ticket, for clients that cannot send a token.")
    language = Choice(LANGUAGES, description="Language of texts. Takes precedence over `Accept-Language`.")


class StreamQuery(Ticketed):
    """Query parameters of streams: the position from which to continue."""

    after = Words(
        1,
        CURSOR_CHARACTERS,
        pattern=_CURSOR,
        description="Cursor or version of the last received message; 0 for all messages.",
    )


@blp.get("/<id>/events")
@require(allow_ticket(EVENTS))
@blp.arguments(query=StreamQuery(), headers=[LAST_EVENT_ID])
@blp.response(
    200,
    streams={SSE: ServerSentEvent, NDJSON: SessionStreamMessage},
    problems=("invalid-header", "history-cut", "streams-busy", "too-many-streams"),
)
def stream_session_events(query: dict[str, Any], session: Session, viewer: int) -> Response:
    """Stream session events.

    Stream the caller's events as server-sent events, or as JSON lines if `Accept` prefers them. The first message is
    `state`, the session as `GET` returns it. Each `change` contains events and a JSON Patch of that state. `presence`
    has no id. Heartbeats arrive at the interval in `/v1/limits`. The last message is `end`: close an `EventSource`
    then, or it reconnects after an hour.

    Ids are versions of the audience, without gaps. To resume, send the last id in `Last-Event-ID` or `after`; the
    stream continues with the changes since, without a `state`. The response is 410 if these events are no longer
    stored: reconnect without an id. A seat, or all spectators together, may have `streams_per_caller` open streams and
    polls. An address without an API key may have `open_streams_per_address`, of which a quarter is reserved for polls.
    Beyond that the response is 429.

    A stream may outlive its ticket. An expired ticket can still resume a stream if `Last-Event-ID` is sent, as an
    `EventSource` does. Otherwise, or if the seat's token was replaced, the response is 401.
    """
    set_language(query.get("language"))
    after, known = _last_id(query.get("after"))
    game = game_of(current_context().sessions, session)
    sent = viewer, language(), stream_type()
    chunks = listener(viewer).listen(session, after, known, sent, partial(EventSerializer, game, *sent))
    return streaming_response(beginning(sent[-1], chunks), sent[-1], audience(session, viewer), caller().address)


def _last_id(after: str | None) -> tuple[int | None, str | None]:
    header = request.headers.get("Last-Event-ID", "")
    if header and not re.fullmatch(_CURSOR, header):
        raise Problem("invalid-header", errors=[Fault("/Last-Event-ID", "pattern", place="header")])
    version, _, known = (header or after or "").partition("~")
    return int(version) if version else None, known or None
