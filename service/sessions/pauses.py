"""Pauses stop all clocks, if all persons consent. Vacations stop the clock of one seat.

A seat with a stopped clock can still move. It does not become absent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from games.core.game import Heard
from service.sessions.change import PlannedChange, change, change_once
from service.sessions.errors import (
    NoPausePending,
    NoPausesLeft,
    NotPaused,
    PausePending,
    PausesOff,
    StaleVersion,
)
from service.sessions.play import check_running
from service.sessions.seating import persons, plan_public_change
from service.sessions.services import SessionServices
from service.sessions.session_events import (
    PauseAsked,
    PauseBegun,
    PauseConsented,
    PauseEnded,
    PauseRefused,
    VacationBegun,
    VacationEnded,
    to_all,
)
from service.sessions.tokens import OWNER
from service.settings import DAY_MS
from service.store.agreements import ALL_SEATS, Agreements, PauseRequest, Rest
from service.store.sessions import Session

MAX_RESTS: Final = 100
"""Maximum number of pauses and vacations per session. All of them are stored with the session."""

Make = Callable[[Session], tuple[Agreements, Sequence[Heard]]]
"""A function that plans a change of a session. It returns the changed agreements and the events of the change."""


def ask(
    services: SessionServices, session: Session, seat: int, duration_ms: int, operation: str
) -> tuple[Session, bool]:
    """Request a pause on behalf of the seat `seat`.

    Return the session, and whether an earlier call with the same `operation` has already changed the session. Raise
    PausesOff, PausePending, NoPausesLeft, SessionWaiting or SessionOver if the seat cannot request a pause now.
    """

    def make(loaded: Session) -> tuple[Agreements, Sequence[Heard]]:
        _check(loaded, allowed=loaded.charter.pauses.consent)
        pending = loaded.agreements.request
        # A seat may replace its own request.
        if pending is not None and pending.seat != seat:
            raise PausePending
        _check_rests(loaded)
        # If no other person plays, the pause starts at once.
        return _granted(services, loaded, PauseRequest(seat=seat, duration_ms=duration_ms), PauseAsked(seat=seat))

    return _change(services, session, seat, operation, make)


def consent(
    services: SessionServices, session: Session, seat: int, version: int, operation: str
) -> tuple[Session, bool]:
    """Consent to the pending pause request. The last consent starts the pause.

    Return the session, and whether an earlier call with the same `operation` has already changed the session. Raise
    StaleVersion if `version` is not current. Raise NoPausePending if no pause request needs this consent. Raise
    PausesOff, SessionWaiting or SessionOver if the session allows no pause now.
    """

    def make(loaded: Session) -> tuple[Agreements, Sequence[Heard]]:
        _check(loaded, allowed=loaded.charter.pauses.consent)
        if loaded.versions[seat] != version:
            raise StaleVersion(loaded, seat)
        request = loaded.agreements.request
        if request is None or seat not in awaited(loaded):
            raise NoPausePending
        agreed = msgspec.structs.replace(request, agreed=(*request.agreed, seat))
        return _granted(services, loaded, agreed, PauseConsented(seat=seat))

    return _change(services, session, seat, operation, make)


def refuse(services: SessionServices, session: Session, seat: int, operation: str) -> tuple[Session, bool]:
    """Refuse another seat's pause request, or withdraw the seat's own pause request.

    Return the session, and whether an earlier call with the same `operation` has already changed the session. Raise
    NoPausePending if the session has no pending pause request. Raise PausesOff, SessionWaiting or SessionOver if the
    session allows no pause now.
    """

    def make(loaded: Session) -> tuple[Agreements, Sequence[Heard]]:
        _check(loaded, allowed=loaded.charter.pauses.consent)
        if loaded.agreements.request is None:
            raise NoPausePending
        return msgspec.structs.replace(loaded.agreements, request=None), [to_all(PauseRefused(seat=seat))]

    return _change(services, session, seat, operation, make)


def end(services: SessionServices, session: Session, seat: int, operation: str) -> tuple[Session, bool]:
    """End all running pauses that the seat requested.

    Return the session, and whether an earlier call with the same `operation` has already changed the session. Raise
    NotPaused if there is no such pause. Raise SessionWaiting or SessionOver if the session is not running.
    """
    return _change(services, session, seat, operation, _early_end(services, seat, ALL_SEATS))


def take_vacation(
    services: SessionServices, session: Session, seat: int, days: int, operation: str
) -> tuple[Session, bool]:
    """Stop a seat's clock for `days` days.

    The vacation starts now. If the seat is already on vacation, the new vacation starts at the end of the old one.

    Return the session, and whether an earlier call with the same `operation` has already changed the session. Raise
    PausesOff, NoPausesLeft, SessionWaiting or SessionOver if the vacation is not possible.
    """

    def make(loaded: Session) -> tuple[Agreements, Sequence[Heard]]:
        _check(loaded, allowed=loaded.charter.pauses.days_per_seat > 0)
        _check_rests(loaded)
        taken = list(days_taken(loaded))
        taken[seat] += days
        if taken[seat] > loaded.charter.pauses.days_per_seat:
            raise NoPausesLeft
        start = max([services.now(), *(rest.end for rest in loaded.agreements.running if rest.seat == seat)])
        rest = Rest(start=start, end=start + days * DAY_MS, by=seat, seat=seat)
        rests = (*loaded.agreements.rests, rest)
        after = msgspec.structs.replace(loaded.agreements, rests=rests, days_taken=tuple(taken))
        return after, [to_all(VacationBegun(seat=seat))]

    return _change(services, session, seat, operation, make)


def end_vacation(services: SessionServices, session: Session, seat: int, operation: str) -> tuple[Session, bool]:
    """End all vacations of a seat. The seat keeps its unused whole days.

    Return the session, and whether an earlier call with the same `operation` has already changed the session. Raise
    NotPaused if the seat has no vacation. Raise SessionWaiting or SessionOver if the session is not running.
    """
    return _change(services, session, seat, operation, _early_end(services, seat, seat))


def announce_ends(services: SessionServices, session: Session) -> None:
    """Notify all viewers of each pause or vacation that has ended and has not been announced yet."""

    def make(loaded: Session) -> PlannedChange | None:
        ended = [rest for rest in loaded.agreements.running if rest.end <= services.now()]
        if loaded.over or not ended:
            return None
        rests = tuple(
            msgspec.structs.replace(rest, over=True) if rest in ended else rest for rest in loaded.agreements.rests
        )
        after = msgspec.structs.replace(loaded.agreements, rests=rests)
        return _plan(services, loaded, after, [_end_of(seat) for seat in dict.fromkeys(rest.seat for rest in ended)])

    change(services, session, make, OWNER)


def awaited(session: Session) -> list[int]:
    """Return the seats whose persons have not yet consented to the pending pause request."""
    request = session.agreements.request
    if request is None:
        return []
    return [number for number in persons(session) if number not in {request.seat, *request.agreed}]


def days_taken(session: Session) -> tuple[int, ...]:
    return session.agreements.days_taken or (0,) * len(session.seats)


def _early_end(services: SessionServices, by: int, seat: int) -> Make:
    def make(loaded: Session) -> tuple[Agreements, Sequence[Heard]]:
        check_running(loaded)
        now, taken, ended = services.now(), list(days_taken(loaded)), False
        rests = list(loaded.agreements.rests)
        for place, rest in enumerate(rests):
            if rest.over or (rest.by, rest.seat) != (by, seat):
                continue
            ended, last = True, max(now, rest.start)
            if seat != ALL_SEATS:
                taken[seat] -= max(rest.end - last, 0) // DAY_MS
            rests[place] = msgspec.structs.replace(rest, end=min(rest.end, last), over=True)
        if not ended:
            raise NotPaused
        return (
            msgspec.structs.replace(loaded.agreements, rests=tuple(rests), days_taken=tuple(taken)),
            [_end_of(seat)],
        )

    return make


def _end_of(seat: int) -> Heard:
    return to_all(PauseEnded() if seat == ALL_SEATS else VacationEnded(seat=seat))


def _granted(
    services: SessionServices, session: Session, request: PauseRequest, event: PauseAsked | PauseConsented
) -> tuple[Agreements, Sequence[Heard]]:
    pending = msgspec.structs.replace(session.agreements, request=request)
    if awaited(msgspec.structs.replace(session, agreements=pending)):
        return pending, [to_all(event)]
    now = services.now()
    rest = Rest(start=now, end=now + request.duration_ms, by=request.seat)
    paused = msgspec.structs.replace(pending, request=None, rests=(*pending.rests, rest))
    return paused, [to_all(event), to_all(PauseBegun())]


def _check(session: Session, *, allowed: bool) -> None:
    if not allowed:
        raise PausesOff
    check_running(session)


def _check_rests(session: Session) -> None:
    if len(session.agreements.rests) >= MAX_RESTS:
        raise NoPausesLeft


def _change(services: SessionServices, session: Session, seat: int, operation: str, make: Make) -> tuple[Session, bool]:
    return change_once(services, session, lambda loaded: _plan(services, loaded, *make(loaded)), seat, operation)


def _plan(services: SessionServices, session: Session, agreements: Agreements, heard: Sequence[Heard]) -> PlannedChange:
    return plan_public_change(services, session, msgspec.structs.replace(session, agreements=agreements), list(heard))
