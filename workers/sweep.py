"""Finds jobs whose worker is gone, and begins them again or gives them up."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from typing import Final, cast

from redis import Redis
from rq import Queue
from rq.exceptions import DuplicateJobError
from rq.serializers import JSONSerializer

from workers import names
from workers.records import ATTEMPTS

MISSING_SECONDS: Final = 6
"""How long a queued job may stand in no queue before it counts as lost; between queue and claim lie milliseconds."""

_AGAIN: Final = """
-- KEYS record, alive; ARGV the state and ticket it was found in, the new ticket, attempts allowed, problem.
-- What was decided for a lost job: 'again', 'failed', or false where it is not lost after all.
local found = redis.call('HMGET', KEYS[1], 'state', 'ticket')
if found[1] ~= ARGV[1] or found[2] ~= ARGV[2] then return false end
if redis.call('EXISTS', KEYS[2]) == 1 then return false end
redis.call('HDEL', KEYS[1], 'claim', 'missing', 'partial')
if tonumber(redis.call('HGET', KEYS[1], 'attempts')) >= tonumber(ARGV[4]) then
  redis.call('HSET', KEYS[1], 'state', 'failed', 'problem', ARGV[5])
  redis.call('HDEL', KEYS[1], 'payload')
  return 'failed'
end
redis.call('HSET', KEYS[1], 'state', 'queued', 'ticket', ARGV[3], 'done', 0)
return 'again'
"""

_FAIL: Final = """
-- KEYS record, alive; ARGV ticket, problem. 1 if this ended the job.
local found = redis.call('HMGET', KEYS[1], 'state', 'ticket')
if found[1] ~= 'running' or found[2] ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'state', 'failed', 'problem', ARGV[2])
redis.call('HDEL', KEYS[1], 'payload', 'claim', 'partial')
redis.call('DEL', KEYS[2])
return 1
"""


def sweep(connection: Redis) -> None:
    """Look at every job that has not ended."""
    waiting = {
        ticket
        for name in names.QUEUES
        for ticket in Queue(name, connection=connection, serializer=JSONSerializer).get_job_ids()
    }
    for raw in cast("list[bytes]", connection.zrange(names.OPEN_JOBS, 0, -1)):
        job = raw.decode()
        state, ticket = _text(connection, job, "state", "ticket")
        if state == "running":
            revive(connection, job, state, ticket)
        elif state == "queued" and ticket not in waiting:
            if _long_missing(connection, job):
                revive(connection, job, state, ticket)
        elif state != "queued":
            connection.zrem(names.OPEN_JOBS, job)


def give_back(connection: Redis, job: str, ticket: str) -> None:
    """Begin a job again whose work-horse, with this ticket, was seen to die."""
    if _text(connection, job, "state", "ticket") == ("running", ticket):
        connection.delete(names.alive_key(job))
        revive(connection, job, "running", ticket)


def give_up(connection: Redis, job: str, ticket: str, code: str, **params: object) -> None:
    """Fail a job whose work, with this ticket, broke."""
    problem = json.dumps({"code": code, "params": params})
    if connection.eval(_FAIL, 2, names.record_key(job), names.alive_key(job), ticket, problem):
        connection.zrem(names.OPEN_JOBS, job)


def revive(connection: Redis, job: str, state: str, ticket: str) -> None:
    """Begin a job again that nobody is at, or give it up after its last attempt."""
    number = int(ticket.rpartition("-")[2]) + 1
    fresh = f"{job}-{number}"
    lost = json.dumps({"code": "worker-lost", "params": {"attempts": ATTEMPTS}})
    keys = (names.record_key(job), names.alive_key(job))
    decided = connection.eval(_AGAIN, 2, *keys, state, ticket, fresh, ATTEMPTS, lost)
    if decided == b"again":
        function, seconds = _text(connection, job, "function", "seconds")
        with suppress(DuplicateJobError):
            names.enqueue(connection, function, fresh, [job], int(seconds))
    elif decided == b"failed":
        connection.zrem(names.OPEN_JOBS, job)


def _long_missing(connection: Redis, job: str) -> bool:
    """Note that a queued job stands in no queue, and tell whether that was noted long enough ago."""
    now = time.time()
    key = names.record_key(job)
    connection.hsetnx(key, "missing", str(now))
    (since,) = _text(connection, job, "missing")
    return now - float(since or now) > MISSING_SECONDS


def _text(connection: Redis, job: str, *fields: str) -> tuple[str, ...]:
    """Return fields of a record, empty where it has none."""
    found = cast("list[bytes | None]", connection.hmget(names.record_key(job), list(fields)))
    return tuple((value or b"").decode() for value in found)
