"""The seats of a session: claimed, taken back, given up, and what they leave to be answered for them."""

from __future__ import annotations

from typing import Any

import msgspec
from flask import Response, request
from msgspec import UNSET, UnsetType

from games.core.game import Game
from service.api.auth import VIEW, allow_anybody, allow_assigner, allow_owner, allow_seat, etag_of, require, seat_token
from service.api.callers import caller, key_of_caller
from service.api.session_replies import links
from service.api.sessions import seat_wanted
from service.http.blueprint import ETAG, Blueprint, answer
from service.http.context import current_context
from service.http.idempotency import Act, idempotent, replayed, secret_of_request
from service.http.problems import Problem, invalid_body
from service.http.request_context import language
from service.sessions.assign import Assigned, Assigner, assign, issue_token
from service.sessions.reading import game_of
from service.sessions.resign import resign
from service.sessions.seating import ClaimRequest, claim, leave, take_back
from service.sessions.standing import leave_answers
from service.sessions.states import current_state
from service.sessions.tokens import OWNER
from service.store.sessions import OPEN, Session
from service.validation.faults import Fault
from service.wire.session_responses import AnswerOffered, SeatGiven, SeatTaken, SessionState, StandingAnswers
from service.wire.session_schemas import (
    DEFAULT_LEVEL,
    THEN_FORFEIT,
    AnswersLeft,
    SeatAssignment,
    SeatClaim,
    SeatLeaving,
)
from service.wire.sessions import serialize_given_seats, serialize_session

blp = Blueprint("seats", __name__, url_prefix="/v1/sessions", description="The seats of a session, and who plays them.")


def sent_credential(**_: Any) -> str | None:
    """Return the token that was sent, or the API key, which tells callers apart."""
    return request.headers.get("Authorization") or caller().key_text


@blp.post("/<id>/seats/<int:number>/claim")
@require(allow_anybody)
@blp.arguments(SeatClaim())
@blp.response(
    201, SeatTaken, headers={"ETag": ETAG}, problems=("wrong-invite", "seat-taken", "session-over", "too-many-writers")
)
@idempotent(key_of_caller)
def claim_seat(body: dict[str, Any], session: Session, viewer: int, number: int) -> Act:  # noqa: ARG001 -- the code says all
    """Take an open seat with its invite code, and get the seat's token, which is shown here and never again.

    One of those who claim a seat gets it. With the last open seat the table is dealt and the session begins. Each
    claimer adds to the chance of the deal and of all that follows: `client_seed`, or what the service draws and tells
    in the answer. A code that does not belong to the seat is refused alike, whether the seat is open, taken or not
    there. The name, if there is one, takes the place of the one that the seat was given. With an Idempotency-Key, a
    repetition gets the same token.
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
    headers={"ETag": ETAG},
    problems=("not-found", "seat-without-person", "session-over", "too-many-writers"),
)
@idempotent(sent_credential)
def issue_seat_token(session: Session, viewer: int, number: int) -> Act:
    """Issue the token of a person's seat anew, as for a lost phone; it is shown here and never again.

    The token before it is good for nothing from then on: its tickets open nothing, and streams and waiting requests
    that came with it end. Only the owner may do so, and everybody at the table hears of it, since whoever has the token
    sees what the seat sees. A bot that stands in stays, and no clock begins anew. With an Idempotency-Key, a repetition
    gets the same token.
    """

    def act(operation: str) -> Response:
        by = Assigner(viewer, sent_credential() or "", operation, caller().key_id)
        return _given(issue_token(current_context().sessions, session, number, by), number)

    return act


@blp.post("/<id>/seats/<int:number>/assign")
@require(allow_assigner)
@blp.arguments(SeatAssignment())
@blp.response(
    201,
    SeatTaken,
    headers={"ETag": ETAG},
    problems=("not-found", "seat-not-assignable", "session-over", "too-many-writers"),
)
@idempotent(sent_credential)
def assign_seat(body: dict[str, Any], session: Session, viewer: int, number: int) -> Act:
    """Give a seat to a person, who gets a new token, to a bot, or to whoever claims it with a new invite code.

    Before the first move the owner may give any seat to anybody. After it, a person's seat is given away with that
    person's token only, or by the owner once a bot stands in because the person left or was too late; a bot's seat
    stays the bot's. A seat is opened only while the session waits for others. With the last open seat the table is
    dealt and the session begins.

    The seat's token before, its invite code and its standing answers are good for nothing from then on, and a decision
    begins anew. Everybody at the table hears of it. The secret is shown here and never again; with an Idempotency-Key,
    a repetition gets the same one. Who has given the own seat away has no token left to repeat that with.
    """
    if viewer not in {OWNER, number}:
        raise Problem("forbidden")
    wanted = seat_wanted(body)

    def act(operation: str) -> Response:
        by = Assigner(viewer, sent_credential() or "", operation, caller().key_id)
        return _given(assign(current_context().sessions, session, number, wanted, by), number)

    return act


@blp.post("/<id>/seats/<int:number>/reclaim")
@require(allow_seat)
@blp.response(200, SessionState, headers={"ETag": ETAG}, problems=("session-over", "too-many-writers"))
def reclaim_seat(session: Session, viewer: int, number: int) -> Response:
    """Take the own seat back, in which a bot plays since the caller left or was too late; a decision begins anew.

    Where no bot stands in, nothing changes.
    """
    if number != viewer:
        raise Problem("forbidden")
    return _state(take_back(current_context().sessions, session, viewer), viewer)


@blp.post("/<id>/resign")
@require(allow_seat)
@blp.arguments(SeatLeaving(), optional=True)
@blp.response(
    200, SessionState, headers={"ETag": ETAG}, problems=("session-waiting", "session-over", "too-many-writers")
)
@idempotent(seat_token)
def resign_seat(body: dict[str, Any], session: Session, viewer: int) -> Act:
    """Give the caller's seat up: to a bot, which plays on for the caller, unless the body says otherwise.

    The token stays the caller's, who sees what the seat sees and can take it back. With `forfeit` the seat's team loses
    at once and the session ends as forfeited: the outcome gives the win to all others, in equal parts. Everybody is
    told.
    """

    def act(operation: str) -> Response:
        if body["then"] == THEN_FORFEIT:
            after, repeated = resign(current_context().sessions, session, viewer, operation)
        else:
            level = body.get("bot", {"level": DEFAULT_LEVEL})["level"]
            after, repeated = leave(current_context().sessions, session, viewer, level, operation)
        return _state(after, viewer, repeated=repeated)

    return act


@blp.get("/<id>/standing-answers")
@require(allow_seat)
@blp.response(200, StandingAnswers)
def list_standing_answers(session: Session, viewer: int) -> Response:
    """List the standing answers that the caller has left, and those that the game knows."""
    return _standing(session, viewer)


@blp.put("/<id>/standing-answers")
@require(allow_seat)
@blp.arguments(AnswersLeft())
@blp.response(200, StandingAnswers, problems=("session-over", "too-many-writers"))
def put_standing_answers(body: dict[str, Any], session: Session, viewer: int) -> Response:
    """Leave answers that are given for the caller's seat whenever a decision comes up that they fit.

    An answer is given after a pause that is drawn for the decision, as a person takes; a caller who moves before that
    has decided otherwise. Nobody else learns that there are any. They stay until others are put in their place.
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
    headers = {"ETag": etag_of(session, number, VIEW), "Cache-Control": "no-store"}
    return answer(value, 201, replayed(headers) if repeated else headers)


def _state(session: Session, viewer: int, *, repeated: bool = False) -> Response:
    game = game_of(current_context().sessions, session)
    value = serialize_session(game, session, current_state(game, session).dealt, viewer, language())
    headers = {"ETag": etag_of(session, viewer, VIEW), "Cache-Control": "no-store"}
    return answer(value, headers=replayed(headers) if repeated else headers)


def _standing(session: Session, viewer: int) -> Response:
    game = game_of(current_context().sessions, session)
    value = StandingAnswers(answers=session.standing[viewer], offered=_offered(game))
    return answer(value, headers={"Cache-Control": "private, no-store", "Vary": "Authorization"})


def _offered(game: Game) -> list[AnswerOffered]:
    labels = game.texts.sections[language()].get("standing", {})
    return [AnswerOffered(name=name, label=labels[name]) for name in game.standing]
