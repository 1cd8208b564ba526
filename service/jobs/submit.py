"""Submits jobs, waits for them, and cancels them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

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
"""Time after a job's own deadline at which RQ kills it."""

MIN_TURN_MS: Final = 100
"""Approximate duration of the shortest search at a worker, with its overhead."""

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


@dataclass(frozen=True, slots=True)
class Submitter:
    """The submitter of a job. `identity` is an API key or an address.

    `most_jobs` is the maximum number of its open jobs; 0 means no limit.
    """

    identity: str
    most_jobs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A job to submit: its function, its payload, its number of items, and its maximum cost.

    `total` is the value of the progress at the end. If each item has its own input, `inputs` returns them. It is called
    after all checks.
    """

    function: str
    payload: Mapping[str, Any]
    items: int
    total: int
    cost: int
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
    """Write a job's record, enqueue its first task, and return the job. If the id is known, return the existing job.

    `charge` charges the maximum cost, or raises. Raise QueueFull if the workers have too many open jobs, and
    TooManyJobs if the caller has too many.
    """
    store, place = JobStore(client), place_for(order, caller)
    made = describe(limits, order, job, owner)
    listed = store.admit(made, place.caller, limits.open_jobs, caller.most_jobs)
    try:
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
    """Return the record of a job that is submitted now. Store nothing."""
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
    """Return a job that was submitted before. If its first task is missing, enqueue it.

    Raise UnknownJob if there is no such job.
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
    """Return a job of an owner. A job without an owner is available to all callers with its id.

    Raise UnknownJob if there is no such job.
    """
    found = JobStore(client).load(job)
    if found is None or (found.owner and found.owner != owner):
        raise UnknownJob
    return found


def cancel(client: Redis, job: Job) -> tuple[Job, bool]:
    """Cancel a queued or running job. Return the job as it is afterwards, and whether this call ended it.

    The record changes at once. The work checks the record several times a second. The work-horse is also killed, in
    case the work does not check the record.
    """
    store = JobStore(client)
    with readable():
        tickets = store.cancel(job.id)
        place = place_of(client, job.id) or queues.Place(queues.QUEUE_OF[job.function], "", 0)
    for ticket in tickets or ():
        _stop(client, place, ticket)
    return store.load(job.id) or job, tickets is not None


def _stop(client: Redis, place: queues.Place, ticket: str) -> None:
    """Remove a ticket from its queue, or kill the work-horse that runs it.

    If a worker has taken the ticket, RQ's records of it must stay, because the worker and the work-horse need them.
    """
    if queues.remove(client, ticket, place):
        return
    with suppress(NoSuchJobError, InvalidJobOperation):  # the worker has not quite started it, or is done with it
        send_stop_job_command(client, ticket, serializer=JSONSerializer)
