"""The names the service and the workers share: queues, jobs, keys; and how a job is put into a queue.

The web process imports this module, `service.jobs.levels` and `service.jobs.rounds`, never a search.
"""

from __future__ import annotations

import time
from typing import Final, cast

from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer

from service.telemetry.tracing import carrier

PLAY: Final = "play"
"""The queue of what somebody waits for: bots' moves and searches."""

BULK: Final = "bulk"
"""The queue of what takes its time: simulations, tournaments and batches of searches."""

HOOKS: Final = "hooks"
"""The queue of webhooks: its workers wait for strangers' servers, and nobody may wait for these."""

QUEUES: Final = (PLAY, BULK, HOOKS)

SEARCH: Final = "workers.jobs.search"
SEARCH_BATCH: Final = "workers.jobs.search_batch"
SIMULATION: Final = "workers.jobs.simulate"
TOURNAMENT: Final = "workers.jobs.play_tournament"
BOT_TURN: Final = "workers.bots.take_turn"
DELIVERY: Final = "workers.hooks.deliver"
"""The names of tasks in queues, records and metrics. They are stored, so they stay although the modules have moved;
`workers.tasks.ENTRY_POINTS` has the function of each."""

RECORDED: Final = frozenset({SEARCH, SEARCH_BATCH, SIMULATION, TOURNAMENT})
"""The jobs that have a record of their own, whose id is their first argument."""

QUEUE_OF: Final = {
    SEARCH: PLAY,
    SEARCH_BATCH: BULK,
    SIMULATION: BULK,
    TOURNAMENT: BULK,
    BOT_TURN: PLAY,
    DELIVERY: HOOKS,
}

ALLOWED: Final = frozenset(QUEUE_OF)
"""The only tasks that a worker runs, whatever a queue may name."""

FAILED_SECONDS: Final = 60
"""How long RQ keeps a job that failed; our own record tells the client."""

OPEN_JOBS: Final = "j:open"
"""The sorted set of jobs that have not ended, by the time they were made."""


ENDED_JOBS: Final = "j:ended"
"""The sorted set of ended jobs of API keys, by when they ended (ms), that are still to be refunded and told of."""

TASK_COUNTS: Final = "j:calls"
"""The hash of how many calls were followed, by function and outcome."""

TASK_TIMES: Final = "j:call-times"
"""The hash of how long that took, in milliseconds."""

KEY_OWNER: Final = "key-"
"""What the owner of a job begins with that belongs to an API key; its id follows."""


def record_key(job: str) -> str:
    """Return the key of a job's record; all keys of a job share one hash tag."""
    return f"j:{{{job}}}"


def open_key(job: str) -> str:
    """Return the key of what is not done yet of a job: ranges of its items, by when they may be taken."""
    return f"j:{{{job}}}:open"


def done_key(job: str) -> str:
    """Return the key of what was done of a job: packed lines, by the first item they tell of."""
    return f"j:{{{job}}}:done"


def inputs_key(job: str) -> str:
    """Return the key of what the items of a job are made from, where each has its own."""
    return f"j:{{{job}}}:inputs"


def task_id(job: str, call: int) -> str:
    """Return RQ's id for one call to a job."""
    return f"{job}-{call}"


def close(connection: Redis, job: str) -> None:
    """Take an ended job out of those that have not; if a key owns it, it is to be told of.

    Whoever dies in between leaves it to the sweep.
    """
    owner = cast("bytes | None", connection.hget(record_key(job), "owner")) or b""
    if owner.startswith(KEY_OWNER.encode()):
        connection.zadd(ENDED_JOBS, {job: time.time_ns() // 1_000_000}, nx=True)
    connection.zrem(OPEN_JOBS, job)


def enqueue(connection: Redis, name: str, ticket: str, arguments: list[str], seconds: int) -> None:
    """Put a job of `ALLOWED` into its queue; `ticket` is RQ's own id for it, `seconds` when RQ ends it by force.

    With it goes the trace that it belongs to. A ticket that was put before raises rq's DuplicateJobError.
    """
    Queue(QUEUE_OF[name], connection=connection, serializer=JSONSerializer).enqueue_call(
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


def count(connection: Redis, function: str, outcome: str, milliseconds: int) -> None:
    """Count a call that was followed, and how long that took."""
    with connection.pipeline(transaction=False) as pipe:
        pipe.hincrby(TASK_COUNTS, f"{function}/{outcome}", 1)
        pipe.hincrby(TASK_TIMES, f"{function}/{outcome}", milliseconds)
        pipe.execute()
