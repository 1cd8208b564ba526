"""The names the service and the workers share: queues, jobs, keys; and how a job is put into a queue.

The web process imports this module, `games.core.levels` and `service.jobs.rounds`, never a search.
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
"""The queue of bots' moves. Nothing else waits there, so no bot waits for a caller's jobs."""

SEARCHES: Final = "search"
"""The queue of searches that take `SHORT_MS` at most."""

BULK: Final = "bulk"
"""The queue of what takes its time: longer searches, batches of searches, reviews, simulations and tournaments."""

REMOTE: Final = "remote"
"""The queue of games against bots at URLs, whose workers wait for strangers' servers for as long as games last."""

HOOKS: Final = "hooks"
"""The queue of webhooks, whose workers wait for strangers' servers for some seconds.

No other workers than those of `REMOTE` and `HOOKS` send anything to where a caller says."""

QUEUES: Final = (PLAY, SEARCHES, BULK, REMOTE, HOOKS)

SHORT_MS: Final = 1_000
"""How long a search may be expected to take, in milliseconds, to wait in `SEARCHES`."""

USUAL_PORTION_MS: Final = 1_500
"""How long a worker is at one task of a job of many items, about, in milliseconds."""

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
"""The names of tasks in queues, records and metrics. They are stored, so they stay although the modules have moved;
`workers.tasks.ENTRY_POINTS` has the function of each."""

RECORDED: Final = frozenset(
    {SEARCH, SEARCH_BATCH, REVIEW, SIMULATION, TALLY, TOURNAMENT, REMOTE_SIMULATION, REMOTE_TOURNAMENT}
)
"""The jobs that have a record of their own, whose id is their first argument."""

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
}

ALLOWED: Final = frozenset(QUEUE_OF)
"""The only tasks that a worker runs, whatever a queue may name."""

JOB_QUEUES: Final = (SEARCHES, BULK, REMOTE)
"""The queues in which tasks of recorded jobs wait."""

FAILED_SECONDS: Final = 60
"""How long RQ keeps a job that failed; our own record tells the client."""

OPEN_JOBS: Final = "j:open"
"""The sorted set of jobs that have not ended, by the time they were made."""


OPEN_JOB_CALLERS: Final = "j:callers"
"""The hash of the callers of jobs that have not ended, by job."""

ENDED_JOBS: Final = "j:ended"
"""The sorted set of ended jobs of API keys, by when they ended (ms), that are still to be refunded and told of."""

TASK_COUNTS: Final = "j:calls"
"""The hash of how many calls were followed, by function and outcome."""

TASK_TIMES: Final = "j:call-times"
"""The hash of how long that took, in milliseconds."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a job's tasks wait: the queue, whose turn each of them takes, and the milliseconds a turn is to last."""

    queue: str
    caller: str
    milliseconds: int


def caller_id(identity: str) -> str:
    """Return what stands for a caller, a key or an address, in the records of jobs."""
    return hashlib.sha256(identity.encode()).hexdigest()[:16]


def record_key(job: str) -> str:
    """Return the key of a job's record; all keys of a job share one hash tag."""
    return f"j:{{{job}}}"


def made_by_key(owner: str) -> str:
    """Return the key of the index of the jobs that an API key has made, by what they call their owner."""
    return f"j:of:{owner}"


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
    withdraw(connection, job)


def withdraw(connection: Redis, job: str) -> None:
    """Take a job out of those that have not ended, and tell nobody."""
    with connection.pipeline(transaction=False) as pipe:
        pipe.zrem(OPEN_JOBS, job)
        pipe.hdel(OPEN_JOB_CALLERS, job)
        pipe.execute()


def enqueue(
    connection: Redis, name: str, ticket: str, arguments: list[str], seconds: int, place: Place | None = None
) -> None:
    """Put a job of `ALLOWED` into its queue; `ticket` is RQ's own id for it, `seconds` when RQ ends it by force.

    With a place it takes its caller's turn among the tasks that wait, else it is the last of them. With it goes the
    trace that it belongs to. A ticket that was put before raises rq's DuplicateJobError.
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
    """Take a ticket out of its queue and give its caller the turn back; return whether it was there."""
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
    """Count a call that was followed, and how long that took."""
    with connection.pipeline(transaction=False) as pipe:
        pipe.hincrby(TASK_COUNTS, f"{function}/{outcome}", 1)
        pipe.hincrby(TASK_TIMES, f"{function}/{outcome}", milliseconds)
        pipe.execute()
