"""Sessions as Redis holds them: loaded in one call, written by one script that compares the revision.

A session is a hash and a log. The revision counts every change and is never shown; an audience (a seat, or the
spectators) has a version of its own that moves only by what it learns. The log has one line for each revision, which
names the versions it moved, so every audience's own dense stream of events is a reading of it.

A session at which something is to happen by itself, as a bot's move or a deadline, stands in the due set of its bucket
(`service.store.due`), which the same script writes; so nothing that is due is ever forgotten.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any, Final, NamedTuple, cast

import msgspec
from redis import Redis

from games.core.game import Draw, Entry
from service.store import keys
from service.store.clients import exchange
from service.store.clock import Calendar
from service.store.cluster import ClusterClient
from service.store.owner_index import OwnerIndex, entry_of, name_in
from service.store.scripts import run_each, script

MARK_CHARACTERS: Final = 12

OPERATIONS_KEPT: Final = 32
"""How many operations with their results are remembered for a seat."""

CHARTERS_KEPT: Final = 512
"""How many charters a process keeps, by their bytes."""

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

Fields = list[bytes | None]
"""What Redis has of a session, in the order of the fields."""

_FIELDS: Final = (
    "charter",
    "revision",
    "status",
    "versions",
    "opened",
    "seats",
    "standing",
    "record",
    "moved",
    "kept",
    "banks",
    "undo",
    "undone",
    "rematch",
)


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

    `salt` makes, with the operation that founded it, the session's secrets; sessions of long ago have none. `ruleset`
    is that of the options and the record; `first_ruleset` is there where the session was founded by an earlier one.
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
    salt: str = ""
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
        secret = bytes.fromhex(self.charter.salt or self.charter.key)
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


class SessionStore:
    """Reads and writes sessions by a client that retries nothing; every key lives `life_ms` after the last write.

    Until somebody has moved it lives `unmoved_ms`, and as long as a person's time for a move. `calendar`
    returns what people are shown for times of the service.
    """

    def __init__(
        self, client: Redis, life_ms: int, calendar: Callable[[], Calendar] = Calendar, unmoved_ms: int | None = None
    ) -> None:
        self.client = client
        self._life_ms, self.calendar = life_ms, calendar
        self._unmoved_ms = life_ms if unmoved_ms is None else unmoved_ms
        self._create = client.register_script(script("create"))
        self._write = client.register_script(script("write"))
        self._stand = client.register_script(script("stand"))
        self._mend = client.register_script(script("mend"))
        self._founded = self._listed = OwnerIndex(client)

    def create(self, creations: Sequence[SessionChange]) -> bool:
        """Write new sessions of one bucket, all of them or none, and return whether they are new.

        Those of an API key are entered into its index before.
        """
        ids = [creation.after.id for creation in creations]
        charter = creations[0].after.charter
        if charter.founder is not None:
            entries = [entry_of(creation.after.charter.began, creation.after.id) for creation in creations]
            self._founded.add(keys.founded_with(ids[0], charter.founder), keys.session, entries, self._life_ms)
        (due,) = {keys.due_of(session_id) for session_id in ids}
        places = [key for session_id in ids for key in (keys.session(session_id), keys.log(session_id))]
        args = [
            arg for creation in creations for arg in (self._unmoved_life(creation.after), *_creation_args(creation))
        ]
        return bool(self._create(keys=[due, keys.listed_with(ids[0]), *places], args=args))

    def load(self, session_id: str) -> Session | None:
        """Return a session, or None where there is none."""
        return self.session_of(session_id, self._fields(session_id))

    def _fields(self, session_id: str) -> Fields:
        return cast("Fields", self.client.hmget(keys.session(session_id), _FIELDS))

    def fields_of(self, session_ids: Sequence[str]) -> list[Fields | Exception]:
        """Return the fields of sessions, for `session_of`, in one exchange; an error for those that have none."""
        if len(session_ids) == 1:  # a pipeline takes 30 µs more
            return [self._fields(session_ids[0])]
        return exchange(self.client, [("HMGET", keys.session(session_id), *_FIELDS) for session_id in session_ids])

    def session_of(self, session_id: str, found: Fields) -> Session | None:
        """Return a session of its fields, or None where there is none.

        Raise MsgspecError or ValueError for fields that do not make a session.
        """
        *fields, moved, kept, banks, undo, undone, rematch = found
        if None in fields:
            return None
        charter, revision, status, versions, opened, seats, standing, record = cast("list[bytes]", fields)
        reached = _unpacked(versions)
        sitting = _SEATS.decode(seats)
        session = Session(
            id=session_id,
            charter=_charter(charter),
            revision=int(revision),
            status=status.decode(),
            versions=reached,
            opened=_unpacked(opened),
            seats=sitting,
            standing=msgspec.json.decode(standing, type=_Left) if standing else ((),) * len(sitting),
            record=record,
            moved=_moved(reached, moved or b""),
            kept=kept is not None,
            **_banks(_unpacked(banks or b"")),
            undo=msgspec.json.decode(undo, type=UndoRequest) if undo else None,
            undone=int(undone or 0),
            rematch=(rematch and rematch.decode()) or None,
            calendar=self.calendar(),
        )
        _check_shape(session)
        return session

    def founded(self, key_id: str, before: str, since: int, most: int, now: int) -> list[tuple[str, Session | None]]:
        """Return sessions that an API key has founded, newest first, each with its entry of the index.

        They were founded before an entry ("" for all) and since a time of the store's clock. None stands for an entry
        that names nothing, or nothing that can be read.
        """
        entries = self._founded.page(keys.founded(key_id), before, max(0, self.calendar().meant(since)), most)
        rows = list[tuple[str, Session | None]]()
        for entry, session, is_readable in self._named(entries):
            fits = session is not None and entry_of(session.charter.began, session.id) == entry
            if not fits and is_readable:
                self._founded.forget(keys.founded_with(name_in(entry), key_id), entry, now)
            rows.append((entry, session if fits else None))
        return rows

    def listed(self, before: str, since: int, most: int) -> list[tuple[str, Session | None]]:
        """Return listed sessions, newest first, each with its entry of the index, as `founded` does.

        None stands for one at which no seat can be taken any more; the index forgets it.
        """
        entries = self._listed.page(keys.listed(), before, max(0, self.calendar().meant(since)), most)
        rows = list[tuple[str, Session | None]]()
        for entry, session, is_readable in self._named(entries):
            fits = session is not None and session.joinable and listed_entry(session) == entry
            if not fits and is_readable:
                self.client.zrem(keys.listed_with(name_in(entry)), entry)
            rows.append((entry, session if fits else None))
        return rows

    def forget_unlisted(self, some: int) -> None:
        """Look at up to `some` entries of each index of listed sessions, and take out those of no open seat.

        Scripts write an index and the sessions that it names together, so what is left is of sessions that expired.
        """
        with self.client.pipeline(transaction=False) as pipe:
            for key in keys.listed():
                pipe.zrandmember(key, some)
            found: list[list[bytes]] = pipe.execute()
        entries = [entry.decode() for part in found for entry in part]
        states = self.lives([name_in(entry) for entry in entries])
        for entry, (status, _) in zip(entries, states, strict=True):
            if status != WAITING:
                self.client.zrem(keys.listed_with(name_in(entry)), entry)

    def _named(self, entries: Sequence[str]) -> Iterator[tuple[str, Session | None, bool]]:
        """Yield the entries of an index, each with the session that it names, and whether what is there can be read."""
        found = self.fields_of([name_in(entry) for entry in entries])
        for entry, fields in zip(entries, found, strict=True):
            if isinstance(fields, Exception):
                raise fields
            try:
                yield entry, self.session_of(name_in(entry), fields), True
            except (msgspec.MsgspecError, ValueError):
                yield entry, None, False

    def expires(self, session: Session, viewer: int) -> int:
        """Return until when a session is kept at least, as far as a seat, or SPECTATOR, knows.

        What others did of which the viewer has not learnt may have put that off; it is not told, for it would reveal
        that they did.
        """
        life = self._life_ms if session.kept else self._unmoved_life(session)
        return (session.moved[viewer] or session.charter.began) + life

    def revision(self, session_id: str) -> int:
        """Return the revision at which a session stands, whether or not the rest can be read; 0 where there is none."""
        return int(cast("bytes | None", self.client.hget(keys.session(session_id), "revision")) or 0)

    def lives(self, session_ids: Sequence[str]) -> list[tuple[str | None, int]]:
        """Return the status of sessions, None of one that is gone, and for how many milliseconds each stays."""
        with self.client.pipeline(transaction=False) as pipe:
            for session_id in session_ids:
                pipe.hget(keys.session(session_id), "status")
                pipe.pttl(keys.session(session_id))
            found = pipe.execute()
        return [(status and status.decode(), life) for status, life in zip(found[::2], found[1::2], strict=True)]

    def every(self) -> Iterator[str]:
        """Yield the names of all sessions, in no order."""
        for key in self.client.scan_iter(match=keys.SESSIONS, count=1_000):
            session_id = keys.session_of(key.decode())
            if session_id is not None:
                yield session_id

    def mend(self, session: Session, due: int | None) -> bool:
        """Write what a session's log says in place of what was loaded; return False where it has changed since.

        No line is written and no version moves, for nobody learns of it.
        """
        fields: list[Any] = [
            *("record", session.record),
            *("status", session.status),
            *("opened", _packed(session.opened)),
            *_banks_field(session),
            *(("undone", session.undone) if session.undone else ()),
            *("charter", msgspec.json.encode(session.charter)),
        ]
        places = [keys.session(session.id), keys.due_of(session.id), keys.listed_with(session.id)]
        args = [session.revision, session.id, _due(due), _listing(session), *fields]
        return bool(self._mend(keys=places, args=args))

    def write(self, session: Session, change: SessionChange, seat: int, operation: str) -> Outcome:
        """Write a change made to a loaded session; return the outcome and the revision at which the session stands.

        `operation` names the change for the seat, so that it is done once, however often it is sent.
        """
        (outcome,) = self.write_each([SessionWrite(session, change, seat, operation)])
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    @property
    def writes_together(self) -> bool:
        """Tell whether the store takes several changes in one exchange; a cluster takes no scripts so."""
        return not isinstance(self.client, ClusterClient)

    def write_each(self, writes: Sequence[SessionWrite]) -> list[Outcome | Exception]:
        """Write changes as `write` does, or return what it raises for each; the store is asked once for all of them."""
        calls = [(_keys(each.session), self._args(*each)) for each in writes]
        answers = run_each(self.client, self._write, calls)
        return [
            answer if isinstance(answer, Exception) else _outcome(each.session, answer)
            for each, answer in zip(writes, answers, strict=True)
        ]

    def _args(self, session: Session, change: SessionChange, seat: int, operation: str) -> list[Any]:
        """Return what the script that writes a change is told."""
        after = change.after
        return [
            session.revision,
            _left(session.standing),
            seat,
            operation,
            OPERATIONS_KEPT,
            self._life_ms,
            self._unmoved_life(session),
            int(is_lasting_move(after, change.log_entry)),
            session.id,
            _due(change.due),
            msgspec.json.encode(change.log_entry),
            change.log_entry.at,
            " ".join(change.notifications),
            _listing(after),
            *("record", after.record),
            *("status", after.status),
            *("versions", _packed(after.versions)),
            *("opened", _packed(after.opened)),
            *("moved", _packed_moved(after)),
            *(("kept", 1) if after.kept else ()),
            *_banks_field(after),
            *(("undo", msgspec.json.encode(after.undo)) if after.undo != session.undo else ()),
            *(("undone", after.undone) if after.undone != session.undone else ()),
            *(("rematch", after.rematch) if after.rematch and after.rematch != session.rematch else ()),
            *(("seats", msgspec.json.encode(after.seats)) if after.seats != session.seats else ()),
            *(("standing", _left(after.standing)) if after.standing != session.standing else ()),
            *(("charter", msgspec.json.encode(after.charter)) if after.charter.first_ruleset else ()),
        ]

    def _unmoved_life(self, session: Session) -> int:
        """Return how long a session lives in which nobody has moved: until then, and a person's time for the move."""
        clock = session.charter.clock
        return min(self._life_ms, self._unmoved_ms + (clock.move_ms + clock.bank_ms if clock else 0))

    def stand(self, session: Session, standing: Sequence[Sequence[str]], due: int | None) -> Written:
        """Keep standing answers at a loaded session; nobody learns of them, so no revision is counted for it."""
        answer = self._stand(
            keys=_keys(session),
            args=[
                session.revision,
                _left(session.standing),
                _left(standing),
                self._life_ms,
                session.id,
                _due(due),
            ],
        )
        return Written(answer.decode())

    def operation(self, session_id: str, seat: int, operation: str) -> int | None:
        """Return the revision at which a seat's operation was done, or None where it was not, or long ago."""
        done = cast("bytes | None", self.client.hget(keys.session(session_id), f"done{seat}"))
        for entry in (done or b"").decode().split(";"):
            known, _, revision = entry.partition("=")
            if known == operation:
                return int(revision)
        return None

    def log_entries(self, session_id: str, first: int = 1, last: int | None = None) -> list[tuple[int, LogEntry]]:
        """Return the entries of a log from one revision to another, each with its revision."""
        end = "+" if last is None else f"{last}-0"
        found = self.client.xrange(keys.log(session_id), f"{first}-0", end) or []
        return decode_log(cast("list[tuple[bytes, dict[bytes, bytes]]]", found))


def _outcome(session: Session, answer: Sequence[Any]) -> Outcome:
    """Read the answer of the script that writes a change."""
    return Written(answer[0].decode()), answer[1] if len(answer) > 1 else session.revision


@lru_cache(CHARTERS_KEPT)
def _charter(text: bytes) -> Charter:
    """Read a charter, which stays the same for as long as its session lives."""
    return msgspec.json.decode(text, type=Charter)


def _check_shape(session: Session) -> None:
    """Raise ValueError where the parts of a session are not of one number of seats, or a secret is not hexadecimal."""
    seats = len(session.seats)
    audiences = {len(session.versions), len(session.moved)}
    rows = {len(session.opened), len(session.standing)}
    banks = {len(session.banks), len(session.answered)}
    if audiences != {seats + 1} or rows != {seats} or banks not in ({0}, {seats}):
        raise ValueError(f"a session of {seats} seats has other numbers of {audiences}, {rows}, {banks}")
    if session.status not in STATUSES or session.revision < 1 or min(session.versions) < 0:
        raise ValueError(f"a session has no status {session.status} at revision {session.revision}")
    bytes.fromhex(session.charter.key)
    bytes.fromhex(session.charter.salt)


def is_lasting_move(session: Session, entry: LogEntry) -> bool:
    """Return whether a log entry is a move for which a session is kept: a person's, or any where only bots play."""
    if entry.entry is None:
        return False
    return session.seats[entry.entry.seat].level is None or all(seat.kind == BOT for seat in session.seats)


def is_known_to_last(session: Session, entry: LogEntry) -> bool:
    """Return whether everybody learns of a log entry that it is a move for which a session is kept."""
    return bool(entry.versions[-1]) and is_lasting_move(session, entry)


def decode_log(rows: Sequence[tuple[bytes, dict[bytes, bytes]]]) -> list[tuple[int, LogEntry]]:
    """Return the entries of a log as Redis answers them, each with its revision."""
    return [(int(number.split(b"-")[0]), msgspec.json.decode(row[b"line"], type=LogEntry)) for number, row in rows]


def coarse(at: int) -> int:
    """Return a time as it is told: in milliseconds, and no finer than COARSE_MS."""
    return at - at % COARSE_MS


def redacted(seats: Sequence[Seat]) -> list[Seat]:
    """Return seats without their secrets."""
    return [msgspec.structs.replace(seat, token=None, invite=None, key=None) for seat in seats]


_Left = tuple[tuple[str, ...], ...]

_SEATS: Final = msgspec.json.Decoder(tuple[Seat, ...])


def _keys(session: Session) -> list[str]:
    """Return the keys of a session that its scripts write, with the index of its founder, if that is an API key."""
    founder = session.charter.founder
    indexes = [] if founder is None else [keys.founded_with(session.id, founder)]
    own = [keys.session(session.id), keys.log(session.id), keys.due_of(session.id)]
    return [*own, keys.listed_with(session.id), *indexes]


def listed_entry(session: Session) -> str:
    """Return the entry of a session in the index of those that are listed; anybody sees it, so its time is coarse."""
    return entry_of(coarse(session.charter.began), session.id)


def _listing(session: Session) -> str:
    """Return what becomes of a session's entry among those that are listed: + to enter it, - to take it out."""
    return f"{'+' if session.joinable else '-'}{listed_entry(session)}" if session.charter.listed else ""


def _creation_args(creation: SessionChange) -> list[Any]:
    session = creation.after
    fields = [
        *("charter", msgspec.json.encode(session.charter)),
        *("revision", session.revision),
        *("status", session.status),
        *("versions", _packed(session.versions)),
        *("opened", _packed(session.opened)),
        *_banks_field(session),
        *("moved", _packed_moved(session)),
        *("seats", msgspec.json.encode(session.seats)),
        *("standing", _left(session.standing)),
        *("record", session.record),
    ]
    entry, notifications = creation.log_entry, " ".join(creation.notifications)
    return [
        *(session.id, _due(creation.due), f"{session.revision}-0", msgspec.json.encode(entry)),
        *(entry.at, notifications, listed_entry(session) if session.joinable else "", len(fields), *fields),
    ]


def _banks(numbers: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    """Read what `_banks_field` writes."""
    seats = len(numbers) // 2
    return {"banks": numbers[:seats], "answered": numbers[seats:]}


def _banks_field(session: Session) -> tuple[str, str] | tuple[()]:
    """Write the banks of a session, and when each seat has answered, if it has any."""
    return ("banks", _packed((*session.banks, *session.answered))) if session.banks else ()


def _due(due: int | None) -> int | str:
    """Return a time as the scripts take it, "" for never."""
    return "" if due is None else due


def _left(standing: Sequence[Sequence[str]]) -> bytes:
    """Write standing answers, as nothing where there are none."""
    return msgspec.json.encode(standing) if any(standing) else b""


def _packed_moved(session: Session) -> str:
    """Write when each audience came to its version, and to which, since an earlier service moves that alone."""
    return _packed([number for pair in zip(session.versions, session.moved, strict=True) for number in pair])


def _moved(versions: Sequence[int], row: bytes) -> tuple[int, ...]:
    """Read when each audience came to its version, 0 for one of which that was not kept."""
    kept = _unpacked(row) or (0,) * (2 * len(versions))
    return tuple(at if of == version else 0 for version, of, at in zip(versions, kept[::2], kept[1::2], strict=True))


def _packed(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers))


def _unpacked(row: bytes) -> tuple[int, ...]:
    return tuple(map(int, row.split()))
