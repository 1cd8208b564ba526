"""Who is connected to a session."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from redis import Redis
from redis.client import Pipeline
from redis.cluster import ClusterPipeline

from service.store import keys
from service.store.scripts import script

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
        return found(cast("bytes", self._client.execute_command(*look_command(session_id, now, members))))

    def leave(self, session_id: str, member: str) -> None:
        """Forget one connection."""
        self._client.zrem(keys.here(session_id), member)


def member(seat: int, connection_id: str) -> str:
    """Return how a connection of a seat is remembered."""
    return f"{seat}/{connection_id}"


def look_command(session_id: str, now: int, members: Collection[str]) -> tuple[Any, ...]:
    """Return the command of a look at a session; it has the script's text, so no store can have lost that."""
    places = keys.session(session_id), keys.here(session_id)
    return "EVAL", script("look"), 2, *places, now, now + HERE_MS, HERE_MS, *members


def ask(pipe: Pipeline | ClusterPipeline, session_id: str, now: int, members: Collection[str]) -> int:
    """Put the commands of a look at a session into a pipeline, and return how many they are."""
    if not isinstance(pipe, ClusterPipeline):
        pipe.execute_command(*look_command(session_id, now, members))
        return 1
    here, before = keys.here(session_id), len(pipe)  # which takes no scripts
    pipe.hget(keys.session(session_id), "revision")
    pipe.zremrangebyscore(here, "-inf", now)
    if members:
        pipe.zadd(here, dict.fromkeys(members, now + HERE_MS))
        pipe.pexpire(here, HERE_MS)
    pipe.zrange(here, 0, -1)
    return len(pipe) - before


def answer_of(answers: Sequence[Any]) -> bytes:
    """Return the answer of the commands that `ask` has put into a pipeline, for `found`."""
    if len(answers) == 1:
        return cast("bytes", answers[0])
    revision, *_, members = answers
    return b" ".join([revision or b"", *members])


def found(answer: bytes) -> SessionPresence:
    """Return what a look has found."""
    revision, _, members = answer.partition(b" ")
    seats = frozenset(int(member.partition(b"/")[0]) for member in members.split())
    return SessionPresence(int(revision) if revision else None, seats)
