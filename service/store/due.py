"""Due sets: the sessions with a pending automatic action, ordered by time.

`write.lua` writes a session and its due time in one step. A due time stays in Redis until its action is done. So no
action is lost if a process dies.
"""

from __future__ import annotations

from typing import Any

from redis import Redis

from service.store import keys
from service.store.clients import exchange
from service.store.scripts import script


class DueSets:
    """The sessions with a pending automatic action. They are in several sorted sets, ordered by time."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._settle = client.register_script(script("settle"))

    def before(self, now: int, most: int) -> list[tuple[str, int]]:
        """Return sessions that are due at `now` or earlier, each with its due time.

        Return at most `most` sessions of each sorted set.
        """
        asked = ("-inf", now, "BYSCORE", "LIMIT", 0, most, "WITHSCORES")
        found = exchange(self._client, [("ZRANGE", keys.due(bucket), *asked) for bucket in keys.BUCKETS])
        pairs = [pair for bucket in _readable(found) for pair in zip(bucket[::2], bucket[1::2], strict=True)]
        return [(member.decode(), int(time)) for member, time in pairs]

    def first(self) -> int | None:
        """Return the earliest due time of all sessions. Return None if no session has a due time."""
        with self._client.pipeline(transaction=False) as pipe:
            for bucket in keys.BUCKETS:
                pipe.zrange(keys.due(bucket), 0, 0, withscores=True)
            found = _readable(pipe.execute(raise_on_error=False))
        return min((int(time) for bucket in found for _, time in bucket), default=None)

    def broken(self) -> int:
        """Return the number of due sets with a wrong Redis type.

        The service does no automatic actions for the sessions of such a set.
        """
        with self._client.pipeline(transaction=False) as pipe:
            for bucket in keys.BUCKETS:
                pipe.type(keys.due(bucket))
            return sum(kind not in {b"zset", b"none"} for kind in pipe.execute())

    def time(self, session_id: str) -> int | None:
        score = self._client.zscore(keys.due_of(session_id), session_id)
        return None if score is None else int(score)

    def settle(self, session_id: str, revision: int, found: int, due: int | None) -> None:
        """Change a session's due time from `found` to `due`. If `due` is None, remove the due time.

        Do nothing if the session's revision is no longer `revision`, or if its due time is no longer `found`.
        """
        self._settle(
            keys=[keys.session(session_id), keys.due_of(session_id)],
            args=[revision, found, session_id, "" if due is None else due],
        )

    def hasten(self, session_id: str, due: int) -> None:
        """Set the due time of a session to `due`, unless its current due time is earlier.

        Do nothing if the session has no pending action.
        """
        self._client.zadd(keys.due_of(session_id), {session_id: due}, xx=True, lt=True)

    def forget(self, session_id: str) -> None:
        self._client.zrem(keys.due_of(session_id), session_id)


class DueNames:
    """A sorted set of the names of receivers that have pending messages. It is ordered by due time."""

    def __init__(self, client: Redis, due_key: str) -> None:
        self.client, self._due_key = client, due_key
        self._put_off = client.register_script(script("put_off"))

    def due(self, now: int, most: int) -> list[tuple[str, int]]:
        """Return at most `most` entries that are due at `now` or earlier, each with its due time."""
        options: dict[str, Any] = {"byscore": True, "offset": 0, "num": most, "withscores": True}
        found: Any = self.client.zrange(self._due_key, "-inf", now, **options)
        return [(name.decode(), int(time)) for name, time in found]

    def put_off(self, name: str, found: int, until: int) -> None:
        """Change a receiver's due time from `found` to `until`.

        A receiver is a webhook or a seat that has pending messages. `name` is the receiver's name. Call this method
        after a task for the receiver has been queued. Do nothing if the receiver's due time is no longer `found`.
        """
        self._put_off(keys=[self._due_key], args=[name, found, until])

    def forget(self, name: str) -> None:
        """Remove the entry of a receiver that has no pending messages."""
        self.client.zrem(self._due_key, name)


def _readable(found: list[Any]) -> list[list[Any]]:
    """Return the readable due sets. Omit sets with a wrong Redis type, because they must not affect other sets."""
    for bucket in found:
        if isinstance(bucket, Exception) and "WRONGTYPE" not in str(bucket):
            raise bucket
    return [bucket for bucket in found if not isinstance(bucket, Exception)]
