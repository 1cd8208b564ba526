"""A session begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from games.core.dice import RecordingDice
from games.core.game import Game, Options
from service.sessions.chance import practice_key, session_key, set_up_dice
from service.sessions.desk import Desk
from service.sessions.tokens import hashed, new_token
from service.sessions.turns import bot_due, openings
from service.store.sessions import FINISHED, RUNNING, Charter, Line, Seat, Session

PERSON = "human"
BOT = "bot"
NAME_BYTES = 16
KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class Created:
    """A new session and its tokens in clear: the owner's, and one for each person's seat."""

    session: Session
    owner_token: str
    seat_tokens: dict[int, str]


def create(
    desk: Desk, game: Game, seats: Sequence[Seat], options: Options, *, seed: str | None, spectators: str
) -> Created:
    """Set a table up and keep it; `seats` come without tokens, a `seed` makes it a practice session."""
    name = desk.entropy(NAME_BYTES).hex()
    now = desk.now()
    key = (session_key(desk.entropy(KEY_BYTES), name) if seed is None else practice_key(seed)).hex()
    owner = new_token(desk.entropy)
    tokens = {number: new_token(desk.entropy) for number, seat in enumerate(seats) if seat.kind == PERSON}
    charter = Charter(
        game=game.slug,
        ruleset=game.ruleset,
        practice=seed is not None,
        key=key,
        began=now,
        spectators=spectators,
        owner=hashed(owner),
        options=msgspec.to_builtins(options),
        seats=[
            msgspec.structs.replace(seat, token=hashed(tokens[number])) if number in tokens else seat
            for number, seat in enumerate(seats)
        ],
    )
    dice = RecordingDice(set_up_dice(key))
    table = game.new(len(seats), options, dice)
    actors = game.actors(table)
    versions = (1,) * (len(seats) + 1)
    session = Session(
        name=name,
        charter=charter,
        revision=1,
        status=RUNNING if actors else FINISHED,
        versions=versions,
        opened=openings((0,) * len(seats), None, actors, now),
        record=msgspec.json.encode(game.write(table)),
    )
    due = bot_due(charter, session.opened)
    line = Line(at=now, versions=list(versions), outcomes=game.name_outcomes(dice.outcomes))
    desk.store.create(session, line, due)
    if due is not None:
        desk.call_bots(name, session.revision)
    return Created(session, owner, tokens)
