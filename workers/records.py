"""A job's own record in Redis, as its worker writes it; what RQ says about the job is only a hint.

The record is a hash: state, function, ticket, attempts, made, expires, payload, done, total, partial, result, problem.
Who works on a job holds its claim: the field `claim`, and the key `alive` that expires unless it is renewed. Every
write names the claim, so one that was given up for lost, or canceled, changes nothing any more.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Mapping
from typing import Any, Final, Self

from redis import Redis
from redis.exceptions import ConnectionError as Unreachable
from redis.exceptions import TimeoutError as Unanswered

from workers import names

ALIVE_MS: Final = 8_000
"""How long a claim lives without renewal."""

BEAT_SECONDS: Final = 0.25
"""How often a job in work looks at its record, at most."""

ATTEMPTS: Final = 3
"""How often a job is begun before it is given up: once, and two retries."""

FINISH_TRIES: Final = 20

_CLAIM: Final = """
-- KEYS record, alive; ARGV claim, ms. The job's function and payload, unless it has ended or somebody is at it.
local state = redis.call('HGET', KEYS[1], 'state')
if state ~= 'queued' and state ~= 'running' then return false end
if not redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2], 'NX') then return false end
redis.call('HSET', KEYS[1], 'state', 'running', 'claim', ARGV[1], 'done', 0)
redis.call('HDEL', KEYS[1], 'missing', 'partial')
redis.call('HINCRBY', KEYS[1], 'attempts', 1)
return redis.call('HGET', KEYS[1], 'payload')
"""

_BEAT: Final = """
-- KEYS record, alive; ARGV claim, ms, then fields and values. 1 while the claim holds.
local found = redis.call('HMGET', KEYS[1], 'claim', 'state')
if found[1] ~= ARGV[1] or found[2] ~= 'running' then return 0 end
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
for i = 3, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
return 1
"""

_END: Final = """
-- KEYS record, alive; ARGV claim, state, then fields and values. 1 if this ended the job.
local found = redis.call('HMGET', KEYS[1], 'claim', 'state')
if found[1] ~= ARGV[1] or found[2] ~= 'running' then return 0 end
redis.call('HSET', KEYS[1], 'state', ARGV[2])
for i = 3, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('HDEL', KEYS[1], 'payload', 'claim', 'partial')
redis.call('DEL', KEYS[2])
return 1
"""


class GivenUp(Exception):
    """The job was canceled, or another worker has it."""


class Claim:
    """The right to work on one job, and the pen to write in its record."""

    def __init__(self, connection: Redis, job: str, mark: str, payload: Mapping[str, Any]) -> None:
        """Take what `take` found."""
        self.connection = connection
        self.job = job
        self.payload = payload
        self._mark = mark
        self._keys = (names.record_key(job), names.alive_key(job))
        self._beaten = time.monotonic()

    @classmethod
    def take(cls, connection: Redis, job: str) -> Self | None:
        """Claim a job, or return None where it has ended or somebody is at it."""
        mark = secrets.token_hex(8)
        payload = connection.eval(_CLAIM, 2, names.record_key(job), names.alive_key(job), mark, ALIVE_MS)
        return None if payload is None else cls(connection, job, mark, json.loads(payload))

    def due(self) -> bool:
        """Tell whether it is time to beat."""
        return time.monotonic() - self._beaten >= BEAT_SECONDS

    def beat(self, done: int, total: int, partial: Mapping[str, Any] | None) -> None:
        """Renew the claim and write progress; raise GivenUp where the claim no longer holds.

        A store that does not answer is no reason to stop: the work goes on, and the end is tried for longer.
        """
        self._beaten = time.monotonic()
        fields: list[str | int] = ["done", done, "total", total]
        if partial is not None:
            fields += ["partial", _json(partial)]
        try:
            held = self.connection.eval(_BEAT, 2, *self._keys, self._mark, ALIVE_MS, *fields)
        except (Unreachable, Unanswered):
            return
        if not held:
            raise GivenUp(self.job)

    def succeed(self, result: Mapping[str, Any], total: int) -> None:
        """End the job with its result."""
        self._end("succeeded", "done", str(total), "total", str(total), "result", _json(result))

    def fail(self, code: str, **params: object) -> None:
        """End the job with a problem's code."""
        self._end("failed", "problem", _json({"code": code, "params": params}))

    def _end(self, state: str, *fields: str) -> None:
        """Write the end, also if the store needs a while to come back."""
        for left in reversed(range(FINISH_TRIES)):
            try:
                self.connection.eval(_END, 2, *self._keys, self._mark, state, *fields)
                self.connection.zrem(names.OPEN_JOBS, self.job)
            except (Unreachable, Unanswered):
                if left == 0:
                    raise
                time.sleep(0.5)
            else:
                return


def _json(value: object) -> str:
    """Write JSON without NaN."""
    return json.dumps(value, allow_nan=False, separators=(",", ":"))
