"""Waiting at a session's log, and who waits there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, cast

from redis import Redis

from service.store import keys
from service.store.sessions import LogEntry, decode_log

BLOCK_SECONDS: Final = 1.0
"""How long one read blocks at most, so that a waiting thread soon notices what Redis does not announce."""

LINES: Final = 100
"""How many lines one read brings at most."""

HERE_MS: Final = 15_000
"""How long a seat counts as connected after it was last marked."""


@dataclass(frozen=True, slots=True)
class SessionPresence:
    """A session as those who listen find it: its revision, None where it is gone, and the seats that are connected."""

    revision: int | None
    seats: frozenset[int]


class BlockingReader:
    """Reads what is written to logs, by a client whose timeout is longer than its reads block."""

    def __init__(self, client: Redis) -> None:
        self._client = client

    def lines(self, session_id: str, revision: int, seconds: float) -> list[tuple[int, LogEntry]]:
        """Return the lines after a revision, each with its own, as soon as there are any; none after so long."""
        block = max(1, round(min(seconds, BLOCK_SECONDS) * 1000))
        found: Any = self._client.xread({keys.log(session_id): f"{revision}-0"}, LINES, block)
        return decode_log(found[0][1]) if found else []


class Register:
    """Remembers which seats are connected; a seat may have several connections, each with an id of its own."""

    def __init__(self, client: Redis) -> None:
        self._client = client

    def look(self, session_id: str, now: int, seat: int | None = None, connection_id: str = "") -> SessionPresence:
        """Return who is connected at a time in milliseconds, the seat handed in from now on among them."""
        here = keys.here(session_id)
        with self._client.pipeline(transaction=False) as pipe:
            pipe.hget(keys.session(session_id), "revision")
            pipe.zremrangebyscore(here, "-inf", now)
            if seat is not None:
                pipe.zadd(here, {f"{seat}/{connection_id}": now + HERE_MS})
                pipe.pexpire(here, HERE_MS)
            pipe.zrange(here, 0, -1)
            revision, *_, members = pipe.execute()
        seats = frozenset(int(member.split(b"/")[0]) for member in cast("list[bytes]", members))
        return SessionPresence(None if revision is None else int(revision), seats)

    def leave(self, session_id: str, seat: int, connection_id: str) -> None:
        """Forget one connection of a seat."""
        self._client.zrem(keys.here(session_id), f"{seat}/{connection_id}")
