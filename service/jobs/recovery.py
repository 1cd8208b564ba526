"""Recovery: finds open jobs whose worker has died, and enqueues a new task for each of these jobs."""

from __future__ import annotations

import errno
import time
from typing import Final, cast

from redis import Redis
from redis.exceptions import ConnectionError as Unreachable
from redis.exceptions import ResponseError
from redis.exceptions import TimeoutError as Unanswered
from rq import Queue
from rq.serializers import JSONSerializer
from rq.timeouts import JobTimeoutException

from service.jobs import queues
from service.jobs.records import as_json, end, enqueue_continuation, fields_of, run_script
from service.store.writes import refuses_writes

MISSING_SECONDS: Final = 6
"""Seconds after which a task counts as lost if it is not in a queue and has no lease."""


LACKING: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC, errno.EAGAIN})
"""Values of `OSError.errno` for a lack of memory, disk space, open files or processes."""


def sweep(connection: Redis) -> None:
    """Enqueue a task for each open job that has no task. Remove ended jobs from the Redis set `OPEN_JOBS`."""
    waiting = {
        task
        for name in queues.QUEUES
        for task in Queue(name, connection=connection, serializer=JSONSerializer).get_job_ids()
    }
    for raw in cast("list[bytes]", connection.zrange(queues.OPEN_JOBS, 0, -1)):
        job = raw.decode()
        state, called = fields_of(connection, job, "state", "called")
        if state not in {"queued", "running"}:
            queues.close(connection, job)
        elif not called:
            _requeue(connection, job, "requeue", "")
        elif queues.task_id(job, int(called)) not in waiting and _long_missing(connection, job):
            _requeue(connection, job, "requeue", called)


def give_back(connection: Redis, job: str, task: str) -> None:
    """Release the items that a task had leased before its process died."""
    if lease_id := _lease_of(connection, job, task):
        _requeue(connection, job, "release", lease_id)


def is_silent(connection: Redis, job: str, task: str) -> bool:
    """Return whether a task has leased items but has not renewed its lease in time."""
    lease_id = _lease_of(connection, job, task)
    if lease_id is None:
        return False
    ends = connection.zscore(queues.open_key(job), lease_id)
    seconds, microseconds = connection.time()
    return bool(ends) and cast("float", ends) < 1000 * seconds + microseconds / 1000


def give_up(connection: Redis, job: str, task: str, code: str, **params: object) -> None:
    """End a job as failed, because one of its tasks failed. `code` and `params` describe the problem."""
    if lease_id := _lease_of(connection, job, task):
        end(connection, job, "failed", lease_id, problem=as_json({"code": code, "params": params}))


def settle_failure(connection: Redis, job: str, task: str, error: BaseException, seconds: float | None) -> None:
    """Handle the exception `error` that ended a task.

    If Redis did not respond, release the items of the task. If the worker lacks a resource, or if Redis rejects writes,
    do nothing. The items then become free when their lease expires. For any other exception, set the job to failed.
    `seconds` is the time limit of the task.
    """
    match error:
        case Unreachable() | Unanswered():
            # Redis did not respond. Other workers may take the items at once.
            give_back(connection, job, task)
        case MemoryError() | RuntimeError(args=("can't start new thread",)):
            # The worker lacks memory, files or threads. The items become free when their lease expires.
            pass
        case OSError(errno=number) if number in LACKING:
            pass
        case ResponseError() if refuses_writes(error):
            pass
        case JobTimeoutException():
            give_up(connection, job, task, "deadline-passed", seconds=seconds)
        case _:
            give_up(connection, job, task, "internal-error")


def _requeue(connection: Redis, job: str, script: str, argument: str) -> None:
    if number := run_script(connection, script, job, argument):
        enqueue_continuation(connection, job, int(number))


def _lease_of(connection: Redis, job: str, task: str) -> str | None:
    leases = (raw.decode() for raw in cast("list[bytes]", connection.zrange(queues.open_key(job), 0, -1)))
    return next((lease for lease in leases if lease.split("-", 3)[3] == task), None)


def _long_missing(connection: Redis, job: str) -> bool:
    now = time.time()
    connection.hsetnx(queues.record_key(job), "missing", str(now))
    (since,) = fields_of(connection, job, "missing")
    return abs(now - float(since or now)) > MISSING_SECONDS  # the clock may have been set back since
