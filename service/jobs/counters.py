"""Counters of a tally job. They are integers, which a script increments when it ends a lease.

The sums depend neither on the division of the items nor on the order in which they are processed. Each lease counts
once, because one script both adds its numbers and ends it. If the lease is lost, the script does nothing. The counters
of a job are one hash, whose size does not depend on the number of games.
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
    """Add the counts of the items up to `reached`, and end the lease. Return all counters if a partial result is due.

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
    """Store the partial result after this number of games. After the last game, end the job with it."""
    (total,) = fields_of(connection, job, "total")
    if games == int(total or -1):
        end(connection, job, "succeeded", counted=games, result=as_json(result))
    else:
        retry(lambda: run_script(connection, "tell", job, games, as_json(result)))


def _read(flat: Iterable[bytes]) -> Counters:
    parts = list(flat)
    return {name.decode(): int(number) for name, number in zip(parts[::2], parts[1::2], strict=True)}
