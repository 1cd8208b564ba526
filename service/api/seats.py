"""Operations that claim, reclaim, assign and resign the seats of sessions, and that set standing answers of seats."""

from __future__ import annotations

from typing import Any

import msgspec
from flask import Response, request
from msgspec import UNSET, UnsetType

from service.api.auth import (
    allow_anybody,
    allow_assigner,
    allow_owner,
    allow_seat,
    check_own_seat,
    require,
    seat_token,
)
from service.api.callers import caller, key_of_caller
from service.api.session_replies import links, private, state_reply, tagged
from service.http.blueprint import Blueprint, no_content
from service.http.context import current_context
from service.http.idempotency import Act, idempotent, secret_of_request
from service.http.problems import Problem, invalid_body
from service.http.request_context import language
from service.jobs.erasure import forget_jobs_about
from service.sessions.assign import Assigned, Assigner, assign, issue_token
from service.sessions.erasure import erase_seat
from service.sessions.reading import game_of
from service.sessions.resign import resign
from service.sessions.seating import ClaimRequest, claim, leave, take_back
from service.sessions.standing import leave_answers
from service.sessions.tokens import OWNER
from service.store.agreements import THEN_FORFEIT
from service.store.operations import forget_responses
from service.store.sessions import OPEN, Seat, Session
from service.validation.faults import Fault
from service.wire.session_responses import AnswerOffered, SeatGiven, SeatTaken, SessionState, StandingAnswers
from service.wire.session_schemas import (
    AnswersLeft,
    SeatAssignment,
    SeatClaim,
    SeatLeaving,
)
from service.wire.sessions import serialize_given_seats

blp = Blueprint("seats", __name__, url_prefix="/v1/sessions", description="Seats of a session and their occupants.")


def sent_credential(**_: Any) -> str | None:
    """Return the token or the API key in the request. It identifies the caller."""
    return request.headers.get("Authorization") or caller().key_text


@blp.post("/<id>/seats/<int:number>/claim")
@require(allow_anybody)
@blp.arguments(SeatClaim())
@blp.response(
    201, SeatTaken, headers=("ETag",), problems=("wrong-invite", "seat-taken", "session-over", "too-many-writers")
)
@idempotent(key_of_caller)
def claim_seat(body: dict[str, Any], session: Session, viewer: int, number: int) -> Act:  # noqa: ARG001 -- the code says all
    """Claim a seat.

    Take an open seat. Usually, the request must contain the seat's invite code. Only a `listed` session requires no
    code. The seat's token is returned only once, and only the first claim succeeds. When the last open seat is claimed,
    the table is dealt and the session starts. The response to a wrong code does not reveal whether the seat is open,
    taken or missing.

    Each claimer adds a seed to the session's random draws: `client_seed`, or a random seed that the service returns.
    `name` replaces the seat's name. A retry with the same `Idempotency-Key` returns the same token.
    """
    if "code" not in body and not session.charter.listed:
        raise invalid_body("/code", "missing")
    secret = body["code"] if "code" in body else secret_of_request(caller().key_text)
    wanted = ClaimRequest(**body, secret=secret, key=caller().key_id)

    def act(operation: str) -> Response:
        taken = claim(current_context().sessions, session, number, wanted, operation)
        seat = serialize_given_seats(taken.session, {number: taken.token})[number]
        return _taken(taken.session, number, seat, taken.client_seed or UNSET, repeated=taken.repeated)

    return act


@blp.post("/<id>/seats/<int:number>/token")
@require(allow_owner)
@blp.response(
    201,
    SeatTaken,
    headers=("ETag",),
    problems=("not-found", "seat-without-person", "session-over", "too-many-writers"),
)
@idempotent(sent_credential)
def issue_seat_token(session: Session, viewer: int, number: int) -> Act:
    """Issue a seat token.

    Replace the token of a person's seat, for example if the person has lost their phone. Only the response to this
    request contains the new token. A retry with the same `Idempotency-Key` returns the same response. Only the owner
    may replace the token. Every player is notified, because the token gives access to the seat's view. The old token,
    its tickets, streams and long polls end at once. Bots and clocks are unaffected.
    """

    def act(operation: str) -> Response:
        by = Assigner(viewer, sent_credential() or "", operation, caller().key_id)
        return _given(issue_token(current_context().sessions, session, number, by), number)

    return act


@blp.post("/<id>/seats/<int:number>/erase")
@require(allow_owner)
@blp.response(204, problems=("not-found", "session-running", "too-many-writers"))
def erase_seat_data(session: Session, viewer: int, number: int) -> Response:  # noqa: ARG001 -- `require` hands both in
    """Erase a person's data.

    Erase the names, the push subscription and the texts of all persons who have had the seat. This data is erased from
    the session, its history, its branches and its rematches. It is also erased from the jobs and stored responses of
    these sessions. Moves and results stay for the other players. If a move of the seat contains a text, the data can be
    erased only after the end of the session. If the seat has a name, every player's version changes. Repeated calls
    have no further effect.
    """
    context = current_context()
    for session_id in erase_seat(context.sessions, session, number):
        forget_responses(context.sessions.store.client, session_id)
        forget_jobs_about(context.sessions.hooks.client, session_id)
    return no_content()


@blp.post("/<id>/seats/<int:number>/assign")
@require(allow_assigner)
@blp.arguments(SeatAssignment())
@blp.response(
    201,
    SeatTaken,
    headers=("ETag",),
    problems=("not-found", "seat-not-assignable", "session-over", "too-many-writers"),
)
@idempotent(sent_credential)
def assign_seat(body: Seat, session: Session, viewer: int, number: int) -> Act:
    """Assign a seat.

    Give a seat to a person or a bot, or open it. A person gets a new token. An open seat gets a new invite code. A
    person may assign their own seat to another player. Such a request must contain the token of the seat. Before the
    first move, the owner may assign any seat. After the first move, the owner may assign only seats that a bot has
    taken over from a person. A seat can be opened only while the session waits for players. When the last open seat is
    filled, the table is dealt and the session starts.

    The seat's previous token, invite code and standing answers become invalid. If the seat has a pending decision, the
    clock of this decision restarts. Every player is notified. Only the response to this request contains the new token
    or invite code. A retry with the same `Idempotency-Key` returns the same response. A person who has assigned their
    own seat to another player cannot retry, because the seat's previous token is invalid.
    """
    if viewer not in {OWNER, number}:
        raise Problem("forbidden")

    def act(operation: str) -> Response:
        by = Assigner(viewer, sent_credential() or "", operation, caller().key_id)
        return _given(assign(current_context().sessions, session, number, body, by), number)

    return act


@blp.post("/<id>/seats/<int:number>/reclaim")
@require(allow_seat)
@blp.response(200, SessionState, headers=("ETag",), problems=("session-over", "too-many-writers"))
def reclaim_seat(session: Session, viewer: int, number: int) -> Response:
    """Reclaim a seat.

    Take back the caller's seat from a bot. The bot has played the seat since the caller resigned or ran out of time. If
    the seat has a pending decision, the clock of this decision restarts. If no bot plays the seat, nothing changes.
    """
    check_own_seat(viewer, number)
    return state_reply(take_back(current_context().sessions, session, viewer), viewer)


@blp.post("/<id>/resign")
@require(allow_seat)
@blp.arguments(SeatLeaving(), optional=True)
@blp.response(200, SessionState, headers=("ETag",), problems=("session-waiting", "session-over", "too-many-writers"))
@idempotent(seat_token)
def resign_seat(body: dict[str, Any], session: Session, viewer: int) -> Act:
    """Resign a seat.

    Give up the caller's seat. By default a bot plays on. The token stays valid: the caller still sees the seat's view
    and can reclaim the seat. With `forfeit`, the seat's team loses, all others share the win, and the session ends as
    forfeited. Every player is notified.
    """

    def act(operation: str) -> Response:
        if body["then"] == THEN_FORFEIT:
            after, repeated = resign(current_context().sessions, session, viewer, operation)
        else:
            after, repeated = leave(current_context().sessions, session, viewer, body["level"], operation)
        return state_reply(after, viewer, repeated=repeated)

    return act


@blp.get("/<id>/standing-answers")
@require(allow_seat)
@blp.response(200, StandingAnswers)
def list_standing_answers(session: Session, viewer: int) -> Response:
    """List standing answers.

    Return the caller's standing answers and every standing answer that the game supports.
    """
    return _standing(session, viewer)


@blp.put("/<id>/standing-answers")
@require(allow_seat)
@blp.arguments(AnswersLeft())
@blp.response(200, StandingAnswers, problems=("session-over", "too-many-writers"))
def put_standing_answers(body: dict[str, Any], session: Session, viewer: int) -> Response:
    """Replace standing answers.

    Set the answers that the service gives on behalf of the caller's seat when a matching decision opens. The service
    gives the answer after a random delay, which resembles the delay of a person. If the caller moves first, the service
    gives no answer. Other players cannot see standing answers. The standing answers of a seat stay valid until they are
    replaced, or until the seat is assigned again.
    """
    services, game = current_context().sessions, game_of(current_context().sessions, session)
    unknown = [place for place, name in enumerate(body["answers"]) if not game.stands(name)]
    if unknown:
        params = {"choices": ", ".join(game.standing) or "[]"}
        raise Problem("invalid-body", errors=[Fault(f"/answers/{place}", "choice", params) for place in unknown])
    return _standing(leave_answers(services, session, viewer, list(dict.fromkeys(body["answers"]))), viewer)


def _given(assigned: Assigned, number: int) -> Response:
    session = assigned.session
    secrets = {} if assigned.secret is None else {number: assigned.secret}
    is_open = session.seats[number].kind == OPEN
    seat = serialize_given_seats(session, {} if is_open else secrets, secrets if is_open else {})[number]
    return _taken(session, number, seat, UNSET, repeated=assigned.repeated)


def _taken(session: Session, number: int, seat: SeatGiven, client_seed: str | UnsetType, *, repeated: bool) -> Response:
    value = SeatTaken(
        id=session.id,
        **msgspec.structs.asdict(seat),
        client_seed=client_seed,
        version=session.versions[number],
        status=session.status,
        links=links(session),
    )
    return tagged(value, session, number, 201, repeated=repeated)


def _standing(session: Session, viewer: int) -> Response:
    game = game_of(current_context().sessions, session)
    labels = game.texts.sections[language()].get("standing", {})
    offered = [AnswerOffered(name=name, label=labels[name]) for name in game.standing]
    value = StandingAnswers(answers=session.standing[viewer], offered=offered)
    return private(value)
