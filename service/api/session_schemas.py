"""What sessions are told and tell on the wire: the schemas of `service.api.sessions`."""

from __future__ import annotations

from typing import Any, Final

from marshmallow import ValidationError, fields, validates_schema

from games.core.game import Outcome
from service.api.engine import LegalMoves
from service.contract.fields import Answer, Body, Choice, Payload, Query, Rows, Whole, Within, Words
from service.contract.payloads import AnyOptions, MoveField
from service.contract.problems import Fault
from service.contract.shapes import Standing
from service.contract.sitting import HistoryLine, ToldEvent
from service.contract.structs import AnyView
from service.sessions.create import BOT, PERSON
from service.store.sessions import ABORTED, FINISHED, RUNNING
from workers.levels import LEVELS

SEATS: Final = 6
NAME_CHARACTERS: Final = 40
DEFAULT_LEVEL: Final = "medium"
STATUSES: Final = (RUNNING, FINISHED, ABORTED)
LEGAL: Final = "legal_moves"
WAIT_SECONDS: Final = 30

_HIDDEN: Final = r"\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"
NAME: Final = rf"[^ {_HIDDEN}][^{_HIDDEN}]*"
"""A name begins with something that can be seen, and nothing in it hides text or turns it around."""


class BotWanted(Body):
    """How strong a bot is to be."""

    level = Choice(LEVELS, required=True)


class SeatWanted(Body):
    """Who is to sit there: a person, who gets a token, or a bot."""

    kind = Choice((PERSON, BOT), required=True)
    name = Words(1, NAME_CHARACTERS, pattern=NAME)
    bot = Within(BotWanted(), metadata={"description": f"For bots only; {DEFAULT_LEVEL} where it is left out."})

    @validates_schema
    def check_bot(self, data: dict[str, Any], **_: Any) -> None:
        """Refuse a level for a person."""
        if data["kind"] == PERSON and "bot" in data:
            raise ValidationError([Fault("", "unknown")], "bot")


class NewSession(Body):
    """What a new session needs."""

    game = Words(1, 64, required=True)
    seats = Rows(Within(SeatWanted()), 1, SEATS, required=True)
    options = Payload(AnyOptions)
    seed = Words(1, 128, metadata={"description": "Decides all chance, and makes it a practice session."})
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


class BotShown(Answer):
    """How strong a bot is."""

    level = fields.String(required=True)


class SeatShown(Answer):
    """Who sits there."""

    seat = fields.Integer(required=True)
    kind = Choice((PERSON, BOT), required=True)
    name = fields.String()
    bot = fields.Nested(BotShown())


class SeatGiven(SeatShown):
    """Who sits there; a person's token is shown here and never again."""

    token = fields.String()


class You(Answer):
    """Who the caller is."""

    seat = fields.Integer(required=True)


class SessionLinks(Answer):
    """Where the parts of a session stand."""

    session = fields.String(required=True)
    legal_moves = fields.String(required=True)
    moves = fields.String(required=True)
    history = fields.String(required=True)
    events = fields.String(required=True)
    presence = fields.String(required=True)
    picture = fields.String(required=True)


class SessionCreated(Answer):
    """A new session with all its tokens, which are shown here and never again."""

    id = fields.String(required=True)
    owner_token = fields.String(required=True)
    game = fields.String(required=True)
    ruleset = fields.String(required=True)
    practice = fields.Boolean(required=True)
    spectators = Choice(("none", "live"), required=True)
    options = Payload(AnyOptions, required=True)
    seats = fields.List(fields.Nested(SeatGiven()), required=True)
    links = fields.Nested(SessionLinks(), required=True)


class SessionState(Answer):
    """How a session stands for the caller; `version` counts what the caller has learnt."""

    id = fields.String(required=True)
    game = fields.String(required=True)
    ruleset = fields.String(required=True)
    version = fields.Integer(required=True)
    practice = fields.Boolean(required=True, metadata={"description": "True where a caller's seed decides all chance."})
    seats = fields.List(fields.Nested(SeatShown()), required=True)
    you = fields.Nested(You(), required=True, allow_none=True, metadata={"description": "Null for a spectator."})
    status = Choice(STATUSES, required=True)
    actors = Payload(list[int], required=True, metadata={"description": "The seats that were asked for a decision."})
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


class MovePlayed(Answer):
    """What came of a move: the caller's version, what it heard, and what it sees now."""

    version = fields.Integer(required=True)
    events = Payload(list[ToldEvent], required=True)
    view = Payload(AnyView, required=True)


class SessionHistory(Answer):
    """What happened: the caller's knowledge while the session runs, everything after the end.

    A complete history replays: seats, options, outcomes and moves make the body of the game's `replays`.
    """

    id = fields.String(required=True)
    game = fields.String(required=True)
    ruleset = fields.String(required=True)
    status = Choice(STATUSES, required=True)
    complete = fields.Boolean(required=True)
    seats = fields.List(fields.Nested(SeatShown()), required=True)
    options = Payload(AnyOptions, required=True)
    outcomes = Payload(list[Outcome], metadata={"description": "What chance answered at the set-up; after the end."})
    lines = Payload(list[HistoryLine], required=True)
