"""Sessions as Redis stores them. `service.store.session_store` loads and writes them.

A session is a hash and a log. Its revision counts all changes, and is never displayed. Each seat has its own version,
and the spectators share one. A version increases only when its viewers learn something. The log has one entry per
revision, with all versions that increased. So the log contains each viewer's stream of events without gaps.

An automatic action is, for example, a bot's move or a deadline. A session with such an action is in the due set of its
bucket (`service.store.due`). One script writes the session and the due set, so no action is lost.
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
"""Possible settings for undo in a session."""

NOTHING: Final = msgspec.Raw()


class Seat(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The player of a seat: a person, a bot, or nobody yet.

    If a bot plays, `level` is its level, even if it plays in place of a person. `token` and `invite` are hashes of
    secrets. `key` is the id of the API key that the token belongs to. `client_seed` is the SHA-256 of the claimer's
    client seed. `out` is true if the seat has lost by resignation or timeout. `assigned` counts the seat's assignments.
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
    """The time limit for a person's decision, in milliseconds, and the effect of a timeout.

    Time beyond `move_ms` is deducted from the seat's time bank. The time bank starts at `bank_ms`. It gains
    `increment_ms` for each decision of a person. If `hours` are set, the clock runs only during these hours. Latency is
    compensated by at most `latency_ms` per decision and `total_latency_ms` per seat.
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
        """The longest possible time for a first decision, including the time while the clock does not run."""
        given = self.move_ms + self.bank_ms
        return given if self.hours is None else (given * DAY_MINUTES) // self.hours.open_minutes + DAY_MINUTES * 60_000

    @property
    def has_banks(self) -> bool:
        return bool(self.bank_ms or self.increment_ms)


class Charter(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The fixed settings of a session. `began` is its creation time in milliseconds since 1970.

    - `key`: the key of all random draws.
    - `salt`: determines the session's secrets, together with the operation that created the session.
    - `owner`: the hash of the owner's token. `founder` is the id of the owner's API key, if any.
    - `account`: pays for bots that replace persons (`service.auth.session_ledger`).
    - `first_ruleset`: the ruleset at the creation of the session, set only if `ruleset` is a later one.
    - `from_snapshot`: the kind of snapshot that the table came from, open or sealed.
    - `branched_at`: for a branch, the version of the view from which its table was dealt.
    - `bot_ms`: the minimum delay of bots' moves, if the owner has set one.
    - `listed`: whether anybody can find and claim the open seats.
    - `language`: the language spoken at the table.
    - `absence`: the rules for a seat that does not decide.
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
    """A seat's request to undo its last decision. `back_to` is the revision before that decision.

    `awaited` are the seats that have not yet consented. If there are none, the undo is done. `version` is the
    spectators' version of the request. When their version changes, the request ends. `denied` is true if a seat has
    refused or withdrawn the request. `count` is the number of earlier undos in the session.
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
    """The fields of a session that an undo restores together with the table."""

    opened: tuple[int, ...]
    banks: tuple[int, ...] = ()
    answered: tuple[int, ...] = ()
    decided: tuple[int, ...] = ()
    late: tuple[int, ...] = ()


class LogEntry(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """An entry of a session's log. The log alone determines the state of the session (`service.sessions.states`).

    - `versions`: the new versions of the seats and the spectators, 0 if a version did not change.
    - `heard`: the events as JSON, each with a bit set of its recipients (`games.core.game.Heard`).
    - `ruleset`: set if it differs from the ruleset at the creation of the session.
    - `status`: set if it changed other than by a move.
    - `seats`: the seats without secrets; set in the first entry, and if they changed.
    - `outcomes`: the random outcomes of the set-up.
    - `dealt`: set if the table was set up after the session was created: False in the first entry, True in the entry
      of the set-up.
    - `record`: the table; set for a deal from a view and for an undo.
    - `undo`: set for an undo request and for a reply to one.
    - `clocks`: set if the log does not determine the clocks. Without it, an undo opens all decisions again.
    - `rematch`: the id of the rematch session.
    - `agreements`: set if pauses, vacations or votes changed.
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
        """Return the revision of the table that an undo restored, or None."""
        return self.undo.back_to if self.undo is not None and self.undo.done else None


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """A loaded session. Tuples have one entry per seat; `versions` and `moved` have one more for the spectators.

    All times are the service's times in milliseconds. `calendar` converts them to displayed times
    (`service.store.clock`).

    - `opened`: the time at which each seat's current or last decision opened. It is 0 before the first decision, and
      after the end. When the seat answers, it stays the same, so that a deadline reveals nothing.
    - `banks`: each seat's time bank when its decision opened; empty without time banks.
    - `answered`: the time of each seat's answer to that decision. It is 0 without an answer, and negative if an answer
      is no longer needed.
    - `decided`: the revision of each seat's last decision that was not undone. It is 0 without such a decision, and
      negative if its undo was refused. The tuple is empty without undo, and in sessions of earlier releases.
    - `late`: the compensated latency of each seat, or empty.
    - `moved`: the time at which each seat and the spectators got their current version; 0 if unknown.
    - `kept`: whether all viewers know of a move that extends the session's lifetime (`is_lasting_move`).
    - `standing`: the answers that each seat has given in advance.
    - `push`: the name of each seat's push subscription, or "". Other Redis fields contain the subscriptions.
    - `devices`: the additional devices of each seat; empty until a seat has added one.
    - `held`: the hash of the caller's token, None for the seat's own token. This field is not stored.
    - `record`: the table as JSON; empty until the deal.
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
        """Return whether anybody may claim a seat. The session must be publicly listed and have an open seat."""
        return self.charter.listed and self.status == WAITING

    @property
    def dealt(self) -> bool:
        """Return whether the session has a table."""
        return bool(self.record)

    @property
    def clocks(self) -> Clocks:
        """The clocks of all seats."""
        return Clocks(
            opened=self.opened, banks=self.banks, answered=self.answered, decided=self.decided, late=self.late
        )

    @property
    def pending_undo(self) -> UndoRequest | None:
        """Return the undo request that still needs consent, or None."""
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
        """Return the additional devices of a seat. There are none after the seat's own token was replaced."""
        token, row = self.seats[seat].token, self.devices[seat] if self.devices else NO_DEVICES
        return row if row.parent == token else SeatDevices(parent=token or "")

    def tokens_of(self, seat: int) -> list[str]:
        """Return the hashes of all valid tokens of a seat. The hash of the seat's own token is the first."""
        row, own = self.devices_of(seat), self.seats[seat].token
        return [*([own] if own and row.own else []), *(device.token for device in row.devices)]

    def token_of(self, viewer: int) -> str | None:
        """Return the hash of the token that the current request uses for `viewer`, or None for SPECTATOR."""
        if viewer == SPECTATOR:
            return None
        return self.held if self.held in self.tokens_of(viewer) else self.seats[viewer].token

    @property
    def client_seeds(self) -> list[tuple[int, str]]:
        """Return the seats with a client seed, each with the hash of the seed."""
        return [(number, seat.client_seed) for number, seat in enumerate(self.seats) if seat.client_seed is not None]

    def mark(self, viewer: int) -> str:
        """Return `mark_at` for a viewer's current version, or "" if the time of this version is unknown."""
        return self.mark_at(viewer, self.moved[viewer]) if self.moved[viewer] else ""

    def mark_at(self, viewer: int, at: int) -> str:
        """Return a text that proves that a client has received a viewer's version.

        `at` is the time of the version. The text does not reveal this time, and other viewers cannot compute the text.
        """
        secret = bytes.fromhex(self.charter.salt)
        told = hmac.new(
            secret, f"session/mark/{viewer}/{at}".encode(), "sha256"
        )  # which lets no other thread run meanwhile
        return told.hexdigest()[:MARK_CHARACTERS]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionChange:
    """A changed session to write, with its log entry. `due` is the time of its next automatic action, or None.

    `notifications` are strings for the scheduler (`service.sessions.turns.notifications`).
    """

    after: Session
    log_entry: LogEntry
    due: int | None
    notifications: Sequence[str] = ()


class Written(Enum):
    """The outcome of a write: written, already done, overtaken by another change, or session missing."""

    WRITTEN = "written"
    DONE = "done"
    MOVED = "moved"
    GONE = "gone"


Outcome = tuple[Written, int]
"""The outcome of a write, and the resulting revision of the session."""


class SessionWrite(NamedTuple):
    """A changed session to write, with the seat and the operation that cause the change."""

    session: Session
    change: SessionChange
    seat: int
    operation: str


def kept_push(before: Session, after: Session) -> tuple[str, ...]:
    """Return the names of the push subscriptions that stay valid after a change.

    A seat's subscription ends when the seat gets a new token. All subscriptions end with the session.
    """
    if not any(before.push):
        return before.push
    rows = zip(before.push, before.seats, after.seats, strict=True)
    return tuple("" if after.over or old.token != new.token else name for name, old, new in rows)


def is_lasting_move(session: Session, entry: LogEntry) -> bool:
    """Return whether a log entry extends the session's lifetime. A person's move does.

    If only bots play, any move does.
    """
    if entry.entry is None:
        return False
    return session.seats[entry.entry.seat].level is None or all(seat.kind == BOT for seat in session.seats)


def is_known_to_last(session: Session, entry: LogEntry) -> bool:
    """Return whether a log entry extends the session's lifetime and all viewers see its move."""
    return bool(entry.versions[-1]) and is_lasting_move(session, entry)


def coarse(at: int) -> int:
    """Round a time in milliseconds down to a multiple of COARSE_MS, for display."""
    return at - at % COARSE_MS


def redacted(seats: Sequence[Seat]) -> list[Seat]:
    """Return the seats without their secrets."""
    return [msgspec.structs.replace(seat, token=None, invite=None, key=None) for seat in seats]
