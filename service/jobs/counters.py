"""Counters of a job of which the count alone is kept: whole numbers, which one script adds to as it ends a lease.

A sum of whole numbers is the same in every order, so it does not matter how the items were cut, nor where or in which
order they were done. A lease counts once: the script that ends it adds its numbers, and does neither where it is lost.
The counters of a job are one hash, as large for a hundred games as for a hundred million.
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
"""How long it is at least between two results so far."""


def add(lease: Lease, counters: Counters, reached: int, done: int, milliseconds: int) -> Counters | None:
    """Add what the items up to `reached` counted, end the lease, and return all counters where they are to be told.

    `done` is how far the progress goes on by it. Raise LeaseLost where the lease is lost.
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
    """Return the counters of a job."""
    found = cast("dict[bytes, bytes]", retry(lambda: connection.hgetall(queues.done_key(job))))
    return _read(chain.from_iterable(found.items()))


def tell(connection: Redis, job: str, games: int, result: Mapping[str, Any]) -> None:
    """Store the result so far, of so many games; of all of them, end the job with it."""
    (total,) = fields_of(connection, job, "total")
    if games == int(total or -1):
        end(connection, job, "succeeded", counted=games, result=as_json(result))
    else:
        retry(lambda: run_script(connection, "tell", job, games, as_json(result)))


def _read(flat: Iterable[bytes]) -> Counters:
    """Return counters as Redis answers them, each after its name."""
    parts = list(flat)
    return {name.decode(): int(number) for name, number in zip(parts[::2], parts[1::2], strict=True)}
