"""Reads and writes the record of a job in Redis, and retries important writes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, cast

from redis import Redis
from redis.exceptions import ConnectionError as Unreachable
from redis.exceptions import TimeoutError as Unanswered

from service.jobs import queues
from service.store.scripts import script

RETRIES: Final = 20


def run_script(connection: Redis, name: str, job: str, *arguments: Any) -> Any:
    """Run a Lua script of this package on the four keys of a job: record, open, inputs and done."""
    text = script("record", __package__) + script(name, __package__)
    keys = (queues.record_key(job), queues.open_key(job), queues.inputs_key(job), queues.done_key(job))
    return connection.eval(text, len(keys), *keys, *arguments)


def fields_of(connection: Redis, job: str, *fields: str) -> tuple[str, ...]:
    """Return fields of a job's record. In place of a missing field, return ""."""
    found = cast("list[bytes | None]", connection.hmget(queues.record_key(job), list(fields)))
    return tuple((value or b"").decode() for value in found)


def place_of(connection: Redis, job: str) -> queues.Place | None:
    """Return the queue and the caller of a job's tasks.

    Return None if the job has no record, or if the record names no queue. Older versions of the service did not store
    the queue.
    """
    queue, caller, turn_ms = fields_of(connection, job, "queue", "caller", "turn_ms")
    return queues.Place(queue, caller, int(turn_ms)) if queue in queues.JOB_QUEUES else None


def enqueue_task(connection: Redis, job: str, number: int) -> None:
    """Enqueue a task of a job. Do nothing if the job no longer exists.

    Raise rq's DuplicateJobError if the task is already in the queue.
    """
    function, seconds = fields_of(connection, job, "function", "seconds")
    if function:
        place = place_of(connection, job)
        queues.enqueue(connection, function, queues.task_id(job, number), [job], int(seconds), place)


def enqueue_continuation(connection: Redis, job: str, number: int) -> None:
    """Enqueue one more task of a job. If this fails, `service.jobs.recovery` enqueues the task later."""
    with suppress(Unreachable, Unanswered):
        enqueue_task(connection, job, number)


def end(connection: Redis, job: str, state: str, lease_id: str = "", **fields: str | int) -> None:
    """End a job that is queued or running. If Redis does not respond, retry for about ten seconds.

    If `lease_id` is given, end the job only if this lease still exists.
    """
    flat = [str(part) for field in fields.items() for part in field]
    retry(lambda: run_script(connection, "end", job, state, lease_id, *flat))
    retry(lambda: queues.close(connection, job))


def retry(act: Callable[[], Any]) -> Any:
    """Call a function and return its result. If Redis does not respond, repeat the call for about ten seconds."""
    for left in reversed(range(RETRIES)):
        try:
            return act()
        except (Unreachable, Unanswered):
            if left == 0:
                raise
            time.sleep(0.5)
    raise AssertionError


def as_json(value: object) -> str:
    return json.dumps(value, allow_nan=False, separators=(",", ":"))
