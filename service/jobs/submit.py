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
"""How long after a job's own deadline RQ ends it by force."""

LEAST_TURN_MS: Final = 100
"""How long the shortest search is at a worker, about, with all that is around it."""

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
    """Whose turn a job takes, a key or an address, and how many open jobs it may have, 0 for any number."""

    identity: str
    most_jobs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A job to be submitted: its function, how many items it has, its payload, and what it may cost.

    `total` is what the progress counts to. `inputs` makes what the items are made from, where each has its own; it is
    called once nothing stands against the job.
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
    """Write a job's record, queue its first task and return it; where the id is known, return that job.

    `charge` takes what it may cost, or raises. Raise QueueFull where the workers have enough to do, and TooManyJobs
    where the caller has as many open jobs as it may have.
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
    """Return the record of a job that begins now; nothing is stored."""
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
    """Return where the tasks of a job wait."""
    turn_ms = queues.USUAL_PORTION_MS
    if order.function == queues.SEARCH:
        turn_ms = max(LEAST_TURN_MS, milliseconds_of_search(order.payload["iterations"], order.payload["milliseconds"]))
    short = order.function == queues.SEARCH and turn_ms <= queues.SHORT_MS
    long_queue = queues.BULK if order.function == queues.SEARCH else queues.QUEUE_OF[order.function]
    return queues.Place(queues.SEARCHES if short else long_queue, queues.caller_id(caller.identity), turn_ms)


def again(client: Redis, job: str, owner: str) -> Job:
    """Return a job that was submitted before, and queue its first task where that was not done.

    Raise UnknownJob where there is none.
    """
    found = find(client, job, owner)
    if found.state == QUEUED:
        _queue(client, found)
    return found


def _queue(client: Redis, job: Job) -> None:
    """Queue the first task of a job, unless it is queued."""
    JobStore(client).relist(job)  # from here on the sweep queues it, if we do not
    with suppress(DuplicateJobError):
        enqueue_task(client, job.id, 0)


def find(client: Redis, job: str, owner: str) -> Job:
    """Return a job of an owner; a job without an owner belongs to everybody who knows its id.

    Raise UnknownJob where there is none.
    """
    found = JobStore(client).load(job)
    if found is None or (found.owner and found.owner != owner):
        raise UnknownJob
    return found


def cancel(client: Redis, job: Job) -> tuple[Job, bool]:
    """End a job, also a running one; return it as it stands then, and whether this ended it.

    The record says so at once, and the work looks there several times a second; the work-horse is also killed, in
    case it does not get round to looking.
    """
    store = JobStore(client)
    with readable():
        tickets = store.cancel(job.id)
        place = place_of(client, job.id) or queues.Place(queues.QUEUE_OF[job.function], "", 0)
    for ticket in tickets or ():
        _stop(client, place, ticket)
    return store.load(job.id) or job, tickets is not None


def _stop(client: Redis, place: queues.Place, ticket: str) -> None:
    """Take a ticket out of its queue, or kill the work-horse at it.

    A ticket that a worker has taken is the worker's: RQ's records of it stay, or both would break on their absence.
    """
    if queues.remove(client, ticket, place):
        return
    with suppress(NoSuchJobError, InvalidJobOperation):  # a worker has not quite begun it, or is done with it
        send_stop_job_command(client, ticket, serializer=JSONSerializer)
