"""Streams of a session's events, as server-sent events or JSON lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import ClassVar, Final

from games.core.table import SPECTATOR
from games.core.texts import LANGUAGES
from service.api.auth import allow_ticket, require, seat_token, viewer_of
from service.api.session_operations import LoadedSession, SessionOperation, loaded_of, session_of
from service.api.subscribers import beat_seconds, slot_of, stream_type
from service.http.admission import caller_of
from service.http.blueprint import Blueprint
from service.http.fields import Choice, Query, Words
from service.http.flask_views import as_view
from service.http.forms import query_reader, refuse_unknown_query
from service.http.problems import Problem
from service.http.request import Request
from service.http.request_context import Call, set_language
from service.http.response import Reply
from service.http.streaming import Stream, stream_headers
from service.http.wait_slots import WaitSlot
from service.sessions.listening import Listener, Opening, begin_each
from service.sessions.reading import game_of
from service.sessions.tickets import EVENTS
from service.subscription import Subscription
from service.validation.faults import Fault
from service.wire.session_events import (
    NDJSON,
    SSE,
    EventSerializer,
    ServerSentEvent,
    SessionStreamMessage,
    beginning,
    heartbeat,
)

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
    """Query parameters of streams. They name the position from which a stream continues."""

    after = Words(
        1,
        CURSOR_CHARACTERS,
        pattern=_CURSOR,
        description="Cursor or version of the last received message; 0 for all messages.",
    )


@blp.get("/<id>/events")
@as_view
@require(allow_ticket(EVENTS))
@blp.arguments(query=StreamQuery(), headers=[LAST_EVENT_ID])
@blp.response(
    200,
    streams={SSE: ServerSentEvent, NDJSON: SessionStreamMessage},
    problems=("invalid-header", "history-cut", "streams-busy", "too-many-streams"),
)
def stream_session_events() -> None:
    """Stream session events.

    Stream the caller's events as server-sent events, or as JSON lines if `Accept` prefers them. The first message has
    the name `state`. It contains the same data as the response of `GET /v1/sessions/{id}`. Each message `change`
    contains events and a JSON Patch of that state. `presence` messages have no id. Heartbeats arrive at the interval in
    `/v1/limits`. The last message is `end`. After this message, close the `EventSource`. Otherwise, the `EventSource`
    reconnects after an hour.

    The id of a message contains the version of the caller's seat. Spectators get the version that all spectators share.
    No version is skipped. To resume, send the last id in `Last-Event-ID` or `after`; the stream continues with the
    changes after that id, and sends no `state`. If the stream cannot continue from that id, for example because old
    events are no longer stored, the response is 410. In this case, reconnect without an id.

    Two limits count open streams and polls together. A seat, or all spectators together, may have `streams_per_caller`
    of them. Without an API key, a network address may have `open_streams_per_address`, and a quarter of this number is
    reserved for polls. If a request exceeds one of these limits, the response is 429.

    An open stream does not end when its ticket expires. A new request with an expired ticket is accepted only if it
    sends `Last-Event-ID` to resume a stream. An `EventSource` sends this header when it reconnects. If a new request
    with an expired ticket has no such header, the response is 401. If the seat's token was replaced, all tickets of the
    old token are invalid, and the response is also 401.
    """


@dataclass(slots=True)
class StreamRequest:
    """A request for a stream.

    `after` is the version of the last event that the client received. `known` is the mark in this event's id. It proves
    that the client received the event. Both fields are None for a new client.
    """

    call: Call
    loaded: LoadedSession
    listener: Listener
    after: int | None
    known: str | None


@dataclass(frozen=True, slots=True)
class AdmittedStream:
    """An accepted stream with its wait slot.

    `chunks` is the stream's content. It is None if the stream must first read events from the log.
    """

    slot: WaitSlot
    chunks: Iterator[bytes | Subscription] | None


class StreamSessionEvents(SessionOperation):
    """An operation that opens streams of events.

    Requests are processed in batches. Each session of a batch is loaded once, and all viewers of a batch are subscribed
    in one round trip to Redis.
    """

    endpoint: ClassVar = "streams.stream_session_events"
    method: ClassVar = "GET"
    path: ClassVar = re.compile(r"/v1/sessions/[0-9a-f]{32}/events\Z")

    _parameters: ClassVar = StreamQuery()
    _query = staticmethod(query_reader(_parameters))
    _allow = staticmethod(allow_ticket(EVENTS))

    def is_slow(self, request: Request) -> bool:
        """Return whether the request resumes a stream.

        Such a request may be slow. The service may first have to read the missed events from the log.
        """
        return "last-event-id" in request.headers or "after=" in request.query

    def read(self, call: Call, loaded: LoadedSession | Exception) -> StreamRequest:
        """Check the query, the credential and the id of the last event. Return the parsed request."""
        refuse_unknown_query(call.request, self._parameters)
        session = session_of(loaded)
        viewer = viewer_of(session, self._allow)
        query = self._query(call.request)
        set_language(query.get("language"))
        after, known = _last_id(call.request.headers.get("last-event-id", ""), query.get("after"))
        services, game = self.context.sessions, game_of(self.context.sessions, session)
        key = viewer, call.language, stream_type()
        listener = Listener(
            services=services,
            broadcasts=self.context.broadcasts,
            game=game,
            session_id=session.id,
            key=key,
            token=None if viewer == SPECTATOR else seat_token(session, viewer),
            writer=partial(EventSerializer, game, *key),
            heartbeat=heartbeat(key[-1], beat_seconds()),
        )
        return StreamRequest(call, loaded_of(loaded), listener, after, known)

    def plan(self, asked: StreamRequest) -> tuple[StreamRequest, Opening | None]:
        """Return the request and its opening, which contains the current state of the session.

        The opening is None if the stream must first read events from the log.
        """
        if not asked.listener.begins_at_present(asked.loaded.session, asked.after, asked.known):
            return asked, None
        return asked, asked.listener.open(asked.loaded.state(asked.call), resumes=asked.after is not None)

    def write(self, planned: Sequence[tuple[StreamRequest, Opening | None]]) -> Sequence[AdmittedStream | Exception]:
        """Take a wait slot for each stream, and return the accepted streams.

        Also subscribe each stream, unless it must first read events from the log.
        """
        slots = [self._slot_of(asked) for asked, _ in planned]
        pairs = [(opening, slot) for (_, opening), slot in zip(planned, slots, strict=True)]
        openings = [opening for opening, slot in pairs if opening is not None and isinstance(slot, WaitSlot)]
        found = iter(begin_each(self.context.sessions, self.context.broadcasts, openings))
        outcomes = list[AdmittedStream | Exception]()
        for opening, slot in pairs:
            if isinstance(slot, Exception):
                outcomes.append(slot)
                continue
            chunks = None if opening is None else next(found)
            if isinstance(chunks, Exception):
                slot.release()
            outcomes.append(chunks if isinstance(chunks, Exception) else AdmittedStream(slot, chunks))
        return outcomes

    def show(self, asked: StreamRequest, outcome: AdmittedStream) -> Reply:
        """Start the stream and return the response.

        Raise HistoryCut if the log no longer contains the events that the client has missed.
        """
        kind, chunks = asked.listener.key[-1], outcome.chunks
        try:
            if chunks is None:
                chunks = asked.listener.listen(asked.loaded.session, asked.after, asked.known)
        except BaseException:
            outcome.slot.release()
            raise
        stream = Stream(beginning(kind, chunks), outcome.slot)
        stream.begin()
        return Reply(HTTPStatus.OK, stream_headers(kind), stream=stream)

    def _slot_of(self, asked: StreamRequest) -> WaitSlot | Exception:
        address = caller_of(self.context, asked.call).address
        return slot_of(asked.loaded.session, asked.listener.viewer, address, stream=True)


def _last_id(header: str, after: str | None) -> tuple[int | None, str | None]:
    if header and not re.fullmatch(_CURSOR, header):
        raise Problem("invalid-header", errors=[Fault("/Last-Event-ID", "pattern", place="header")])
    version, _, known = (header or after or "").partition("~")
    return int(version) if version else None, known or None
