"""Histories of sessions. During play, a history contains the events that the caller received.

After the session's end, it is the complete record.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from flask import Response, request
from msgspec import UNSET, Meta, UnsetType

from games.core.game import Draw, Game
from service.api.auth import VARY, allow_onlooker, require, revalidate
from service.contract.json_schemas import Answer
from service.http.blueprint import IF_NONE_MATCH, Blueprint, answer
from service.http.context import current_context
from service.http.fields import Query, Whole
from service.http.json_lines import json_line
from service.http.pages import next_page_url
from service.http.request_context import language
from service.sessions.errors import NotDealt
from service.sessions.history import VisibleHistory, check_over, history
from service.sessions.reading import game_of
from service.snapshots import engine
from service.snapshots.records import ReplayMove, Snapshot
from service.store.sessions import Session
from service.wire.fields import AnyOptions
from service.wire.session_events import NDJSON
from service.wire.session_responses import HistoryLine, SeatShown, SessionStatus
from service.wire.sessions import serialize_history_entry, serialize_seats

MAX_LINES: Final = 10**9
JSON: Final = "application/json"

blp = Blueprint(
    "histories",
    __name__,
    url_prefix="/v1/sessions",
    description="History of a session: the caller's events while it runs, everything after the end.",
)


class HistoryQuery(Query):
    """Query parameters of histories."""

    first = Whole(0, MAX_LINES, load_default=0, description="First line to return, counted from 0.")
    limit = Whole(
        1,
        MAX_LINES,
        description="Maximum number of lines, at most `history_lines` of `/v1/limits`.",
    )


class SessionHistory(Answer, frozen=True, kw_only=True):
    """The history of a session. During play, it contains only the events that the caller received.

    After the session's end, it contains all events.
    """

    id: str
    game: str
    ruleset: str
    status: SessionStatus
    complete: Annotated[bool, Meta(description="True after the end, when the history contains everything.")]
    seats: list[SeatShown]
    options: AnyOptions
    draws: Annotated[list[Draw], Meta(description="Draws of the set-up, after the end.")] | UnsetType = UNSET
    total: Annotated[int, Meta(description="Number of lines for the caller.")]
    first: Annotated[int, Meta(description="Number of the first line on this page.")]
    lines: list[HistoryLine]
    next: Annotated[str, Meta(description="URL of the next page, if there is one.")] | UnsetType = UNSET


class ReplayRecord(Answer, frozen=True, kw_only=True):
    """A record for the game's `replays` operation.

    Usually, the record starts with a set-up. The record of a branch starts with a snapshot.
    """

    ruleset: str
    seat_count: int | UnsetType = UNSET
    options: AnyOptions | UnsetType = UNSET
    draws: Annotated[list[Draw], Meta(description="Draws of the set-up.")] | UnsetType = UNSET
    snapshot: Annotated[Snapshot, Meta(description="Of a branch: the dealt table.")] | UnsetType = UNSET
    moves: list[ReplayMove]


@blp.get("/<id>/history")
@require(allow_onlooker)
@blp.arguments(query=HistoryQuery())
@blp.response(
    200,
    SessionHistory,
    streams={NDJSON: HistoryLine},
    not_modified=IF_NONE_MATCH,
    problems=("history-cut", "too-much-work"),
)
def get_session_history(query: dict[str, Any], session: Session, viewer: int) -> Response:
    """Get the history.

    During the session, return the events that the caller has received. Line k contains the events of the caller's
    version k + 1. After the end, return the same complete history to every viewer, with all moves, all draws and the
    recipients of each event.

    The query parameters `first` and `limit` select the lines. A page has at most `history_lines` lines (`/v1/limits`);
    `next` is the URL of the next page. With `Accept: application/x-ndjson`, the response has JSON lines instead of
    pages. Without `limit`, the response then contains all lines from number `first` on.
    """
    by_line = request.accept_mimetypes.best_match([JSON, NDJSON], JSON) == NDJSON
    headers = revalidate(session, viewer, "history.ndjson" if by_line else "history", vary=f"Accept, {VARY}")
    game, first = game_of(current_context().sessions, session), query["first"]
    page = MAX_LINES if by_line else current_context().settings.limits.history_lines
    most = min(query.get("limit", page), page)
    found = history(current_context().sessions, session, viewer, first, most)
    lines = [serialize_history_entry(game, session, line, language(), complete=found.complete) for line in found.lines]
    if by_line:
        body = b"".join(map(json_line, lines))
        return Response(body, headers=headers, content_type=NDJSON)
    value = SessionHistory(
        id=session.id,
        game=game.slug,
        ruleset=game.ruleset,
        status=session.status,
        complete=found.complete,
        seats=serialize_seats(session),
        options=session.charter.options,
        draws=found.outcomes if found.complete else UNSET,
        total=found.total,
        first=first,
        lines=lines,
        next=_next(session, first + len(lines), found.total, query),
    )
    return answer(value, headers=headers)


@blp.get("/<id>/replay")
@require(allow_onlooker)
@blp.response(
    200,
    ReplayRecord,
    not_modified=IF_NONE_MATCH,
    problems=("session-running", "not-dealt", "history-cut", "too-much-work"),
)
def get_session_replay(session: Session, viewer: int) -> Response:
    """Get the replayable record.

    Return a record of a finished session. You can send the record to the operation `replay`. The record contains
    the random draws of every move, so it does not depend on seeds. Moves that were taken back are omitted. The response
    is 409 until the session has ended. It stays 409 if the session ended before the deal.
    """
    check_over(session)
    if not session.dealt:
        raise NotDealt
    headers = revalidate(session, viewer, "replay")
    game, found = game_of(current_context().sessions, session), history(current_context().sessions, session, viewer)
    played = [line.played for line in found.lines if line.played is not None and not line.undone]
    moves = [ReplayMove(entry.seat, move, entry.outcomes) for entry, move, _ in played]
    value = ReplayRecord(ruleset=game.ruleset, **_beginning(game, session, found), moves=moves)
    return answer(value, headers=headers)


def _beginning(game: Game, session: Session, found: VisibleHistory) -> dict[str, Any]:
    if found.dealt is not None:
        # Every move contains its outcomes, so this seed is not used before the last of them.
        return {"snapshot": engine.write_snapshot(game, found.dealt, session.id)}
    return {"seat_count": len(session.seats), "options": session.charter.options, "draws": found.outcomes}


def _next(session: Session, first: int, total: int, query: dict[str, Any]) -> str | UnsetType:
    if first >= total or first == query["first"]:
        return UNSET
    return next_page_url(f"{blp.url_prefix}/{session.id}/history", query, first=first)
