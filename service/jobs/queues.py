"""Enqueues tasks. Defines the names of queues, tasks and Redis keys that the web server and the workers share.

A task is enqueued by its name. So the web server need not import the function that runs the task.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from typing import Final, cast

import rq.job
from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer

from service.auth.api_keys import KEY_OWNER
from service.store.scripts import script
from service.trace_context import carrier

PLAY: Final = "play"
"""The queue of bots' moves. No other task uses it, so bots never wait for jobs."""

SEARCHES: Final = "search"
"""The queue of searches that take at most `SHORT_MS` milliseconds."""

BULK: Final = "bulk"
"""The queue of long tasks: longer searches, search batches, reviews, simulations and tournaments."""

REMOTE: Final = "remote"
"""The queue of games against remote bots. A worker mostly waits for their servers."""

HOOKS: Final = "hooks"
"""The queue of webhook and push messages.

Only the workers of the queues `REMOTE` and `HOOKS` send requests to callers' URLs.
"""

QUEUES: Final = (PLAY, SEARCHES, BULK, REMOTE, HOOKS)

SHORT_MS: Final = 1_000
"""Maximum expected duration of a search in the queue `SEARCHES`, in milliseconds. Longer searches go to `BULK`."""

USUAL_PORTION_MS: Final = 1_500
"""Usual duration of one task of a job with many items, in milliseconds."""

SEARCH: Final = "workers.jobs.search"
SEARCH_BATCH: Final = "workers.jobs.search_batch"
REVIEW: Final = "workers.jobs.review"
SIMULATION: Final = "workers.jobs.simulate"
TALLY: Final = "workers.jobs.tally"
TOURNAMENT: Final = "workers.jobs.play_tournament"
REMOTE_SIMULATION: Final = "workers.jobs.simulate_remote"
REMOTE_TOURNAMENT: Final = "workers.jobs.play_remote_tournament"
BOT_TURN: Final = "workers.bots.take_turn"
DELIVERY: Final = "workers.hooks.deliver"
PUSH_DELIVERY: Final = "workers.hooks.push"
"""Names of tasks: the constants from `SEARCH` to `PUSH_DELIVERY`.

`workers.tasks.ENTRY_POINTS` maps each name to its function. Redis stores the names. So a name stays the same when its
function moves to another module.
"""

RECORDED: Final = frozenset(
    {SEARCH, SEARCH_BATCH, REVIEW, SIMULATION, TALLY, TOURNAMENT, REMOTE_SIMULATION, REMOTE_TOURNAMENT}
)
"""Tasks that belong to a job. The first argument of each task is the job's id."""

QUEUE_OF: Final = {
    SEARCH: SEARCHES,
    SEARCH_BATCH: BULK,
    REVIEW: BULK,
    SIMULATION: BULK,
    TALLY: BULK,
    TOURNAMENT: BULK,
    REMOTE_SIMULATION: REMOTE,
    REMOTE_TOURNAMENT: REMOTE,
    BOT_TURN: PLAY,
    DELIVERY: HOOKS,
    PUSH_DELIVERY: HOOKS,
}

ALLOWED: Final = frozenset(QUEUE_OF)
"""Tasks that workers may run. Workers reject all other tasks."""

JOB_QUEUES: Final = (SEARCHES, BULK, REMOTE)
"""Queues that contain tasks of jobs."""

FAILED_SECONDS: Final = 60
"""Seconds for which RQ keeps a failed task. Clients read the job's record instead."""

OPEN_JOBS: Final = "j:open"
"""Redis key of the sorted set of open jobs, by creation time."""


OPEN_JOB_CALLERS: Final = "j:callers"
"""Redis key of the map from each open job to its caller."""

ENDED_JOBS: Final = "j:ended"
"""Redis key of the ended jobs that still need a refund and a notification, by end time in milliseconds."""

TASK_COUNTS: Final = "j:calls"
"""Redis key of the numbers of executed tasks, by function and outcome."""

TASK_TIMES: Final = "j:call-times"
"""Redis key of the total durations of executed tasks in milliseconds, by function and outcome."""


@dataclass(frozen=True, slots=True)
class Place:
    """The queue for a job's tasks, and the caller who has submitted the job.

    The callers with tasks in the same queue take turns. `milliseconds` is the usual duration of a task.
    """

    queue: str
    caller: str
    milliseconds: int


def caller_id(identity: str) -> str:
    """Return the id of a caller in job records. `identity` is an API key or a network address."""
    return hashlib.sha256(identity.encode()).hexdigest()[:16]


def record_key(job: str) -> str:
    """Return the Redis key of a job's record. All keys of a job share one hash tag."""
    return f"j:{{{job}}}"


def made_by_key(owner: str) -> str:
    """Return the Redis key of the index of an owner's jobs."""
    return f"j:of:{owner}"


def open_key(job: str) -> str:
    """Return the Redis key of a sorted set with a job's unfinished ranges.

    A range consists of consecutive items of the job. In the sorted set, the score of a range is a point in time. A
    worker may lease the range from this time on.
    """
    return f"j:{{{job}}}:open"


def done_key(job: str) -> str:
    """Return the Redis key of a hash with a job's results.

    Each field is the number of the first item of a range. The value contains the compressed results of this range.
    """
    return f"j:{{{job}}}:done"


def inputs_key(job: str) -> str:
    """Return the Redis key of a job's inputs. Only jobs with a separate input for each item have it."""
    return f"j:{{{job}}}:inputs"


def task_id(job: str, call: int) -> str:
    return f"{job}-{call}"


def close(connection: Redis, job: str) -> None:
    """Remove an ended job from the set of open jobs.

    If the job belongs to an API key, schedule its refund and its notification.
    """
    owner = cast("bytes | None", connection.hget(record_key(job), "owner")) or b""
    if owner.startswith(KEY_OWNER.encode()):
        connection.zadd(ENDED_JOBS, {job: time.time_ns() // 1_000_000}, nx=True)
    # If the process dies before this step, the periodic `sweep` repeats both steps.
    withdraw(connection, job)


def withdraw(connection: Redis, job: str) -> None:
    """Remove a job from the set of open jobs. Schedule no refund and no notification."""
    with connection.pipeline(transaction=False) as pipe:
        pipe.zrem(OPEN_JOBS, job)
        pipe.hdel(OPEN_JOB_CALLERS, job)
        pipe.execute()


def enqueue(
    connection: Redis, name: str, ticket: str, arguments: list[str], seconds: int, place: Place | None = None
) -> None:
    """Enqueue a task that runs the function `name`. `seconds` is the time limit of the task.

    `ticket` is the id of the task. If a task with this id exists, raise rq's DuplicateJobError.

    If `place` is None, add the task to the end of the usual queue for `name`. Otherwise, add the task to the queue of
    `place`. In this queue, the callers who have submitted jobs take turns.
    """
    queue = Queue(place.queue if place else QUEUE_OF[name], connection=connection, serializer=JSONSerializer)
    queue.enqueue_call(
        name,
        args=tuple(arguments),
        timeout=seconds,
        result_ttl=0,
        failure_ttl=FAILED_SECONDS,
        job_id=ticket,
        unique=True,
        description=name,
        meta=carrier(),
    )
    if place:
        keys = (queue.key, *_fair_keys(queue.name))
        connection.eval(script("place", __package__), len(keys), *keys, ticket, place.caller, place.milliseconds)


def remove(connection: Redis, ticket: str, place: Place) -> bool:
    """Remove a task from its queue. Return False if the task was not in the queue.

    The order of tasks in a queue depends on the time that each caller's tasks have used. `enqueue` has added the usual
    duration of this task to its caller's time. Subtract this duration, because the task will not run.
    """
    queue = Queue(place.queue, connection=connection, serializer=JSONSerializer)
    if not queue.remove(ticket):
        return False
    turns, ends = _fair_keys(place.queue)
    with connection.pipeline() as pipe:
        pipe.delete(rq.job.Job.key_for(ticket))
        pipe.zrem(turns, ticket)
        pipe.zincrby(ends, -place.milliseconds, place.caller)
        pipe.execute()
    return True


def _fair_keys(queue: str) -> tuple[str, str]:
    return f"j:turns:{queue}", f"j:ends:{queue}"


def count(connection: Redis, function: str, outcome: str, milliseconds: int) -> None:
    """Count an executed task, and add its duration to a total.

    Each pair of a function and an outcome has its own count and total.
    """
    with connection.pipeline(transaction=False) as pipe:
        pipe.hincrby(TASK_COUNTS, f"{function}/{outcome}", 1)
        pipe.hincrby(TASK_TIMES, f"{function}/{outcome}", milliseconds)
        pipe.execute()
