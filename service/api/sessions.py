"""Sessions. A session is a stored table with a token, a view and a version for each seat."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

from flask import Response
from marshmallow import ValidationError
from msgspec import UNSET

from games.core.table import SPECTATOR
from service.api.auth import (
    IF_MATCH,
    allow_founder,
    allow_owner,
    allow_seat,
    require,
    require_version,
    revalidate,
)
from service.api.callers import SESSION_QUOTAS, account_of_sessions, caller, charge_sessions, key_of_caller, keyed
from service.api.errors import problem_of
from service.api.session_replies import SESSIONS_PATH, legal_of, lifetime_of, links, reads_move
from service.api.snapshot_access import SEALED_PROBLEMS, start_of
from service.auth.api_keys import PLAY_SCOPE
from service.contract.json_schemas import Answer
from service.http.blueprint import IF_NONE_MATCH, TABLE_BYTES, Blueprint, answer, no_content
from service.http.context import current_context
from service.http.fields import Body, Rows, Within
from service.http.flask_views import as_view
from service.http.idempotency import Act, documents_key, idempotent
from service.http.problems import Problem, invalid_body
from service.http.request_context import language
from service.sessions.create import Created, SessionRequest, create, create_all
from service.sessions.play import abort, check_move
from service.sessions.reading import game_of, table_of
from service.snapshots import engine
from service.snapshots.errors import SnapshotError
from service.store.agreements import NO_PAUSES
from service.store.sessions import Session
from service.validation.faults import Fault
from service.wire.moves import LegalMoves, serialize_move
from service.wire.session_responses import (
    MoveChecked,
    MovePlayed,
    SessionCreated,
    SessionOverview,
    SessionShown,
)
from service.wire.session_schemas import (
    LEGAL,
    NewMove,
    NewSession,
    SessionMoveQuery,
    SessionQuery,
)
from service.wire.sessions import (
    names_of,
    serialize_given_seats,
    terms_of,
)

MAX_SESSIONS: Final = 10_000
"""Upper bound of the configurable limit on sessions per batch."""

FROM_SNAPSHOT: Final = ("unknown-ruleset", "broken-snapshot", *SEALED_PROBLEMS[1:])
"""Problem codes of snapshots from which a session cannot start."""

OF_MOVES: Final = (
    "invalid-precondition",
    "precondition-required",
    "stale-version",
    "session-waiting",
    "session-over",
    "not-your-turn",
    "invalid-move",
    "illegal-move",
)
"""Problem codes of the operations that make or check a move in a session."""

SessionSeen = SessionShown | SessionOverview

blp = Blueprint(
    "sessions",
    __name__,
    url_prefix=SESSIONS_PATH,
    description="Tables that the service keeps. The holder of a seat's token sees and plays only that seat.",
)


batches = Blueprint("session batches", __name__, url_prefix="/v1", description="Several sessions created in one step.")


class Member(Within):
    """A new session in a batch. If the session is invalid, the fault names its position in the batch."""

    def deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the parsed request for a new session."""
        try:
            return wanted_of(super().deserialize(value, *args, **kwargs))
        except (Problem, SnapshotError) as error:
            raise ValidationError(_faults(problem_of(error))) from None


class NewSessionBatch(Body):
    """A request for several new sessions, of any games."""

    sessions = Rows(Member(NewSession()), 1, MAX_SESSIONS, bound="batch_sessions", required=True)


class SessionBatchCreated(Answer, frozen=True, kw_only=True):
    """New sessions in the order of the request, with all their tokens."""

    sessions: list[SessionCreated]


@blp.post("")
@keyed(PLAY_SCOPE)
@blp.arguments(NewSession(), size=TABLE_BYTES)
@blp.response(201, SessionCreated, headers=("Location",), problems=(*SESSION_QUOTAS, *FROM_SNAPSHOT))
@idempotent(key_of_caller)
def create_session(body: dict[str, Any]) -> Act:
    """Create a session.

    Set up a table that the service keeps. The session starts at once, or when its last open seat is claimed. The table
    is dealt at the start. Only this response contains the secrets: the owner's token, a token for each person's seat,
    and an invite code for each open seat.

    By default, the server creates a secret key that determines all random draws. If the request has a `seed` or a
    `snapshot`, the session is a practice session. The draws of a practice session cannot be proven fair. A session from
    a sealed snapshot reveals hidden information to its owner: the owner can assign every seat, and can read everything
    after the end of the session. Therefore, a request with a sealed snapshot must contain the keys of all seats in
    `seat_keys`.

    The session's bots cost as many playouts as they would cost in a simulation of one game. Unused playouts are
    refunded when the session ends. `open_sessions_per_hour` in `/v1/limits` is the number of sessions that a caller
    without an API key may create per hour. A session without any move expires after `unmoved_session_hours`.
    """
    wanted = wanted_of(body)

    def act(operation: str) -> Response:
        made = create(current_context().sessions, wanted, operation, charge_sessions)
        value = serialize_created(made)
        return answer(value, 201, {"Location": value.links.session}, repeated=made.repeated)

    return act


@batches.post("/sessions:batch")
@keyed(PLAY_SCOPE)
@batches.arguments(NewSessionBatch(), size=TABLE_BYTES)
@batches.response(201, SessionBatchCreated, problems=SESSION_QUOTAS)
@idempotent(key_of_caller)
def create_session_batch(body: dict[str, Any]) -> Act:
    """Create several sessions.

    Create several sessions in one step. Each item of `sessions` has the same fields as a request to `POST
    /v1/sessions`, and counts as one session towards the caller's quotas. In the response, each item has the same fields
    as the response of that operation. If any item is invalid, no session is created, and the response lists up to
    twenty faults. A retry with the same `Idempotency-Key` returns the same sessions and tokens. `batch_sessions` in
    `/v1/limits` is the maximum number of items.
    """
    quota = caller().account.sessions
    if quota and len(body["sessions"]) > quota.amount:
        raise invalid_body("/sessions", "items", low=1, high=quota.amount)

    def act(operation: str) -> Response:
        made = create_all(current_context().sessions, body["sessions"], operation, charge_sessions)
        value = SessionBatchCreated(sessions=[serialize_created(each) for each in made])
        return answer(value, 201, repeated=made[0].repeated)

    return act


def _faults(problem: Problem) -> list[Fault]:
    """Return the faults of one invalid session in a batch.

    Raise the problem if its status is 5xx, because the request is not the cause of such a problem.
    """
    if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise problem
    return [*problem.errors] or [Fault.with_text("/snapshot", problem.detail(language()))]


def wanted_of(body: dict[str, Any]) -> SessionRequest:
    """Return the request for a new session. Raise Problem if `body` contains a value that the game does not allow."""
    game, seats = current_context().game_in_body(body["game"]), len(body["seats"])
    start = start_of(game, body["snapshot"], seats, body.get("seat_keys", ())) if "snapshot" in body else None
    return SessionRequest(
        game=game,
        seats=body["seats"],
        options=game.options(start.table)
        if start
        else engine.read_options(game, body.get("options", {}), seats, "/seats"),
        start=start,
        seed=body.get("seed"),
        spectators=body["spectators"],
        clock=body.get("clock"),
        bot_ms=body.get("bot_ms"),
        undo=body["undo"],
        listed=body["listed"],
        language=body.get("language"),
        pauses=body.get("pauses", NO_PAUSES),
        absence=body.get("absence"),
        key=caller().key_id,
        account=account_of_sessions(),
    )


def serialize_created(made: Created) -> SessionCreated:
    """Return the response for a new session, with all its secrets."""
    session, charter = made.session, made.session.charter
    return SessionCreated(
        id=session.id,
        owner_token=made.owner_token,
        **lifetime_of(session, SPECTATOR),
        game=charter.game,
        ruleset=charter.ruleset,
        practice=charter.practice,
        status=session.status,
        spectators=charter.spectators,
        **terms_of(current_context().games[charter.game], session),
        listed=charter.listed or UNSET,
        language=charter.language or UNSET,
        options=charter.options,
        seats=serialize_given_seats(session, made.seat_tokens, made.invites),
        links=links(session),
    )


@blp.get("/<id>")
@as_view
@require(allow_founder)
@blp.arguments(query=SessionQuery())
@blp.response(200, SessionSeen, not_modified=IF_NONE_MATCH, problems=("streams-busy", "too-many-streams"))
def get_session() -> None:
    """Get a session.

    Return the session as the caller sees it. A caller with a seat's token gets the seat's view. If the session allows
    spectators, every other caller gets the view of a spectator. If the session does not allow spectators, only the
    owner may read it without a seat. The owner then gets the seats, the turn and the result, but not the table.
    `presence` lists connected seats.

    With `wait` and the caller's ETag in `If-None-Match`, the request is a long poll. The service sends the response
    when the caller's version changes. If the version has not changed before the timeout, the response is 304.

    The response is 429 if too many streams and polls are open for the caller or the network address. A seat, or all
    spectators of the session together, may have `streams_per_caller` open streams and polls. Without an API key, a
    network address may have `open_streams_per_address` open streams and polls. The response is 503 with `Retry-After`
    if the service has too many open streams and polls.

    `picture_url` and `stream_url` contain a read-only ticket for this viewer, valid for ten minutes; a 304 contains no
    new ticket. The ETag is `"<version>.<language>.<expand>@<audience>~<mark>"`. The audience is the seat's number, or
    `all` for spectators. The mark changes when a backup is restored.
    """


@blp.get("/<id>/legal-moves")
@require(allow_seat)
@blp.response(200, LegalMoves, not_modified=IF_NONE_MATCH, problems=("not-dealt",))
def list_session_moves(session: Session, viewer: int) -> Response:
    """List a session's moves.

    Return the caller's legal moves, each as an object, as a code and as a sentence.
    """
    headers = revalidate(session, viewer, LEGAL)
    game = game_of(current_context().sessions, session)
    return answer(legal_of(game, table_of(game, session), session, viewer), headers=headers)


@blp.post("/<id>/moves")
@as_view
@require(allow_seat)
@blp.arguments(NewMove(), query=SessionMoveQuery(), size=TABLE_BYTES, headers=[IF_MATCH])
@blp.response(201, MovePlayed, headers=("ETag",), problems=(*OF_MOVES, "too-many-writers"))
@documents_key
def make_move_in_session() -> None:
    """Make a move.

    Make a move for the caller's seat. This requires the caller's current version in `If-Match`; otherwise the response
    is 412. Moves that are hidden from the caller, such as sealed answers, do not change that version.

    The response contains the new events and the caller's new state, without links and tickets. The ETag of the response
    belongs to this new state. Until the state changes again, a `GET` of the session with the same `expand` returns the
    same ETag. A retry with the same `Idempotency-Key` returns the first response. If a bot is playing the caller's
    seat, this move ends the bot's play. The caller then decides for the seat again.
    """


@blp.post("/<id>/moves/check")
@require(allow_seat)
@blp.arguments(NewMove(), size=TABLE_BYTES, headers=[IF_MATCH])
@blp.response(200, MoveChecked, problems=OF_MOVES)
def check_move_in_session(body: dict[str, Any], session: Session, viewer: int) -> Response:
    """Check a move.

    Check a move for the caller's seat without making it. The response is 200 if the move is possible. Otherwise, the
    response is the error response that the move would cause. Other players are not notified. If a bot plays the
    caller's seat, the bot keeps the seat.
    """
    game, version = game_of(current_context().sessions, session), require_version(session, viewer)
    state, code = check_move(game, session, viewer, version, reads_move(body["move"], session, viewer))
    move = serialize_move(game, state.table, viewer, code, language(), names_of(game, session, language()))
    value = MoveChecked(
        version=version, code=move.code, move=move.move, label=move.label, refs=move.refs, index=move.index
    )
    return answer(value, headers={"Content-Language": language()})


@blp.delete("/<id>")
@require(allow_owner, table=False)
@blp.response(204, problems=("too-many-writers",))
def abort_session(session: Session, viewer: int) -> Response:  # noqa: ARG001 -- `require` hands both in
    """Abort a session.

    End a session without a result. It remains readable until it expires. A finished session stays unchanged.
    """
    abort(current_context().sessions, session)
    return no_content()
