"""The owner assigns seats: a person whose token is lost or stolen gets another."""

from __future__ import annotations

import hmac
from dataclasses import dataclass

from service.sessions.chance import issued_token
from service.sessions.change import PlannedChange, change
from service.sessions.errors import NoSuchSeat, SeatWithoutPerson, SessionOver
from service.sessions.seating import plan_public_change, with_seats
from service.sessions.services import SessionServices
from service.sessions.session_events import SeatTokenIssued, to_all
from service.sessions.tokens import OWNER, hashed
from service.store.sessions import PERSON, Seat, Session


@dataclass(frozen=True, slots=True)
class Assigned:
    """A session of which a seat was assigned, the seat's token in clear, and whether this was done before."""

    session: Session
    token: str
    repeated: bool


@dataclass(frozen=True, slots=True)
class Assigner:
    """Who assigns a seat, by which operation: the secret that was sent, and the id of the API key that gets the token.

    The secret stands nowhere, so a reader of the store cannot derive the token, although it follows from the session's
    key and the operation: a repetition gets the same one.
    """

    secret: str
    operation: str
    key: str | None = None


def issue_token(services: SessionServices, session: Session, number: int, by: Assigner) -> Assigned:
    """Issue the token of a person's seat anew; the one before is good for nothing from then on.

    Everybody hears of it, since whoever has the token sees what the seat sees. The same operation gets the same token.
    Raise NoSuchSeat, SeatWithoutPerson for a bot's or an open seat, SessionOver after the end.
    """
    token = issued_token(session.charter.key, number, by.operation, by.secret)

    def make(loaded: Session) -> PlannedChange | None:
        seat = seat_of(loaded, number)
        if hmac.compare_digest(seat.token or "", hashed(token)):
            return None
        if loaded.over:
            raise SessionOver
        if seat.kind != PERSON:
            raise SeatWithoutPerson(number)
        after = with_seats(loaded, [number], token=hashed(token), key=by.key)
        return plan_public_change(services, loaded, after, [to_all(SeatTokenIssued(seat=number))])

    after, done = change(services, session, make, OWNER, by.operation)
    return Assigned(after, token, repeated=not done)


def seat_of(session: Session, number: int) -> Seat:
    """Return a seat; raise NoSuchSeat."""
    if number >= len(session.seats):
        raise NoSuchSeat
    return session.seats[number]
