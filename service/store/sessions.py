"""Sessions as stored in Redis; `service.store.session_store` loads and writes them.

A session is a hash and a log. The revision counts every change and is never shown. Each audience (a seat, or the
spectators) has its own version, which increases only when the audience learns something. The log has one entry per
revision, with the versions that increased. So the log contains each audience's stream of events without gaps.

A session with an automatic action, such as a bot's move or a deadline, is in the due set of its bucket
(`service.store.due`). The same script writes both, so no action is lost.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

import msgspec

from games.core.game import Draw, Entry
from games.core.table import SPECTATOR
from service.store.agreements import DAY_MINUTES, NO_PAUSES, Absence, Agreements, Hours, Pauses
from service.store.clock import Calendar
from service.store.devices import NO_DEVICES, SeatDevices

MARK_CHARACTERS: Final = 12

MAX_OPERATIONS: Final = 32
"""Number of operations with results that are remembered per seat."""

COARSE_MS: Final = 100
"""Granularity of displayed times of a session, so that they reveal no thinking times."""

WAITING: Final = "waiting"
RUNNING: Final = "running"
FINISHED: Final = "finished"
FORFEITED: Final = "forfeited"
ABORTED: Final = "aborted"

OVER: Final = frozenset({FINISHED, FORFEITED, ABORTED})
"""Statuses in which a session no longer changes."""

STATUSES: Final = OVER | {WAITING, RUNNING}

PERSON: Final = "human"
BOT: Final = "bot"
OPEN: Final = "open"

BOT_POLICY: Final = "bot"
RANDOM_POLICY: Final = "random"
FORFEIT_POLICY: Final = "forfeit"
POLICIES: Final = (BOT_POLICY, RANDOM_POLICY, FORFEIT_POLICY)

UNDO_OFF: Final = "off"
UNDO_BY_CONSENT: Final = "consent"
"""Settings of undo at a session."""

NOTHING: Final = msgspec.Raw()


class Seat(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The occupant of a seat: a person, a bot, or nobody yet.

    `level` is the level of the bot that plays, either as the occupant or in place of a person. `token` and `invite` are
    hashes of secrets. `key` is the id of the API key that got the token. `client_seed` is the SHA-256 of the claimer's
    client seed. `out` is true if the seat resigned or timed out for good. `assigned` counts the seat's assignments.
    """

    kind: str
    name: str | None = None
    level: str | None = None
    token: str | None = None
    invite: str | None = None
    key: str | None = None
    client_seed: str | None = None
    out: bool = False
    assigned: int = 0


class Clock(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A clock: the time per decision of a person, in milliseconds, and the policy after a timeout.

    Time beyond `move_ms` is deducted from the seat's bank. A bank starts at `bank_ms` and gains `increment_ms` for each
    decision of a person. The clock rests outside `hours`, if they are set. Latency is compensated by at most
    `latency_ms` per decision and `total_latency_ms` per seat.
    """

    move_ms: int
    policy: str
    level: str | None = None
    bank_ms: int = 0
    increment_ms: int = 0
    hours: Hours | None = None
    latency_ms: int = 0
    total_latency_ms: int = 0

    @property
    def longest_ms(self) -> int:
        """The longest time of a first decision, including the time outside the hours."""
        given = self.move_ms + self.bank_ms
        return given if self.hours is None else (given * DAY_MINUTES) // self.hours.open_minutes + DAY_MINUTES * 60_000

    @property
    def has_banks(self) -> bool:
        return bool(self.bank_ms or self.increment_ms)


class Charter(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The unchanging settings of a session. `key` determines all chance. `began` is in milliseconds since 1970.

    `salt` and the creating operation determine the session's secrets. The options and the record are of the `ruleset`.
    `first_ruleset` is set if the session was created with an earlier ruleset. `from_snapshot` is the kind of snapshot
    that the table came from, open or sealed. `branched_at` is set for a branch: the owner's version of the original
    session. `bot_ms` is the owner's minimum delay of bots' moves, if set. `account` is charged for bots that replace
    persons (`service.auth.session_ledger`). `founder` is the id of the owner's API key, if any. With `listed`, anybody
    can find and claim the open seats. `language` is the language spoken at the table. `absence` are the terms on which
    the others continue without a seat.
    """

    game: str
    ruleset: str
    practice: bool
    key: str
    salt: str
    began: int
    spectators: str
    owner: str
    options: dict[str, object]
    clock: Clock | None = None
    first_ruleset: str | None = None
    branched_at: int | None = None
    from_snapshot: str | None = None
    bot_ms: int | None = None
    account: str = ""
    founder: str | None = None
    undo: str = UNDO_OFF
    listed: bool = False
    language: str | None = None
    pauses: Pauses = NO_PAUSES
    absence: Absence | None = None


class UndoRequest(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A seat's request to return to the table at the revision `back_to`, before its last decision.

    `awaited` are the seats whose consent is missing; when there are none, the undo is done. The request is pending
    while the spectators have this `version`, so any public change ends it. `denied` is true if a seat has refused the
    request or withdrawn it. `count` is the number of earlier undos.
    """

    seat: int
    back_to: int
    awaited: tuple[int, ...]
    version: int
    denied: bool = False
    count: int = 0

    @property
    def done(self) -> bool:
        return not (self.awaited or self.denied)


class Clocks(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The clocks of all seats: the fields of a session that an undo restores together with the table."""

    opened: tuple[int, ...]
    banks: tuple[int, ...] = ()
    answered: tuple[int, ...] = ()
    decided: tuple[int, ...] = ()
    late: tuple[int, ...] = ()


class LogEntry(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """An entry of the log: its time, its versions, and its events with their audiences.

    `versions` are the new versions of the audiences, 0 if a version did not change. In `heard`, each event is JSON and
    its audiences are a bit set as in `games.core.game.Heard`. `ruleset` is set if it differs from the ruleset at
    creation. `status` is set if it changed other than by a move. `seats`, without secrets, is set if they changed.

    The log alone determines the state of a session (`service.sessions.states`), so an entry contains all its effects.
    The first entry contains the seats, and the `outcomes` of the set-up or the `record` of a table dealt from a view.
    If its `dealt` is false, a later entry with a true `dealt` contains the outcomes.

    `undo` is set for an undo request and for a reply to one. For a completed undo, `record` is the restored table and
    `clocks` are the restored clocks. Without `clocks`, as in logs of earlier services, an undo reopened all decisions.
    Other entries contain `clocks` if these do not follow from the log. `rematch` is the id of the rematch session.
    `agreements` is set if pauses, vacations or votes changed.
    """

    at: int
    versions: list[int]
    ruleset: str | None = None
    status: str | None = None
    seats: list[Seat] | None = None
    entry: Entry | None = None
    dealt: bool | None = None
    outcomes: list[Draw] = []
    record: msgspec.Raw = NOTHING
    heard: list[tuple[int, msgspec.Raw]] = []
    undo: UndoRequest | None = None
    rematch: str | None = None
    clocks: Clocks | None = None
    agreements: Agreements | None = None

    @property
    def back_to(self) -> int | None:
        """Return the revision of the restored table after an undo, or None."""
        return self.undo.back_to if self.undo is not None and self.undo.done else None


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """A loaded session. Tuples have one entry per seat; `versions` and `moved` have a last one for the spectators.

    `moved` is the time of each audience's current version, 0 if unknown. `kept` is true if all audiences know of a move
    that extends the session's lifetime (`is_lasting_move`). `standing` are the standing answers.

    `opened` is the time at which each seat's current or last decision opened. It stays when the seat has answered, so
    that a deadline reveals nothing. It is 0 before the first decision and after the end.

    `banks` is each time bank in milliseconds when the decision opened. `answered` is the time of the answer since then:
    0 without an answer, negative if the decision is no longer needed. Both are empty if the clock has no banks.

    `decided` is the revision of each seat's last valid decision: 0 without a decision, negative if its undo was
    refused. It is empty without undo, and in sessions of earlier services. `late` is the compensated latency in
    milliseconds, or empty.

    `push` are the names of the push subscriptions, "" without one; other fields contain the subscriptions. `devices` is
    empty until a seat has added a device. `held` is not stored: the hash of the token by which the caller holds a seat,
    None for the seat's own token.

    `undo` is the last undo request, and `undone` is the number of undone moves. `record` is the game's record as JSON,
    empty until the deal. All times are the service's; `calendar` converts them to displayed times
    (`service.store.clock`).
    """

    id: str
    charter: Charter
    revision: int
    status: str
    versions: tuple[int, ...]
    opened: tuple[int, ...]
    seats: tuple[Seat, ...]
    standing: tuple[tuple[str, ...], ...]
    record: bytes
    moved: tuple[int, ...]
    push: tuple[str, ...]
    kept: bool = False
    banks: tuple[int, ...] = ()
    answered: tuple[int, ...] = ()
    decided: tuple[int, ...] = ()
    late: tuple[int, ...] = ()
    agreements: Agreements = Agreements()
    undo: UndoRequest | None = None
    undone: int = 0
    rematch: str | None = None
    devices: tuple[SeatDevices, ...] = ()
    held: str | None = None
    calendar: Calendar = Calendar()

    @property
    def over(self) -> bool:
        return self.status in OVER

    @property
    def joinable(self) -> bool:
        """Return whether anybody may claim a seat, which requires a listed session with open seats."""
        return self.charter.listed and self.status == WAITING

    @property
    def dealt(self) -> bool:
        """Return whether there is a table."""
        return bool(self.record)

    @property
    def clocks(self) -> Clocks:
        """The clocks of all seats."""
        return Clocks(
            opened=self.opened, banks=self.banks, answered=self.answered, decided=self.decided, late=self.late
        )

    @property
    def pending_undo(self) -> UndoRequest | None:
        """Return the undo request that is waiting for consent, or None."""
        request = self.undo
        if (
            request is None
            or request.denied
            or request.done
            or self.status != RUNNING
            or request.version != self.versions[-1]
        ):
            return None
        return request

    def devices_of(self, seat: int) -> SeatDevices:
        """Return the devices of a seat; none after its own token was replaced."""
        token, row = self.seats[seat].token, self.devices[seat] if self.devices else NO_DEVICES
        return row if row.parent == token else SeatDevices(parent=token or "")

    def tokens_of(self, seat: int) -> list[str]:
        """Return the hashes of all valid tokens of a seat, beginning with the seat's own."""
        row, own = self.devices_of(seat), self.seats[seat].token
        return [*([own] if own and row.own else []), *(device.token for device in row.devices)]

    def token_of(self, viewer: int) -> str | None:
        """Return the hash of the token by which the caller holds a seat; None for SPECTATOR."""
        if viewer == SPECTATOR:
            return None
        return self.held if self.held in self.tokens_of(viewer) else self.seats[viewer].token

    @property
    def client_seeds(self) -> list[tuple[int, str]]:
        """Return each seat that has a client seed, with the hash of that seed."""
        return [(number, seat.client_seed) for number, seat in enumerate(self.seats) if seat.client_seed is not None]

    def mark(self, viewer: int) -> str:
        """Return the mark of a viewer's current version, as `mark_at` does; "" if its time is unknown."""
        return self.mark_at(viewer, self.moved[viewer]) if self.moved[viewer] else ""

    def mark_at(self, viewer: int, at: int) -> str:
        """Return the mark of a viewer's version: a text by which a client proves that it received the version.

        `at` is the time of the version, which the mark does not reveal. Other audiences cannot compute the mark.
        """
        secret = bytes.fromhex(self.charter.salt)
        told = hmac.new(
            secret, f"session/mark/{viewer}/{at}".encode(), "sha256"
        )  # which lets no other thread run meanwhile
        return told.hexdigest()[:MARK_CHARACTERS]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionChange:
    """A session to write, its log entry, and the due time of its next automatic action, if any.

    `notifications` are entries for the due set (`service.sessions.turns.notifications`).
    """

    after: Session
    log_entry: LogEntry
    due: int | None
    notifications: Sequence[str] = ()


class Written(Enum):
    """The outcome of a write: written, done before, overtaken by another change, or session gone."""

    WRITTEN = "written"
    DONE = "done"
    MOVED = "moved"
    GONE = "gone"


Outcome = tuple[Written, int]
"""The outcome of a write, and the session's revision."""


class SessionWrite(NamedTuple):
    """A change to write: the loaded session, the change, the seat and the operation."""

    session: Session
    change: SessionChange
    seat: int
    operation: str


def kept_push(before: Session, after: Session) -> tuple[str, ...]:
    """Return the names of the push subscriptions that remain after a change.

    None remain after the end. At a seat with a new token, the subscription is removed.
    """
    if not any(before.push):
        return before.push
    rows = zip(before.push, before.seats, after.seats, strict=True)
    return tuple("" if after.over or old.token != new.token else name for name, old, new in rows)


def is_lasting_move(session: Session, entry: LogEntry) -> bool:
    """Return whether a log entry extends a session's lifetime: a person's move, or any move if only bots play."""
    if entry.entry is None:
        return False
    return session.seats[entry.entry.seat].level is None or all(seat.kind == BOT for seat in session.seats)


def is_known_to_last(session: Session, entry: LogEntry) -> bool:
    """Return whether all audiences learn that a log entry extends the session's lifetime."""
    return bool(entry.versions[-1]) and is_lasting_move(session, entry)


def coarse(at: int) -> int:
    """Return a time in milliseconds as displayed, rounded down to a multiple of COARSE_MS."""
    return at - at % COARSE_MS


def redacted(seats: Sequence[Seat]) -> list[Seat]:
    """Return seats without their secrets."""
    return [msgspec.structs.replace(seat, token=None, invite=None, key=None) for seat in seats]
