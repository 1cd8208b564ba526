"""A job's record in Redis: its scripts, its fields, and retries of what must be written."""

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
    """Run a script of this package on the keys of a job: record, open, inputs, and done."""
    text = script("record", __package__) + script(name, __package__)
    keys = (queues.record_key(job), queues.open_key(job), queues.inputs_key(job), queues.done_key(job))
    return connection.eval(text, len(keys), *keys, *arguments)


def fields_of(connection: Redis, job: str, *fields: str) -> tuple[str, ...]:
    """Return fields of a record, empty where it has none."""
    found = cast("list[bytes | None]", connection.hmget(queues.record_key(job), list(fields)))
    return tuple((value or b"").decode() for value in found)


def place_of(connection: Redis, job: str) -> queues.Place | None:
    """Return where a job's tasks wait; None of a record that an earlier release wrote."""
    queue, caller, turn_ms = fields_of(connection, job, "queue", "caller", "turn_ms")
    return queues.Place(queue, caller, int(turn_ms)) if queue in queues.JOB_QUEUES else None


def enqueue_task(connection: Redis, job: str, number: int) -> None:
    """Queue a task for a job; raise rq's DuplicateJobError where it is queued, and do nothing where there is no job."""
    function, seconds = fields_of(connection, job, "function", "seconds")
    if function:
        place = place_of(connection, job)
        queues.enqueue(connection, function, queues.task_id(job, number), [job], int(seconds), place)


def enqueue_continuation(connection: Redis, job: str, number: int) -> None:
    """Queue one more task for a job; where that fails, `service.jobs.recovery` finds that the task is missing."""
    with suppress(Unreachable, Unanswered):
        enqueue_task(connection, job, number)


def end(connection: Redis, job: str, state: str, lease_id: str = "", **fields: str | int) -> None:
    """End a job, under a lease or under none, unless it has ended; retry while the store is away."""
    flat = [str(part) for field in fields.items() for part in field]
    retry(lambda: run_script(connection, "end", job, state, lease_id, *flat))
    retry(lambda: queues.close(connection, job))


def retry(act: Callable[[], Any]) -> Any:
    """Call a function again, for about ten seconds, while the store does not answer."""
    for left in reversed(range(RETRIES)):
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
