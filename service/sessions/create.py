"""A session begins."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import msgspec

from games.core.dice import RecordingDice
from games.core.game import Game, Options, Outcome, View
from games.core.table import EVERYONE, Table
from service.sessions.chance import branch_dice, founding, practice_key, session_key, set_up_dice
from service.sessions.errors import OperationReused
from service.sessions.reading import find, game_of
from service.sessions.services import SessionServices
from service.sessions.session_events import SessionSetUp, SessionStarted
from service.sessions.states import beginning, state_at
from service.sessions.tokens import hashed, new_invite, new_token
from service.sessions.turns import By, actors, notifications, openings, turns
from service.store.sessions import (
    NOTHING,
    OPEN,
    PERSON,
    RUNNING,
    WAITING,
    Charter,
    Clock,
    LogEntry,
    Seat,
    Session,
    SessionCreation,
    redacted,
)

ID_CHARACTERS = 32
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


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a branch comes from: what its viewer knew, at which version, and a key of the request for it."""

    view: View
    version: int
    origin_key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRequest:
    """What a new session is to be; `seats` come without secrets, a `seed` makes it a practice session.

    With an `origin` it is a branch: for practice, and its table is dealt from a view instead of set up.
    `key` is the id of the API key to which the tokens are given, `bot_ms` how long bots wait at least before they move.
    """

    game: Game
    seats: Sequence[Seat]
    options: Options
    seed: str | None
    spectators: str
    clock: Clock | None
    origin: Origin | None = None
    key: str | None = None
    bot_ms: int | None = None

    @property
    def fingerprint(self) -> str:
        """What tells it from all else that may be wanted."""
        parts: tuple[object, ...] = (
            self.game.slug,
            self.seats,
            self.options,
            self.seed,
            self.spectators,
            self.clock,
            *(() if self.bot_ms is None else ({"bot_ms": self.bot_ms},)),
        )
        return hashlib.sha256(
            msgspec.json.encode((*parts, self.origin.origin_key) if self.origin else parts)
        ).hexdigest()


def create(services: SessionServices, wanted: SessionRequest, operation: str) -> Created:
    """Set a table up and keep it; an operation that has done so before gets what it made, with the same secrets.

    Raise OperationReused where it made something else.
    """
    return create_all(services, [wanted], operation)[0]


def create_all(services: SessionServices, wanted: Sequence[SessionRequest], operation: str) -> list[Created]:
    """Set tables up and keep them, all or none, as `create` does one.

    They lie in one bucket, so one script writes them all.
    """
    names = _names(operation, len(wanted))
    fingerprint = f"{operation}/{_fingerprint(wanted)}"
    drafts = [_drafted(services, each, name, fingerprint) for each, name in zip(wanted, names, strict=True)]
    if not services.store.create([draft.founding for draft in drafts]):
        return [_found(services, each, name, fingerprint) for each, name in zip(wanted, names, strict=True)]
    for draft in drafts:
        if draft.bot_to_move:
            services.enqueue_bot_turn(draft.founding.session.id, draft.founding.session.revision)
    return [draft.secrets.with_session(draft.founding.session, repeated=False) for draft in drafts]


@dataclass(frozen=True, slots=True)
class _Draft:
    """A session that is ready to be written, with its secrets, and whether a bot is asked at it."""

    founding: SessionCreation
    secrets: _Secrets
    bot_to_move: bool


def _drafted(services: SessionServices, wanted: SessionRequest, name: str, fingerprint: str) -> _Draft:
    """Set a table up and get a session ready for it."""
    game, seats, seed, now = wanted.game, wanted.seats, wanted.seed, services.now()
    key = (session_key(services.entropy(KEY_BYTES), name) if seed is None else practice_key(seed)).hex()
    salt = services.entropy(KEY_BYTES).hex()
    secrets = _Secrets.of(salt, fingerprint, seats)
    table, outcomes = _table(wanted, key)
    record = msgspec.json.encode(game.write(table))
    charter = Charter(
        game=game.slug,
        ruleset=game.ruleset,
        practice=seed is not None or wanted.origin is not None,
        key=key,
        salt=salt,
        began=now,
        spectators=wanted.spectators,
        owner=hashed(secrets.owner),
        options=msgspec.to_builtins(wanted.options),
        clock=wanted.clock,
        branched_at=wanted.origin.version if wanted.origin else None,
        bot_ms=wanted.bot_ms,
    )
    nothing = Session(
        id=name,
        charter=charter,
        revision=1,
        status=WAITING,
        versions=(1,) * (len(seats) + 1),
        opened=(0,) * len(seats),
        seats=tuple(secrets.kept(number, seat, wanted.key) for number, seat in enumerate(seats)),
        standing=((),) * len(seats),
        record=record,
        moved=(now,) * (len(seats) + 1),
    )
    begun = replace(nothing, status=beginning(game, table, seats))
    actors_now = actors(game, table, begun)
    session = replace(begun, opened=openings(nothing, (), begun, actors_now, None, now))
    coming = turns(game, table, session)
    begins = SessionStarted() if session.status == RUNNING else SessionSetUp()
    line = LogEntry(
        at=now,
        heard=[(EVERYONE, msgspec.Raw(msgspec.json.encode(begins)))],
        versions=list(session.versions),
        seats=redacted(session.seats),
        outcomes=outcomes,
        record=msgspec.Raw(record) if wanted.origin else NOTHING,
    )
    due = coming[0].due if coming else None
    founding = SessionCreation(
        session=session, log_entry=line, due=due, notifications=notifications(session, actors_now)
    )
    return _Draft(founding, secrets, any(turn.by is By.BOT for turn in coming))


def _table(wanted: SessionRequest, key: str) -> tuple[Table, list[Outcome]]:
    """Return the table that a session begins with, and what chance answered where it was set up."""
    game = wanted.game
    if wanted.origin is not None:
        return game.from_view(wanted.origin.view, branch_dice(key)), []
    dice = RecordingDice(set_up_dice(key))
    table = game.new(len(wanted.seats), wanted.options, dice)
    return table, game.name_outcomes(dice.outcomes)


def _found(services: SessionServices, wanted: SessionRequest, name: str, fingerprint: str) -> Created:
    """Return a session that the operation has made before; raise OperationReused where it made something else."""
    session = find(services, name)
    secrets = None if session is None else _Secrets.of(session.charter.salt, fingerprint, wanted.seats)
    if session is None or secrets is None or hashed(secrets.owner) != session.charter.owner:
        raise OperationReused
    then = state_at(services, game_of(services, session), session, 1)
    return secrets.with_session(session if then is None else then.session, repeated=True)


def _names(operation: str, number: int) -> list[str]:
    """Return the names of all that an operation makes, in the bucket of the first."""
    first, *more = [
        hashlib.sha256(f"session/name/{operation}{f'/{place}' if place else ''}".encode()).hexdigest()
        for place in range(number)
    ]
    return [first[:ID_CHARACTERS], *(first[0] + name[1:ID_CHARACTERS] for name in more)]


def _fingerprint(wanted: Sequence[SessionRequest]) -> str:
    """Return what tells all that is wanted from all else that may be."""
    marks = [each.fingerprint for each in wanted]
    return marks[0] if len(marks) == 1 else hashlib.sha256("/".join(marks).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class _Secrets:
    """The secrets of a session in clear."""

    owner: str
    tokens: dict[int, str]
    invites: dict[int, str]

    @classmethod
    def of(cls, salt: str, fingerprint: str, seats: Sequence[Seat]) -> Self:
        """Make the secrets of what an operation founds."""
        source = founding(salt, fingerprint)
        return cls(
            new_token(source),
            {number: new_token(source) for number, seat in enumerate(seats) if seat.kind == PERSON},
            {number: new_invite(source) for number, seat in enumerate(seats) if seat.kind == OPEN},
        )

    def kept(self, number: int, seat: Seat, key: str | None) -> Seat:
        """Return a seat with the hashes of its secrets, and the key that gets its token."""
        token, invite = self.tokens.get(number), self.invites.get(number)
        hashes = {"token": token and hashed(token), "invite": invite and hashed(invite)}
        return msgspec.structs.replace(seat, **hashes, key=key if token else None)

    def with_session(self, session: Session, *, repeated: bool) -> Created:
        """Return a session with its secrets."""
        return Created(session, self.owner, self.tokens, self.invites, repeated)
