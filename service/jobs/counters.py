"""Counters of a simulation that stores only totals.

One script adds the counts of a lease to the counters and ends the lease in the same step. So the counts of a lease are
never added twice. If the lease was already lost, nothing is added.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, Final, cast

from redis import Redis

from service.jobs import queues
from service.jobs.grouping import MAX_GROUPS, SAMPLING
from service.jobs.leases import Lease, LeaseLost
from service.jobs.records import as_json, end, enqueue_continuation, fields_of, retry, run_script

Counters = Mapping[str, int]

TELL_MS: Final = 1_000
"""Minimum interval between two partial results, in milliseconds."""


def add(lease: Lease, counters: Counters, reached: int, done: int, milliseconds: int) -> Counters | None:
    """Add `counters` to the stored counters of the job, and end the lease.

    `counters` come from the leased items before item `reached`. The next task processes the leased items from `reached`
    on. `done` is the number of games in `counters`.

    If a partial or final result is due, return the stored counters of the job. Otherwise, return None. Raise LeaseLost
    if the lease is lost or the job was cancelled.
    """
    grown = chain.from_iterable((name, number) for name, number in counters.items() if number and name != SAMPLING)
    sampling = (counters.get(SAMPLING, 0), MAX_GROUPS)
    arguments = (lease.id, reached, lease.end, done, milliseconds, TELL_MS, *sampling, *grown)
    found: Any = retry(lambda: run_script(lease.connection, "add", lease.job, *arguments))
    if found is None:
        raise LeaseLost(lease.job)
    following, *told = found
    if following:
        enqueue_continuation(lease.connection, lease.job, int(following))
    return _read(told[0]) if told else None


def counted(connection: Redis, job: str) -> Counters:
    found = cast("dict[bytes, bytes]", retry(lambda: connection.hgetall(queues.done_key(job))))
    return _read(chain.from_iterable(found.items()))


def tell(connection: Redis, job: str, games: int, result: Mapping[str, Any]) -> None:
    """Store the partial result after `games` games. If the job has no more games, end it with this result."""
    (total,) = fields_of(connection, job, "total")
    if games == int(total or -1):
        end(connection, job, "succeeded", counted=games, result=as_json(result))
    else:
        retry(lambda: run_script(connection, "tell", job, games, as_json(result)))


def _read(flat: Iterable[bytes]) -> Counters:
    parts = list(flat)
    return {name.decode(): int(number) for name, number in zip(parts[::2], parts[1::2], strict=True)}
