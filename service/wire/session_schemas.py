"""Schemas of request bodies and queries of operations on sessions."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar, Final, Literal

from marshmallow import ValidationError, post_load, validates, validates_schema

from games.core.levels import LEVELS, LEVELS_TEXT
from games.core.texts import LANGUAGES
from service.http.context import current_context
from service.http.fields import Body, Choice, DisplayName, Flag, Payload, Query, Rows, Whole, Within, Words
from service.settings import DAY_MS, Limits
from service.snapshots.engine import read_options
from service.snapshots.errors import SnapshotError
from service.snapshots.records import MAX_SEATS, SealedSnapshot
from service.store.agreements import ABSENCE_RESULTS, DAY_MINUTES, THEN_BOT, THEN_FORFEIT, Absence, Hours, Pauses
from service.store.sessions import (
    BOT,
    BOT_POLICY,
    OPEN,
    PERSON,
    POLICIES,
    UNDO_BY_CONSENT,
    UNDO_OFF,
    Clock,
    Seat,
)
from service.validation.faults import Fault
from service.validation.names import NAME_CHARACTERS
from service.wire.fields import AnyOptions, MoveField, SnapshotField

KINDS: Final = (PERSON, BOT, OPEN)
DEFAULT_LEVEL: Final = "medium"
MOVE_MS: Final = (1_000, 604_800_000)
CODE_CHARACTERS: Final = 64
ANSWERS: Final = 16
LEGAL: Final = "legal_moves"
LeavingChoice = Literal["bot", "forfeit"]
DAY_TIME: Final = "(?:[01][0-9]|2[0-3]):[0-5][0-9]"
MAX_DECISION_MS: Final = 14 * DAY_MS
BOT_MS: Final = (0, 60_000)
PAUSE_MS: Final = (1_000, 14 * DAY_MS)
ABSENCE_MS: Final = (1_000, 14 * DAY_MS)
MAX_VACATION_DAYS: Final = 30
WAIT_SECONDS: Final = Limits().wait_seconds
MAX_LATENCY_MS: Final = 1_000
LATENCY_PART: Final = 10
LATENCY_DECISIONS: Final = 30
"""Maximum total compensation of a seat for network latency, as a multiple of the maximum for one decision."""

SEAT_KEY_CHARACTERS: Final = 64
SNAPSHOT_TEXT: Final = (
    "A table to continue from, instead of a new one: an open snapshot, or a sealed one of this service. The session"
    " is a practice session, because the origin of the table is not proven."
)

BANK_TEXT: Final = (
    "Time bank of each seat, in milliseconds. Time beyond `move_ms` is taken from it, and the deadline is the end "
    "of both."
)

BOT_MS_TEXT: Final = (
    "Minimum thinking time of every bot, in milliseconds. A level's own delay applies if it is longer. By default, "
    "bots leave people time in games in which a bot's turn can be interrupted."
)


UNDO_TEXT: Final = (
    "With `consent`, a seat may take back its last decision if all other persons at the table agree. Bots always agree."
)

LISTED_TEXT: Final = "Show the open seats in `listSessions`, where anyone may claim them without a code."
LANGUAGE_TEXT: Final = "Language of the players, for the list of sessions."


class BotWanted(Body):
    """Requested strength of a bot."""

    level = Choice(LEVELS, required=True, metadata={"description": LEVELS_TEXT})


@cache
def time_zones() -> AbstractSet[str]:
    """Return the names of all time zones. Their file is read only once."""
    return frozenset(files("tzdata").joinpath("zones").read_text("ascii").split())


def minutes_of(text: str) -> int:
    """Return a time of day as minutes after midnight."""
    hours, minutes = text.split(":")
    return 60 * int(hours) + int(minutes)


class WithBot(Body):
    """A request body in which `bot` is allowed only if another field has a certain value.

    `bot_goes_with` contains the name of the other field and this value.
    """

    bot_goes_with: ClassVar[tuple[str, str]]  # name and value of the other field
    made: ClassVar[Callable[..., Any]]  # creates the loaded object from the fields and the bot's `level`

    @validates_schema
    def check_bot(self, data: dict[str, Any], **_: Any) -> None:
        """Reject `bot` if another field does not allow it.

        `bot_goes_with` contains the name of this field, and the value that allows `bot`.
        """
        field, value = self.bot_goes_with
        if data[field] != value and "bot" in data:
            raise ValidationError([Fault("", "unknown")], "bot")

    @post_load
    def make(self, data: dict[str, Any], **_: Any) -> Any:
        field, value = self.bot_goes_with
        level = data.pop("bot", {"level": DEFAULT_LEVEL})["level"]
        return type(self).made(**data, level=level if data[field] == value else None)


class SeatWanted(WithBot):
    """Requested occupant of a seat. It is a person, a bot or nobody.

    If it is nobody, a caller can claim the seat later.
    """

    bot_goes_with = ("kind", BOT)
    made = Seat
    kind = Choice(KINDS, required=True)
    name = DisplayName(NAME_CHARACTERS)
    bot = Within(BotWanted(), description=f"Level of the bot, only for bots; {DEFAULT_LEVEL} by default.")


class SeatAssignment(SeatWanted):
    """New occupant of a seat. `open` is allowed only while the session waits for players."""


class HoursWanted(Body):
    """Hours of the day in which a clock runs. If `end` is not after `start`, midnight is inside these hours."""

    start = Words(5, 5, pattern=DAY_TIME, required=True, description="Local time of the day, such as `08:00`.")
    end = Words(5, 5, pattern=DAY_TIME, required=True, description="Local time of the day, such as `22:00`.")
    time_zone = Words(1, 64, required=True, description="Name in the IANA time zone database, such as `Europe/Berlin`.")

    @validates("time_zone")
    def check_time_zone(self, name: str, **_: Any) -> None:
        if name not in time_zones():
            raise ValidationError([Fault("", "pattern")])

    @post_load
    def make(self, data: dict[str, Any], **_: Any) -> Hours:
        return Hours(start=minutes_of(data["start"]), end=minutes_of(data["end"]), time_zone=data["time_zone"])


def make_clock(**given: Any) -> Clock:
    """Create a clock from its fields. Its compensation for network latency is computed from `move_ms`."""
    latency_ms = min(MAX_LATENCY_MS, given["move_ms"] // LATENCY_PART)
    return Clock(**given, latency_ms=latency_ms, total_latency_ms=latency_ms * LATENCY_DECISIONS)


class ClockWanted(WithBot):
    """The time limit for each decision of a person, and the effect of a timeout.

    Usually, `policy` determines the effect of a timeout. If the game has a default move for the decision, the service
    ignores `policy` and makes the default move.
    """

    bot_goes_with = ("policy", BOT_POLICY)
    made = staticmethod(make_clock)
    move_ms = Whole(*MOVE_MS, required=True)
    bank_ms = Whole(0, MOVE_MS[1], load_default=0, description=BANK_TEXT)
    increment_ms = Whole(
        0,
        MOVE_MS[1],
        load_default=0,
        description=("Time that each decision of a person adds to the seat's time bank, in milliseconds."),
    )
    # With `bot`, a bot plays until the person takes the seat back. With `random`, a random legal move is made. With
    # `forfeit`, the session ends and the seat's team loses.
    policy = Choice(POLICIES, required=True)
    bot = Within(BotWanted(), description=f"Level of the bot, only with `bot`; {DEFAULT_LEVEL} by default.")
    hours = Within(HoursWanted(), description="Hours of the day in which the clock runs; by default it always runs.")

    @validates_schema
    def check_hours(self, data: dict[str, Any], **_: Any) -> None:
        """Raise ValidationError if `move_ms` is too high for the given `hours`.

        If `hours` is missing, the clock always runs, and every `move_ms` is accepted. If `hours` is given, the clock
        runs only in these hours of each day. A decision can then last much longer than `move_ms`. The decision should
        still last at most MAX_DECISION_MS. So `move_ms` has an upper limit that depends on `hours`.
        """
        if "hours" not in data:
            return
        # A decision lasts longer than its time if the clock runs only in some hours of the day.
        high = max(MAX_DECISION_MS * data["hours"].open_minutes // DAY_MINUTES - data["bank_ms"], MOVE_MS[0])
        if data["move_ms"] > high:
            raise ValidationError([Fault("", "out-of-range", {"low": MOVE_MS[0], "high": high})], "move_ms")


class PausesWanted(Body):
    """Pauses that a session allows.

    All persons can agree to a pause of all clocks. Each seat can also take days of vacation.
    """

    consent = Flag(load_default=False, description="Whether all clocks may be paused if all persons agree.")
    days_per_seat = Whole(
        0, MAX_VACATION_DAYS, load_default=0, description="Days of vacation of each seat, which stop its clock."
    )

    @post_load
    def make(self, data: dict[str, Any], **_: Any) -> Pauses:
        return Pauses(**data)


class AbsenceWanted(WithBot):
    """Rules for a person who does not decide.

    The effect `then` occurs when a decision has been open for `after_ms`. When a decision has been open for
    `vote_after_ms`, the other persons can vote for the effect. At least one of the two times is given.
    """

    bot_goes_with = ("then", THEN_BOT)
    made = Absence
    # With `bot`, a bot plays until the person takes the seat back. With `forfeit`, the session ends and the seat's team
    # loses. With `abort`, the session ends without a result.
    then = Choice(ABSENCE_RESULTS, required=True)
    bot = Within(BotWanted(), description=f"Level of the bot, only with `bot`; {DEFAULT_LEVEL} by default.")
    # Pauses do not count. If the person's clock runs out earlier, the clock's policy applies first.
    after_ms = Whole(
        *ABSENCE_MS, description="Time in milliseconds without a decision after which the others continue."
    )
    vote_after_ms = Whole(
        *ABSENCE_MS,
        description="Time in milliseconds without a decision after which all other persons present may vote to "
        "continue.",
    )

    @validates_schema
    def check_times(self, data: dict[str, Any], **_: Any) -> None:
        """Reject the rules for absent players if they contain neither `after_ms` nor `vote_after_ms`."""
        if "after_ms" not in data and "vote_after_ms" not in data:
            raise ValidationError([Fault("", "missing")], "after_ms")


class NewSession(Body):
    """A request for a new session."""

    game = Words(1, 64, required=True)
    seats = Rows(Within(SeatWanted()), 1, MAX_SEATS, required=True)
    options = Payload(AnyOptions, description="Options of the game. Not allowed with a snapshot, which has its own.")
    snapshot = SnapshotField(description=SNAPSHOT_TEXT)
    seat_keys = Rows(
        Words(1, SEAT_KEY_CHARACTERS),
        1,
        MAX_SEATS,
        description="With a sealed snapshot: the keys of all seats, in seat order.",
    )
    seed = Words(1, 128, description="Seed of all random draws. It makes the session a practice session.")
    clock = Within(ClockWanted())
    bot_ms = Whole(*BOT_MS, allow_none=True, description=BOT_MS_TEXT)
    spectators = Choice(("none", "live"), load_default="none")
    undo = Choice((UNDO_OFF, UNDO_BY_CONSENT), load_default=UNDO_OFF, description=UNDO_TEXT)
    listed = Flag(load_default=False, description=LISTED_TEXT)
    language = Choice(LANGUAGES, description=LANGUAGE_TEXT)
    pauses = Within(PausesWanted())
    absence = Within(AbsenceWanted())

    @validates_schema(skip_on_field_errors=False)
    def check_game(self, data: dict[str, Any], **_: Any) -> None:
        """Reject an unknown game. Reject seats or options that the game does not allow.

        This check runs even if other fields are invalid.
        """
        games, slug = current_context().games, data.get("game")
        if slug is None:
            return
        if slug not in games:
            raise ValidationError([Fault("", "choice", {"choices": ", ".join(games)})], "game")
        if "snapshot" not in data:
            seats = len(data["seats"]) if "seats" in data else games[slug].seat_numbers[0]
            try:
                read_options(games[slug], data.get("options", {}), seats, "/seats")
            except SnapshotError as error:
                raise ValidationError([*error.errors]) from None

    @validates_schema
    def check_listed(self, data: dict[str, Any], **_: Any) -> None:
        """Reject a public session if it has no open seat."""
        if data["listed"] and all(seat.kind != OPEN for seat in data["seats"]):
            raise ValidationError([Fault("", "no-open-seat")], "listed")

    @validates_schema
    def check_snapshot(self, data: dict[str, Any], **_: Any) -> None:
        """Reject fields that do not go with the snapshot.

        Options are allowed only without a snapshot. Seat keys are allowed only with a sealed snapshot.
        """
        sealed = isinstance(data.get("snapshot"), SealedSnapshot)
        found = {
            name: [Fault("", "unknown")]
            for name, fits in (("options", "snapshot" not in data), ("seat_keys", sealed))
            if name in data and not fits
        }
        if found:
            raise ValidationError(found)


class SessionQuery(Query):
    """Query parameters that select optional parts of a session."""

    expand = Choice((LEGAL,), description="Include the caller's legal moves.")
    wait = Whole(
        0,
        WAIT_SECONDS,
        load_default=0,
        description=(
            "Maximum duration of a long poll, in seconds. Requires `If-None-Match`. See `wait_seconds` of `/v1/limits`."
        ),
    )


class SessionMoveQuery(Query):
    """Query parameters that select optional parts of the response to a move."""

    expand = Choice((LEGAL,), description="Include the caller's next legal moves.")


class NewMove(Body):
    """A move, as an object or by its code."""

    move = MoveField(required=True)

    def load(self, data: Any, **options: Any) -> Any:
        """Load the request body. If it contains only a valid move, skip the slower general validation."""
        if type(data) is dict and data.keys() == {"move"}:
            with suppress(ValidationError):
                return {"move": self.fields["move"].deserialize(data["move"], "move", data)}
        return super().load(data, **options)


class SeatClaim(Body):
    """Invite code of an open seat, name of the player, and a seed for the random draws."""

    code = Words(1, CODE_CHARACTERS, description="The invite code. Not required in a listed session.")
    name = DisplayName(NAME_CHARACTERS)
    client_seed = Words(
        1,
        128,
        description=(
            "Contribution to the random draws, by its SHA-256 hash; random by default. Ignored in practice sessions."
        ),
    )


class SeatLeaving(WithBot):
    """The effect of a resignation on the seat.

    With `bot`, a bot plays on, so that the game continues for the others. With `forfeit`, the seat's team loses and the
    session ends.
    """

    bot_goes_with = ("then", THEN_BOT)
    made = dict
    then = Choice((THEN_BOT, THEN_FORFEIT), load_default=THEN_BOT)
    bot = Within(BotWanted(), description=f"Level of the bot, only with `bot`; {DEFAULT_LEVEL} by default.")


class PauseWanted(Body):
    """A request for a pause of all clocks."""

    duration_ms = Whole(*PAUSE_MS, required=True, description="Duration from the last consent on, in milliseconds.")


class VacationWanted(Body):
    """A request for a vacation of the caller's seat."""

    days = Whole(1, MAX_VACATION_DAYS, required=True, description="Number of days, of 24 hours each.")


class AnswersLeft(Body):
    """Standing answers: answers that the seat gives in advance.

    They replace all standing answers that the seat gave earlier. If several standing answers fit a decision, the
    service uses the first of them.
    """

    answers = Rows(Words(1, 64), 0, ANSWERS, required=True)
