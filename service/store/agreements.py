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
    """The pauses that a session allows.

    `consent` allows pauses to which all persons consent. `days_per_seat` is the number of vacation days of each seat.
    """

    consent: bool = False
    days_per_seat: int = 0


NO_PAUSES: Final = Pauses()


class Absence(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The rules for a seat that does not decide in time.

    `then` is the effect. If a bot takes the seat, `level` is the bot's level. The service applies the effect when the
    decision has been open for `after_ms` milliseconds. After `vote_after_ms` milliseconds, the other persons can vote
    to apply it at once. Both times count only while the clock runs. A time of None disables its rule.
    """

    then: str
    level: str | None = None
    after_ms: int | None = None
    vote_after_ms: int | None = None


class Rest(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A pause or a vacation. It stops the clocks of its seats.

    `seat` is the seat on vacation, or ALL_SEATS for a pause. `by` is the seat that requested the pause or vacation.
    `over` is true once the players know of its end.
    """

    start: int
    end: int
    by: int
    seat: int = ALL_SEATS
    over: bool = False

    def stops(self, seat: int) -> bool:
        """Return whether this pause or vacation stops the clock of a seat."""
        return self.seat in {ALL_SEATS, seat}


class PauseRequest(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A seat's request to stop all clocks, and the seats that have consented."""

    seat: int
    duration_ms: int
    agreed: tuple[int, ...] = ()


class AbsenceVote(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The votes to continue without an absent seat.

    They count only for the seat's decision that opened at the time `opened`. `passed` is true once all other connected
    persons have voted.
    """

    seat: int
    opened: int
    voters: tuple[int, ...] = ()
    passed: bool = False


class Agreements(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Past and current pauses of a session, the pending request and vote, and the vacation days taken."""

    rests: tuple[Rest, ...] = ()
    request: PauseRequest | None = None
    vote: AbsenceVote | None = None
    days_taken: tuple[int, ...] = ()

    @property
    def running(self) -> tuple[Rest, ...]:
        """The pauses and vacations that have not ended."""
        return tuple(rest for rest in self.rests if not rest.over)


class Hours(msgspec.Struct, frozen=True, kw_only=True):
    """The hours of the day in which a clock runs.

    `start` and `end` are minutes after midnight in `time_zone`. If `end` is not later than `start`, the period extends
    past midnight.
    """

    start: int
    end: int
    time_zone: str

    @property
    def open_minutes(self) -> int:
        """The number of minutes per day in which the clock runs. Equal `start` and `end` mean the whole day."""
        return (self.end - self.start) % DAY_MINUTES or DAY_MINUTES
