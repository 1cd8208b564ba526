"""Gives seats to new players, and replaces the tokens of persons.

Each new player is a person or a bot. A seat can also be opened, so that a person can claim it later.
`_check_assignable` checks whether the caller may assign the seat.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from games.core.game import Heard
from service.sessions.chance import issued_token
from service.sessions.change import PlannedChange, change, change_once
from service.sessions.charging import affordable_level
from service.sessions.errors import NoSuchSeat, SeatNotAssignable, SeatWithoutPerson, SessionOver
from service.sessions.play import stood_in
from service.sessions.seating import free_name, plan_public_change, plan_start, with_seats
from service.sessions.services import SessionServices
from service.sessions.session_events import SeatAssigned, SeatAssignedToBot, SeatOpened, SeatTokenIssued, to_all
from service.sessions.tokens import OWNER, hashed
from service.store.sessions import BOT, OPEN, PERSON, WAITING, Seat, Session, Written

INVITE_CHARACTERS: Final = 22
"""Number of characters of an invite code."""


@dataclass(frozen=True, slots=True)
class Assigned:
    """A session after an assignment.

    `secret` is the seat's token or invite code. It is None if a bot got the seat. `repeated` is true if an earlier
    request made this assignment.
    """

    session: Session
    secret: str | None
    repeated: bool


@dataclass(frozen=True, slots=True)
class Assigner:
    """The caller who assigns a seat.

    `viewer` is the caller's seat, or OWNER. `credential` is the caller's secret. `key` is the id of the caller's API
    key, or None.
    """

    viewer: int
    credential: str
    operation: str
    key: str | None = None

    def token(self, session: Session, number: int) -> str:
        # A repeated operation gets the same token. The credential is not stored, so nobody can derive the token from
        # stored data.
        return issued_token(session.charter.key, number, self.operation, self.credential)


def issue_token(services: SessionServices, session: Session, number: int, by: Assigner) -> Assigned:
    """Replace the token of a person's seat and notify all viewers.

    Raise NoSuchSeat if there is no such seat, or SeatWithoutPerson if no person has it. Raise SessionOver if the
    session has ended.
    """
    token = by.token(session, number)

    def make(loaded: Session) -> PlannedChange | None:
        seat = _seat_of(loaded, number)
        if hmac.compare_digest(seat.token or "", hashed(token)):
            return None
        if loaded.over:
            raise SessionOver
        if seat.kind != PERSON:
            raise SeatWithoutPerson(number)
        after = with_seats(loaded, [number], token=hashed(token), key=by.key)
        # All viewers are notified, because the new holder sees everything that the seat sees.
        return plan_public_change(services, loaded, after, [to_all(SeatTokenIssued(seat=number))])

    after, outcome = change(services, session, make, OWNER, by.operation)
    return Assigned(after, token, repeated=outcome is not Written.WRITTEN)


def assign(services: SessionServices, session: Session, number: int, wanted: Seat, by: Assigner) -> Assigned:
    """Give a seat to the player that `wanted` describes, and replace the seat's secrets.

    Start the session if no seat remains open. Raise NoSuchSeat, SessionOver or SeatNotAssignable if the assignment is
    not possible.
    """
    secret = _secret(session, number, wanted, by)

    def make(loaded: Session) -> PlannedChange:
        _check_assignable(services, loaded, number, wanted, by.viewer)
        # If the account has too few playouts left, a bot gets the level `greedy`.
        level = wanted.level and affordable_level(services, loaded, number, wanted.level)
        given = msgspec.structs.replace(wanted, level=level)
        after = with_seats(loaded, [number], **_fields(loaded, number, given, secret, by))
        left = tuple(() if other == number else kept for other, kept in enumerate(loaded.standing))
        after = msgspec.structs.replace(after, standing=left)
        heard = [_assignment_event(number, given)]
        if loaded.status == WAITING and all(other.kind != OPEN for other in after.seats):
            return plan_start(services, loaded, after, heard)
        return plan_public_change(services, loaded, after, heard)

    after, repeated = change_once(services, session, make, by.viewer, by.operation)
    return Assigned(after, secret, repeated)


def _seat_of(session: Session, number: int) -> Seat:
    if number >= len(session.seats):
        raise NoSuchSeat
    return session.seats[number]


def _check_assignable(services: SessionServices, session: Session, number: int, wanted: Seat, viewer: int) -> None:
    seat = _seat_of(session, number)
    if session.over:
        raise SessionOver
    if session.status == WAITING:
        return
    # Persons may give away their own seats. The owner may assign every seat before the first move, and later only seats
    # in which a bot replaces a person. After the start, no seat can be opened to claimers.
    by_owner = viewer == OWNER and (stood_in(seat) or not _moved(services, session))
    if wanted.kind == OPEN or not (by_owner or viewer == number):
        raise SeatNotAssignable(number)


def _moved(services: SessionServices, session: Session) -> bool:
    return any(line.entry is not None for _, line in services.store.log_entries(session.id, last=session.revision))


def _secret(session: Session, number: int, wanted: Seat, by: Assigner) -> str | None:
    if wanted.kind == BOT:
        return None
    token = by.token(session, number)
    return token if wanted.kind == PERSON else token[:INVITE_CHARACTERS]


def _fields(session: Session, number: int, wanted: Seat, secret: str | None, by: Assigner) -> dict[str, Any]:
    kept, seat = secret and hashed(secret), session.seats[number]
    return {
        "kind": wanted.kind,
        "name": free_name(session, number, wanted.name),
        "level": wanted.level,
        "token": kept if wanted.kind == PERSON else None,
        "invite": kept if wanted.kind == OPEN else None,
        "key": by.key if wanted.kind == PERSON else None,
        "client_seed": seat.client_seed if session.dealt else None,
        "assigned": seat.assigned + 1,
    }


def _assignment_event(number: int, wanted: Seat) -> Heard:
    if wanted.kind == OPEN:
        return to_all(SeatOpened(seat=number))
    if wanted.level is None:
        return to_all(SeatAssigned(seat=number))
    return to_all(SeatAssignedToBot(seat=number, level=wanted.level))
