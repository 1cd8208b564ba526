"""Builds the parts of responses about pauses, vacations, absent players and undo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec import UNSET, UnsetType

from service.sessions.absence import absent_at, pending_vote, vote_from
from service.sessions.errors import NothingToUndo, SessionError, UndoDenied, UndoPending
from service.sessions.pauses import awaited, days_taken
from service.sessions.undo import offer
from service.store.agreements import ALL_SEATS, NO_PAUSES, Hours
from service.store.clock import rfc3339
from service.store.sessions import Session, coarse
from service.wire.time_responses import (
    AbsenceShown,
    AbsenceVoteShown,
    Absent,
    BotShown,
    HoursShown,
    PauseRequestShown,
    PauseShown,
    PausesShown,
    UndoOfferShown,
)

OBSTACLES: Final[dict[type[SessionError], str]] = {
    NothingToUndo: "nothing-to-undo",
    UndoPending: "undo-pending",
    UndoDenied: "undo-denied",
}
"""The problem code for each reason that prevents a request for an undo."""


def coarse_time(session: Session, at: int) -> str:
    """Return a time of a session as clients see it. The time is rounded down to a tenth of a second."""
    return rfc3339(coarse(at) + session.calendar.offset(at))


def hours_of(hours: Hours) -> HoursShown:
    """Return the daily hours in which a clock runs, as local times."""
    start, end = (f"{minutes // 60:02}:{minutes % 60:02}" for minutes in (hours.start, hours.end))
    return HoursShown(start=start, end=end, time_zone=hours.time_zone)


def pauses_of(session: Session) -> PausesShown | UnsetType:
    """Return the kinds of pauses that a session allows, and the remaining vacation days of each seat.

    Return UNSET if the session allows no pauses.
    """
    pauses = session.charter.pauses
    if pauses == NO_PAUSES:
        return UNSET
    left = tuple(pauses.days_per_seat - taken for taken in days_taken(session))
    return PausesShown(consent=pauses.consent, days_per_seat=pauses.days_per_seat, days_left=left)


def absence_of(session: Session) -> AbsenceShown | UnsetType:
    """Return a session's rules for absent players. Return UNSET if it has no such rules."""
    absence = session.charter.absence
    if absence is None:
        return UNSET
    return AbsenceShown(
        then=absence.then,
        bot=UNSET if absence.level is None else BotShown(level=absence.level),
        after_ms=UNSET if absence.after_ms is None else absence.after_ms,
        vote_after_ms=UNSET if absence.vote_after_ms is None else absence.vote_after_ms,
    )


def agreements_of(session: Session) -> dict[str, Any]:
    """Return the fields `pause_request` and `paused` of a session's state.

    `pause_request` shows a requested pause while some seats have not consented yet. `paused` lists the pauses and
    vacations that have not ended. If there is no requested pause, `pause_request` is UNSET. If there is no pause or
    vacation, `paused` is UNSET. If the session has ended, both fields are UNSET.
    """
    request = session.agreements.request
    shown = [
        PauseShown(
            seat=UNSET if rest.seat == ALL_SEATS else rest.seat,
            start=coarse_time(session, rest.start),
            until=coarse_time(session, rest.end),
            by=rest.by,
        )
        for rest in (() if session.over else session.agreements.running)
    ]
    return {
        "pause_request": UNSET
        if request is None or session.over
        else PauseRequestShown(seat=request.seat, duration_ms=request.duration_ms, awaited=awaited(session)),
        "paused": shown or UNSET,
    }


def undo_offer_of(session: Session, seat: int) -> UndoOfferShown | UnsetType:
    """Return the conditions for an undo of a seat's last decision.

    The result states whether the seat may request the undo now, and which seats must consent. Return UNSET if the
    session permits no undos, or if it is not running.
    """
    found = offer(session, seat)
    if found is None:
        return UNSET
    return UndoOfferShown(
        possible=found.obstacle is None,
        obstacle=UNSET if found.obstacle is None else OBSTACLES[found.obstacle],
        consent_of=found.consent_of,
        left=found.left,
    )


def absences_of(session: Session, actors: Sequence[int]) -> list[Absent] | UnsetType:
    """Return the times after which the others may continue without an absent player.

    `actors` are the seats whose turn it is. The result has an item for each of these seats that a person plays. Return
    UNSET if the session has no rules for absent players.
    """
    if session.charter.absence is None:
        return UNSET
    # Persons who have already decided are included, so that the result does not reveal who has decided.
    people = [seat for seat in actors if session.seats[seat].level is None]
    return [
        Absent(
            seat=seat,
            vote_from=_optional(session, vote_from(session, seat)),
            at=_optional(session, absent_at(session, seat)),
        )
        for seat in people
    ]


def absence_vote_of(session: Session, actors: Sequence[int]) -> AbsenceVoteShown | UnsetType:
    """Return the seats that have voted to continue without an absent seat.

    Return UNSET if no such vote is open, or if the absent seat is not in `actors`. `actors` are the seats whose turn it
    is.
    """
    vote = pending_vote(session)
    if vote is None or vote.seat not in actors:
        return UNSET
    return AbsenceVoteShown(seat=vote.seat, voters=vote.voters)


def _optional(session: Session, at: int | None) -> str | UnsetType:
    return UNSET if at is None else coarse_time(session, at)
