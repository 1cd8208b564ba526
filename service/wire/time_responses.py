"""Schemas of responses about time: clocks, deadlines, pauses and absent players."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

from msgspec import UNSET, Meta, UnsetType

from service.contract.json_schemas import Answer, Time
from service.store.agreements import ABSENCE_RESULTS
from service.store.sessions import POLICIES

BANKS_TEXT: Final = (
    "Time bank of each seat, in milliseconds, when its last decision opened. Time beyond `move_ms` is deducted when"
    " the next decision opens, so this does not reveal early who has answered."
)


AbsenceResult = Annotated[str, Meta(extra_json_schema={"enum": list(ABSENCE_RESULTS)})]


ClockPolicy = Annotated[str, Meta(extra_json_schema={"enum": list(POLICIES)})]


UndoObstacle = Annotated[str, Meta(extra_json_schema={"enum": ["nothing-to-undo", "undo-pending", "undo-denied"]})]


class BotShown(Answer, frozen=True, kw_only=True):
    """Strength of a bot."""

    level: str


class LatencyShown(Answer, frozen=True, kw_only=True):
    """Compensation for network latency.

    `move_ms` is the maximum for one decision. `total_ms` is the maximum for all decisions of a seat.
    """

    move_ms: int
    total_ms: int


class HoursShown(Answer, frozen=True, kw_only=True):
    """The hours of the day in which the clock runs.

    `start` and `end` are local times in the time zone `time_zone`. If `end` is not later than `start`, it is a time on
    the next day.
    """

    start: str
    end: str
    time_zone: str


class ClockShown(Answer, frozen=True, kw_only=True):
    """The clock of a session.

    It has a time limit per decision of a person, and a policy that applies after a timeout.
    """

    move_ms: int
    bank_ms: int | UnsetType = UNSET
    increment_ms: int | UnsetType = UNSET
    banks: Annotated[tuple[int, ...], Meta(description=BANKS_TEXT)] | UnsetType = UNSET
    latency: LatencyShown | UnsetType = UNSET
    hours: HoursShown | UnsetType = UNSET
    policy: ClockPolicy
    bot: BotShown | UnsetType = UNSET


class Deadline(Answer, frozen=True, kw_only=True):
    """The deadline of a seat's decision. If the seat has not decided by then, the clock's policy applies."""

    seat: int
    at: Time


class UndoOfferShown(Answer, frozen=True, kw_only=True):
    """The conditions for a request to undo the caller's last decision, and the seats that must consent."""

    possible: Annotated[bool, Meta(description="Whether a request is possible now.")]
    obstacle: (
        Annotated[UndoObstacle, Meta(description="Code of the problem that a request would cause.")] | UnsetType
    ) = UNSET
    consent_of: Annotated[Sequence[int], Meta(description="Seats that must consent. Bots always consent.")]
    left: Annotated[int, Meta(description="Number of undos that the session still allows.")]


class PausesShown(Answer, frozen=True, kw_only=True):
    """The kinds of pauses that a session allows."""

    consent: Annotated[bool, Meta(description="Whether all clocks may be paused if all persons agree.")]
    days_per_seat: Annotated[int, Meta(description="Days of vacation of each seat.")]
    days_left: Annotated[tuple[int, ...], Meta(description="Days of vacation that each seat has left.")]


class PauseRequestShown(Answer, frozen=True, kw_only=True):
    """A request for a pause of all clocks, and the seats that have not consented yet."""

    seat: int
    duration_ms: int
    awaited: Sequence[int]


class PauseShown(Answer, frozen=True, kw_only=True):
    """A period in which the clock of `seat` is stopped. If `seat` is missing, all clocks are stopped."""

    seat: int | UnsetType = UNSET
    start: Time
    until: Time
    by: Annotated[int, Meta(description="The seat that asked for the pause and may end it early.")]


class AbsenceShown(Answer, frozen=True, kw_only=True):
    """The rules by which the other players may continue without a person who has stopped playing."""

    then: AbsenceResult
    bot: BotShown | UnsetType = UNSET
    after_ms: int | UnsetType = UNSET
    vote_after_ms: int | UnsetType = UNSET


class Absent(Answer, frozen=True, kw_only=True):
    """A seat with a pending decision, and the times after which the others may continue without this seat.

    After `vote_from`, they may vote to continue. After `at`, they continue without a vote.
    """

    seat: int
    vote_from: Time | UnsetType = UNSET
    at: Time | UnsetType = UNSET


class AbsenceVoteShown(Answer, frozen=True, kw_only=True):
    """The seats that have voted to continue without an absent seat."""

    seat: int
    voters: Sequence[int]
