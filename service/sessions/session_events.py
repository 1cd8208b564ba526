"""Events of sessions that are common to all games, such as a claimed seat or a resignation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Final

from msgspec import Meta, Raw, json

from games.core.game import Event, Heard, Step
from games.core.table import EVERYONE

SeatNumber = Annotated[int, Meta(ge=0, le=5)]


class SessionEvent(Event, frozen=True):
    """Base class of events that do not come from a move of the game."""


class SeatClaimed(SessionEvent, frozen=True, tag="seat_claimed"):
    """A person has taken an open seat."""

    seat: SeatNumber


class SessionStarted(SessionEvent, frozen=True, tag="session_started"):
    """All seats are taken, and the game has started."""


class TimeRanOut(SessionEvent, frozen=True, tag="time_ran_out"):
    """A seat ran out of time, and a move was made for it. Only that seat receives this event."""

    seat: SeatNumber


class SeatTakenOver(SessionEvent, frozen=True, tag="seat_taken_over"):
    """A seat ran out of time, and a bot plays it."""

    seat: SeatNumber
    level: str


class SeatLeft(SessionEvent, frozen=True, tag="seat_left"):
    """A person has handed their seat over to a bot."""

    seat: SeatNumber
    level: str


class SeatAssigned(SessionEvent, frozen=True, tag="seat_assigned"):
    """The seat was given to another person."""

    seat: SeatNumber


class SeatAssignedToBot(SessionEvent, frozen=True, tag="seat_assigned_to_bot"):
    """The seat was given permanently to a bot."""

    seat: SeatNumber
    level: str


class SeatOpened(SessionEvent, frozen=True, tag="seat_opened"):
    """The seat was opened and can be claimed with its new invite code."""

    seat: SeatNumber


class SeatTokenIssued(SessionEvent, frozen=True, tag="seat_token_issued"):
    """The owner has replaced the token of the seat."""

    seat: SeatNumber


class SeatTakenBack(SessionEvent, frozen=True, tag="seat_taken_back"):
    """A person has taken back their seat from a bot."""

    seat: SeatNumber


class SeatResigned(SessionEvent, frozen=True, tag="seat_resigned"):
    """A seat has resigned."""

    seat: SeatNumber


class SeatTimedOut(SessionEvent, frozen=True, tag="seat_timed_out"):
    """A seat ran out of time and has lost the game."""

    seat: SeatNumber


class SessionSetUp(SessionEvent, frozen=True, tag="session_set_up"):
    """The session was created, but is not running. Either a seat is open, or the session began with a finished game."""


class SessionAborted(SessionEvent, frozen=True, tag="session_aborted"):
    """The owner ended the session without a result."""


class UndoAsked(SessionEvent, frozen=True, tag="undo_asked"):
    """A seat requests to take back its last decision."""

    seat: SeatNumber


class UndoConsented(SessionEvent, frozen=True, tag="undo_consented"):
    """A seat consents to another seat's undo request."""

    seat: SeatNumber


class UndoRefused(SessionEvent, frozen=True, tag="undo_refused"):
    """A seat refuses another seat's undo request, or withdraws its own undo request."""

    seat: SeatNumber


class DecisionUndone(SessionEvent, frozen=True, tag="decision_undone"):
    """The table is as it was before the seat's last decision. All later decisions are undone too."""

    seat: SeatNumber


class PauseAsked(SessionEvent, frozen=True, tag="pause_asked"):
    """A seat requests a pause of all clocks."""

    seat: SeatNumber


class PauseConsented(SessionEvent, frozen=True, tag="pause_consented"):
    """A seat consents to another seat's request for a pause."""

    seat: SeatNumber


class PauseRefused(SessionEvent, frozen=True, tag="pause_refused"):
    """A seat refuses another seat's request for a pause, or withdraws its own request for a pause."""

    seat: SeatNumber


class PauseBegun(SessionEvent, frozen=True, tag="pause_begun"):
    """All clocks are stopped until the end of the pause."""


class PauseEnded(SessionEvent, frozen=True, tag="pause_ended"):
    """A pause of all clocks is over."""


class VacationBegun(SessionEvent, frozen=True, tag="vacation_begun"):
    """The clock of the seat is stopped for its vacation."""

    seat: SeatNumber


class VacationEnded(SessionEvent, frozen=True, tag="vacation_ended"):
    """The vacation of the seat is over."""

    seat: SeatNumber


class AbsenceVoted(SessionEvent, frozen=True, tag="absence_voted"):
    """A seat votes to continue without an absent seat."""

    seat: SeatNumber
    absent: SeatNumber


class SeatAbsent(SessionEvent, frozen=True, tag="seat_absent"):
    """The seat did not decide in time. The others continue without the seat, or the session ends."""

    seat: SeatNumber


class DecisionKept(SessionEvent, frozen=True, tag="decision_kept"):
    """A seat made a decision that stays hidden. Only that seat receives this event."""

    seat: SeatNumber


class RematchBegun(SessionEvent, frozen=True, tag="rematch"):
    """A rematch has started. In the new session, each player has the next seat.

    The tokens of the old session are also valid in the new session.
    """

    session: Annotated[str, Meta(description="Id of the new session.")]


class SessionBroken(SessionEvent, frozen=True, tag="session_broken"):
    """A bot repeatedly failed to move, so the session ended without a result."""

    seat: SeatNumber


HAPPENINGS: Final[tuple[type[Event], ...]] = (
    SeatClaimed,
    SessionStarted,
    TimeRanOut,
    SeatTakenOver,
    SeatLeft,
    SeatAssigned,
    SeatAssignedToBot,
    SeatOpened,
    SeatTokenIssued,
    SeatTakenBack,
    SeatResigned,
    SeatTimedOut,
    SessionBroken,
    SessionSetUp,
    SessionAborted,
    DecisionKept,
    UndoAsked,
    UndoConsented,
    UndoRefused,
    DecisionUndone,
    RematchBegun,
    PauseAsked,
    PauseConsented,
    PauseRefused,
    PauseBegun,
    PauseEnded,
    VacationBegun,
    VacationEnded,
    AbsenceVoted,
    SeatAbsent,
)


def to_all(event: SessionEvent) -> Heard:
    return Heard(EVERYONE, event)


def encode_heard(heard: Iterable[Heard]) -> list[tuple[int, Raw]]:
    """Encode events for a log entry. Each event becomes a tuple: the bit set of its recipients, and its JSON."""
    return [(one.hearers, Raw(json.encode(one.event))) for one in heard]


def events_of_move(seat: int, step: Step) -> list[Heard]:
    """Return the events of a seat's move. The seat itself always receives at least one event."""
    return list(step.heard) or [to_seat(seat, DecisionKept(seat=seat))]


def to_seat(seat: int, event: SessionEvent) -> Heard:
    """Address an event to one seat."""
    return Heard(1 << seat, event)
