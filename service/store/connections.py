"""Stores which seats of a session are currently connected."""

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
"""Milliseconds for which a seat counts as connected after its last sign of life."""


@dataclass(frozen=True, slots=True)
class SessionPresence:
    """The connected seats of a session, read from Redis.

    `revision` is the number of the session's last change, or None if the session is gone. `revoked` counts the devices
    that have been removed from its seats.
    """

    revision: int | None
    seats: frozenset[int]
    revoked: int = 0


class Register:
    """Stores the connections of seats. A seat may have several, each with its own id."""

    def __init__(self, client: Redis) -> None:
        self._client = client

    def look(self, session_id: str, now: int, members: Collection[str] = ()) -> SessionPresence:
        """Mark the connections `members` as alive, and return the session's presence. `now` is in milliseconds."""
        return parse_presence(cast("bytes", self._client.execute_command(*look_command(session_id, now, members))))

    def leave(self, session_id: str, member: str) -> None:
        self._client.zrem(keys.here(session_id), member)


def member(seat: int, connection_id: str) -> str:
    return f"{seat}/{connection_id}"


def look_command(session_id: str, now: int, members: Collection[str]) -> tuple[Any, ...]:
    """Return the Redis command that marks connections as alive and reads a session's presence.

    The command contains the script itself, because Redis may have lost a script that is only known by its hash.
    """
    places = keys.session(session_id), keys.here(session_id)
    return "EVAL", script("look"), 2, *places, now, now + HERE_MS, HERE_MS, *members


def ask(pipe: Pipeline | ClusterPipeline, session_id: str, now: int, members: Collection[str]) -> int:
    """Add the commands that read a session's presence to a pipeline. Return their number."""
    if not isinstance(pipe, ClusterPipeline):
        pipe.execute_command(*look_command(session_id, now, members))
        return 1
    here, before = keys.here(session_id), len(pipe)  # which takes no scripts
    pipe.hmget(keys.session(session_id), "revision", "revoked")
    pipe.zremrangebyscore(here, "-inf", now)
    if members:
        pipe.zadd(here, dict.fromkeys(members, now + HERE_MS))
        pipe.pexpire(here, HERE_MS)
    pipe.zrange(here, 0, -1)
    return len(pipe) - before


def answer_of(answers: Sequence[Any]) -> bytes:
    """Join the responses to the commands of `ask`, as input for `parse_presence`."""
    if len(answers) == 1:
        return cast("bytes", answers[0])
    (revision, revoked), *_, members = answers
    return b" ".join([b"%s/%s" % (revision or b"", revoked or b"0"), *members])


def parse_presence(answer: bytes) -> SessionPresence:
    """Parse the response that `answer_of` returns."""
    numbers, _, members = answer.partition(b" ")
    revision, _, revoked = numbers.partition(b"/")
    seats = frozenset(int(member.partition(b"/")[0]) for member in members.split())
    return SessionPresence(int(revision) if revision else None, seats, int(revoked or 0))
