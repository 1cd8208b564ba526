"""Sessions as Redis holds them: loaded in one call, written by one script that compares the revision.

A session is a hash and a log. The revision counts every change and is never shown; an audience (a seat, or the
spectators) has a version of its own that moves only by what it learns. The log has one line for each revision, which
names the versions it moved, so every audience's own dense stream of events is a reading of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, cast

import msgspec
from redis import Redis

from games.core.game import Entry, Outcome
from service.store import keys
from service.store.scripts import script

OPERATIONS_KEPT: Final = 32
"""How many operations with their results are remembered for a seat."""

RUNNING: Final = "running"
FINISHED: Final = "finished"
ABORTED: Final = "aborted"

_FIELDS: Final = ("charter", "revision", "status", "versions", "opened", "record")


class Seat(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Who sits there: a person (with the hash of a token) or a bot (with a level)."""

    kind: str
    name: str | None = None
    level: str | None = None
    token: str | None = None


class Charter(msgspec.Struct, frozen=True, kw_only=True):
    """What a session was founded with; `key` decides all chance, `began` is in milliseconds since 1970."""

    game: str
    ruleset: str
    practice: bool
    key: str
    began: int
    spectators: str
    owner: str
    options: dict[str, object]
    seats: list[Seat]


class Line(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One line of the log: when, which versions it moved (0 where none), what happened, and who heard what.

    The first line has the outcomes of the set-up. `status` is there where something else than a move changed it.
    Hearers are a bit set as in `games.core.game.Heard`, events are JSON. The log alone tells how a session came to
    stand as it does (`service.sessions.course`), so whatever a line changes stands in it.
    """

    at: int
    versions: list[int]
    status: str | None = None
    entry: Entry | None = None
    outcomes: list[Outcome] = []
    heard: list[tuple[int, msgspec.Raw]] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session as loaded: `versions` and, in milliseconds, `opened` per seat; the last version is the spectators'.

    `opened` tells since when a seat has its decision, 0 where it has none. `record` is the game's record as JSON.
    """

    name: str
    charter: Charter
    revision: int
    status: str
    versions: tuple[int, ...]
    opened: tuple[int, ...]
    record: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What one move or abort makes of a session; `due` is when a bot's next move may be published, if one waits."""

    status: str
    versions: tuple[int, ...]
    opened: tuple[int, ...]
    record: bytes
    line: Line
    due: int | None


class Written(Enum):
    """What became of a change: written, done before, overtaken by another, or the session is gone."""

    WRITTEN = "written"
    DONE = "done"
    MOVED = "moved"
    GONE = "gone"


class SessionStore:
    """Reads and writes sessions; every key lives `life_ms` after the last write."""

    def __init__(self, client: Redis, life_ms: int) -> None:
        """Take a client that does not retry writes."""
        self.client = client
        self._life_ms = life_ms
        self._write = client.register_script(script("write"))
        self._hold = client.register_script(script("hold"))
        self._release = client.register_script(script("release"))

    def create(self, session: Session, line: Line, due: int | None) -> None:
        """Write a new session, all of it or nothing."""
        fields = {
            "charter": msgspec.json.encode(session.charter),
            "revision": session.revision,
            "status": session.status,
            "versions": _packed(session.versions),
            "opened": _packed(session.opened),
            "record": session.record,
        }
        with self.client.pipeline(transaction=True) as pipe:
            pipe.hset(keys.session(session.name), mapping=fields)  # type: ignore[arg-type]  # str is a field's name
            pipe.xadd(keys.log(session.name), {"line": msgspec.json.encode(line)}, f"{session.revision}-0")
            for key in (keys.session(session.name), keys.log(session.name)):
                pipe.pexpire(key, self._life_ms)
            if due is not None:
                pipe.zadd(keys.DUE, {session.name: due})
                pipe.pexpire(keys.DUE, self._life_ms)
            pipe.execute()

    def load(self, name: str) -> Session | None:
        """Return a session, or None where there is none."""
        fields = cast("list[bytes | None]", self.client.hmget(keys.session(name), _FIELDS))
        if None in fields:
            return None
        charter, revision, status, versions, opened, record = cast("list[bytes]", fields)
        return Session(
            name=name,
            charter=msgspec.json.decode(charter, type=Charter),
            revision=int(revision),
            status=status.decode(),
            versions=_unpacked(versions),
            opened=_unpacked(opened),
            record=record,
        )

    def write(self, session: Session, change: Change, seat: int, operation: str) -> tuple[Written, int]:
        """Write a change made to a loaded session, and tell what became of it and at which revision it stands.

        `operation` names the change for the seat, so that it is done once, however often it is sent.
        """
        answer = self._write(
            keys=[keys.session(session.name), keys.log(session.name), keys.DUE],
            args=[
                session.revision,
                seat,
                operation,
                OPERATIONS_KEPT,
                change.record,
                change.status,
                _packed(change.versions),
                _packed(change.opened),
                msgspec.json.encode(change.line),
                self._life_ms,
                session.name,
                "" if change.due is None else change.due,
            ],
        )
        outcome = Written(answer[0].decode())
        return outcome, answer[1] if len(answer) > 1 else session.revision

    def operation(self, name: str, seat: int, operation: str) -> int | None:
        """Return the revision at which a seat's operation was done, or None where it was not, or long ago."""
        done = cast("bytes | None", self.client.hget(keys.session(name), f"done{seat}"))
        for entry in (done or b"").decode().split(";"):
            known, _, revision = entry.partition("=")
            if known == operation:
                return int(revision)
        return None

    def lines(self, name: str, first: int = 1, last: int | None = None) -> list[tuple[int, Line]]:
        """Return the lines of a log from one revision to another, each with its revision."""
        end = "+" if last is None else f"{last}-0"
        found = self.client.xrange(keys.log(name), f"{first}-0", end) or []
        return lines_of(cast("list[tuple[bytes, dict[bytes, bytes]]]", found))

    def overdue(self, before: int, most: int) -> list[str]:
        """Return sessions whose bot was due before a time, the longest due first."""
        found = cast("list[bytes]", self.client.zrangebyscore(keys.DUE, "-inf", f"({before}", start=0, num=most))
        return [name.decode() for name in found]

    def due(self, name: str) -> int | None:
        """Return when the bot of a session is due, or None where none is."""
        score = self.client.zscore(keys.DUE, name)
        return None if score is None else int(score)

    def forget(self, name: str) -> None:
        """Take a session that is gone from those that wait for a bot."""
        self.client.zrem(keys.DUE, name)

    def hold(self, name: str, mark: str, milliseconds: int) -> bool:
        """Take or renew the right to play a session's bots, and tell whether it is ours."""
        return bool(self._hold(keys=[keys.bots(name)], args=[mark, milliseconds]))

    def held(self, name: str) -> bool:
        """Tell whether anybody has the right to play a session's bots."""
        return bool(self.client.exists(keys.bots(name)))

    def release(self, name: str, mark: str) -> None:
        """Give the right to play a session's bots back."""
        self._release(keys=[keys.bots(name)], args=[mark])


def lines_of(rows: Sequence[tuple[bytes, dict[bytes, bytes]]]) -> list[tuple[int, Line]]:
    """Return lines of a log as Redis answers them, each with its revision."""
    return [(int(number.split(b"-")[0]), msgspec.json.decode(row[b"line"], type=Line)) for number, row in rows]


def _packed(numbers: Sequence[int]) -> str:
    """Write a row of numbers."""
    return " ".join(map(str, numbers))


def _unpacked(row: bytes) -> tuple[int, ...]:
    """Read a row of numbers."""
    return tuple(map(int, row.split()))
