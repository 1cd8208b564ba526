"""Names of queues, jobs and keys that the service and the workers share, and the functions that enqueue jobs.

The web process imports this module, `games.core.levels` and `service.jobs.rounds`, but never a search.
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
"""The queue of bots' moves. It is exclusive, so no bot waits for a caller's jobs."""

SEARCHES: Final = "search"
"""The queue of searches that take at most `SHORT_MS`."""

BULK: Final = "bulk"
"""The queue of long work: longer searches, search batches, reviews, simulations and tournaments."""

REMOTE: Final = "remote"
"""The queue of games against remote bots, whose workers wait for other servers for whole games."""

HOOKS: Final = "hooks"
"""The queue of webhooks and push messages, whose workers wait for other servers for some seconds.

Only workers of `REMOTE` and `HOOKS` send requests to URLs of callers.
"""

QUEUES: Final = (PLAY, SEARCHES, BULK, REMOTE, HOOKS)

SHORT_MS: Final = 1_000
"""Maximum expected duration of a search in `SEARCHES`."""

USUAL_PORTION_MS: Final = 1_500
"""Approximate duration of a task of a job with many items."""

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
"""Names of tasks in queues, records and metrics. They are stored, so they stay although the modules have moved.

`workers.tasks.ENTRY_POINTS` maps each to its function.
"""

RECORDED: Final = frozenset(
    {SEARCH, SEARCH_BATCH, REVIEW, SIMULATION, TALLY, TOURNAMENT, REMOTE_SIMULATION, REMOTE_TOURNAMENT}
)
"""Jobs with a record of their own, whose id is their first argument."""

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
"""The only tasks that a worker runs, whatever a queue contains."""

JOB_QUEUES: Final = (SEARCHES, BULK, REMOTE)
"""Queues with tasks of recorded jobs."""

FAILED_SECONDS: Final = 60
"""Retention of failed jobs in RQ; clients are notified from our own record."""

OPEN_JOBS: Final = "j:open"
"""The sorted set of open jobs, by creation time."""


OPEN_JOB_CALLERS: Final = "j:callers"
"""The hash of the callers of open jobs, by job."""

ENDED_JOBS: Final = "j:ended"
"""The sorted set of API keys' ended jobs, by end time (ms), that still need a refund and a notification."""

TASK_COUNTS: Final = "j:calls"
"""The hash of the numbers of executed tasks, by function and outcome."""

TASK_TIMES: Final = "j:call-times"
"""The hash of their durations in milliseconds."""


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a job's tasks in a queue. Waiting tasks of different callers take turns.

    `caller` is the id of the caller. `milliseconds` is the usual duration of a task, which is charged to the caller's
    turn.
    """

    queue: str
    caller: str
    milliseconds: int


def caller_id(identity: str) -> str:
    """Return the id of a caller in job records. `identity` is an API key or a network address."""
    return hashlib.sha256(identity.encode()).hexdigest()[:16]


def record_key(job: str) -> str:
    """Return the key of a job's record. All keys of a job share one hash tag."""
    return f"j:{{{job}}}"


def made_by_key(owner: str) -> str:
    """Return the key of the index of an owner's jobs."""
    return f"j:of:{owner}"


def open_key(job: str) -> str:
    """Return the key of a job's pending ranges of items. They are sorted by the time from which they may be leased."""
    return f"j:{{{job}}}:open"


def done_key(job: str) -> str:
    """Return the key of a job's completed items: packed lines, by the first item that they describe."""
    return f"j:{{{job}}}:done"


def inputs_key(job: str) -> str:
    """Return the key of the inputs of a job whose items have inputs of their own."""
    return f"j:{{{job}}}:inputs"


def task_id(job: str, call: int) -> str:
    return f"{job}-{call}"


def close(connection: Redis, job: str) -> None:
    """Remove an ended job from the open jobs. If the job belongs to an API key, schedule a notification.

    If the process dies meanwhile, the sweep completes these steps.
    """
    owner = cast("bytes | None", connection.hget(record_key(job), "owner")) or b""
    if owner.startswith(KEY_OWNER.encode()):
        connection.zadd(ENDED_JOBS, {job: time.time_ns() // 1_000_000}, nx=True)
    withdraw(connection, job)


def withdraw(connection: Redis, job: str) -> None:
    """Remove a job from the open jobs without a notification."""
    with connection.pipeline(transaction=False) as pipe:
        pipe.zrem(OPEN_JOBS, job)
        pipe.hdel(OPEN_JOB_CALLERS, job)
        pipe.execute()


def enqueue(
    connection: Redis, name: str, ticket: str, arguments: list[str], seconds: int, place: Place | None = None
) -> None:
    """Enqueue a task of `ALLOWED`. `ticket` is its id in RQ. RQ kills the task after `seconds`.

    With a `place`, callers take turns in the queue; without one, the task is the last. The current trace context is
    attached. A ticket that was enqueued before raises rq's DuplicateJobError.
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
    """Remove a ticket from its queue and refund its duration to the caller. Return False if it was not there."""
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
    """Count an executed task and its duration."""
    with connection.pipeline(transaction=False) as pipe:
        pipe.hincrby(TASK_COUNTS, f"{function}/{outcome}", 1)
        pipe.hincrby(TASK_TIMES, f"{function}/{outcome}", milliseconds)
        pipe.execute()
