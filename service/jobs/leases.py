"""Leases of workers on items of jobs. The leases are authoritative; RQ's own state of a job is only a hint.

A job has items, numbered from 0. A search has one, a batch has one per position, and a simulation or a tournament has
one per game. Workers lease ranges of items and process them in any order. They write one line per item, except for a
search. `service.jobs.aggregate` counts the lines in the order of the items, so every division gives the same result.

record    hash: state, function, queue, caller, turn_ms, attempts, made, expires, payload, items, done, total,
          spent (ms), called, calls, counted, tally, partial, result, problem
open      sorted set of the pending ranges, "<first>-<end>-<lost>-<task>", by the time (ms) from which they may be
          leased: 0 for a free range, otherwise the end of the lease, which its worker renews. `lost` counts the
          workers that died; `task` is the task of the lease, empty without one.
done      hash: packed lines by the first item they describe; for a tally job, its counters
          (`service.jobs.counters`)

Every write names its lease. So a worker changes nothing after its lease was lost or its job was cancelled. While a job
has free items, one task for another worker is queued. `called` is the number of this task until a worker starts it.
"""

from __future__ import annotations

import json
import secrets
import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from redis import Redis
from redis.exceptions import ConnectionError as Unreachable
from redis.exceptions import TimeoutError as Unanswered

from service.jobs import queues
from service.jobs.records import as_json, end, enqueue_continuation, retry, run_script

JOB_LEASE_MS: Final = 8_000
"""Lifetime of a lease without renewal."""

JOB_RENEW_SECONDS: Final = 0.25
"""Minimum interval between a worker's reads of its job's record."""

ITEM_ATTEMPTS: Final = 3
"""Maximum number of attempts at a range before its job fails."""


class Stopped(Exception):
    """The work must stop."""


class LeaseLost(Stopped):
    """The lease is lost, because the job was cancelled or another worker has the items."""


class DeadlinePassed(Stopped):
    """The job exceeded its time limit."""


class TurnOver(Stopped):
    """The work exceeded the time limit of its queue."""


@dataclass(frozen=True, slots=True)
class Portion:
    """The size of a lease: a quarter of the remaining items, but at least `least` and at most `most`."""

    least: int
    most: int


def packed(lines: Sequence[bytes]) -> bytes:
    return zlib.compress(b"\n".join(lines))


def unpacked(lines: bytes) -> list[bytes]:
    """Decompress stored lines."""
    return zlib.decompress(lines).split(b"\n")


class Lease:
    """The exclusive right to process items of one job, from `first` to before `end`. It is empty if both are equal."""

    def __init__(self, connection: Redis, job: str, task: str, found: Sequence[Any]) -> None:
        """Take the response of the script `take`."""
        payload, first, end, lost, following = found
        self.connection = connection
        self.job = job
        self.payload: Mapping[str, Any] = json.loads(payload)
        self.first, self.end = int(first), int(end)
        self.id = f"{self.first}-{self.end}-{int(lost)}-{task}"
        self._renewed = time.monotonic()
        if following:
            enqueue_continuation(connection, job, int(following))

    @classmethod
    def take(cls, connection: Redis, job: str, task: str = "", portion: Portion | None = None) -> Self | None:
        """Lease items of a job, and record that a task has started, if any. Return None if the job has ended."""
        portion = portion or Portion(1, 1)
        number = task.removeprefix(f"{job}-")
        problem = as_json({"code": "worker-lost", "params": {"attempts": ITEM_ATTEMPTS}})
        task = task or secrets.token_hex(8)
        limits = (JOB_LEASE_MS, portion.least, portion.most, ITEM_ATTEMPTS)
        found: Any = run_script(connection, "take", job, number, task, *limits, problem)
        if found is None:
            queues.close(connection, job)
            return None
        return cls(connection, job, task, found)

    def renewal_due(self) -> bool:
        return time.monotonic() - self._renewed >= JOB_RENEW_SECONDS

    def renew(self, **fields: str | int) -> None:
        """Renew the lease, and write fields of the job's record; raise LeaseLost if the lease is lost.

        If the store does not respond, the work continues, because the final write is retried for several seconds.
        """
        self._renewed = time.monotonic()
        flat = [part for field in fields.items() for part in field]
        try:
            held = run_script(self.connection, "renew", self.job, self.id, JOB_LEASE_MS, *flat)
        except (Unreachable, Unanswered):
            return
        if not held:
            raise LeaseLost(self.job)

    def put(self, lines: Sequence[bytes], milliseconds: int) -> None:
        """Write the lines of completed items, beginning with the first leased item, and release the other items.

        Raise LeaseLost if the lease is lost.
        """
        reached = self.first + len(lines)
        arguments = (self.id, self.first, reached, self.end, packed(lines), milliseconds)
        following = retry(lambda: run_script(self.connection, "put", self.job, *arguments))
        if following is None:
            raise LeaseLost(self.job)
        if following:
            enqueue_continuation(self.connection, self.job, int(following))

    def move(self, queue: str, turn_ms: int) -> None:
        """Release the items, so that workers of another queue continue the job.

        `turn_ms` is the usual duration of the job's tasks in that queue. Raise LeaseLost if the lease is lost.
        """
        following = retry(lambda: run_script(self.connection, "move", self.job, self.id, queue, turn_ms))
        if following is None:
            raise LeaseLost(self.job)
        if following:
            enqueue_continuation(self.connection, self.job, int(following))

    def succeed(self, result: Mapping[str, Any], total: int, done: int | None = None) -> None:
        """End the job with its result. `done` is less than `total` if a part of the work was sufficient."""
        done = total if done is None else done
        end(self.connection, self.job, "succeeded", self.id, done=done, total=total, result=as_json(result))

    def fail(self, code: str, **params: object) -> None:
        end(self.connection, self.job, "failed", self.id, problem=as_json({"code": code, "params": params}))
