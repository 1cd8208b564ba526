"""The names the service and the workers share: queues, jobs, keys; and how a job is put into a queue.

The web process imports this module and `workers.levels`, never a search.
"""

from __future__ import annotations

from typing import Final

from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer

PLAY: Final = "play"
"""The queue of what somebody waits for: bots' moves and searches."""

BULK: Final = "bulk"
"""The queue of what takes its time: simulations and batches of searches."""

QUEUES: Final = (PLAY, BULK)

SEARCH: Final = "workers.jobs.search"
SEARCH_BATCH: Final = "workers.jobs.search_batch"
SIMULATION: Final = "workers.jobs.simulate"
BOT_TURN: Final = "workers.bots.take_turn"

ALLOWED: Final = frozenset({SEARCH, SEARCH_BATCH, SIMULATION, BOT_TURN})
"""The only functions that a worker runs, whatever a queue may name."""

RECORDED: Final = frozenset({SEARCH, SEARCH_BATCH, SIMULATION})
"""The jobs that have a record of their own, whose id is their first argument."""

QUEUE_OF: Final = {SEARCH: PLAY, SEARCH_BATCH: BULK, SIMULATION: BULK, BOT_TURN: PLAY}

FAILED_SECONDS: Final = 60
"""How long RQ keeps a job that failed; our own record tells the client."""

OPEN_JOBS: Final = "j:open"
"""The sorted set of jobs that have not ended, by the time they were made."""


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


def ticket_of(job: str, call: int) -> str:
    """Return RQ's id for one call to a job."""
    return f"{job}-{call}"


def enqueue(connection: Redis, name: str, ticket: str, arguments: list[str], seconds: int) -> None:
    """Put a job of `ALLOWED` into its queue; `ticket` is RQ's own id for it, `seconds` when RQ ends it by force.

    A ticket that was put before raises rq's DuplicateJobError.
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
    )
