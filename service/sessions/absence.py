"""Absent seats.

After a time limit or a vote, a session no longer waits for an absent seat. The owner has chosen the effect in advance:
a bot plays for the seat, the seat forfeits, or the session ends without a result.
"""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from service.sessions.change import PlannedChange, change, change_once
from service.sessions.charging import affordable_level
from service.sessions.clocks import elapsed, later
from service.sessions.errors import AbsenceOff, NoSuchSeat, NotAbsent
from service.sessions.play import check_running
from service.sessions.reading import game_of
from service.sessions.resign import plan_forfeit
from service.sessions.seating import persons, plan_public_change, with_seats
from service.sessions.services import SessionServices
from service.sessions.session_events import AbsenceVoted, SeatAbsent, SeatTakenOver, SeatTimedOut, to_all
from service.sessions.states import current_state
from service.sessions.turns import actors
from service.store.agreements import THEN_BOT, THEN_FORFEIT, AbsenceVote
from service.store.sessions import ABORTED, Session


def vote(
    services: SessionServices,
    session: Session,
    seat: int,
    absent: int,
    present: Collection[int],
    operation: str,
) -> tuple[Session, bool]:
    """Record that `seat` votes to go on without the seat `absent`. Return the result of `change_once`.

    `present` contains the connected seats. Raise AbsenceOff, NoSuchSeat, NotAbsent, SessionWaiting or SessionOver if
    the vote is not possible.
    """

    def make(loaded: Session) -> PlannedChange | None:
        if loaded.charter.absence is None or loaded.charter.absence.vote_after_ms is None:
            raise AbsenceOff
        check_running(loaded)
        if absent >= len(loaded.seats):
            raise NoSuchSeat
        if absent in {seat, *present} or not _is_late(services, loaded, absent):
            raise NotAbsent(absent)
        before = pending_vote(loaded)
        voters = tuple(sorted({seat, *(before.voters if before is not None and before.seat == absent else ())}))
        others = set(persons(loaded)) - {absent}
        # All other connected persons must vote. The scheduler then lets the game continue before the time limit.
        passed = others & {*present, seat} <= set(voters)
        voted = AbsenceVote(seat=absent, opened=loaded.opened[absent], voters=voters, passed=passed)
        if voted == before:
            return None
        agreements = msgspec.structs.replace(loaded.agreements, vote=voted)
        after = msgspec.structs.replace(loaded, agreements=agreements)
        return plan_public_change(services, loaded, after, [to_all(AbsenceVoted(seat=seat, absent=absent))])

    return change_once(services, session, make, seat, operation)


def carry_on(services: SessionServices, session: Session, absent: int, operation: str) -> None:
    """Continue a session without the seat `absent`.

    Do nothing if the session has ended, or if the seat's version has changed since `session` was loaded.
    """
    absence = session.charter.absence
    if absence is None:
        return
    level = affordable_level(services, session, absent, absence.level or "") if absence.then == THEN_BOT else None

    def make(loaded: Session) -> PlannedChange | None:
        if loaded.over or loaded.versions[absent] != session.versions[absent]:
            return None
        gone = to_all(SeatAbsent(seat=absent))
        if level is not None:
            heard = [gone, to_all(SeatTakenOver(seat=absent, level=level))]
            return plan_public_change(services, loaded, with_seats(loaded, [absent], level=level), heard)
        if absence.then == THEN_FORFEIT:
            return plan_forfeit(services, loaded, [absent], SeatTimedOut, gone)
        return plan_public_change(services, loaded, msgspec.structs.replace(loaded, status=ABORTED), [gone])

    change(services, session, make, absent, operation)


def pending_vote(session: Session) -> AbsenceVote | None:
    """Return the vote on whether the game goes on without an absent seat. Return None if no such vote is open.

    Each vote is about one overdue decision of the absent seat. So the vote closes when this seat gets a new decision.
    The vote also closes when a bot plays this seat, or when the session ends.
    """
    found = session.agreements.vote
    if found is None or session.over or session.opened[found.seat] != found.opened:
        return None
    return None if session.seats[found.seat].level is not None else found


def vote_from(session: Session, seat: int) -> int | None:
    """Return the time from which the other seats may vote on an absent seat.

    Return None if the session allows no votes.
    """
    absence = session.charter.absence
    if absence is None or absence.vote_after_ms is None:
        return None
    return later(session, seat, session.opened[seat], absence.vote_after_ms)


def absent_at(session: Session, seat: int) -> int | None:
    """Return the time at which the game continues without an absent seat, even if nobody votes.

    Return None if the session has no such time limit.
    """
    absence = session.charter.absence
    if absence is None or absence.after_ms is None:
        return None
    return later(session, seat, session.opened[seat], absence.after_ms)


def _is_late(services: SessionServices, session: Session, seat: int) -> bool:
    absence, game = session.charter.absence, game_of(services, session)
    if absence is None or absence.vote_after_ms is None or seat not in persons(session):
        return False
    if seat not in actors(game, current_state(game, session).dealt, session):
        return False
    return elapsed(session, seat, session.opened[seat], services.now()) >= absence.vote_after_ms
