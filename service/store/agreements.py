"""Pauses, vacations and votes on absent seats, as stored with a session."""

from __future__ import annotations

from typing import Final

import msgspec

DAY_MINUTES: Final = 1_440

ALL_SEATS: Final = -1
"""The seat of a rest that stops the clocks of all seats."""

THEN_BOT: Final = "bot"
THEN_FORFEIT: Final = "forfeit"
THEN_ABORT: Final = "abort"
ABSENCE_RESULTS: Final = (THEN_BOT, THEN_FORFEIT, THEN_ABORT)
"""Effects of an absence on a table."""


class Pauses(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The pauses that a session allows: by consent of all persons, and days of vacation of each seat."""

    consent: bool = False
    days_per_seat: int = 0


NO_PAUSES: Final = Pauses()


class Absence(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The terms on which the others continue without a seat that does not decide.

    After `after_ms` of running time, the service acts without a vote. After `vote_after_ms`, the others may vote.
    Either may be None. `then` is the effect. `level` is the level of the bot, if a bot takes the seat.
    """

    then: str
    level: str | None = None
    after_ms: int | None = None
    vote_after_ms: int | None = None


class Rest(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A period in which clocks rest.

    `seat` is the seat on vacation, or ALL_SEATS for a pause. `by` is the seat that requested the rest. `over` is true
    once all audiences have been notified of the end.
    """

    start: int
    end: int
    by: int
    seat: int = ALL_SEATS
    over: bool = False

    def stops(self, seat: int) -> bool:
        """Return whether a seat's clock rests in this period."""
        return self.seat in {ALL_SEATS, seat}


class PauseRequest(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A seat's request for a pause of all clocks, and the seats that have consented."""

    seat: int
    duration_ms: int
    agreed: tuple[int, ...] = ()


class AbsenceVote(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The votes for continuing without a seat.

    They are valid for the seat's decision with the opening time `opened`. `passed` is true once all other persons who
    are present have voted.
    """

    seat: int
    opened: int
    voters: tuple[int, ...] = ()
    passed: bool = False


class Agreements(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The agreements of a session: past and current pauses, the pending request and vote, and vacation days taken."""

    rests: tuple[Rest, ...] = ()
    request: PauseRequest | None = None
    vote: AbsenceVote | None = None
    days_taken: tuple[int, ...] = ()

    @property
    def running(self) -> tuple[Rest, ...]:
        """The rests that have not ended."""
        return tuple(rest for rest in self.rests if not rest.over)


class Hours(msgspec.Struct, frozen=True, kw_only=True):
    """The hours of the day in which a clock runs.

    `start` and `end` are minutes after midnight in a time zone. The hours may include midnight.
    """

    start: int
    end: int
    time_zone: str

    @property
    def open_minutes(self) -> int:
        """The number of minutes per day. If `start` and `end` are equal, it is a whole day."""
        return (self.end - self.start) % DAY_MINUTES or DAY_MINUTES
