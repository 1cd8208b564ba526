"""Stores the connected seats of a session, and counts its spectators."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from redis import Redis

from games.core.table import SPECTATOR
from service.store import keys
from service.store.cluster import ClusterClient
from service.store.scripts import script

HERE_MS: Final = 15_000
"""Milliseconds for which a seat counts as connected after its last sign of life."""


@dataclass(frozen=True, slots=True)
class SessionPresence:
    """The presence in a session: its connected seats, and the number of its spectators."""

    revision: int | None  # None if the session is gone
    seats: frozenset[int]
    revoked: int = 0  # number of devices that were removed from its seats
    phrases: int = 0  # number of sent phrases
    watchers: int = 0  # number of streams and polls of spectators


class Register:
    """Stores the connections of seats. A seat may have several connections. Each connection has its own id."""

    def __init__(self, client: Redis) -> None:
        self._client, self._is_cluster = client, isinstance(client, ClusterClient)

    def look(self, session_id: str, now: int, members: Collection[str] = ()) -> SessionPresence:
        """Mark the connections `members` as alive, and return the session's presence. `now` is in milliseconds."""
        return parse_presence(cast("bytes", self._client.execute_command(*look_command(session_id, now, members))))

    def look_commands(self, session_id: str, now: int, members: Collection[str]) -> list[tuple[Any, ...]]:
        """Return Redis commands with the same effect as `look`. `answer_of` combines the responses of Redis."""
        if not self._is_cluster:
            return [look_command(session_id, now, members)]
        here = keys.here(session_id)  # a pipeline of a cluster takes no scripts
        marks = [part for each in members for part in (now + HERE_MS, each)]
        return [
            ("HMGET", keys.session(session_id), "revision", "revoked", "phrases"),
            ("ZREMRANGEBYSCORE", here, "-inf", now),
            *([("ZADD", here, *marks), ("PEXPIRE", here, HERE_MS)] if members else []),
            ("ZRANGE", here, 0, -1),
        ]

    def leave(self, session_id: str, members: Collection[str]) -> None:
        self._client.zrem(keys.here(session_id), *members)


def member(seat: int, connection_id: str) -> str:
    return f"{seat}/{connection_id}"


def watchers(process: str, count: int) -> str:
    """Return an entry for the sorted set of connections. The entry states that `process` has `count` spectators.

    If the sorted set contains several entries of a process, only the newest one counts.
    """
    return f"{SPECTATOR}/{process}~{count}"


def look_command(session_id: str, now: int, members: Collection[str]) -> tuple[Any, ...]:
    """Return the Redis command that marks the connections `members` as alive and reads a session's presence."""
    places = keys.session(session_id), keys.here(session_id)
    # Redis may have lost its loaded scripts, so EVALSHA could fail.
    return "EVAL", script("look"), 2, *places, now, now + HERE_MS, HERE_MS, *members


def answer_of(answers: Sequence[Any]) -> bytes:
    """Combine the responses that Redis gives for the commands of `Register.look_commands`.

    The result is the input for `parse_presence`.
    """
    if len(answers) == 1:
        return cast("bytes", answers[0])
    (revision, revoked, phrases), *_, members = answers
    return b" ".join([b"%s/%s/%s" % (revision or b"", revoked or b"0", phrases or b"0"), *members])


def parse_presence(answer: bytes) -> SessionPresence:
    """Parse the response to `look_command`, or the result of `answer_of`, which has the same format."""
    numbers, *members = answer.split()
    revision, revoked, phrases = numbers.split(b"/")
    seats, counts = set[int](), dict[bytes, int]()
    for each in members:  # in the order of their marks
        seat, _, connection = each.partition(b"/")
        if int(seat) == SPECTATOR:
            process, _, count = connection.partition(b"~")
            counts[process] = int(count)
        else:
            seats.add(int(seat))
    return SessionPresence(
        int(revision) if revision else None, frozenset(seats), int(revoked), int(phrases), sum(counts.values())
    )
