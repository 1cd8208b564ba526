"""The operations that get a session, wait for its changes, and make a move. They process their requests in batches."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, ClassVar, Final, NamedTuple

import msgspec

from games.core.checkpoint import checkpoint
from games.core.table import SPECTATOR
from service.api.auth import (
    NO_CACHE,
    VIEW,
    allow_founder,
    allow_seat,
    cache_headers,
    etag_of,
    matches,
    require_version,
    seat_token,
    viewer_of,
)
from service.api.diagnosis import diagnose
from service.api.session_replies import overview, reads_move, serialize_played, serialize_shown
from service.api.subscribers import Poll, WaitingPoll, wait_for_changes
from service.http.admission import caller_of
from service.http.blueprint import REPLAYED
from service.http.forms import load_form, query_reader, refuse_unknown_query
from service.http.idempotency import IdempotencyKey, key_of_request
from service.http.json_body import JSON_TYPE, body_of, parse_body
from service.http.operation import LONG_BODY, MAX_BATCH, OVERTAKEN, Operation, Overtaken
from service.http.problems import Problem
from service.http.request import Request
from service.http.request_context import Call
from service.http.response import Reply
from service.sessions.change import written
from service.sessions.errors import TokenReplaced, UnknownSession
from service.sessions.play import DoneMove, MoveResult, PlannedMove, load_done, plan_move
from service.sessions.reading import game_of, load_each
from service.sessions.services import SessionServices
from service.sessions.states import TableState, current_state
from service.sessions.tokens import is_replaced
from service.store.sessions import Outcome, Session, SessionWrite, Written
from service.validation.faults import Fault
from service.waiting import Wait
from service.wire.session_schemas import NewMove, SessionMoveQuery, SessionQuery

_SESSION: Final = re.compile(r"/v1/sessions/([0-9a-f]{32})(?:/|\Z)")
MIN_QUEUED_MS: Final = 50
MAX_QUEUED_MS: Final = 10_000
"""Maximum milliseconds subtracted from a player's thinking time if the move request had to wait in the service."""

_TYPED: Final = {"Content-Type": JSON_TYPE}


class LoadedSession:
    """A loaded session. All requests of a batch share one object, so that the session's state is parsed only once."""

    __slots__ = ("_state", "session")

    def __init__(self, session: Session) -> None:
        self.session = session
        self._state: TableState | None = None

    def state(self, call: Call) -> TableState:
        if self._state is None:
            services = call.app.extensions["context"].sessions
            self._state = current_state(game_of(services, self.session), self.session)
        return self._state


class SessionOperation(Operation[LoadedSession, Any, Any, Any]):
    """An operation on one session. The path contains the session's id."""

    path: ClassVar[re.Pattern[str]]

    def takes(self, request: Request) -> bool:
        return (
            request.method == self.method
            and self.path.match(request.path) is not None
            and "upgrade" not in request.headers
            and not request.is_odd
        )

    def load(self, calls: Sequence[Call]) -> Sequence[LoadedSession | Exception]:
        """Load the session of each request. If several requests have the same session, load this session only once."""
        names = [_SESSION.match(call.request.path) for call in calls]
        unique = list(dict.fromkeys(found[1] for found in names if found))
        loaded: Mapping[str, LoadedSession | Exception] = {
            session_id: found if isinstance(found, Exception) else LoadedSession(found)
            for session_id, found in zip(unique, load_each(self.context.sessions, unique), strict=True)
        }
        return [_own(loaded[found[1]]) if found else UnknownSession() for found in names]

    def diagnose(self, call: Call, error: Exception) -> Exception:
        """Check whether the stored data of the session is invalid. Invalid data may have caused `error`.

        If the data is valid, return `error`. Raise SessionUnreadable if the data is invalid. Raise HistoryCut if the
        session's log is incomplete. The client gets the returned or raised exception as an error response.
        """
        found = _SESSION.match(call.request.path)
        return diagnose(found[1], error) if found else error


@dataclass(slots=True)
class ViewRequest:
    """A request for a session.

    While a request waits for a change, it does not hold its session in memory. The sessions of all waiting requests
    would take too much memory.
    """

    call: Call
    viewer: int
    part: str
    seconds: int
    tag: str
    loaded: LoadedSession | None
    token: str | None = None
    waiting: WaitingPoll | None = None

    @property
    def session(self) -> Session:
        """The session that the current batch has loaded."""
        return session_of(self.loaded)

    @property
    def state(self) -> TableState:
        return loaded_of(self.loaded).state(self.call)


class ShowSession(SessionOperation):
    """An operation that returns a session as a viewer sees it.

    If the request has `wait`, the operation first waits for a change. If the request has `expand`, the response
    contains the viewer's legal moves.
    """

    endpoint: ClassVar = "sessions.get_session"
    method: ClassVar = "GET"
    path: ClassVar = re.compile(r"/v1/sessions/[0-9a-f]{32}\Z")

    _parameters: ClassVar = SessionQuery()
    _query = staticmethod(query_reader(_parameters))

    def is_slow(self, request: Request) -> bool:
        return "expand" in request.query

    def read(self, call: Call, loaded: LoadedSession | Exception) -> ViewRequest | Reply:
        """Check the query and the credential, and return the parsed request.

        If the client's copy is current and the request does not wait, return a 304 response instead.
        """
        if call.request.query:
            refuse_unknown_query(call.request, self._parameters)
        session = session_of(loaded)
        viewer = viewer_of(session, allow_founder)
        query = self._query(call.request)
        part, most = query.get("expand", VIEW), self.context.settings.limits.wait_seconds
        if query["wait"] > most:
            fault = Fault("/wait", "out-of-range", {"low": 0, "high": most}, place="query")
            raise Problem("invalid-query", errors=[fault])
        tag, seconds = etag_of(session, viewer, part, call.language), query["wait"]
        is_known = matches(call.request.headers, tag)
        if is_known and (not seconds or session.over):
            return _not_modified(call.request, tag)
        return ViewRequest(call, viewer, part, seconds if is_known else 0, tag, loaded_of(loaded))

    def read_again(self, asked: ViewRequest, call: Call, loaded: LoadedSession | Exception) -> ViewRequest | Reply:
        """Put the reloaded session into a request that has waited, and return the request.

        If the client's copy is still current, return a 304 response instead. Raise TokenReplaced if the caller's token
        was replaced.
        """
        self.forget(asked)
        session = session_of(loaded)
        if is_replaced(session, asked.viewer, asked.token):
            raise TokenReplaced
        asked.loaded, asked.seconds = loaded_of(loaded), 0
        asked.tag = etag_of(session, asked.viewer, asked.part, call.language)
        return _not_modified(call.request, asked.tag) if matches(call.request.headers, asked.tag) else asked

    def plan(self, asked: ViewRequest) -> ViewRequest:
        """Return the request unchanged, because this operation writes nothing."""
        return asked

    def write(self, planned: Sequence[ViewRequest]) -> Sequence[WaitingPoll | Exception | None]:
        polls = [
            Poll(asked.session, asked.viewer, asked.seconds, caller_of(self.context, asked.call).address)
            for asked in planned
            if asked.seconds
        ]
        found = iter(wait_for_changes(polls) if polls else ())
        return [next(found) if asked.seconds else None for asked in planned]

    def show(self, asked: ViewRequest, outcome: WaitingPoll | None) -> Reply | Wait:
        """Return the session as the viewer sees it. If the request must wait for a change, return a `Wait` instead."""
        session = asked.session
        if outcome is not None:
            asked.waiting, asked.loaded = outcome, None  # a session per waiting poll would take too much memory
            asked.token = None if asked.viewer == SPECTATOR else seat_token(session, asked.viewer)
            return outcome.waiting.wait
        asked.call.request.check_if_match(asked.tag)
        if asked.viewer == SPECTATOR and session.charter.spectators == "none":
            body = msgspec.json.encode(overview(session))
        else:
            body = msgspec.json.encode(serialize_shown(session, asked.viewer, asked.part, asked.state))
        headers = {**cache_headers(asked.tag, NO_CACHE), **_TYPED, "Content-Length": str(len(body))}
        return Reply(HTTPStatus.OK.value, headers, body)

    def forget(self, asked: ViewRequest) -> None:
        if asked.waiting is not None:
            asked.waiting.end()
            asked.waiting = None


class PollSession(ShowSession):
    """The operation `ShowSession` for requests with the query parameter `wait`.

    Requests with `wait` have separate queues, so that other requests are not delayed.
    """

    def takes(self, request: Request) -> bool:
        return "wait=" in request.query and super().takes(request)


@dataclass(slots=True)
class MoveRequest:
    """A request to make a move. `version` is the version in If-Match, or None before `plan` reads the header."""

    call: Call
    session: Session
    seat: int
    part: str
    move: Any
    key: IdempotencyKey | None
    version: int | None = None

    @property
    def operation(self) -> str:
        """An id that all retries of the request share. It is "" if the request has no Idempotency-Key."""
        return self.key.operation if self.key else ""


class MovePlan(NamedTuple):
    """A validated move that is ready to be written."""

    write: SessionWrite
    planned: PlannedMove


class WrittenMove(NamedTuple):
    """A move that Redis has stored. `revision` is the session's revision after the move."""

    planned: PlannedMove
    revision: int

    def result(self, services: SessionServices) -> MoveResult:
        """Start the work that follows the move, such as a bot's turn. Return the result of the move."""
        return self.planned.result(written(services, self.planned.planned, self.revision))


MadeMove = WrittenMove | DoneMove


class MakeMove(SessionOperation):
    """An operation that makes moves. Redis writes all moves of a batch to disk before any response is sent."""

    endpoint: ClassVar = "sessions.make_move_in_session"
    method: ClassVar = "POST"
    path: ClassVar = re.compile(r"/v1/sessions/[0-9a-f]{32}/moves\Z")
    threads: ClassVar = 2  # one batch is planned while the other waits for the disk

    _parameters: ClassVar = SessionMoveQuery()
    _query, _form = staticmethod(query_reader(_parameters)), NewMove()

    @property
    def max_batch(self) -> int:
        """The maximum number of moves in a batch. It is 1 with Redis Cluster, which cannot run scripts in batches."""
        return MAX_BATCH if self.context.sessions.store.writes_together else 1

    @property
    def max_body(self) -> int:
        return self.context.settings.limits.table_bytes

    def is_slow(self, request: Request) -> bool:
        """Return True if the body is long, or if the request has a query, because a query may ask for legal moves."""
        return bool(request.query) or request.length > LONG_BODY

    def read(self, call: Call, loaded: LoadedSession | Exception) -> MoveRequest:
        """Check the credential, the body, the query and the Idempotency-Key. Return the parsed request."""
        refuse_unknown_query(call.request, self._parameters)
        session = session_of(loaded)
        seat = viewer_of(session, allow_seat)
        tree = parse_body(body_of(call.request, self.max_body), self.context.settings.limits)
        checkpoint()
        move = load_form(self._form, tree)["move"]
        part = self._query(call.request).get("expand", VIEW)
        return MoveRequest(call, session, seat, part, move, key_of_request(seat_token(session, seat), call.request))

    def read_again(self, asked: MoveRequest, call: Call, loaded: LoadedSession | Exception) -> MoveRequest:
        """Put the reloaded session into the request. Raise TokenReplaced if the caller's token is no longer valid."""
        session = session_of(loaded)
        if is_replaced(session, asked.seat, seat_token(asked.session, asked.seat)):
            raise TokenReplaced
        asked.session = session
        return asked

    def key_of(self, asked: MoveRequest) -> IdempotencyKey | None:
        return asked.key

    def plan(self, asked: MoveRequest) -> MovePlan:
        """Check the requested move and return the planned move.

        Raise an exception if the rules of the game do not allow the move. Raise an exception if the header If-Match is
        missing or invalid, or if its version is not current.
        """
        session, seat = asked.session, asked.seat
        if asked.version is None:
            asked.version = require_version(session, seat)
        decide = reads_move(asked.move, session, seat)
        waited_ms = asked.call.request.waited_ms
        queued_ms = min(waited_ms, MAX_QUEUED_MS) if waited_ms >= MIN_QUEUED_MS else 0
        planned = plan_move(self.context.sessions, session, seat, asked.version, decide, queued_ms=queued_ms)
        return MovePlan(SessionWrite(session, planned.planned.change, seat, asked.operation), planned)

    def write(self, planned: Sequence[MovePlan]) -> Sequence[MadeMove | Overtaken | Exception]:
        """Write the moves and return their results.

        If an earlier request had the same Idempotency-Key, do not write the move again. Return the earlier result.
        """
        outcomes = self.context.sessions.store.write_each([plan.write for plan in planned])
        return self._load_done([_made(*each) for each in zip(planned, outcomes, strict=True)])

    def find_done(self, asked: Sequence[MoveRequest]) -> Sequence[DoneMove | Exception | None]:
        wanted = [(each.session.id, each.seat, each.operation) for each in asked]
        found = self.context.sessions.store.operation_each(wanted)
        return self._load_done(
            [
                (session_id, seat, each) if isinstance(each, int) else each
                for (session_id, seat, _), each in zip(wanted, found, strict=True)
            ]
        )

    def _load_done(self, outcomes: Sequence[Any]) -> list[Any]:
        wanted = [each for each in outcomes if type(each) is tuple]
        found = iter(load_done(self.context.sessions, wanted) if wanted else ())
        return [next(found) if type(each) is tuple else each for each in outcomes]

    def show(self, asked: MoveRequest, outcome: MadeMove) -> Reply:
        """Return the events that the player receives, and the session after the move."""
        seat, result = asked.seat, outcome.result(self.context.sessions)
        body = msgspec.json.encode(serialize_played(result, seat, asked.part))
        headers = {"ETag": etag_of(result.session, seat, asked.part), "Content-Language": asked.call.language}
        headers |= REPLAYED if result.repeated else {}
        return Reply(HTTPStatus.CREATED.value, {**headers, **_TYPED, "Content-Length": str(len(body))}, body)


def _own(found: LoadedSession | Exception) -> LoadedSession | Exception:
    """Return `found`. If it is an exception, return a copy, because several requests must not raise the same object."""
    return copy(found) if isinstance(found, Exception) else found


def loaded_of(loaded: LoadedSession | Exception | None) -> LoadedSession:
    if loaded is None:
        raise LookupError("the request waits")
    if isinstance(loaded, Exception):
        raise loaded
    return loaded


def session_of(loaded: LoadedSession | Exception | None) -> Session:
    return loaded_of(loaded).session


def _not_modified(request: Request, tag: str) -> Reply:
    request.check_if_match(tag)
    return Reply(HTTPStatus.NOT_MODIFIED.value, cache_headers(tag, NO_CACHE))


def _made(plan: MovePlan, outcome: Outcome | Exception) -> WrittenMove | tuple[str, int, int] | Overtaken | Exception:
    match outcome:
        case Exception():
            return outcome
        case Written.WRITTEN, revision:
            return WrittenMove(plan.planned, revision)
        case Written.DONE, revision:
            return plan.write.session.id, plan.write.seat, revision
        case Written.MOVED, _:
            return OVERTAKEN
    return UnknownSession()
