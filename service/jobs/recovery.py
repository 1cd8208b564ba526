"""Recovery: finds jobs whose workers are gone, and queues a task for each of them."""

from __future__ import annotations

import json
import time
from typing import Any, Final, cast

from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer

from service.jobs import queues
from service.jobs.leases import PRELUDE, end, enqueue_continuation, keys, text

MISSING_SECONDS: Final = 6
"""How long a call may stand in no queue before it counts as lost; between queue and claim lie milliseconds."""

_CALL: Final = (
    PRELUDE
    + """
-- ARGV the number of a call that was lost, empty where none was. The number of a new call, if one is needed.
if not in_work() then return '' end
if ARGV[1] ~= '' and redis.call('HGET', record, 'called') == ARGV[1] then redis.call('HSET', record, 'called', '') end
return call()
"""
)

_RELEASE: Final = (
    PRELUDE
    + """
-- ARGV the claim of one who has died. The number of a new call, if one is needed.
if not in_work() or not redis.call('ZSCORE', open, ARGV[1]) then return '' end
redis.call('ZADD', open, 0, ARGV[1])
return call()
"""
)


def sweep(connection: Redis) -> None:
    """See to it that at every job at which there is something to do a call for workers is out."""
    waiting = {
        ticket
        for name in queues.QUEUES
        for ticket in Queue(name, connection=connection, serializer=JSONSerializer).get_job_ids()
    }
    for raw in cast("list[bytes]", connection.zrange(queues.OPEN_JOBS, 0, -1)):
        job = raw.decode()
        state, called = text(connection, job, "state", "called")
        if state not in {"queued", "running"}:
            queues.close(connection, job)
        elif not called:
            _call(connection, job, _CALL, "")
        elif queues.ticket_of(job, int(called)) not in waiting and _long_missing(connection, job):
            _call(connection, job, _CALL, called)


def give_back(connection: Redis, job: str, ticket: str) -> None:
    """Give what was claimed by this ticket to the next worker, because its work-horse was seen to die."""
    if claim := _claim_of(connection, job, ticket):
        _call(connection, job, _RELEASE, claim)


def give_up(connection: Redis, job: str, ticket: str, code: str, **params: object) -> None:
    """Fail a job whose work, with this ticket, broke."""
    if claim := _claim_of(connection, job, ticket):
        end(connection, job, "failed", claim, problem=json.dumps({"code": code, "params": params}))


def _call(connection: Redis, job: str, script: str, argument: str) -> None:
    """Run a script that may find that a call is needed, and put that call into the queue."""
    call: Any = connection.eval(script, 3, *keys(job), argument)
    if call:
        enqueue_continuation(connection, job, int(call))


def _claim_of(connection: Redis, job: str, ticket: str) -> str | None:
    """Return the claim that is held by a ticket."""
    claims = (raw.decode() for raw in cast("list[bytes]", connection.zrange(queues.open_key(job), 0, -1)))
    return next((claim for claim in claims if claim.split("-", 3)[3] == ticket), None)


def _long_missing(connection: Redis, job: str) -> bool:
    """Note that a call stands in no queue, and tell whether that was noted long enough ago."""
    now = time.time()
    connection.hsetnx(queues.record_key(job), "missing", str(now))
    (since,) = text(connection, job, "missing")
    return now - float(since or now) > MISSING_SECONDS
