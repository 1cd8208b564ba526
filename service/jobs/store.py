"""The records of jobs as the service writes and reads them; `workers.records` writes them while they are in work."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from redis import Redis

from workers import names

QUEUED: Final = "queued"
RUNNING: Final = "running"
CANCELED: Final = "canceled"
ENDED: Final = frozenset({"succeeded", "failed", CANCELED})
STATES: Final = (QUEUED, RUNNING, "succeeded", "failed", CANCELED)

_CREATE: Final = """
-- KEYS record; ARGV expiry, then fields and values. 1 if the job is new.
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
for i = 2, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('PEXPIREAT', KEYS[1], ARGV[1])
return 1
"""

_CANCEL: Final = """
-- KEYS record, alive. 1 if this ended the job.
local state = redis.call('HGET', KEYS[1], 'state')
if state ~= 'queued' and state ~= 'running' then return 0 end
redis.call('HSET', KEYS[1], 'state', 'canceled')
redis.call('HDEL', KEYS[1], 'payload', 'claim')
redis.call('DEL', KEYS[2])
return 1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job as its record tells it; times are milliseconds since 1970, `owner` is a hash or empty."""

    id: str
    function: str
    game: str
    state: str
    ticket: str
    owner: str
    made: int
    expires: int
    done: int
    total: int
    result: dict[str, Any] | None
    partial: dict[str, Any] | None
    problem: dict[str, Any] | None


class JobStore:
    """Writes and reads records."""

    def __init__(self, client: Redis) -> None:
        """Take a client that does not retry writes."""
        self._client = client
        self._create = client.register_script(_CREATE)
        self._cancel = client.register_script(_CANCEL)

    def create(self, job: Job, payload: Mapping[str, Any], seconds: int) -> bool:
        """Write a new job's record, and tell whether it was new; RQ ends the work by force after `seconds`."""
        fields = {
            "function": job.function,
            "game": job.game,
            "state": job.state,
            "ticket": job.ticket,
            "owner": job.owner,
            "made": job.made,
            "expires": job.expires,
            "done": job.done,
            "total": job.total,
            "attempts": 0,
            "seconds": seconds,
            "payload": json.dumps(payload, allow_nan=False, separators=(",", ":")),
        }
        flat = [str(part) for field in fields.items() for part in field]
        return bool(self._create(keys=[names.record_key(job.id)], args=[str(job.expires), *flat]))

    def open(self, job: Job) -> None:
        """List a job among those that have not ended, so that the workers' sweep looks after it."""
        self._client.zadd(names.OPEN_JOBS, {job.id: job.made})

    def open_jobs(self) -> int:
        """Return how many jobs have not ended."""
        return self._client.zcard(names.OPEN_JOBS)

    def load(self, job: str) -> Job | None:
        """Return a job, or None where there is none."""
        raw = cast("dict[bytes, bytes]", self._client.hgetall(names.record_key(job)))
        if not raw:
            return None
        found: dict[str, Any] = {key.decode(): value.decode() for key, value in raw.items()}
        for name in ("result", "partial", "problem"):
            found[name] = json.loads(found.get(name, "null"))
        for name in ("made", "expires", "done", "total"):
            found[name] = int(found[name])
        return Job(id=job, **{name: found[name] for name in Job.__slots__ if name != "id"})

    def state(self, job: str) -> str:
        """Return a job's state, empty where there is none."""
        return (cast("bytes | None", self._client.hget(names.record_key(job), "state")) or b"").decode()

    def seconds(self, job: str) -> int:
        """Return after how many seconds of work RQ ends a job by force."""
        return int(cast("bytes | None", self._client.hget(names.record_key(job), "seconds")) or 0)

    def cancel(self, job: str) -> bool:
        """Call a job off, and tell whether this ended it."""
        ended = bool(self._cancel(keys=[names.record_key(job), names.alive_key(job)]))
        self._client.zrem(names.OPEN_JOBS, job)
        return ended
