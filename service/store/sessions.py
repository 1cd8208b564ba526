"""Sessions as Redis stores them. A session has a log with one entry for each revision.

A viewer is a seat, or all spectators together. Each viewer has a version number. A log entry increases this number
by 1 if the viewer learns something from the entry. Otherwise, the number does not change. So the version numbers in an
event stream have no gaps.
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
"""Number of latest operations that are stored per seat, each with its result."""

COARSE_MS: Final = 100
"""Displayed times of a session are multiples of this time, so that they reveal no thinking times."""

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
"""Values of the setting `undo`: nobody can undo a decision, or a person can if all other persons consent."""

NOTHING: Final = msgspec.Raw()


class Seat(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The player of a seat: a person, a bot, or nobody if the seat is open."""

    kind: str
    name: str | None = None
    level: str | None = None  # level of the bot, even if the bot plays in place of a person
    token: str | None = None  # hash of the seat's token
    invite: str | None = None  # hash of the invite code
    key: str | None = None  # id of the token's API key
    client_seed: str | None = None  # SHA-256 of the claimer's client seed
    out: bool = False  # whether the seat has lost by resignation or timeout
    assigned: int = 0  # number of assignments of the seat


class Clock(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The time limit for a person's decision, in milliseconds, and the effect of a timeout."""

    move_ms: int  # more time is deducted from the seat's time bank
    policy: str  # the effect of a timeout
    level: str | None = None
    bank_ms: int = 0  # time bank at the start
    increment_ms: int = 0  # added to the time bank for each decision of a person
    hours: Hours | None = None  # hours in which the clock runs, by default all
    latency_ms: int = 0  # maximum compensation of latency per decision
    total_latency_ms: int = 0  # maximum compensation per seat

    @property
    def longest_ms(self) -> int:
        """The maximum duration of a seat's first decision in milliseconds.

        The duration includes the hours of the day in which the clock is stopped.
        """
        given = self.move_ms + self.bank_ms
        return given if self.hours is None else (given * DAY_MINUTES) // self.hours.open_minutes + DAY_MINUTES * 60_000

    @property
    def has_banks(self) -> bool:
        return bool(self.bank_ms or self.increment_ms)


class Charter(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The fixed settings of a session."""

    game: str
    ruleset: str
    practice: bool
    key: str  # the key of all random draws
    salt: str  # determines the secrets, together with the operation that created the session
    began: int  # creation time in milliseconds since 1970
    spectators: str
    owner: str  # hash of the owner's token
    options: dict[str, object]
    clock: Clock | None = None
    first_ruleset: str | None = None  # ruleset at the creation, if `ruleset` is a later one
    branched_at: int | None = None  # for a branch, the version of the view from which its table was dealt
    from_snapshot: str | None = None  # kind of the snapshot with the first table: open or sealed
    bot_ms: int | None = None  # minimum delay of bots' moves, if the owner has set one
    account: str = ""  # pays for bots that replace persons (`service.auth.session_ledger`)
    founder: str | None = None  # id of the owner's API key, if any
    undo: str = UNDO_OFF
    listed: bool = False  # whether anybody can find and claim the open seats
    language: str | None = None  # language spoken at the table
    pauses: Pauses = NO_PAUSES
    absence: Absence | None = None  # rules for a seat that does not decide


class UndoRequest(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A seat's request to undo its last decision.

    `awaited` contains the seats that have not yet consented. When `awaited` is empty, the decision is undone. If a seat
    refuses or withdraws the request before that, `denied` is true, and the decision is not undone.
    """

    seat: int
    back_to: int  # revision before the decision
    awaited: tuple[int, ...]  # seats that have not yet consented
    version: int  # the spectators' version of the request; a new version ends the request
    denied: bool = False  # whether a seat has refused or withdrawn the request
    count: int = 0  # number of earlier undos in the session

    @property
    def done(self) -> bool:
        return not (self.awaited or self.denied)


class Clocks(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The clocks and the last decisions of all seats. An undo restores these fields together with the table."""

    opened: tuple[int, ...]
    banks: tuple[int, ...] = ()
    answered: tuple[int, ...] = ()
    decided: tuple[int, ...] = ()
    late: tuple[int, ...] = ()


class LogEntry(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """An entry of a session's log. The log alone determines the state of the session (`service.sessions.states`)."""

    at: int
    versions: list[int]  # new versions of the seats and the spectators, 0 for an unchanged one
    ruleset: str | None = None  # set if it differs from the ruleset at the creation of the session
    status: str | None = None  # set if it changed other than by a move
    seats: list[Seat] | None = None  # without secrets; set in the first entry, and if they changed
    entry: Entry | None = None
    # Set if the table was set up after the creation: False in the first entry, True in the entry of the set-up.
    dealt: bool | None = None
    outcomes: list[Draw] = []  # random outcomes of the set-up
    record: msgspec.Raw = NOTHING  # the table; set for a deal from a view and for an undo
    heard: list[tuple[int, msgspec.Raw]] = []  # events as JSON, with their recipients (`games.core.game.Heard`)
    undo: UndoRequest | None = None  # set for an undo request and for a reply to one
    rematch: str | None = None  # id of the rematch session
    clocks: Clocks | None = None  # if the log does not determine them; without it, an undo opens all decisions again
    agreements: Agreements | None = None  # set if pauses, vacations or votes changed

    @property
    def back_to(self) -> int | None:
        """The revision of the table that an undo restored. It is None if the entry is not an undo."""
        return self.undo.back_to if self.undo is not None and self.undo.done else None


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """A loaded session. All times are service times (`StoreClock`) in milliseconds.

    Tuples have one entry for each seat. `versions` and `moved` have an additional entry for the spectators.
    """

    id: str
    charter: Charter
    revision: int
    status: str
    versions: tuple[int, ...]
    # Time at which each seat's current or last decision opened, 0 before the first one and after the end. An answer
    # leaves the time unchanged, so that a deadline reveals nothing.
    opened: tuple[int, ...]
    seats: tuple[Seat, ...]
    standing: tuple[tuple[str, ...], ...]  # answers that each seat has given in advance
    record: bytes  # the table as JSON, empty until the deal
    moved: tuple[int, ...]  # times at which the viewers got their current versions, 0 if unknown
    push: tuple[str, ...]  # names of push subscriptions or "", stored in other Redis fields
    kept: bool = False  # whether all viewers know of a move that extends the lifetime (`is_lasting_move`)
    banks: tuple[int, ...] = ()  # time banks when the decisions opened, empty without time banks
    answered: tuple[int, ...] = ()  # times of the answers, 0 without one, negative if no longer needed
    # Revision of each seat's last decision that was not undone, 0 without one, negative if its undo was refused. The
    # tuple is empty without undo, and in sessions of earlier releases.
    decided: tuple[int, ...] = ()
    late: tuple[int, ...] = ()  # compensated latency of each seat, or empty
    agreements: Agreements = Agreements()
    undo: UndoRequest | None = None
    undone: int = 0
    rematch: str | None = None
    devices: tuple[SeatDevices, ...] = ()  # additional devices, empty until a seat has added one
    held: str | None = None  # hash of the caller's token, None for the seat's own token; not stored
    calendar: Calendar = Calendar()  # converts to displayed times

    @property
    def over(self) -> bool:
        return self.status in OVER

    @property
    def joinable(self) -> bool:
        """Return whether anybody may claim a seat. The session must be publicly listed and have an open seat."""
        return self.charter.listed and self.status == WAITING

    @property
    def dealt(self) -> bool:
        """Return whether the game of the session has been dealt. Before that, a session waits for players."""
        return bool(self.record)

    @property
    def clocks(self) -> Clocks:
        """The clocks of all seats."""
        return Clocks(
            opened=self.opened, banks=self.banks, answered=self.answered, decided=self.decided, late=self.late
        )

    @property
    def pending_undo(self) -> UndoRequest | None:
        """The undo request that still needs consent. It is None if there is no such request."""
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
        """Return the additional devices of a seat. If the seat's own token was replaced, there are none."""
        token, row = self.seats[seat].token, self.devices[seat] if self.devices else NO_DEVICES
        return row if row.parent == token else SeatDevices(parent=token or "")

    def tokens_of(self, seat: int) -> list[str]:
        """Return the hashes of all valid tokens of a seat.

        `Seat.token` is the hash of the seat's own token. Each additional device of the seat has another token. If the
        seat's own token is valid, its hash is the first in the list.
        """
        row, own = self.devices_of(seat), self.seats[seat].token
        return [*([own] if own and row.own else []), *(device.token for device in row.devices)]

    def token_of(self, viewer: int) -> str | None:
        """Return the hash of a token of the seat `viewer`: the request's token, if it is the seat's, or the seat's own.

        Return None if `viewer` is SPECTATOR.
        """
        if viewer == SPECTATOR:
            return None
        return self.held if self.held in self.tokens_of(viewer) else self.seats[viewer].token

    @property
    def client_seeds(self) -> list[tuple[int, str]]:
        """The seats with a client seed, each with the hash of its seed."""
        return [(number, seat.client_seed) for number, seat in enumerate(self.seats) if seat.client_seed is not None]

    def mark(self, viewer: int) -> str:
        """Return the mark for the current version number of a viewer. `mark_at` explains marks.

        `viewer` is a seat or SPECTATOR. The mark depends on the time at which the viewer reached this version number.
        If the service does not know this time, return "".
        """
        return self.mark_at(viewer, self.moved[viewer]) if self.moved[viewer] else ""

    def mark_at(self, viewer: int, at: int) -> str:
        """Return a mark that proves which version of the session a client has received.

        `viewer` is a seat or SPECTATOR. Each viewer has its own version number of the session. The number increases
        when something changes for the viewer. `at` is the time of such a change. The mark is a short text that only the
        service can compute. It does not reveal `at`. The service sends the new version number and the mark to a client.
        Later, the client sends both back. The mark then proves that the client has received this version.
        """
        secret = bytes.fromhex(self.charter.salt)
        told = hmac.new(
            secret, f"session/mark/{viewer}/{at}".encode(), "sha256"
        )  # which lets no other thread run meanwhile
        return told.hexdigest()[:MARK_CHARACTERS]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionChange:
    """A change of a session. It contains the session after the change and the log entry of the change."""

    after: Session
    log_entry: LogEntry
    due: int | None  # time of its next automatic action
    notifications: Sequence[str] = ()  # for the scheduler (`service.sessions.turns.notifications`)


class Written(Enum):
    """The outcome of a write. WRITTEN means that this write made the change.

    In all other cases, this write did nothing. DONE means that an earlier write for the same operation made the change.
    MOVED means that the session was changed after it was loaded. GONE means that the session does not exist.
    """

    WRITTEN = "written"
    DONE = "done"
    MOVED = "moved"
    GONE = "gone"


Outcome = tuple[Written, int]
"""The outcome of a write, and the resulting revision of the session."""


class SessionWrite(NamedTuple):
    """A change that is about to be written. The seat `seat` made the change in the operation `operation`."""

    session: Session
    change: SessionChange
    seat: int
    operation: str


def kept_push(before: Session, after: Session) -> tuple[str, ...]:
    """Return the name of each seat's push subscription after a change.

    The name is "" if there is no subscription, or if the change ends it.
    """
    if not any(before.push):
        return before.push
    rows = zip(before.push, before.seats, after.seats, strict=True)
    return tuple("" if after.over or old.token != new.token else name for name, old, new in rows)


def is_lasting_move(session: Session, entry: LogEntry) -> bool:
    """Return whether a log entry extends the session's lifetime.

    A person's move extends the lifetime. In a session without persons, every move extends it.
    """
    if entry.entry is None:
        return False
    return session.seats[entry.entry.seat].level is None or all(seat.kind == BOT for seat in session.seats)


def is_known_to_last(session: Session, entry: LogEntry) -> bool:
    """Return whether a log entry extends the session's lifetime and is visible to all viewers.

    The function `is_lasting_move` checks the first condition.
    """
    return bool(entry.versions[-1]) and is_lasting_move(session, entry)


def coarse(at: int) -> int:
    """Round a time down to a multiple of COARSE_MS, for display. The time is in milliseconds."""
    return at - at % COARSE_MS


def redacted(seats: Sequence[Seat]) -> list[Seat]:
    """Return the seats without their secrets."""
    return [msgspec.structs.replace(seat, token=None, invite=None, key=None) for seat in seats]
