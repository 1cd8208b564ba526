"""Creates sessions, one at a time or many in one step."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, Self

import msgspec

from games.core.dice import RecordingDice, SeededDice
from games.core.game import Draw, Game, Options, View
from games.core.table import Table
from service.jobs.cost import bot_cost
from service.sessions.chance import branch_dice, creation_secrets, practice_key, session_key, set_up_dice
from service.sessions.change import PlannedChange, with_turns
from service.sessions.clocks import first_clocks, openings
from service.sessions.errors import OperationReused
from service.sessions.reading import find, game_of
from service.sessions.services import SessionServices
from service.sessions.session_events import SessionSetUp, SessionStarted, encode_heard, to_all
from service.sessions.states import initial_status, state_at
from service.sessions.tokens import hashed, new_invite, new_token
from service.sessions.turns import actors
from service.store.agreements import NO_PAUSES, Absence, Pauses
from service.store.devices import SeatDevices
from service.store.sessions import (
    NOTHING,
    OPEN,
    PERSON,
    RUNNING,
    UNDO_OFF,
    WAITING,
    Charter,
    Clock,
    LogEntry,
    Seat,
    Session,
    redacted,
)
from service.validation.names import distinct_names

ID_CHARACTERS = 32
KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class Created:
    """A session and its secrets in plain text. `repeated` is true if an earlier call created the session.

    The secrets are the tokens of the owner and the persons, and the invite codes.
    """

    session: Session
    owner_token: str
    seat_tokens: dict[int, str]
    invites: dict[int, str]
    repeated: bool


@dataclass(frozen=True, slots=True)
class Origin:
    """The view on which a branch is based, and the version of this view.

    A branch is a practice session. Its first table is a random table that matches `view`. `origin_key` is a text that
    identifies the view and its version. The hash `SessionRequest.fingerprint` includes this text.
    """

    view: View
    version: int
    origin_key: str


@dataclass(frozen=True, slots=True)
class Start:
    """The table from which a session continues. The table comes from a snapshot.

    `kind` is "sealed" if the snapshot was encrypted. Otherwise, it is "open". `origin_key` is a text that identifies
    the table. The hash `SessionRequest.fingerprint` includes this text.
    """

    table: Table
    kind: str
    origin_key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRequest:
    """The settings of a new session.

    - `seats` contains the seats without secrets.
    - `origin` is set if the session is a branch. The first table of a branch is a random table that matches a view.
    - `start` is set if the session continues from the table of a snapshot.
    - `key` is the id of the API key to which the new tokens belong.
    - `account` is the account that pays for bots that replace persons.
    - `devices` contains the devices of the seats, if the session is a rematch.
    """

    game: Game
    seats: Sequence[Seat]
    options: Options
    # A session with a `seed`, an `origin` or a `start` is for practice, because it cannot be proven fair.
    seed: str | None
    spectators: str
    clock: Clock | None
    origin: Origin | None = None
    start: Start | None = None
    key: str | None = None
    bot_ms: int | None = None
    account: str = ""
    undo: str = UNDO_OFF
    listed: bool = False
    language: str | None = None
    pauses: Pauses = NO_PAUSES
    absence: Absence | None = None
    devices: Sequence[SeatDevices] = ()

    @property
    def practice(self) -> bool:
        """True for a practice session. It cannot be proven fair, because the caller chose its seed or its table."""
        return self.seed is not None or self.origin is not None or self.start is not None

    @property
    def bot_costs(self) -> dict[int, int]:
        """A dict from the seat of each bot to the bot's maximum number of playouts."""
        seats = enumerate(self.seats)
        return {number: bot_cost(self.game, seat.level) for number, seat in seats if seat.level is not None}

    @property
    def fingerprint(self) -> str:
        """A hash of all settings. Equal requests have equal fingerprints."""
        parts: tuple[object, ...] = (
            self.game.slug,
            self.seats,
            self.options,
            self.seed,
            self.spectators,
            self.clock,
            *(() if self.bot_ms is None else ({"bot_ms": self.bot_ms},)),
            *(() if self.undo == UNDO_OFF else ({"undo": self.undo},)),
            *(({"listed": True},) if self.listed else ()),
            *(() if self.language is None else ({"language": self.language},)),
            *(() if self.pauses == NO_PAUSES else ({"pauses": self.pauses},)),
            *(() if self.absence is None else ({"absence": self.absence},)),
        )
        beginnings = [each.origin_key for each in (self.origin, self.start) if each is not None]
        return hashlib.sha256(msgspec.json.encode((*parts, *beginnings))).hexdigest()


class Charged(Protocol):
    """A completed charge for new sessions."""

    def give_back(self, *, founded: bool = False) -> None:
        """Refund the costs of this charge to the caller's quotas. Call this method if this request created no sessions.

        `founded` must be true if an earlier request created the sessions of this charge. The sessions then still count
        towards the limits on unfinished and stored sessions.
        """


class Uncharged:
    """The charge of a caller who pays nothing."""

    def give_back(self, *, founded: bool = False) -> None:
        """Do nothing."""


ChargeSessions = Callable[[Mapping[str, Mapping[int, int]]], Charged]
"""A function that charges the caller for new sessions. Its argument maps session ids to bots' playouts by seat."""


def create(
    services: SessionServices,
    wanted: SessionRequest,
    operation: str,
    charge: ChargeSessions = lambda _costs: Uncharged(),
) -> Created:
    """Create a session. If an earlier call with the same `operation` created a session, return the existing session.

    Raise OperationReused if the earlier call had different settings.
    """
    return create_all(services, [wanted], operation, charge)[0]


def create_all(
    services: SessionServices,
    wanted: Sequence[SessionRequest],
    operation: str,
    charge: ChargeSessions = lambda _costs: Uncharged(),
) -> list[Created]:
    """Create all sessions in one step, or none of them.

    If an earlier call with the same `operation` created the sessions, return the existing sessions. Raise
    OperationReused if the earlier call had different settings.

    Before the creation, call `charge` to charge the caller for the sessions. If no session is created afterwards,
    refund the charge.
    """
    ids = _session_ids(operation, len(wanted))
    charged = charge({session_id: each.bot_costs for each, session_id in zip(wanted, ids, strict=True)})
    try:
        made = _create_all(services, wanted, operation, ids)
    except BaseException:
        charged.give_back()
        raise
    if made[0].repeated:
        charged.give_back(founded=True)
    return made


def _create_all(
    services: SessionServices, wanted: Sequence[SessionRequest], operation: str, ids: Sequence[str]
) -> list[Created]:
    fingerprint = f"{operation}/{_fingerprint(wanted)}"
    drafts = [_plan(services, each, session_id, fingerprint) for each, session_id in zip(wanted, ids, strict=True)]
    if not services.store.create([planned.change for planned, _ in drafts]):
        return [_repeat(services, each, session_id, fingerprint) for each, session_id in zip(wanted, ids, strict=True)]
    for planned, _ in drafts:
        if planned.bot_to_move:
            services.enqueue_bot_turn(planned.change.after.id, planned.change.after.revision)
    return [secrets.with_session(planned.change.after, repeated=False) for planned, secrets in drafts]


def _plan(
    services: SessionServices, wanted: SessionRequest, session_id: str, fingerprint: str
) -> tuple[PlannedChange, _Secrets]:
    seed = wanted.seed
    key = (session_key(services.entropy(KEY_BYTES), session_id) if seed is None else practice_key(seed)).hex()
    salt = services.entropy(KEY_BYTES).hex()
    secrets = _Secrets.of(salt, fingerprint, wanted.seats)
    seats = [secrets.hashed_in(number, seat, wanted.key) for number, seat in enumerate(wanted.seats)]
    return plan_session(services, replace(wanted, seats=seats), session_id, (key, salt, hashed(secrets.owner))), secrets


def plan_session(
    services: SessionServices, wanted: SessionRequest, session_id: str, secrets: tuple[str, str, str]
) -> PlannedChange:
    """Set up a table, and return the change that creates its session.

    `secrets` contains the key of random draws, the salt, and the hash of the owner's token.
    """
    game, now = wanted.game, services.now()
    names = distinct_names(tuple(seat.name for seat in wanted.seats))
    seats = [msgspec.structs.replace(seat, name=name) for seat, name in zip(wanted.seats, names, strict=True)]
    table, outcomes = _table(wanted, secrets[0])
    record = b"" if table is None else msgspec.json.encode(game.write(table))
    empty = Session(
        id=session_id,
        charter=_charter(wanted, secrets, now),
        revision=1,
        status=WAITING,
        versions=(1,) * (len(seats) + 1),
        opened=(0,) * len(seats),
        seats=tuple(seats),
        standing=((),) * len(seats),
        record=record,
        moved=(now,) * (len(seats) + 1),
        push=("",) * len(seats),
        devices=tuple(wanted.devices),
    )
    timed = first_clocks(msgspec.structs.replace(empty, status=initial_status(game, table, seats)))
    actors_now = actors(game, table, timed)
    session = msgspec.structs.replace(timed, opened=openings(empty, (), timed, actors_now, None, now))
    event = SessionStarted() if session.status == RUNNING else SessionSetUp()
    begun = [] if table is None else game.opening(table)
    entry = LogEntry(
        at=now,
        heard=encode_heard([to_all(event), *begun]),
        versions=list(session.versions),
        seats=redacted(session.seats),
        dealt=False if table is None else None,
        outcomes=outcomes,
        record=msgspec.Raw(record) if wanted.origin or wanted.start else NOTHING,
    )
    return with_turns(game, table, session, entry, actors_now)


def _charter(wanted: SessionRequest, secrets: tuple[str, str, str], began: int) -> Charter:
    key, salt, owner = secrets
    return Charter(
        game=wanted.game.slug,
        ruleset=wanted.game.ruleset,
        practice=wanted.practice,
        key=key,
        salt=salt,
        began=began,
        spectators=wanted.spectators,
        owner=owner,
        options=msgspec.to_builtins(wanted.options),
        clock=wanted.clock,
        branched_at=wanted.origin.version if wanted.origin else None,
        from_snapshot=wanted.start.kind if wanted.start else None,
        bot_ms=wanted.bot_ms,
        account=wanted.account,
        founder=wanted.key,
        undo=wanted.undo,
        listed=wanted.listed,
        language=wanted.language,
        pauses=wanted.pauses,
        absence=wanted.absence,
    )


def _table(wanted: SessionRequest, key: str) -> tuple[Table | None, list[Draw]]:
    """Return the first table of a session, and the outcomes of the table's random draws.

    The first of these cases that applies determines the result:

    * `wanted` has an `origin` or a `start`. This field determines the table, and the list of outcomes is empty.
    * A seat is still open. Return None and an empty list, because nobody may see cards before all persons have joined.
    * Otherwise, set up a new table.
    """
    game = wanted.game
    if wanted.origin is not None:
        return game.from_view(wanted.origin.view, branch_dice(key)), []
    if wanted.start is not None:
        return wanted.start.table, []
    if any(seat.kind == OPEN for seat in wanted.seats):
        return None, []
    return deal(game, len(wanted.seats), wanted.options, set_up_dice(key))


def deal(game: Game, seats: int, options: Options, dice: SeededDice) -> tuple[Table, list[Draw]]:
    """Set up a table. Return the table and the outcomes of its random draws."""
    recording = RecordingDice(dice)
    table = game.new(seats, options, recording)
    return table, game.name_outcomes(recording.outcomes)


def _repeat(services: SessionServices, wanted: SessionRequest, session_id: str, fingerprint: str) -> Created:
    session = find(services, session_id)
    secrets = None if session is None else _Secrets.of(session.charter.salt, fingerprint, wanted.seats)
    if session is None or secrets is None or hashed(secrets.owner) != session.charter.owner:
        raise OperationReused
    then = state_at(services, game_of(services, session), session, 1)
    return secrets.with_session(session if then is None else then.session, repeated=True)


def _session_ids(operation: str, number: int) -> list[str]:
    first, *more = [
        hashlib.sha256(f"session/name/{operation}{f'/{place}' if place else ''}".encode()).hexdigest()
        for place in range(number)
    ]
    return [first[:ID_CHARACTERS], *(first[0] + other[1:ID_CHARACTERS] for other in more)]


def _fingerprint(wanted: Sequence[SessionRequest]) -> str:
    fingerprints = [each.fingerprint for each in wanted]
    return fingerprints[0] if len(fingerprints) == 1 else hashlib.sha256("/".join(fingerprints).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class _Secrets:
    owner: str
    tokens: dict[int, str]
    invites: dict[int, str]

    @classmethod
    def of(cls, salt: str, fingerprint: str, seats: Sequence[Seat]) -> Self:
        source = creation_secrets(salt, fingerprint)
        return cls(
            new_token(source),
            {number: new_token(source) for number, seat in enumerate(seats) if seat.kind == PERSON},
            {number: new_invite(source) for number, seat in enumerate(seats) if seat.kind == OPEN},
        )

    def hashed_in(self, number: int, seat: Seat, key: str | None) -> Seat:
        token, invite = self.tokens.get(number), self.invites.get(number)
        hashes = {"token": token and hashed(token), "invite": invite and hashed(invite)}
        return msgspec.structs.replace(seat, **hashes, key=key if token else None)

    def with_session(self, session: Session, *, repeated: bool) -> Created:
        return Created(session, self.owner, self.tokens, self.invites, repeated)
