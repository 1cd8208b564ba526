"""The records of jobs as the service writes and reads them; `service.jobs.leases` writes those that are in work."""

from __future__ import annotations

import json
import zlib
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from redis import Redis

from service.jobs import queues

QUEUED: Final = "queued"
RUNNING: Final = "running"
CANCELED: Final = "canceled"
ENDED: Final = frozenset({"succeeded", "failed", CANCELED})
STATES: Final = (QUEUED, RUNNING, "succeeded", "failed", CANCELED)

_CREATE: Final = """
-- KEYS record, open; ARGV expiry, items, then fields and values. 1 if the job is new.
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
for i = 3, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('ZADD', KEYS[2], 0, '0-' .. ARGV[2] .. '-0-')
redis.call('PEXPIREAT', KEYS[1], ARGV[1])
redis.call('PEXPIREAT', KEYS[2], ARGV[1])
return 1
"""

_CANCEL: Final = """
-- KEYS record, open, inputs. The call that is out and the claims that are held, if this ended the job, else false.
local state = redis.call('HGET', KEYS[1], 'state')
if state ~= 'queued' and state ~= 'running' then return false end
local found = redis.call('ZRANGE', KEYS[2], 0, -1)
table.insert(found, 1, redis.call('HGET', KEYS[1], 'called'))
redis.call('HSET', KEYS[1], 'state', 'canceled')
redis.call('HDEL', KEYS[1], 'payload', 'tally', 'called', 'missing')
redis.call('DEL', KEYS[2], KEYS[3])
return found
"""

INPUTS_AT_ONCE: Final = 500
"""How many inputs one command writes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job as its record tells it; times are milliseconds since 1970, `owner` is a hash or empty.

    `counted` is how many lines of its items stand in order; `cost` is what it costs at most, in playouts.
    """

    id: str
    function: str
    game: str
    state: str
    owner: str
    made: int
    expires: int
    items: int
    counted: int
    done: int
    total: int
    cost: int
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

    def create(self, job: Job, payload: Mapping[str, Any], seconds: int, inputs: Sequence[bytes] = ()) -> bool:
        """Write a new job's record, and tell whether it was new; RQ ends a portion of it by force after `seconds`.

        `inputs` are what its items are made from, packed, one for each, where they are not all made from the payload.
        """
        if self._client.exists(queues.record_key(job.id)):
            return False
        fields = {
            "function": job.function,
            "game": job.game,
            "state": job.state,
            "owner": job.owner,
            "made": job.made,
            "expires": job.expires,
            "items": job.items,
            "counted": 0,
            "done": job.done,
            "total": job.total,
            "cost": job.cost,
            "attempts": 0,
            "called": 0,
            "calls": 0,
            "seconds": seconds,
            "payload": json.dumps(payload, allow_nan=False, separators=(",", ":")),
        }
        flat = [str(part) for field in fields.items() for part in field]
        if inputs:
            self._write_inputs(job, inputs)
        keys = [queues.record_key(job.id), queues.open_key(job.id)]
        return bool(self._create(keys=keys, args=[str(job.expires), str(job.items), *flat]))

    def open(self, job: Job) -> None:
        """List a job among those that have not ended, so that the workers' sweep looks after it."""
        self._client.zadd(queues.OPEN_JOBS, {job.id: job.made})

    def open_jobs(self) -> int:
        """Return how many jobs have not ended."""
        return self._client.zcard(queues.OPEN_JOBS)

    def load(self, job: str) -> Job | None:
        """Return a job, or None where there is none."""
        raw = cast("dict[bytes, bytes]", self._client.hgetall(queues.record_key(job)))
        if not raw:
            return None
        found: dict[str, Any] = {key.decode(): value.decode() for key, value in raw.items()}
        for name in ("result", "partial", "problem"):
            found[name] = json.loads(found.get(name, "null"))
        for name in ("made", "expires", "items", "counted", "done", "total", "cost"):
            found[name] = int(found[name])
        return Job(id=job, **{name: found[name] for name in Job.__slots__ if name != "id"})

    def state(self, job: str) -> str:
        """Return a job's state, empty where there is none."""
        return (cast("bytes | None", self._client.hget(queues.record_key(job), "state")) or b"").decode()

    def seconds(self, job: str) -> int:
        """Return after how many seconds of work RQ ends a job by force."""
        return int(cast("bytes | None", self._client.hget(queues.record_key(job), "seconds")) or 0)

    def progress(self, job: str) -> tuple[bytes | None, ...]:
        """Return what of a job changes while it is in work: its state, how far it is and how far it is counted."""
        found: Any = self._client.hmget(queues.record_key(job), ["state", "done", "counted", "partial"])
        return tuple(found)

    def lines(self, job: Job, first: int, end: int) -> Iterator[bytes]:
        """Return the lines of items, which are counted, from one on; a few at a time are fetched."""
        done = queues.done_key(job.id)
        begun: list[int] = sorted(map(int, cast("list[bytes]", self._client.hkeys(done)))) if first < end else []
        for begin in begun[max(0, bisect_right(begun, first) - 1) :]:
            if begin >= end:
                return
            found = cast("bytes | None", self._client.hget(done, str(begin)))
            if found is None:
                return  # the job has expired
            yield from zlib.decompress(found).split(b"\n")[max(0, first - begin) : end - begin]

    def cancel(self, job: str) -> list[str] | None:
        """Call a job off, and return the tickets by which workers are at it; None if it has ended before."""
        keys = [queues.record_key(job), queues.open_key(job), queues.inputs_key(job)]
        found = cast("list[bytes] | None", self._cancel(keys=keys))
        queues.close(self._client, job)
        if found is None:
            return None
        called, *claims = (raw.decode() for raw in found)
        tickets = [claim.split("-", 3)[3] for claim in claims]
        return [ticket for ticket in [*tickets, called and queues.ticket_of(job, int(called))] if ticket]

    def _write_inputs(self, job: Job, inputs: Sequence[bytes]) -> None:
        """Write what the items of a job are made from."""
        key = queues.inputs_key(job.id)
        with self._client.pipeline() as pipe:
            pipe.delete(key)
            for begin in range(0, len(inputs), INPUTS_AT_ONCE):
                pipe.rpush(key, *inputs[begin : begin + INPUTS_AT_ONCE])
            pipe.pexpireat(key, job.expires)
            pipe.execute()
