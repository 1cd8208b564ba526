"""Sessions as Redis holds them; `service.store.session_store` loads and writes them.

A session is a hash and a log. The revision counts every change and is never shown; an audience (a seat, or the
spectators) has a version of its own that moves only by what it learns. The log has one line for each revision, which
names the versions it moved, so every audience's own dense stream of events is a reading of it.

A session at which something is to happen by itself, as a bot's move or a deadline, stands in the due set of its bucket
(`service.store.due`), which the same script writes; so nothing that is due is ever forgotten.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

import msgspec

from games.core.game import Draw, Entry
from service.store.clock import Calendar

MARK_CHARACTERS: Final = 12

OPERATIONS_KEPT: Final = 32
"""How many operations with their results are remembered for a seat."""

COARSE_MS: Final = 100
"""How finely times of a session are told, so that they tell nothing of who thought how long."""

WAITING: Final = "waiting"
RUNNING: Final = "running"
FINISHED: Final = "finished"
FORFEITED: Final = "forfeited"
ABORTED: Final = "aborted"

OVER: Final = frozenset({FINISHED, FORFEITED, ABORTED})
"""What a session may be once nothing happens at it any more."""

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
"""Whether decisions may be taken back at a session."""

NOTHING: Final = msgspec.Raw()


class Seat(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Who sits there: a person, a bot, or nobody yet.

    `level` is that of the bot that plays: at a bot's seat, and at a person's in whose stead it does. `token` and
    `invite` are hashes of secrets, `key` is the id of the API key that the token was given to. `client_seed` is the
    SHA-256 of what the seat's claimer has added to the chance. `out` is there for the seat that gave up, or whose time
    ran out for good. `assigned` counts how often the seat was given away.
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
    """How long a person may take for a decision, in milliseconds, and what happens then: the policy.

    What a decision takes longer than `move_ms` comes out of the seat's bank, which begins with `bank_ms` and gets
    `increment_ms` for each decision that its person has made.
    """

    move_ms: int
    policy: str
    level: str | None = None
    bank_ms: int = 0
    increment_ms: int = 0

    @property
    def has_banks(self) -> bool:
        """Return whether there is time in reserve."""
        return bool(self.bank_ms or self.increment_ms)


class Charter(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What a session was founded with; `key` decides all chance, `began` is in milliseconds since 1970.

    `salt` makes, with the operation that founded it, the session's secrets. `ruleset` is that of
    the options and the record; `first_ruleset` is there where the session was founded by an earlier one.
    `from_snapshot` is there where the table was not dealt but came in a snapshot: whether that was open or sealed.
    `branched_at` is there for a branch: the version that its founder had of the session it comes from. `bot_ms` is
    there where its founder wished how long bots wait at least before they move, `account` where bots that stand in are
    charged to it (`service.auth.session_ledger`). `founder` is the id of the API key that founded it, if one did.
    `undo` says whether decisions may be taken back by consent. `listed` is there where anybody may find and take its
    open seats, `language` where its founder has said which one is spoken at the table.
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


class UndoRequest(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What a seat has asked for: to go back to the table as it stood at a revision, before its last decision.

    `awaited` are the seats that have not consented yet; without any it is done. It is pending as long as spectators
    have that `version`, so whatever everybody learns ends it. `denied` says that a seat has refused or withdrawn it.
    """

    seat: int
    back_to: int
    awaited: tuple[int, ...]
    version: int
    denied: bool = False

    @property
    def done(self) -> bool:
        """Return whether the session has gone back."""
        return not (self.awaited or self.denied)


class Clocks(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The clocks of all seats, in the form in which a session has them.

    Its fields are the list of everything that a move records outside the table and that an undo restores.
    """

    opened: tuple[int, ...]
    banks: tuple[int, ...] = ()
    answered: tuple[int, ...] = ()


class LogEntry(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One line of the log: when, which versions it moved (0 where none), what happened, and who heard what.

    The first line has the outcomes of the set-up, or the `record` of a table that was dealt from a view. Where its
    `dealt` is false nothing was dealt yet, and the line in which `dealt` is true has the outcomes. `ruleset` is there
    where it is another than the session was founded by. `status` is there where something else than a move changed it,
    and `seats`, without their secrets, where they changed and in the first line. Hearers are a bit set as in
    `games.core.game.Heard`, events are JSON. The log alone says how a session came to stand as it does
    (`service.sessions.states`), so whatever a line changes stands in it. `undo` is there where a seat asks to take a
    decision back, or is answered; where that is done, `record` is the table to which the session has gone back, and
    `clocks` are the restored clocks. Earlier services wrote no clocks: they opened all decisions anew at that time.
    `rematch` is the id of the session in which those of this one play again.
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

    @property
    def back_to(self) -> int | None:
        """Return the revision to whose table the session has gone back, or None."""
        return self.undo.back_to if self.undo is not None and self.undo.done else None


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """A session as loaded: `versions` and, in milliseconds, `opened` per seat; the last version is the spectators'.

    `moved` has when each audience came to its version, 0 where an earlier service has not kept it. `kept` says that
    everybody knows of a move for which the session is kept longer (`is_lasting_move`).

    `opened` has since when a seat has its decision, or had its last one: it stays when the seat has answered, so that a
    deadline reveals nothing; 0 where there was none yet, or the session is over. `standing` holds what each seat has
    left to be answered for it. `banks` is each seat's time in reserve, in milliseconds, as of when its decision opened;
    `answered` has when the seat has decided since, 0 where it has not, and less than 0 where it need not any more. Both
    are empty without a clock that has banks. `undo` is the last request to take a decision back, `undone` counts the
    moves that were taken back. `record` is the game's record as JSON, empty until the table is dealt. All
    times are the service's, and `calendar` has what people are shown for them (`service.store.clock`).
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
    kept: bool = False
    banks: tuple[int, ...] = ()
    answered: tuple[int, ...] = ()
    undo: UndoRequest | None = None
    undone: int = 0
    rematch: str | None = None
    calendar: Calendar = Calendar()

    @property
    def over(self) -> bool:
        """Return whether nothing happens any more."""
        return self.status in OVER

    @property
    def joinable(self) -> bool:
        """Return whether anybody may take a seat: the session is listed, and seats are open."""
        return self.charter.listed and self.status == WAITING

    @property
    def dealt(self) -> bool:
        """Return whether there is a table."""
        return bool(self.record)

    @property
    def clocks(self) -> Clocks:
        """The clocks of all seats."""
        return Clocks(opened=self.opened, banks=self.banks, answered=self.answered)

    @property
    def pending_undo(self) -> UndoRequest | None:
        """Return the request to take a decision back that waits for consent, or None."""
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

    @property
    def client_seeds(self) -> list[tuple[int, str]]:
        """Return the seats whose claimers have added to the chance, each with the hash of what they added."""
        return [(number, seat.client_seed) for number, seat in enumerate(self.seats) if seat.client_seed is not None]

    def mark(self, viewer: int) -> str:
        """Return the mark of the history that led a seat, or SPECTATOR, to its version; "" if not known."""
        return self.mark_at(viewer, self.moved[viewer]) if self.moved[viewer] else ""

    def mark_at(self, viewer: int, at: int) -> str:
        """Return an audience's mark of the log entry written at a time in milliseconds, which it does not tell.

        No audience can derive another's mark, so one that is sent proves that its sender was told it.
        """
        secret = bytes.fromhex(self.charter.salt)
        told = hmac.new(
            secret, f"session/mark/{viewer}/{at}".encode(), "sha256"
        )  # which lets no other thread run meanwhile
        return told.hexdigest()[:MARK_CHARACTERS]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionChange:
    """A session as it is to be written, its log entry, and when something is due at it by itself, if ever.

    `notifications` are the seats whose webhooks are to be sent (`service.sessions.turns.notifications`).
    """

    after: Session
    log_entry: LogEntry
    due: int | None
    notifications: Sequence[str] = ()


class Written(Enum):
    """What became of a change: written, done before, overtaken by another, or the session is gone."""

    WRITTEN = "written"
    DONE = "done"
    MOVED = "moved"
    GONE = "gone"


Outcome = tuple[Written, int]
"""What became of a change, and the revision at which the session stands."""


class SessionWrite(NamedTuple):
    """A change that is to be written: made to which loaded session, by which seat, as which operation."""

    session: Session
    change: SessionChange
    seat: int
    operation: str


def is_lasting_move(session: Session, entry: LogEntry) -> bool:
    """Return whether a log entry is a move for which a session is kept: a person's, or any where only bots play."""
    if entry.entry is None:
        return False
    return session.seats[entry.entry.seat].level is None or all(seat.kind == BOT for seat in session.seats)


def is_known_to_last(session: Session, entry: LogEntry) -> bool:
    """Return whether everybody learns of a log entry that it is a move for which a session is kept."""
    return bool(entry.versions[-1]) and is_lasting_move(session, entry)


def coarse(at: int) -> int:
    """Return a time as it is told: in milliseconds, and no finer than COARSE_MS."""
    return at - at % COARSE_MS


def redacted(seats: Sequence[Seat]) -> list[Seat]:
    """Return seats without their secrets."""
    return [msgspec.structs.replace(seat, token=None, invite=None, key=None) for seat in seats]
