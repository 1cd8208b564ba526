"""Counters of a tally job: integers, which one script increments as it ends a lease.

A sum of integers does not depend on the order, so neither the split of the items nor the order of their processing
matters. A lease counts once: the script that ends it adds its numbers, and does neither if the lease is lost. The
counters of a job are one hash, whose size does not depend on the number of games.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, Final, cast

from redis import Redis

from service.jobs import queues
from service.jobs.leases import Lease, LeaseLost
from service.jobs.records import as_json, end, enqueue_continuation, fields_of, retry, run_script

Counters = Mapping[str, int]

TELL_MS: Final = 1_000
"""Minimum interval between two partial results."""


def add(lease: Lease, counters: Counters, reached: int, done: int, milliseconds: int) -> Counters | None:
    """Add the counts of the items up to `reached`, end the lease, and return all counters if a result is due.

    `done` is the resulting progress. Raise LeaseLost if the lease is lost.
    """
    grown = chain.from_iterable((name, number) for name, number in counters.items() if number)
    arguments = (lease.id, reached, lease.end, done, milliseconds, TELL_MS, *grown)
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
    """Store the partial result after a number of games; after all games, end the job with it."""
    (total,) = fields_of(connection, job, "total")
    if games == int(total or -1):
        end(connection, job, "succeeded", counted=games, result=as_json(result))
    else:
        retry(lambda: run_script(connection, "tell", job, games, as_json(result)))


def _read(flat: Iterable[bytes]) -> Counters:
    parts = list(flat)
    return {name.decode(): int(number) for name, number in zip(parts[::2], parts[1::2], strict=True)}
