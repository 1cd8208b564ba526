"""The bodies and queries that operations on sessions take."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, ClassVar, Final, Literal

from marshmallow import ValidationError, validates_schema

from games.core.levels import LEVELS, LEVELS_TOLD
from games.core.texts import LANGUAGES
from service.http.context import current_context
from service.http.fields import Body, Choice, DisplayName, Flag, Payload, Query, Rows, Whole, Within, Words
from service.settings import Limits
from service.snapshots.engine import read_options
from service.snapshots.errors import SnapshotError
from service.snapshots.records import MOST_SEATS, SealedSnapshot
from service.store.sessions import (
    BOT,
    BOT_POLICY,
    OPEN,
    PERSON,
    POLICIES,
    UNDO_BY_CONSENT,
    UNDO_OFF,
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
THEN_BOT: Final = "bot"
THEN_FORFEIT: Final = "forfeit"
LeavingChoice = Literal["bot", "forfeit"]
BOT_MS: Final = (0, 60_000)
WAIT_SECONDS: Final = Limits().wait_seconds

SEAT_KEY_CHARACTERS: Final = 64
SNAPSHOT_WANTED: Final = (
    "The table to go on from, in place of a new one: an open snapshot, or a sealed one of this service. The session is "
    "for practice: nobody has committed to how the table came about, so nothing is proven of it."
)

BANK_WANTED: Final = (
    "Each seat's time in reserve: what a decision takes longer than `move_ms` comes out of it, and the deadline is the "
    "end of both."
)

BOT_MS_WANTED: Final = (
    "The least time in milliseconds that every bot waits before it moves; a longer delay of its level holds. By "
    "default, bots leave people time in games in which people may interrupt a bot's turn."
)


UNDO_WANTED: Final = (
    "With `consent` a seat may take its last decision back if all other persons at the table agree. Bots always do, so "
    "one person among bots needs nobody."
)

LISTED_WANTED: Final = "Puts the open seats on the list, where anybody finds them (`listSessions`) and needs no code."
LANGUAGE_WANTED: Final = "What is spoken at the table, for who looks for one."


class BotWanted(Body):
    """How strong a bot is to be."""

    level = Choice(LEVELS, required=True, metadata={"description": LEVELS_TOLD})


class WithBot(Body):
    """A body in which `bot` goes with one value of another field only, named by `bot_goes_with`."""

    bot_goes_with: ClassVar[tuple[str, str]]

    @validates_schema
    def check_bot(self, data: dict[str, Any], **_: Any) -> None:
        """Refuse a level where no bot is to play."""
        field, value = self.bot_goes_with
        if data[field] != value and "bot" in data:
            raise ValidationError([Fault("", "unknown")], "bot")


class SeatWanted(WithBot):
    """Who is to sit there: a person, who gets a token; a bot; or whoever comes with the invite code of an open seat."""

    bot_goes_with = ("kind", BOT)
    kind = Choice(KINDS, required=True)
    name = DisplayName(NAME_CHARACTERS)
    bot = Within(BotWanted(), description=f"For bots only; {DEFAULT_LEVEL} where it is left out.")


class SeatAssignment(SeatWanted):
    """Who is to sit there from now on; `open` while the session waits only."""


class ClockWanted(WithBot):
    """How long a person may take for each decision, and what happens when the time has run out.

    Where a rule of the game makes a move for who does not answer, that is what happens. Else, by policy: `bot` plays in
    the person's stead from then on, until the person takes the seat back; `random` makes any legal move; `forfeit` ends
    the session, and the seat's team has lost.
    """

    bot_goes_with = ("policy", BOT_POLICY)
    move_ms = Whole(*MOVE_MS, required=True)
    bank_ms = Whole(0, MOVE_MS[1], load_default=0, description=BANK_WANTED)
    increment_ms = Whole(
        0, MOVE_MS[1], load_default=0, description="What a seat's bank gets for each decision of its person."
    )
    policy = Choice(POLICIES, required=True)
    bot = Within(BotWanted(), description=f"For `bot` only; {DEFAULT_LEVEL} where it is left out.")


class NewSession(Body):
    """What a new session needs."""

    game = Words(1, 64, required=True)
    seats = Rows(Within(SeatWanted()), 1, MOST_SEATS, required=True)
    options = Payload(AnyOptions, description="Not with a snapshot, which has its own.")
    snapshot = SnapshotField(description=SNAPSHOT_WANTED)
    seat_keys = Rows(
        Words(1, SEAT_KEY_CHARACTERS),
        1,
        MOST_SEATS,
        description="With a sealed snapshot: the keys of all its seats, in their order.",
    )
    seed = Words(1, 128, description="Decides all chance, and makes it a practice session.")
    clock = Within(ClockWanted())
    bot_ms = Whole(*BOT_MS, allow_none=True, description=BOT_MS_WANTED)
    spectators = Choice(("none", "live"), load_default="none")
    undo = Choice((UNDO_OFF, UNDO_BY_CONSENT), load_default=UNDO_OFF, description=UNDO_WANTED)
    listed = Flag(load_default=False, description=LISTED_WANTED)
    language = Choice(LANGUAGES, description=LANGUAGE_WANTED)

    @validates_schema(skip_on_field_errors=False)
    def check_game(self, data: dict[str, Any], **_: Any) -> None:
        """Refuse a game that there is not, and seats and options that it has not, beside whatever else is wrong."""
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
        """Refuse to list a session at which nobody can take a seat."""
        if data["listed"] and all(seat["kind"] != OPEN for seat in data["seats"]):
            raise ValidationError([Fault("", "no-open-seat")], "listed")

    @validates_schema
    def check_snapshot(self, data: dict[str, Any], **_: Any) -> None:
        """Refuse options beside a snapshot, and keys without a sealed one."""
        sealed = isinstance(data.get("snapshot"), SealedSnapshot)
        found = {
            name: [Fault("", "unknown")]
            for name, fits in (("options", "snapshot" not in data), ("seat_keys", sealed))
            if name in data and not fits
        }
        if found:
            raise ValidationError(found)


class SessionQuery(Query):
    """What the answer is to hold besides."""

    expand = Choice((LEGAL,), description="Adds what the caller may do now.")
    wait = Whole(
        0,
        WAIT_SECONDS,
        load_default=0,
        description="Seconds to wait for something new, with If-None-Match; `/v1/limits` tells the most.",
    )


class SessionMoveQuery(Query):
    """What the answer to a move is to hold besides."""

    expand = Choice((LEGAL,), description="Adds what the caller may do next.")


class NewMove(Body):
    """A move in either face."""

    move = MoveField(required=True)

    def load(self, data: Any, **options: Any) -> Any:
        """Load a move; one that stands alone and is right needs nothing of what names faults."""
        if type(data) is dict and data.keys() == {"move"}:
            with suppress(ValidationError):
                return {"move": self.fields["move"].deserialize(data["move"], "move", data)}
        return super().load(data, **options)


class SeatClaim(Body):
    """The code that invites to an open seat, what its taker wants to be called, and what it adds to the chance."""

    code = Words(1, CODE_CHARACTERS, description="The invite code; needless at a listed session.")
    name = DisplayName(NAME_CHARACTERS)
    client_seed = Words(
        1,
        128,
        description="Added by its SHA-256 to the chance of a session that is not for practice; drawn if left out.",
    )


class SeatLeaving(WithBot):
    """What becomes of a seat that its holder gives up.

    With `bot` a bot plays on in the holder's stead, so that the game goes on for the others; with `forfeit` the seat's
    team has lost, and the session is over.
    """

    bot_goes_with = ("then", THEN_BOT)
    then = Choice((THEN_BOT, THEN_FORFEIT), load_default=THEN_BOT)
    bot = Within(BotWanted(), description=f"For `bot` only; {DEFAULT_LEVEL} where it is left out.")


class AnswersLeft(Body):
    """The standing answers that a seat is to have in place of those it has; the first that fits is given."""

    answers = Rows(Words(1, 64), 0, ANSWERS, required=True)
