"""Who is connected to a session."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

from redis import Redis
from redis.client import Pipeline

from service.store import keys

HERE_MS: Final = 15_000
"""How long a seat counts as connected after it was last marked."""


@dataclass(frozen=True, slots=True)
class SessionPresence:
    """A session as those who listen find it: its revision, None where it is gone, and the seats that are connected."""

    revision: int | None
    seats: frozenset[int]


class Register:
    """Remembers which seats are connected; a seat may have several connections, each with an id of its own."""

    def __init__(self, client: Redis) -> None:
        self._client = client

    def look(self, session_id: str, now: int, members: Collection[str] = ()) -> SessionPresence:
        """Return who is connected at a time in milliseconds, the members handed in from now on among them."""
        with self._client.pipeline(transaction=False) as pipe:
            ask(pipe, session_id, now, members)
            return found(pipe.execute())

    def leave(self, session_id: str, member: str) -> None:
        """Forget one connection."""
        self._client.zrem(keys.here(session_id), member)


def member(seat: int, connection_id: str) -> str:
    """Return how a connection of a seat is remembered."""
    return f"{seat}/{connection_id}"


def ask(pipe: Pipeline, session_id: str, now: int, members: Collection[str]) -> int:
    """Put the commands of a look at a session into a pipeline, and return how many they are."""
    here = keys.here(session_id)
    before = len(pipe)
    pipe.hget(keys.session(session_id), "revision")
    pipe.zremrangebyscore(here, "-inf", now)
    if members:
        pipe.zadd(here, dict.fromkeys(members, now + HERE_MS))
        pipe.pexpire(here, HERE_MS)
    pipe.zrange(here, 0, -1)
    return len(pipe) - before


def found(answers: Sequence[Any]) -> SessionPresence:
    """Return what the commands of a look have found."""
    revision, *_, members = answers
    seats = frozenset(int(member.split(b"/")[0]) for member in members)
    return SessionPresence(None if revision is None else int(revision), seats)
