"""Due sets: the sessions at which something is to happen by itself, by when it is due.

`write.lua` enters a session here in the same step as the change that makes something due. Whoever looks finds the
session again and again until the change that follows takes it out or puts it off, so nothing is lost however often
those who look die.
"""

from __future__ import annotations

from typing import Any

from redis import Redis

from service.store import keys
from service.store.clients import exchange
from service.store.scripts import script


class DueSets:
    """The due sets of all buckets."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._settle = client.register_script(script("settle"))

    def before(self, now: int, most: int) -> list[tuple[str, int]]:
        """Return sessions that are due by a time, at most so many of each bucket, with the time of each."""
        asked = ("-inf", now, "BYSCORE", "LIMIT", 0, most, "WITHSCORES")
        found = exchange(self._client, [("ZRANGE", keys.due(bucket), *asked) for bucket in keys.BUCKETS])
        pairs = [pair for bucket in _readable(found) for pair in zip(bucket[::2], bucket[1::2], strict=True)]
        return [(member.decode(), int(time)) for member, time in pairs]

    def first(self) -> int | None:
        """Return when the first of all that is due is, or None where nothing is."""
        with self._client.pipeline(transaction=False) as pipe:
            for bucket in keys.BUCKETS:
                pipe.zrange(keys.due(bucket), 0, 0, withscores=True)
            found = _readable(pipe.execute(raise_on_error=False))
        return min((int(time) for bucket in found for _, time in bucket), default=None)

    def broken(self) -> int:
        """Return how many buckets have something else where their due set belongs: nothing happens there by itself."""
        with self._client.pipeline(transaction=False) as pipe:
            for bucket in keys.BUCKETS:
                pipe.type(keys.due(bucket))
            return sum(kind not in {b"zset", b"none"} for kind in pipe.execute())

    def time(self, session_id: str) -> int | None:
        """Return when something is due at a session, or None where nothing is."""
        score = self._client.zscore(keys.due_of(session_id), session_id)
        return None if score is None else int(score)

    def settle(self, session_id: str, revision: int, found: int, due: int | None) -> None:
        """Put a session off that was found due at a time, unless it has changed since it was loaded."""
        self._settle(
            keys=[keys.session(session_id), keys.due_of(session_id)],
            args=[revision, found, session_id, "" if due is None else due],
        )

    def hasten(self, session_id: str, due: int) -> None:
        """Bring the time of a session forward, if anything is due at it at all."""
        self._client.zadd(keys.due_of(session_id), {session_id: due}, xx=True, lt=True)

    def forget(self, session_id: str) -> None:
        """Take a session out that is gone."""
        self._client.zrem(keys.due_of(session_id), session_id)


def _readable(found: list[Any]) -> list[list[Any]]:
    """Return what could be read; a broken due set stops its own sessions only, and any other failure is raised."""
    for bucket in found:
        if isinstance(bucket, Exception) and "WRONGTYPE" not in str(bucket):
            raise bucket
    return [bucket for bucket in found if not isinstance(bucket, Exception)]
