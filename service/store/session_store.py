"""Loads and writes sessions in Redis. A write fails if the session has changed since it was loaded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any, Final, cast

import msgspec
from redis import Redis
from redis.exceptions import RedisError

from service.store import keys
from service.store.clients import exchange
from service.store.clock import CalendarSource, no_stops
from service.store.cluster import ClusterClient
from service.store.devices import SeatDevices
from service.store.owner_index import OwnerIndex, entry_of, name_in
from service.store.phrases import PhraseStore
from service.store.scripts import run_each, script
from service.store.session_rows import (
    FIELDS,
    Fields,
    LogRows,
    clock_fields,
    creation_args,
    decode_log,
    decode_session,
    due_argument,
    encode_devices,
    encode_push,
    encode_standing,
    keys_of,
    listed_entry,
    listing_of,
    outcome_of,
    pack,
    pack_moved,
    push_field,
)
from service.store.sessions import (
    MAX_OPERATIONS,
    WAITING,
    LogEntry,
    Outcome,
    Session,
    SessionChange,
    SessionWrite,
    Written,
    is_lasting_move,
)

MAX_FOUNDED: Final = 10**9
"""Page size that exceeds the number of sessions of any API key."""


class SessionStore:
    """Reads and writes sessions in Redis. `client` must not retry commands, because a retry could repeat a move.

    A session expires `life_ms` after its last write. If nobody has moved in it, it expires earlier.
    """

    def __init__(
        self, client: Redis, life_ms: int, calendar: CalendarSource = no_stops, unmoved_ms: int | None = None
    ) -> None:
        self.client = client
        self._life_ms, self.calendar = life_ms, calendar
        self._unmoved_ms = life_ms if unmoved_ms is None else unmoved_ms
        self._create = client.register_script(script("create"))
        self._write = client.register_script(script("write"))
        self._stand = client.register_script(script("stand"))
        self._push = client.register_script(script("push"))
        self._set_devices = client.register_script(script("devices"))
        self._erase = client.register_script(script("erase"))
        self._mend = client.register_script(script("mend"))
        self.phrases = PhraseStore(client)
        self._founded = self._listed = OwnerIndex(client)

    def create(self, creations: Sequence[SessionChange]) -> bool:
        """Write new sessions. If at least one of them already exists, write none of them and return False.

        The sessions must share a hash tag.
        """
        ids = [creation.after.id for creation in creations]
        charter = creations[0].after.charter
        if charter.founder is not None:
            entries = [entry_of(creation.after.charter.began, creation.after.id) for creation in creations]
            self._founded.add(keys.index_key(ids[0], charter.founder), keys.session, entries, self._life_ms)
        (due,) = {keys.due_of(session_id) for session_id in ids}
        places = [key for session_id in ids for key in (keys.session(session_id), keys.log(session_id))]
        args = list[Any]()
        for creation in creations:
            args += (self._unmoved_life(creation.after), *creation_args(creation))
        return bool(self._create(keys=[due, keys.listed_with(ids[0]), *places], args=args))

    def load(self, session_id: str) -> Session | None:
        return self.session_of(session_id, self._fields(session_id))

    def _fields(self, session_id: str) -> Fields:
        return cast("Fields", self.client.hmget(keys.session(session_id), FIELDS))

    def fields_of(self, session_ids: Sequence[str]) -> list[Fields | Exception]:
        """Read sessions in one exchange with Redis. For each session, return its undecoded fields or an exception."""
        if len(session_ids) == 1:  # a pipeline takes 30 µs more
            return [self._fields(session_ids[0])]
        return exchange(self.client, [("HMGET", keys.session(session_id), *FIELDS) for session_id in session_ids])

    def session_of(self, session_id: str, found: Fields) -> Session | None:
        """Decode a session from the fields that `fields_of` returns. Return None if the session does not exist."""
        return decode_session(session_id, found, self.calendar())

    def founded(self, key_id: str, before: str, since: int, most: int, now: int) -> list[tuple[str, Session | None]]:
        """Return an API key's sessions with their index entries, newest first.

        `since` is the earliest creation time, as a displayed time (see `Calendar`). If `before` is not "", return only
        entries older than the entry `before`. If a session is missing or unreadable, return None in its place.
        """
        entries = self._founded.page(keys.index_keys(key_id), before, max(0, self.calendar().meant(since)), most)
        rows = list[tuple[str, Session | None]]()
        for entry, session, is_readable in self._named(entries):
            fits = session is not None and entry_of(session.charter.began, session.id) == entry
            if not fits and is_readable:
                self._founded.forget(keys.index_key(name_in(entry), key_id), entry, now)
            rows.append((entry, session if fits else None))
        return rows

    def listed(self, before: str, since: int, most: int) -> list[tuple[str, Session | None]]:
        """Return publicly listed sessions with their index entries, newest first.

        If nobody can join a session, return None in its place.
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
        """Check at most `some` entries of each public index. Delete the entries of sessions that nobody can join."""
        with self.client.pipeline(transaction=False) as pipe:
            for key in keys.listed():
                pipe.zrandmember(key, some)
            found: list[list[bytes]] = pipe.execute()
        entries = [entry.decode() for part in found for entry in part]
        # Most of these sessions have expired. The scripts delete all other entries at once.
        states = self.lives([name_in(entry) for entry in entries])
        for entry, (status, _) in zip(entries, states, strict=True):
            if status != WAITING:
                self.client.zrem(keys.listed_with(name_in(entry)), entry)

    def _named(self, entries: Sequence[str]) -> Iterator[tuple[str, Session | None, bool]]:
        found = self.fields_of([name_in(entry) for entry in entries])
        for entry, fields in zip(entries, found, strict=True):
            if isinstance(fields, Exception):
                raise fields
            try:
                yield entry, self.session_of(name_in(entry), fields), True
            except (msgspec.MsgspecError, ValueError):
                yield entry, None, False

    def expires(self, session: Session, viewer: int) -> int:
        """Return the expiry time that `viewer` sees for a session.

        Each change restarts the session's lifetime. The result ignores changes that are hidden from `viewer`.
        """
        life = self._life_ms if session.kept else self._unmoved_life(session)
        return (session.moved[viewer] or session.charter.began) + life

    def revision(self, session_id: str) -> int:
        """Return the revision of a session, even if other fields are unreadable.

        Return 0 if the session does not exist.
        """
        return int(cast("bytes | None", self.client.hget(keys.session(session_id), "revision")) or 0)

    def lives(self, session_ids: Sequence[str]) -> list[tuple[str | None, int]]:
        """Return the status and remaining lifetime (ms) of each session. The status of a missing session is None."""
        with self.client.pipeline(transaction=False) as pipe:
            for session_id in session_ids:
                pipe.hget(keys.session(session_id), "status")
                pipe.pttl(keys.session(session_id))
            found = pipe.execute()
        return [(status and status.decode(), life) for status, life in zip(found[::2], found[1::2], strict=True)]

    def every(self) -> Iterator[str]:
        """Yield the ids of all sessions in arbitrary order."""
        for key in self.client.scan_iter(match=keys.SESSIONS, count=1_000):
            session_id = keys.session_of(key.decode())
            if session_id is not None:
                yield session_id

    def mend(self, session: Session, due: int | None) -> bool:
        """Store the repaired state of a loaded session. Return False if the session has changed since it was loaded."""
        fields: list[Any] = [
            *("record", session.record),
            *("status", session.status),
            *("opened", pack(session.opened)),
            *clock_fields(session),
            *(("undone", session.undone) if session.undone else ()),
            *("charter", msgspec.json.encode(session.charter)),
        ]
        # Viewers do not see a repair, so the log and all versions stay unchanged.
        places = [keys.session(session.id), keys.due_of(session.id), keys.listed_with(session.id)]
        args = [session.revision, session.id, due_argument(due), listing_of(session), *fields]
        return bool(self._mend(keys=places, args=args))

    def founded_by(self, key_id: str) -> list[str]:
        """Return the ids of all sessions that an API key has created, newest first. Some may have expired."""
        return [name_in(entry) for entry in self._founded.page(keys.index_keys(key_id), "", 0, MAX_FOUNDED)]

    def note_branch(self, session_id: str, branch_id: str) -> None:
        """Record the id of a session's branch. The record expires after twice the lifetime of a session."""
        with self.client.pipeline() as pipe:
            pipe.sadd(keys.branches(session_id), branch_id)
            pipe.pexpire(keys.branches(session_id), 2 * self._life_ms)
            pipe.execute()

    def branches(self, session_id: str) -> list[str]:
        """Return the ids of the practice sessions that branch from a session. Some of them may have expired."""
        return sorted(each.decode() for each in cast("set[bytes]", self.client.smembers(keys.branches(session_id))))

    def rewrite(self, session: Session, record: bytes, lines: Sequence[tuple[int, LogEntry]]) -> bool:
        """Replace the table and the log of a loaded session. The revision and all versions stay the same.

        Return False if the session has changed since it was loaded.
        """
        places = [keys.session(session.id), keys.log(session.id), keys.decisions(session.id)]
        entries = [part for revision, line in lines for part in (f"{revision}-0", msgspec.json.encode(line))]
        return bool(self._erase(keys=places, args=[session.revision, record, *entries]))

    def delete(self, session_id: str) -> None:
        """Delete a session and its log. The service deletes index entries of the session when it next reads them."""
        names = keys.session, keys.log, keys.decisions, keys.here, keys.phrases
        self.client.delete(*(name(session_id) for name in names))

    def write(self, session: Session, change: SessionChange, seat: int, operation: str) -> Outcome:
        """Write a session's change. If `operation` is repeated, write nothing. Return the outcome and the revision."""
        (outcome,) = self.write_each([SessionWrite(session, change, seat, operation)])
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    @property
    def writes_together(self) -> bool:
        """Return whether the store accepts several changes in one exchange. A Redis Cluster does not."""
        return not isinstance(self.client, ClusterClient)

    def write_each(self, writes: Sequence[SessionWrite]) -> list[Outcome | Exception]:
        """Write several changes in one exchange with Redis. Return the outcome or the exception of each write."""
        calls = [(keys_of(each.session), self._args(*each)) for each in writes]
        answers = run_each(self.client, self._write, calls)
        return [
            answer if isinstance(answer, Exception) else outcome_of(each.session, answer)
            for each, answer in zip(writes, answers, strict=True)
        ]

    def _args(self, session: Session, change: SessionChange, seat: int, operation: str) -> list[Any]:
        after, wait_ms = change.after, (change.due or 0) - change.log_entry.at
        return [
            session.revision,
            encode_standing(session.standing),
            seat,
            operation,
            MAX_OPERATIONS,
            max(self._life_ms, wait_ms + self._life_ms // 10),  # pauses and hours postpone the next action
            self._unmoved_life(session),
            int(is_lasting_move(after, change.log_entry) or bool(after.agreements.rests)),
            session.id,
            due_argument(change.due),
            msgspec.json.encode(change.log_entry),
            change.log_entry.at,
            " ".join(change.notifications),
            listing_of(after),
            encode_push(session.push),
            *("record", after.record),
            *("status", after.status),
            *("versions", pack(after.versions)),
            *("opened", pack(after.opened)),
            *("moved", pack_moved(after)),
            *(("kept", 1) if after.kept else ()),
            *clock_fields(after),
            *(("undo", msgspec.json.encode(after.undo)) if after.undo != session.undo else ()),
            *(("undone", after.undone) if after.undone != session.undone else ()),
            *(("agreements", msgspec.json.encode(after.agreements)) if after.agreements != session.agreements else ()),
            *(("rematch", after.rematch) if after.rematch and after.rematch != session.rematch else ()),
            *(("seats", msgspec.json.encode(after.seats)) if after.seats != session.seats else ()),
            *(("standing", encode_standing(after.standing)) if after.standing != session.standing else ()),
            *(("charter", msgspec.json.encode(after.charter)) if after.charter.first_ruleset else ()),
            *self._push_args(session, after),
        ]

    def _push_args(self, session: Session, after: Session) -> list[Any]:
        if after.push == session.push:
            return []
        pairs = enumerate(zip(session.push, after.push, strict=True))
        revoked = [push_field(seat) for seat, (old, new) in pairs if old and not new]
        return ["push", encode_push(after.push), *(arg for name in revoked for arg in (name, ""))]

    def _unmoved_life(self, session: Session) -> int:
        clock = session.charter.clock
        return min(self._life_ms, self._unmoved_ms + (clock.longest_ms if clock else 0))

    def stand(self, session: Session, standing: Sequence[Sequence[str]], due: int | None) -> Written:
        """Store answers given in advance. The revision stays the same, because no viewer sees these answers."""
        answer = self._stand(
            keys=keys_of(session),
            args=[
                session.revision,
                encode_standing(session.standing),
                encode_standing(standing),
                self._life_ms,
                session.id,
                due_argument(due),
            ],
        )
        return Written(answer.decode())

    def subscribe(self, session: Session, seat: int, name: str, subscription: bytes) -> Written:
        """Store a seat's push subscription. The revision stays the same.

        If `name` and `subscription` are empty, remove the subscription.
        """
        push = tuple(name if other == seat else kept for other, kept in enumerate(session.push))
        args: list[Any] = [
            session.revision,
            encode_push(session.push),
            encode_push(push),
            push_field(seat),
            subscription,
        ]
        return Written(self._push(keys=[keys.session(session.id)], args=args).decode())

    def subscription(self, session: Session, seat: int) -> bytes:
        """Return the push subscription of a seat. Return b"" if the seat has no subscription."""
        return cast("bytes | None", self.client.hget(keys.session(session.id), push_field(seat))) or b""

    def set_devices(self, session: Session, devices: Sequence[SeatDevices], revokes: int | None = None) -> Written:
        """Store the devices of a loaded session. The revision stays the same.

        If the change revokes a token of a seat, `revokes` is this seat.
        """
        answer = self._set_devices(
            keys=[keys.session(session.id)],
            args=[
                encode_devices(session.devices),
                encode_devices(devices),
                session.id,
                "" if revokes is None else revokes,
            ],
        )
        return Written(answer.decode())

    def operation(self, session_id: str, seat: int, operation: str) -> int | None:
        """Return the revision that a seat's operation created. Return None if the operation is unknown or too old."""
        (found,) = self.operation_each([(session_id, seat, operation)])
        if isinstance(found, Exception):
            raise found
        return found

    def operation_each(self, wanted: Sequence[tuple[str, int, str]]) -> list[int | Exception | None]:
        """For each item of `wanted`, return what the method `operation` returns or raises.

        All items share one exchange with Redis.
        """
        commands = [("HGET", keys.session(session_id), f"done{seat}") for session_id, seat, _ in wanted]
        try:
            rows = exchange(self.client, commands)
        except RedisError as error:
            return [copy(error) for _ in wanted]
        return [
            row if isinstance(row, Exception) else _revision_of(operation, row or b"")
            for (_, _, operation), row in zip(wanted, rows, strict=True)
        ]

    def log_entries(self, session_id: str, first: int = 1, last: int | None = None) -> list[tuple[int, LogEntry]]:
        end = "+" if last is None else f"{last}-0"
        found = self.client.xrange(keys.log(session_id), f"{first}-0", end) or []
        return decode_log(cast("LogRows", found))

    def log_rows(self, wanted: Sequence[tuple[str, int, int]]) -> list[LogRows | Exception]:
        """Return undecoded log entries for each item of `wanted`, or an exception.

        An item is a session id, a first revision and a last revision. All items share one exchange with Redis.
        """
        try:
            with self.client.pipeline(transaction=False) as pipe:
                for session_id, first, last in wanted:
                    pipe.xrange(keys.log(session_id), f"{first}-0", f"{last}-0")
                found: list[LogRows | Exception] = pipe.execute(raise_on_error=False)
        except RedisError as error:
            return [copy(error) for _ in wanted]
        return found


def _revision_of(operation: str, done: bytes) -> int | None:
    entries = (entry.partition("=") for entry in done.decode().split(";"))
    return next((int(revision) for known, _, revision in entries if known == operation), None)
