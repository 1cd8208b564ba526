"""Sessions: tables kept by the service, each seat with a token, a view and a version of its own."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

import msgspec
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
from service.http.blueprint import ETAG, LOCATION, TABLE_BYTES, Blueprint, NotModified, answer, no_content
from service.http.context import current_context
from service.http.fields import Body, Rows, Within
from service.http.flask_views import as_view
from service.http.idempotency import Act, documents_key, idempotent, replayed
from service.http.json_schemas import Answer
from service.http.problems import Problem, invalid_body
from service.http.request_context import language
from service.sessions.create import Created, SessionRequest, create, create_all
from service.sessions.play import abort, check_move
from service.sessions.reading import game_of, table_of
from service.snapshots import engine
from service.snapshots.errors import SnapshotError
from service.store.sessions import BOT, BOT_POLICY, Clock, Seat, Session
from service.validation.faults import Fault
from service.wire.moves import LegalMoves, serialize_moves
from service.wire.session_responses import (
    MoveChecked,
    MovePlayed,
    SessionCreated,
    SessionOverview,
    SessionShown,
)
from service.wire.session_schemas import DEFAULT_LEVEL, LEGAL, NewMove, NewSession, SessionMoveQuery, SessionQuery
from service.wire.sessions import (
    names_of,
    serialize_given_seats,
    terms_of,
)

MOST_SESSIONS: Final = 10_000
"""More sessions than any limit allows."""

FROM_SNAPSHOT: Final = ("unknown-ruleset", "broken-snapshot", *SEALED_PROBLEMS[1:])
"""Why a session cannot go on from a snapshot."""

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
"""Why a move in a session is refused, made or only checked."""

SessionSeen = SessionShown | SessionOverview

blp = Blueprint(
    "sessions",
    __name__,
    url_prefix=SESSIONS_PATH,
    description="Tables kept by the service. Whoever holds a seat's token sees and plays that seat, and nothing else.",
)


batches = Blueprint("session batches", __name__, url_prefix="/v1", description="Many sessions at once, all or none.")


class Member(Within):
    """One of many new sessions; what a snapshot is refused for is a fault of it, beside those of all others."""

    def deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        """Return what is wanted of a new session."""
        try:
            return wanted_of(super().deserialize(value, *args, **kwargs))
        except (Problem, SnapshotError) as error:
            raise ValidationError(_faults(problem_of(error))) from None


class NewSessionBatch(Body):
    """Many new sessions, of any games."""

    sessions = Rows(Member(NewSession()), 1, MOST_SESSIONS, bound="batch_sessions", required=True)


class SessionBatchCreated(Answer, frozen=True, kw_only=True):
    """New sessions in the order in which they were asked for, with all their tokens."""

    sessions: list[SessionCreated]


@blp.post("")
@keyed(PLAY_SCOPE)
@blp.arguments(NewSession(), size=TABLE_BYTES)
@blp.response(201, SessionCreated, headers={"Location": LOCATION}, problems=(*SESSION_QUOTAS, *FROM_SNAPSHOT))
@idempotent(key_of_caller)
def create_session(body: dict[str, Any]) -> Act:
    """Set up a table and keep it; the session begins at once, or when its last open seat is claimed.

    With open seats nothing is dealt before the last of them is claimed, and till then there is nothing to see of it.
    The answer alone holds the secrets: the owner's token, one for each person's seat, an invite code for each open one.
    Chance is decided by a key that the server draws and keeps to itself; with a `seed` it is a practice session.
    With a `snapshot` the session goes on from its table, for practice as well, and says so; of a sealed one the keys of
    all seats are needed, since a founder may hand out all seats and reads everything after the end.
    Bots are charged as a simulation of one game is, and what they do not use is given back when the session ends. A
    caller without an API key may begin `open_sessions_per_hour`. A session in which nobody has moved expires after
    `unmoved_session_hours`.
    """
    wanted = wanted_of(body)

    def act(operation: str) -> Response:
        made = create(current_context().sessions, wanted, operation, charge_sessions)
        value = serialize_created(made)
        headers = {"Location": value.links.session, "Cache-Control": "no-store"}
        return answer(value, 201, replayed(headers) if made.repeated else headers)

    return act


@batches.post("/sessions:batch")
@keyed(PLAY_SCOPE)
@batches.arguments(NewSessionBatch(), size=TABLE_BYTES)
@batches.response(201, SessionBatchCreated, problems=SESSION_QUOTAS)
@idempotent(key_of_caller)
def create_session_batch(body: dict[str, Any]) -> Act:
    """Set up many tables and keep them, all or none: each member is what creating a session takes and answers.

    Where members are wrong nothing is created, and the errors are those of all of them, up to the twenty that any
    answer has. All are written in one step, so nobody ever finds a part of them; a repetition with the same
    Idempotency-Key gets the same sessions with the same tokens. `/v1/limits` says how many there may be
    (`batch_sessions`). Each member counts as a session.
    """
    quota = caller().account.sessions
    if quota and len(body["sessions"]) > quota.amount:
        raise invalid_body("/sessions", "items", low=1, high=quota.amount)

    def act(operation: str) -> Response:
        made = create_all(current_context().sessions, body["sessions"], operation, charge_sessions)
        headers = {"Cache-Control": "no-store"}
        value = SessionBatchCreated(sessions=[serialize_created(each) for each in made])
        return answer(value, 201, replayed(headers) if made[0].repeated else headers)

    return act


def _faults(problem: Problem) -> list[Fault]:
    """Return the faults of a new session that has a problem; raise Problem where it is none of the session's."""
    if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise problem
    return [*problem.errors] or [Fault.with_text("/snapshot", problem.detail(language()))]


def wanted_of(body: dict[str, Any]) -> SessionRequest:
    """Return what is wanted of a new session; raise Problem for what no game has."""
    game, seats = current_context().game_in_body(body["game"]), len(body["seats"])
    start = start_of(game, body["snapshot"], seats, body.get("seat_keys", ())) if "snapshot" in body else None
    return SessionRequest(
        game=game,
        seats=[seat_wanted(seat) for seat in body["seats"]],
        options=game.options(start.table)
        if start
        else engine.read_options(game, body.get("options", {}), seats, "/seats"),
        start=start,
        seed=body.get("seed"),
        spectators=body["spectators"],
        clock=clock_wanted(body.get("clock")),
        bot_ms=body.get("bot_ms"),
        undo=body["undo"],
        listed=body["listed"],
        language=body.get("language"),
        key=caller().key_id,
        account=account_of_sessions(),
    )


def serialize_created(made: Created) -> SessionCreated:
    """Return a new session with all its secrets."""
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
@blp.response(200, SessionSeen, not_modified=NotModified(), problems=("streams-busy", "too-many-streams"))
def get_session() -> None:
    """Show a session as the caller sees it: a seat by its token; anybody else as a spectator, if it allows any.

    Its founder, by the owner's token or the API key that founded it, sees an overview where it allows no spectators:
    who sits there, who is to move and how it ended, and nothing of the table. Who is connected tells `presence`.

    With `wait` and the caller's ETag in If-None-Match, the response comes once something is new for the caller, or
    after so many seconds. It is 503 with Retry-After while too many wait, and 429 for a seat, or the spectators
    together, with `streams_per_caller` streams and polls open already, or an address with `open_streams_per_address`.
    `picture_url` and `stream_url` hold a ticket for this viewer, which may look and nothing else, for ten minutes; a
    304 brings no new one. The ETag is `"<version>.<language>.<expand>@<audience>~<mark>"`: the audience is the seat's
    number, or `all` for spectators; the mark differs after a restored back-up.
    """


@blp.get("/<id>/legal-moves")
@require(allow_seat)
@blp.response(200, LegalMoves, not_modified=NotModified(), problems=("not-dealt",))
def list_session_moves(session: Session, viewer: int) -> Response:
    """List what the caller may do now, each move as an object, as a code and as a sentence."""
    headers = revalidate(session, viewer, LEGAL)
    game = game_of(current_context().sessions, session)
    return answer(legal_of(game, table_of(game, session), session, viewer), headers=headers)


@blp.post("/<id>/moves")
@as_view
@require(allow_seat)
@blp.arguments(NewMove(), query=SessionMoveQuery(), size=TABLE_BYTES, headers=[IF_MATCH])
@blp.response(201, MovePlayed, headers={"ETag": ETAG}, problems=(*OF_MOVES, "too-many-writers"))
@documents_key
def make_move_in_session() -> None:
    """Make a move for the caller's seat, if the caller has seen all that it could know.

    The answer tells what the caller heard, and all that a look at the session would tell then, links and tickets apart;
    so its ETag stands for what such a look is answered, with the same `expand`. A repetition with the same
    Idempotency-Key gets the answer of then. Where others moved meanwhile and the caller learnt nothing of it, as with
    sealed answers, the move is made all the same. Where a bot plays in the caller's stead, the caller takes the seat
    back by moving.
    """


@blp.post("/<id>/moves/check")
@require(allow_seat)
@blp.arguments(NewMove(), size=TABLE_BYTES, headers=[IF_MATCH])
@blp.response(200, MoveChecked, problems=OF_MOVES)
def check_move_in_session(body: dict[str, Any], session: Session, viewer: int) -> Response:
    """Check a move for the caller's seat and change nothing.

    The move is checked as it would be here and now, by the same rules in the same order: the answer is 200, or the
    problem that the move would meet. Nobody learns of it, and a seat in which a bot stands in is not taken back.
    """
    game, version = game_of(current_context().sessions, session), require_version(session, viewer)
    state, code = check_move(game, session, viewer, version, reads_move(body["move"], session, viewer))
    (move,) = serialize_moves(game, state.table, viewer, [code], language(), names_of(game, session, language()))
    value = MoveChecked(version=version, **msgspec.structs.asdict(move))
    return answer(value, headers={"Cache-Control": "no-store", "Content-Language": language()})


@blp.delete("/<id>")
@require(allow_owner, table=False)
@blp.response(204, problems=("too-many-writers",))
def abort_session(session: Session, viewer: int) -> Response:  # noqa: ARG001 -- `require` hands both in
    """End a session without a result; it can still be read until it expires. One that has ended stays as it is."""
    abort(current_context().sessions, session)
    return no_content()


def seat_wanted(wanted: dict[str, Any]) -> Seat:
    """Return a seat as it is kept."""
    level = wanted.get("bot", {"level": DEFAULT_LEVEL})["level"] if wanted["kind"] == BOT else None
    return Seat(kind=wanted["kind"], name=wanted.get("name"), level=level)


def clock_wanted(wanted: dict[str, Any] | None) -> Clock | None:
    """Return a clock as it is kept."""
    if wanted is None:
        return None
    level = wanted.get("bot", {"level": DEFAULT_LEVEL})["level"] if wanted["policy"] == BOT_POLICY else None
    kept = {name: wanted[name] for name in ("move_ms", "bank_ms", "increment_ms", "policy")}
    return Clock(**kept, level=level)
