"""Submits, finds and cancels jobs."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from redis import Redis
from rq.command import send_stop_job_command
from rq.exceptions import DuplicateJobError, InvalidJobOperation, NoSuchJobError
from rq.serializers import JSONSerializer

from service.jobs import queues
from service.jobs.cost import milliseconds_of_search
from service.jobs.errors import UnknownJob, readable
from service.jobs.records import enqueue_task, place_of
from service.jobs.store import QUEUED, Job, JobStore
from service.settings import HOUR_MS, Limits

GRACE_SECONDS: Final = 30
"""Seconds between a job's own deadline and the moment when RQ kills its task."""

MIN_TURN_MS: Final = 100
"""Usual duration of the shortest search, with the overhead of a worker, in milliseconds."""

JOB_KINDS: Final = {
    queues.SEARCH: "search",
    queues.SEARCH_BATCH: "search_batch",
    queues.REVIEW: "review",
    queues.SIMULATION: "simulation",
    queues.TALLY: "simulation",
    queues.TOURNAMENT: "tournament",
    queues.REMOTE_SIMULATION: "simulation",
    queues.REMOTE_TOURNAMENT: "tournament",
}


INPUT_LEVEL: Final = 1
"""Compression level of zlib for views. Level 1 reduces them to a third; higher levels gain little."""


def packed_input(value: Any) -> bytes:
    """Return the compressed input of one item of a job."""
    return zlib.compress(msgspec.json.encode(value), INPUT_LEVEL)


@dataclass(frozen=True, slots=True)
class Submitter:
    """The caller who submits a job. `identity` is an API key or a network address.

    `most_jobs` is the maximum number of jobs that the caller may have open. If it is 0, there is no limit.
    """

    identity: str
    most_jobs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A job to submit. `cost` is its maximum cost in playouts.

    `total` is the value that the job's progress has when all work is done. `inputs` returns the inputs of all items.
    """

    function: str
    payload: Mapping[str, Any]
    items: int
    total: int
    cost: int
    # Called only after the limits are checked.
    inputs: Callable[[], Sequence[bytes]] = tuple


def submit(
    client: Redis,
    limits: Limits,
    order: Order,
    job: str,
    owner: str,
    caller: Submitter,
    charge: Callable[[int], None] = lambda _cost: None,
) -> Job:
    """Submit a job and return it. If a job with the id `job` already exists, return the existing job.

    Raise QueueFull if too many jobs are open. Raise TooManyJobs if the caller has too many open jobs.
    """
    store, place = JobStore(client), place_for(order, caller)
    made = describe(limits, order, job, owner)
    listed = store.admit(made, place.caller, limits.open_jobs, caller.most_jobs)
    try:
        # This raises an exception if the caller's quota is too small.
        charge(order.cost)
        inputs = order.inputs()
    except BaseException:
        if listed:
            queues.withdraw(client, job)
        raise
    # A task of a tally is short, however long the job is.
    seconds = (limits.simulation_seconds if _is_large(limits, order) else order.payload["seconds"]) + GRACE_SECONDS
    if not store.create(made, order.payload, seconds, place, inputs):
        return again(client, job, owner)
    _queue(client, made)
    return made


def describe(limits: Limits, order: Order, job: str, owner: str) -> Job:
    """Return the record that a job would get if it were submitted now. Store nothing."""
    now = time.time_ns() // 1_000_000
    return Job(
        id=job,
        function=order.function,
        game=order.payload["game"],
        state=QUEUED,
        owner=owner,
        made=now,
        expires=now + (limits.tally_hours if _is_large(limits, order) else limits.job_hours) * HOUR_MS,
        items=order.items,
        total=order.total,
        cost=order.cost,
    )


def _is_large(limits: Limits, order: Order) -> bool:
    return order.function == queues.TALLY and order.total > limits.simulation_games


def place_for(order: Order, caller: Submitter) -> queues.Place:
    turn_ms = queues.USUAL_PORTION_MS
    if order.function == queues.SEARCH:
        turn_ms = max(MIN_TURN_MS, milliseconds_of_search(order.payload["iterations"], order.payload["milliseconds"]))
    short = order.function == queues.SEARCH and turn_ms <= queues.SHORT_MS
    long_queue = queues.BULK if order.function == queues.SEARCH else queues.QUEUE_OF[order.function]
    return queues.Place(queues.SEARCHES if short else long_queue, queues.caller_id(caller.identity), turn_ms)


def again(client: Redis, job: str, owner: str) -> Job:
    """Return an existing job. If its first task was never queued, enqueue the task.

    Raise UnknownJob if the job does not exist.
    """
    found = find(client, job, owner)
    if found.state == QUEUED:
        _queue(client, found)
    return found


def _queue(client: Redis, job: Job) -> None:
    JobStore(client).relist(job)  # from here on the sweep enqueues a missing task
    with suppress(DuplicateJobError):
        enqueue_task(client, job.id, 0)


def find(client: Redis, job: str, owner: str) -> Job:
    """Return a job that belongs to `owner` or to nobody. Raise UnknownJob if there is no such job."""
    found = JobStore(client).load(job)
    if found is None or (found.owner and found.owner != owner):
        raise UnknownJob
    return found


def cancel(client: Redis, job: Job) -> tuple[Job, bool]:
    """Cancel a queued or running job. Return the updated job, and whether this call ended the job."""
    store = JobStore(client)
    with readable():
        tickets = store.cancel(job.id)
        place = place_of(client, job.id) or queues.Place(queues.QUEUE_OF[job.function], "", 0)
    # A running task stops when it reads the job's record. If the task does not stop, its process is killed.
    for ticket in tickets or ():
        _stop(client, place, ticket)
    return store.load(job.id) or job, tickets is not None


def _stop(client: Redis, place: queues.Place, ticket: str) -> None:
    """Remove a task from its queue. If a worker is already running the task, stop the task instead.

    In this second case, keep RQ's data about the task, because the worker still uses it.
    """
    if queues.remove(client, ticket, place):
        return
    with suppress(NoSuchJobError, InvalidJobOperation):  # the worker has not quite started it, or is done with it
        send_stop_job_command(client, ticket, serializer=JSONSerializer)
