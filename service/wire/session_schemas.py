"""What sessions are told and tell on the wire: the schemas of `service.api.sessions`."""

from __future__ import annotations

from typing import Any, Final

from marshmallow import ValidationError, fields, validates_schema

from service.api.engine import LegalMoves
from service.http.fields import Answer, Body, Choice, Payload, Query, Rows, Whole, Within, Words
from service.http.json_schemas import AnyView
from service.jobs.levels import LEVELS
from service.snapshots.fairness import ChanceKeys
from service.store.sessions import (
    ABORTED,
    BOT,
    BOT_POLICY,
    FINISHED,
    FORFEITED,
    OPEN,
    PERSON,
    POLICIES,
    RUNNING,
    WAITING,
)
from service.validation.faults import Fault
from service.wire.fields import AnyOptions, MoveField
from service.wire.moves import Standing
from service.wire.sessions import ToldEvent

SEATS: Final = 6
NAME_CHARACTERS: Final = 40
DEFAULT_LEVEL: Final = "medium"
STATUSES: Final = (WAITING, RUNNING, FINISHED, FORFEITED, ABORTED)
KINDS: Final = (PERSON, BOT, OPEN)
MOVE_MS: Final = (1_000, 604_800_000)
CODE_CHARACTERS: Final = 64
ANSWERS: Final = 16
LEGAL: Final = "legal_moves"
THEN_BOT: Final = "bot"
THEN_FORFEIT: Final = "forfeit"
BOT_MS: Final = (0, 60_000)
WAIT_SECONDS: Final = 30

_HIDDEN: Final = r"\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"
NAME: Final = rf"[^ {_HIDDEN}][^{_HIDDEN}]*"
"""A name begins with something that can be seen, and nothing in it hides text or turns it around."""


BOT_MS_WANTED: Final = (
    "How long every bot waits at least before it moves, in milliseconds; its level's own delay holds besides. Where it "
    "is left out, bots leave people time in games in which people may interrupt a bot's turn."
)


BOT_MS_SHOWN: Final = (
    "How long every bot waits at least before it moves, where that may be longer than its level's delay."
)


class BotWanted(Body):
    """How strong a bot is to be."""

    level = Choice(LEVELS, required=True)


class SeatWanted(Body):
    """Who is to sit there: a person, who gets a token; a bot; or whoever comes with the invite code of an open seat."""

    kind = Choice(KINDS, required=True)
    name = Words(1, NAME_CHARACTERS, pattern=NAME)
    bot = Within(BotWanted(), metadata={"description": f"For bots only; {DEFAULT_LEVEL} where it is left out."})

    @validates_schema
    def check_bot(self, data: dict[str, Any], **_: Any) -> None:
        """Refuse a level for who is no bot."""
        if data["kind"] != BOT and "bot" in data:
            raise ValidationError([Fault("", "unknown")], "bot")


class ClockWanted(Body):
    """How long a person may take for each decision, and what happens when the time has run out.

    Where a rule of the game makes a move for who does not answer, that is what happens. Else, by policy: `bot` plays in
    the person's stead from then on, until the person takes the seat back; `random` makes any legal move; `forfeit` ends
    the session, and the seat's team has lost.
    """

    move_ms = Whole(*MOVE_MS, required=True)
    policy = Choice(POLICIES, required=True)
    bot = Within(BotWanted(), metadata={"description": f"For `bot` only; {DEFAULT_LEVEL} where it is left out."})

    @validates_schema
    def check_bot(self, data: dict[str, Any], **_: Any) -> None:
        """Refuse a level where no bot is to play."""
        if data["policy"] != BOT_POLICY and "bot" in data:
            raise ValidationError([Fault("", "unknown")], "bot")


class NewSession(Body):
    """What a new session needs."""

    game = Words(1, 64, required=True)
    seats = Rows(Within(SeatWanted()), 1, SEATS, required=True)
    options = Payload(AnyOptions)
    seed = Words(1, 128, metadata={"description": "Decides all chance, and makes it a practice session."})
    clock = Within(ClockWanted())
    bot_ms = Whole(*BOT_MS, metadata={"description": BOT_MS_WANTED})
    spectators = Choice(("none", "live"), load_default="none")


class SessionQuery(Query):
    """What the answer is to hold besides."""

    expand = Choice((LEGAL,), metadata={"description": "Adds what the caller may do now."})
    wait = Whole(
        0,
        WAIT_SECONDS,
        load_default=0,
        metadata={"description": "Seconds to wait for something new, with If-None-Match; `/v1/limits` tells the most."},
    )


class NewMove(Body):
    """A move in either face."""

    move = MoveField(required=True)


class SeatClaim(Body):
    """The code that invites to an open seat, and what its taker wants to be called."""

    code = Words(1, CODE_CHARACTERS, required=True)
    name = Words(1, NAME_CHARACTERS, pattern=NAME)


class SeatLeaving(Body):
    """What becomes of a seat that its holder gives up.

    With `bot` a bot plays on in the holder's stead, so that the game goes on for the others; with `forfeit` the seat's
    team has lost, and the session is over.
    """

    then = Choice((THEN_BOT, THEN_FORFEIT), load_default=THEN_BOT)
    bot = Within(BotWanted(), metadata={"description": f"For `bot` only; {DEFAULT_LEVEL} where it is left out."})

    @validates_schema
    def check_bot(self, data: dict[str, Any], **_: Any) -> None:
        """Refuse a level where no bot is to play."""
        if data["then"] != THEN_BOT and "bot" in data:
            raise ValidationError([Fault("", "unknown")], "bot")


class AnswersLeft(Body):
    """The standing answers that a seat is to have in place of those it has; the first that fits is given."""

    answers = Rows(Words(1, 64), 0, ANSWERS, required=True)


class BotShown(Answer):
    """How strong a bot is."""

    level = fields.String(required=True)


class SeatShown(Answer):
    """Who sits there."""

    seat = fields.Integer(required=True)
    kind = Choice(KINDS, required=True)
    name = fields.String()
    bot = fields.Nested(
        BotShown(), metadata={"description": "The bot that plays: at a bot's seat, and in the stead of a person."}
    )
    out = fields.Boolean(metadata={"description": "True for the seat that gave up, or lost by its time."})


class SeatGiven(SeatShown):
    """Who sits there; a person's token and the invite code of an open seat are shown here and never again."""

    token = fields.String()
    invite = fields.String()


class ClockShown(Answer):
    """How long a person may take for each decision, and what happens then."""

    move_ms = fields.Integer(required=True)
    policy = Choice(POLICIES, required=True)
    bot = fields.Nested(BotShown())


class Deadline(Answer):
    """Until when a seat is to decide; after that, what the session's clock says happens."""

    seat = fields.Integer(required=True)
    at = fields.DateTime(required=True)


class You(Answer):
    """Who the caller is."""

    seat = fields.Integer(required=True)


class SessionLinks(Answer):
    """Where the parts of a session stand."""

    session = fields.String(required=True)
    legal_moves = fields.String(required=True)
    moves = fields.String(required=True)
    history = fields.String(required=True)
    replay = fields.String(required=True)
    fairness = fields.String(required=True)
    branches = fields.String(required=True)
    events = fields.String(required=True)
    presence = fields.String(required=True)
    picture = fields.String(required=True)
    resign = fields.String(required=True)
    standing_answers = fields.String(required=True)


class FairnessTold(Answer):
    """What the chance of a session was fixed by: its commitment from the start, and the keys after the end."""

    commitment = fields.String(required=True)
    keys = Payload(ChanceKeys)


class SessionCreated(Answer):
    """A new session with all its tokens, which are shown here and never again."""

    id = fields.String(required=True)
    owner_token = fields.String(required=True)
    game = fields.String(required=True)
    ruleset = fields.String(required=True)
    practice = fields.Boolean(required=True)
    status = Choice(STATUSES, required=True)
    spectators = Choice(("none", "live"), required=True)
    fairness = fields.Nested(FairnessTold(), metadata={"description": "Not for practice."})
    clock = fields.Nested(ClockShown())
    bot_ms = fields.Integer(metadata={"description": BOT_MS_SHOWN})
    options = Payload(AnyOptions, required=True)
    seats = fields.List(fields.Nested(SeatGiven()), required=True)
    links = fields.Nested(SessionLinks(), required=True)


class SessionState(Answer):
    """How a session stands for the caller; `version` counts what the caller has learnt."""

    id = fields.String(required=True)
    game = fields.String(required=True)
    ruleset = fields.String(required=True)
    version = fields.Integer(required=True)
    practice = fields.Boolean(
        required=True, metadata={"description": "True where a caller's seed decides all chance, and of a branch."}
    )
    seats = fields.List(fields.Nested(SeatShown()), required=True)
    you = fields.Nested(You(), required=True, allow_none=True, metadata={"description": "Null for a spectator."})
    status = Choice(STATUSES, required=True)
    actors = Payload(list[int], required=True, metadata={"description": "The seats that were asked for a decision."})
    fairness = fields.Nested(FairnessTold(), metadata={"description": "Not for practice."})
    clock = fields.Nested(ClockShown())
    bot_ms = fields.Integer(metadata={"description": BOT_MS_SHOWN})
    deadlines = fields.List(
        fields.Nested(Deadline()),
        metadata={"description": "With a clock: when the time of each person who was asked runs out, answered or not."},
    )
    headline = fields.String(required=True)
    outcome = Payload(Standing)
    view = Payload(AnyView, required=True)


class SessionShown(SessionState):
    """A session as the caller sees it, with what the caller may do now if that was asked for."""

    legal_moves = fields.Nested(LegalMoves())
    picture_url = fields.String(
        required=True, metadata={"description": "The caller's view as a picture, with a ticket for ten minutes."}
    )
    stream_url = fields.String(
        required=True, metadata={"description": "The caller's events, with a ticket for ten minutes."}
    )
    links = fields.Nested(SessionLinks(), required=True)


class SeatTaken(SeatGiven):
    """A seat that was open, with its token, which is shown here and never again."""

    id = fields.String(required=True)
    version = fields.Integer(required=True)
    status = Choice(STATUSES, required=True)
    links = fields.Nested(SessionLinks(), required=True)


class AnswerOffered(Answer):
    """A standing answer that the game knows."""

    name = fields.String(required=True)
    label = fields.String(required=True)


class StandingAnswers(Answer):
    """The standing answers that the seat has left, and all that it may leave."""

    answers = fields.List(fields.String(), required=True)
    offered = fields.List(fields.Nested(AnswerOffered()), required=True)


class MovePlayed(Answer):
    """What came of a move: the caller's version, what it heard, and what it sees now."""

    version = fields.Integer(required=True)
    events = Payload(list[ToldEvent], required=True)
    view = Payload(AnyView, required=True)
