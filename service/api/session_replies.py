"""Builds the responses of operations on sessions and moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from flask import Response
from msgspec import UNSET

from games.core.game import Game
from games.core.table import SPECTATOR, Table
from service.api.auth import NO_CACHE, VIEW, etag_of, ticketed_urls
from service.http.blueprint import answer
from service.http.context import current_context
from service.http.request_context import language
from service.sessions.errors import OtherRuleset, SessionUnreadable
from service.sessions.play import MoveResult
from service.sessions.reading import game_of
from service.sessions.states import TableState, current_state
from service.sessions.tickets import EVENTS, PICTURE
from service.snapshots import engine
from service.store.clock import rfc3339
from service.store.sessions import RUNNING, Session
from service.wire.moves import LegalMoves, legal_moves
from service.wire.session_responses import MovePlayed, SessionLinks, SessionOverview, SessionShown
from service.wire.session_schemas import LEGAL
from service.wire.sessions import (
    lifetime,
    names_of,
    serialize_events,
    serialize_overview,
    serialize_session,
    session_fields,
)

SESSIONS_PATH: Final = "/v1/sessions"

_PARTS: Final = {part: f"/{part.replace('_', '-')}" for part in SessionLinks.__struct_fields__ if part != "session"}


def serialize_shown(session: Session, viewer: int, part: str, state: TableState | None = None) -> SessionShown:
    """Return a session as a viewer sees it.

    If `part` is LEGAL and the viewer is a seat, the result also contains this seat's legal moves. `state` is the
    session's parsed state. If it is None, the function parses the state.
    """
    game = game_of(current_context().sessions, session)
    table = (state or current_state(game, session)).dealt
    shows_moves = part == LEGAL and viewer != SPECTATOR
    picture, stream = ticketed_urls(session, viewer, PICTURE, EVENTS)
    return SessionShown(
        **session_fields(game, session, table, viewer, language()),
        **lifetime_of(session, viewer),
        legal_moves=legal_of(game, table, session, viewer) if shows_moves and table is not None else UNSET,
        picture_url=picture,
        stream_url=stream,
        links=links(session),
    )


def tagged(value: Any, session: Session, viewer: int, status: int = 200, *, repeated: bool = False) -> Response:
    """Return a JSON response with the ETag of the session as `viewer` sees it.

    `repeated` is true if the response repeats the result of an earlier request with the same Idempotency-Key.
    """
    return answer(value, status, {"ETag": etag_of(session, viewer, VIEW)}, repeated=repeated)


def state_reply(session: Session, viewer: int, state: TableState | None = None, *, repeated: bool = False) -> Response:
    """Return the response to a change. The response contains the session as `viewer` sees it.

    `state` is the session's parsed state. If it is None, the function parses the state.
    """
    game = game_of(current_context().sessions, session)
    table = (state or current_state(game, session)).dealt
    return tagged(serialize_session(game, session, table, viewer, language()), session, viewer, repeated=repeated)


def private(value: Any) -> Response:
    """Return a JSON response for the holder of a seat's token only. No cache may store the response."""
    return answer(value, headers={"Cache-Control": NO_CACHE, "Vary": "Authorization"})


def shown_time(at: int) -> str:
    """Return a stored time as clients see it, in RFC 3339 format."""
    return rfc3339(current_context().sessions.store.calendar().shown(at))


def serialize_played(played: MoveResult, viewer: int, part: str) -> MovePlayed:
    """Return the result of a seat's move. If `part` is LEGAL, the seat's next legal moves are included."""
    game, spoken = game_of(current_context().sessions, played.session), language()
    return MovePlayed(
        **session_fields(game, played.session, played.table, viewer, spoken),
        events=serialize_events(game, played.session, played.events, spoken),
        **lifetime_of(played.session, viewer),
        legal_moves=legal_of(game, played.table, played.session, viewer) if part == LEGAL else UNSET,
    )


def reads_move(wanted: Any, session: Session, viewer: int) -> Callable[[Game, Table], int]:
    """Return a function that validates the move `wanted` and returns its code.

    The function raises an exception if the move is invalid.
    """

    def read(game: Game, table: Table) -> int:
        spoken = language()
        return engine.validate_move(game, table, viewer, wanted, spoken, names=lambda: names_of(game, session, spoken))

    return read


def overview(session: Session) -> SessionOverview:
    """Return a session's overview for the owner.

    If the table is unreadable, fields that depend on the table are left out.
    """
    services = current_context().sessions
    try:
        game = game_of(services, session)
        played = game, current_state(game, session).dealt
    except (OtherRuleset, SessionUnreadable):
        played = None
    expires = services.store.expires(session, SPECTATOR)
    return serialize_overview(session, played, expires, links(session), language())


def lifetime_of(session: Session, viewer: int) -> dict[str, Any]:
    """Return a session's creation time and its earliest expiry."""
    # Each move postpones the expiry. The actual time would therefore reveal moves that are hidden from the viewer.
    return lifetime(session, current_context().sessions.store.expires(session, viewer))


def links(session: Session) -> SessionLinks:
    here = f"{SESSIONS_PATH}/{session.id}"
    return SessionLinks(session=here, **{part: here + suffix for part, suffix in _PARTS.items()})


def legal_of(game: Game, table: Table, session: Session, seat: int) -> LegalMoves:
    """Return a seat's legal moves. The list is empty if the session has ended."""
    names = names_of(game, session, language())
    return legal_moves(game, table, seat, language(), names, over=session.status != RUNNING)
