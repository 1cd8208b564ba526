"""Pauses, vacations and votes on absent seats, as Redis stores them with a session."""

from __future__ import annotations

from typing import Final

import msgspec

DAY_MINUTES: Final = 1_440

ALL_SEATS: Final = -1
"""Value of `Rest.seat` for a pause, which stops the clocks of all seats."""

THEN_BOT: Final = "bot"
THEN_FORFEIT: Final = "forfeit"
THEN_ABORT: Final = "abort"
ABSENCE_RESULTS: Final = (THEN_BOT, THEN_FORFEIT, THEN_ABORT)
"""Possible effects of an absence: a bot takes the seat, the seat forfeits, or the session is aborted."""


class Pauses(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The pauses that a session allows."""

    consent: bool = False  # whether pauses are allowed if all persons consent
    days_per_seat: int = 0  # vacation days of each seat


NO_PAUSES: Final = Pauses()


class Absence(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The rules for a seat that does not decide in time.

    `after_ms` and `vote_after_ms` count only the time in which the clock runs. If `after_ms` is None, the effect `then`
    occurs only after a vote. If `vote_after_ms` is None, nobody can vote.
    """

    then: str  # the effect
    level: str | None = None  # the level of the bot, if a bot takes the seat
    after_ms: int | None = None  # time for which a decision is open before the effect
    vote_after_ms: int | None = None  # time after which the other persons can vote for the effect


class Rest(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A pause or a vacation, which stops the clocks of its seats."""

    start: int
    end: int
    by: int  # seat that requested it
    seat: int = ALL_SEATS  # seat on vacation, or ALL_SEATS for a pause
    over: bool = False  # whether the players know of its end

    def stops(self, seat: int) -> bool:
        """Return whether this pause or vacation stops the clock of a seat."""
        return self.seat in {ALL_SEATS, seat}


class PauseRequest(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A seat's request to stop all clocks, and the seats that have consented."""

    seat: int
    duration_ms: int
    agreed: tuple[int, ...] = ()


class AbsenceVote(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The votes to continue without the absent seat `seat`.

    They count for only one decision of this seat: the decision that opened at the time `opened`.
    """

    seat: int
    opened: int
    voters: tuple[int, ...] = ()
    passed: bool = False  # whether all other connected persons have voted


class Agreements(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The past and current pauses of a session, its pending request and vote, and the vacation days taken."""

    rests: tuple[Rest, ...] = ()
    request: PauseRequest | None = None
    vote: AbsenceVote | None = None
    days_taken: tuple[int, ...] = ()

    @property
    def running(self) -> tuple[Rest, ...]:
        """The pauses and vacations that have not ended."""
        return tuple(rest for rest in self.rests if not rest.over)


class Hours(msgspec.Struct, frozen=True, kw_only=True):
    """The part of each day in which a clock runs. `start` and `end` are times of day in `time_zone`.

    A time of day is a number of minutes after midnight.
    """

    start: int
    end: int  # on the next day, if not later than `start`
    time_zone: str

    @property
    def open_minutes(self) -> int:
        """The number of minutes per day in which the clock runs.

        If `start` and `end` are equal, the clock runs the whole day.
        """
        return (self.end - self.start) % DAY_MINUTES or DAY_MINUTES
