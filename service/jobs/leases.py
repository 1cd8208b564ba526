"""A job's own record in Redis, as its workers write it; what RQ says about the job is only a hint.

A job has items, numbered from 0: a search has one, a batch one for each position, a simulation or a tournament one for
each game. Workers claim ranges of them, do them in any order, and write one line for each item of all but a search;
lines are counted in the order of the items (`service.jobs.aggregate`), so the result is the same however they were cut.

record    hash: state, function, attempts, made, expires, payload, items, done, total, spent (ms), called, calls,
          counted, tally, partial, result, problem
open      sorted set of the ranges that are not done, "<first>-<end>-<lost>-<ticket>", by the time (ms) from which they
          may be taken: 0 for what nobody is at, else the end of the claim, which its holder puts off while he works.
          `lost` counts the holders that died, `ticket` is the holder's, empty where there is none.
done      hash: packed lines by the first item they tell of

Every write names the claim, so a claim that was given up for lost, or whose job was canceled, changes nothing any more.
As long as there is something to take, one call for another worker is out: `called` is its number until it is followed.
"""

from __future__ import annotations

import json
import secrets
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Self, cast

from redis import Redis
from redis.exceptions import ConnectionError as Unreachable
from redis.exceptions import TimeoutError as Unanswered

from service.jobs import queues

ALIVE_MS: Final = 8_000
"""How long a claim lives without renewal."""

BEAT_SECONDS: Final = 0.25
"""How often a job in work looks at its record, at most."""

ATTEMPTS: Final = 3
"""How often a range is begun before its job is given up: once, and two retries."""

FINISH_TRIES: Final = 20

PRELUDE: Final = """
local record, open = KEYS[1], KEYS[2]
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function in_work()
  local state = redis.call('HGET', record, 'state')
  return state == 'queued' or state == 'running'
end
-- The number of a new call, where there is something to do and no call is out.
local function call()
  if redis.call('HGET', record, 'called') ~= '' then return '' end
  if redis.call('ZCOUNT', open, '-inf', now()) == 0 and redis.call('ZCARD', open) > 0 then return '' end
  local number = redis.call('HINCRBY', record, 'calls', 1)
  redis.call('HSET', record, 'called', number)
  redis.call('HDEL', record, 'missing')
  return tostring(number)
end
local function finish(state)
  redis.call('HSET', record, 'state', state)
  redis.call('HDEL', record, 'payload', 'tally', 'called', 'missing')
  redis.call('DEL', open, KEYS[3])
end
"""
"""What scripts on a record share; KEYS are record, open and inputs."""

_TAKE: Final = (
    PRELUDE
    + """
-- ARGV the number of the call that is followed, ticket, ms, fewest and most items, attempts allowed, problem.
-- The range and payload, with the number of the next call; an empty range where nothing is free; false at the end.
if not in_work() then return false end
if redis.call('HGET', record, 'called') == ARGV[1] then redis.call('HSET', record, 'called', '') end
redis.call('HSET', record, 'state', 'running')
local first, last, lost, holder, found
for _, range in ipairs(redis.call('ZRANGEBYSCORE', open, '-inf', now())) do
  local f, e, l, h = string.match(range, '^(%d+)-(%d+)-(%d+)-(.*)$')
  if not first or tonumber(f) < first then first, last, lost, holder, found = tonumber(f), tonumber(e), l, h, range end
end
if not first then return {redis.call('HGET', record, 'payload'), 0, 0, 0, ''} end
redis.call('ZREM', open, found)
if holder ~= '' then lost = lost + 1 end
if tonumber(lost) >= tonumber(ARGV[6]) then
  redis.call('HSET', record, 'problem', ARGV[7])
  finish('failed')
  return false
end
local size = math.max(tonumber(ARGV[4]), math.min(tonumber(ARGV[5]), math.ceil((last - first) / 4)))
if first + size < last then
  redis.call('ZADD', open, 0, string.format('%d-%d-%d-', first + size, last, lost))
  last = first + size
end
redis.call('ZADD', open, now() + ARGV[3], string.format('%d-%d-%d-%s', first, last, lost, ARGV[2]))
redis.call('HINCRBY', record, 'attempts', 1)
if redis.call('HGET', record, 'items') == '1' then
  redis.call('HSET', record, 'done', 0)
  redis.call('HDEL', record, 'partial')
end
return {redis.call('HGET', record, 'payload'), first, last, tonumber(lost), call()}
"""
)

_BEAT: Final = (
    PRELUDE
    + """
-- ARGV claim, ms, then fields and values. 1 while the claim holds.
if not in_work() or not redis.call('ZSCORE', open, ARGV[1]) then return 0 end
redis.call('ZADD', open, now() + ARGV[2], ARGV[1])
for i = 3, #ARGV, 2 do redis.call('HSET', record, ARGV[i], ARGV[i + 1]) end
return 1
"""
)

_PUT: Final = (
    PRELUDE
    + """
-- KEYS[4] done; ARGV claim, first, reached, end, lines, ms. What comes of it: false where the claim does not hold, else
-- the number of the next call.
if not in_work() or not redis.call('ZSCORE', open, ARGV[1]) then return false end
redis.call('ZREM', open, ARGV[1])
if ARGV[3] ~= ARGV[4] then redis.call('ZADD', open, 0, string.format('%d-%d-0-', ARGV[3], ARGV[4])) end
redis.call('HSET', KEYS[4], ARGV[2], ARGV[5])
redis.call('PEXPIREAT', KEYS[4], redis.call('HGET', record, 'expires'))
redis.call('HINCRBY', record, 'done', ARGV[3] - ARGV[2])
redis.call('HINCRBY', record, 'spent', ARGV[6])
return ARGV[3] ~= ARGV[4] and call() or ''
"""
)

_END: Final = (
    PRELUDE
    + """
-- ARGV state, claim (empty: any), then fields and values. 1 if this ended the job.
if not in_work() or (ARGV[2] ~= '' and not redis.call('ZSCORE', open, ARGV[2])) then return 0 end
for i = 3, #ARGV, 2 do redis.call('HSET', record, ARGV[i], ARGV[i + 1]) end
if ARGV[1] == 'succeeded' then redis.call('HDEL', record, 'partial') end
finish(ARGV[1])
return 1
"""
)


class Stopped(Exception):
    """The work is not to go on."""


class GivenUp(Stopped):
    """The job was canceled, or another worker has it."""


class DeadlinePassed(Stopped):
    """The job was worked at for longer than it may be."""


@dataclass(frozen=True, slots=True)
class Portion:
    """How many items to claim: no fewer than `least`, no more than `most`, and in between a quarter of what is left."""

    least: int
    most: int


def keys(job: str) -> tuple[str, str, str]:
    """Return the keys that scripts on a record name."""
    return queues.record_key(job), queues.open_key(job), queues.inputs_key(job)


def packed(lines: Sequence[bytes]) -> bytes:
    """Return lines as they lie in the store."""
    return zlib.compress(b"\n".join(lines))


def unpacked(lines: bytes) -> list[bytes]:
    """Return lines that lay in the store."""
    return zlib.decompress(lines).split(b"\n")


class Lease:
    """The right to do some items of one job, and the pen to write in its record.

    `first` is `end` where none was free.
    """

    def __init__(self, connection: Redis, job: str, ticket: str, found: Sequence[Any]) -> None:
        """Take what `take` found."""
        payload, first, end, lost, call = found
        self.connection = connection
        self.job = job
        self.payload: Mapping[str, Any] = json.loads(payload)
        self.first, self.end = int(first), int(end)
        self._mark = f"{self.first}-{self.end}-{int(lost)}-{ticket}"
        self._beaten = time.monotonic()
        if call:
            enqueue_continuation(connection, job, int(call))

    @classmethod
    def take(cls, connection: Redis, job: str, ticket: str = "", portion: Portion | None = None) -> Self | None:
        """Follow a call, or none, and claim items; return None where the job has ended."""
        portion = portion or Portion(1, 1)
        call = ticket.removeprefix(f"{job}-")
        problem = as_json({"code": "worker-lost", "params": {"attempts": ATTEMPTS}})
        mark = ticket or secrets.token_hex(8)
        arguments = (call, mark, ALIVE_MS, portion.least, portion.most, ATTEMPTS, problem)
        found: Any = connection.eval(_TAKE, 3, *keys(job), *arguments)
        if found is None:
            queues.close(connection, job)
            return None
        return cls(connection, job, mark, found)

    def due(self) -> bool:
        """Tell whether it is time to beat."""
        return time.monotonic() - self._beaten >= BEAT_SECONDS

    def beat(self, **fields: str | int) -> None:
        """Renew the claim and write fields of the record; raise GivenUp where the claim no longer holds.

        A store that does not answer is no reason to stop: the work goes on, and the end is tried for longer.
        """
        self._beaten = time.monotonic()
        flat = [part for field in fields.items() for part in field]
        try:
            held = self.connection.eval(_BEAT, 3, *keys(self.job), self._mark, ALIVE_MS, *flat)
        except (Unreachable, Unanswered):
            return
        if not held:
            raise GivenUp(self.job)

    def put(self, lines: Sequence[bytes], milliseconds: int) -> None:
        """Write the lines of the items that were done, the first of those claimed; the others are given back.

        Raise GivenUp where the claim no longer holds.
        """
        reached = self.first + len(lines)
        arguments = (self._mark, self.first, reached, self.end, packed(lines), milliseconds)
        all_keys = (*keys(self.job), queues.done_key(self.job))
        call = retry(lambda: self.connection.eval(_PUT, 4, *all_keys, *arguments))
        if call is None:
            raise GivenUp(self.job)
        if call:
            enqueue_continuation(self.connection, self.job, int(call))

    def succeed(self, result: Mapping[str, Any], total: int) -> None:
        """End the job with its result."""
        end(self.connection, self.job, "succeeded", self._mark, done=total, total=total, result=as_json(result))

    def fail(self, code: str, **params: object) -> None:
        """End the job with a problem's code."""
        end(self.connection, self.job, "failed", self._mark, problem=as_json({"code": code, "params": params}))


def end(connection: Redis, job: str, state: str, mark: str = "", **fields: str | int) -> None:
    """End a job, under a claim or under none, unless it has ended; also if the store needs a while to come back."""
    flat = [str(part) for field in fields.items() for part in field]
    retry(lambda: connection.eval(_END, 3, *keys(job), state, mark, *flat))
    retry(lambda: queues.close(connection, job))


def enqueue_continuation(connection: Redis, job: str, call: int) -> None:
    """Put a call for another worker into the queue; where that fails, the sweep finds that it is missing."""
    with suppress(Unreachable, Unanswered):
        function, seconds = text(connection, job, "function", "seconds")
        if function:
            queues.enqueue(connection, function, queues.ticket_of(job, call), [job], int(seconds))


def text(connection: Redis, job: str, *fields: str) -> tuple[str, ...]:
    """Return fields of a record, empty where it has none."""
    found = cast("list[bytes | None]", connection.hmget(queues.record_key(job), list(fields)))
    return tuple((value or b"").decode() for value in found)


def retry(act: Callable[[], Any]) -> Any:
    """Do what must be done, also if the store needs a while to come back."""
    for left in reversed(range(FINISH_TRIES)):
        try:
            return act()
        except (Unreachable, Unanswered):
            if left == 0:
                raise
            time.sleep(0.5)
    raise AssertionError


def as_json(value: object) -> str:
    """Write JSON without NaN."""
    return json.dumps(value, allow_nan=False, separators=(",", ":"))
