"""A seat gives up, or loses by its time: the session ends as forfeited, with the outcome that the game names."""

from __future__ import annotations

from service.sessions.change import Plan, change
from service.sessions.desk import Desk
from service.sessions.happenings import Happening, SeatResigned, SeatTimedOut, to_all
from service.sessions.play import check_running
from service.sessions.seating import out, told_to_all
from service.store.sessions import FORFEITED, RUNNING, Session


def resign(desk: Desk, session: Session, seat: int, operation: str) -> tuple[Session, bool]:
    """Give a seat up; return the session after it, and whether this operation had done so before.

    Raise SessionWaiting or SessionOver where it cannot be.
    """
    known = desk.store.operation(session.name, seat, operation)

    def make(loaded: Session) -> Plan | None:
        if known is not None:
            return None
        check_running(loaded)
        return _lost(desk, loaded, seat, SeatResigned(seat=seat))

    after, done = change(desk, session, make, seat, operation)
    return after, not done


def time_out(desk: Desk, session: Session, seat: int, operation: str) -> None:
    """Let a seat lose by its time, unless anything has changed for it since the session was loaded."""

    def make(loaded: Session) -> Plan | None:
        if loaded.status != RUNNING or loaded.versions[seat] != session.versions[seat]:
            return None
        return _lost(desk, loaded, seat, SeatTimedOut(seat=seat))

    change(desk, session, make, seat, operation)


def loser(session: Session) -> int:
    """Return the seat by which a session was forfeited."""
    return next(number for number, seat in enumerate(session.seats) if seat.out)


def _lost(desk: Desk, session: Session, seat: int, event: Happening) -> Plan:
    """Plan the end of a session by a seat."""
    return told_to_all(desk, session, out(session, seat, FORFEITED), [to_all(event)])
