"""A session begins."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import msgspec

from games.core.dice import RecordingDice
from games.core.game import Game, Options
from service.sessions.chance import founding, practice_key, session_key, set_up_dice
from service.sessions.course import beginning
from service.sessions.desk import Desk
from service.sessions.errors import OperationReused
from service.sessions.reading import load
from service.sessions.tokens import hashed, new_invite, new_token
from service.sessions.turns import By, asked, openings, turns
from service.store.sessions import OPEN, PERSON, WAITING, Charter, Clock, Line, Seat, Session, told

NAME_CHARACTERS = 32
KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class Created:
    """A session and its secrets in clear: the owner's token, the persons' tokens, and codes for open seats.

    `repeated` tells that the operation had made it before.
    """

    session: Session
    owner_token: str
    seat_tokens: dict[int, str]
    invites: dict[int, str]
    repeated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a new session is to be; `seats` come without secrets, a `seed` makes it a practice session."""

    game: Game
    seats: Sequence[Seat]
    options: Options
    seed: str | None
    spectators: str
    clock: Clock | None

    @property
    def mark(self) -> str:
        """What tells it from all else that may be wanted."""
        parts = (self.game.slug, self.seats, self.options, self.seed, self.spectators, self.clock)
        return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


def create(desk: Desk, wanted: Wanted, operation: str) -> Created:
    """Set a table up and keep it; an operation that has done so before gets what it made, with the same secrets.

    Raise OperationReused where it made something else.
    """
    game, seats, options, seed = wanted.game, wanted.seats, wanted.options, wanted.seed
    name = hashlib.sha256(f"session/name/{operation}".encode()).hexdigest()[:NAME_CHARACTERS]
    now = desk.now()
    key = (session_key(desk.entropy(KEY_BYTES), name) if seed is None else practice_key(seed)).hex()
    salt = desk.entropy(KEY_BYTES).hex()
    secrets = _Secrets.of(salt, operation, wanted)
    charter = Charter(
        game=game.slug,
        ruleset=game.ruleset,
        practice=seed is not None,
        key=key,
        salt=salt,
        began=now,
        spectators=wanted.spectators,
        owner=hashed(secrets.owner),
        options=msgspec.to_builtins(options),
        clock=wanted.clock,
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
        seats=tuple(secrets.kept(number, seat) for number, seat in enumerate(seats)),
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
    new = desk.store.create(session, line, coming[0].due if coming else None)
    if not new:
        session = load(desk, name)
        secrets = _Secrets.of(session.charter.salt, operation, wanted)
        if hashed(secrets.owner) != session.charter.owner:
            raise OperationReused
    elif any(turn.by is By.BOT for turn in coming):
        desk.call_bots(name, session.revision)
    return Created(session, secrets.owner, secrets.tokens, secrets.invites, repeated=not new)


@dataclass(frozen=True, slots=True)
class _Secrets:
    """The secrets of a session in clear."""

    owner: str
    tokens: dict[int, str]
    invites: dict[int, str]

    @classmethod
    def of(cls, salt: str, operation: str, wanted: Wanted) -> Self:
        """Make the secrets of what an operation founds."""
        source, seats = founding(salt, f"{operation}/{wanted.mark}"), wanted.seats
        return cls(
            new_token(source),
            {number: new_token(source) for number, seat in enumerate(seats) if seat.kind == PERSON},
            {number: new_invite(source) for number, seat in enumerate(seats) if seat.kind == OPEN},
        )

    def kept(self, number: int, seat: Seat) -> Seat:
        """Return a seat with the hashes of its secrets."""
        token, invite = self.tokens.get(number), self.invites.get(number)
        return msgspec.structs.replace(seat, token=token and hashed(token), invite=invite and hashed(invite))
