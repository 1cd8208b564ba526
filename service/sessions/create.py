"""A session begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec

from games.core.dice import RecordingDice
from games.core.game import Game, Options
from service.sessions.chance import practice_key, session_key, set_up_dice
from service.sessions.course import beginning
from service.sessions.desk import Desk
from service.sessions.tokens import hashed, new_invite, new_token
from service.sessions.turns import By, asked, openings, turns
from service.store.sessions import OPEN, PERSON, WAITING, Charter, Clock, Line, Seat, Session, told

NAME_BYTES = 16
KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class Created:
    """A new session and its secrets in clear: the owner's token, the persons' tokens, and codes for open seats."""

    session: Session
    owner_token: str
    seat_tokens: dict[int, str]
    invites: dict[int, str]


def create(
    desk: Desk,
    game: Game,
    seats: Sequence[Seat],
    options: Options,
    *,
    seed: str | None,
    spectators: str,
    clock: Clock | None = None,
) -> Created:
    """Set a table up and keep it; `seats` come without secrets, a `seed` makes it a practice session."""
    name = desk.entropy(NAME_BYTES).hex()
    now = desk.now()
    key = (session_key(desk.entropy(KEY_BYTES), name) if seed is None else practice_key(seed)).hex()
    owner = new_token(desk.entropy)
    tokens = {number: new_token(desk.entropy) for number, seat in enumerate(seats) if seat.kind == PERSON}
    invites = {number: new_invite(desk.entropy) for number, seat in enumerate(seats) if seat.kind == OPEN}
    charter = Charter(
        game=game.slug,
        ruleset=game.ruleset,
        practice=seed is not None,
        key=key,
        began=now,
        spectators=spectators,
        owner=hashed(owner),
        options=msgspec.to_builtins(options),
        clock=clock,
    )
    dice = RecordingDice(set_up_dice(key))
    table = game.new(len(seats), options, dice)
    nothing = Session(
        name=name,
        charter=charter,
        revision=1,
        status=WAITING,
        versions=(1,) * (len(seats) + 1),
        opened=(0,) * len(seats),
        seats=tuple(_kept(seat, tokens.get(number), invites.get(number)) for number, seat in enumerate(seats)),
        standing=((),) * len(seats),
        record=msgspec.json.encode(game.write(table)),
    )
    begun = replace(nothing, status=beginning(game, table, seats))
    session = replace(begun, opened=openings(nothing, (), begun, asked(game, table, begun), None, now))
    coming = turns(game, table, session)
    line = Line(
        at=now,
        versions=list(session.versions),
        seats=told(session.seats),
        outcomes=game.name_outcomes(dice.outcomes),
    )
    desk.store.create(session, line, coming[0].due if coming else None)
    if any(turn.by is By.BOT for turn in coming):
        desk.call_bots(name, session.revision)
    return Created(session, owner, tokens, invites)


def _kept(seat: Seat, token: str | None, invite: str | None) -> Seat:
    """Return a seat with the hashes of its secrets."""
    return msgspec.structs.replace(seat, token=token and hashed(token), invite=invite and hashed(invite))
