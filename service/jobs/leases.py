"""Leases on the items of a job. A lease gives one worker the exclusive right to process a range of items.

A search has one item. A batch has one item for each position, and a review has one item for each decision. Simulations
and tournaments have one item for each game. Workers write the result of each item as one line. Two kinds of jobs have
no lines: searches, and simulations that store only totals. These are the Redis keys of a job:

    record    hash: state, function, queue, caller, turn_ms, attempts, made, expires, payload, items, done, total,
              spent (ms), called, calls, counted, tally, partial, result, problem
    open      sorted set of the ranges without results, "<first>-<end>-<lost>-<task>". Each of these ranges is free or
              leased. The score of a free range is 0. The score of a leased range is the end of the lease (ms).
              `lost` is the number of workers that died while they processed the range. `task` is the task that has the
              lease. It is empty for a free range.
    done      hash: maps the first item of each range to the compressed lines of the range. If a simulation stores only
              totals, the hash contains the counters of `service.jobs.counters` instead.

A write has no effect if its lease is lost or the job was cancelled. While a job has free items, one task for the job is
in the queue. The tasks of a job have the numbers 0, 1, 2 and so on. `called` contains the number of the task in the
queue. When a worker starts this task, `called` becomes empty.
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
"""Lifetime of a lease that is not renewed, in milliseconds."""

JOB_RENEW_SECONDS: Final = 0.25
"""Minimum interval at which a worker renews its lease and reads the job's record."""

ITEM_ATTEMPTS: Final = 3
"""Maximum number of attempts to process a range of items before the job fails."""


class Stopped(Exception):
    """Base class of exceptions that end the current work of a worker."""


class LeaseLost(Stopped):
    """The job was cancelled, or another worker has taken the leased items."""


class DeadlinePassed(Stopped):
    """The job exceeded its time limit."""


class TurnOver(Stopped):
    """The work exceeded the time limit of its queue."""


@dataclass(frozen=True, slots=True)
class Portion:
    """The minimum and the maximum number of items of a lease.

    Within these limits, a lease takes a quarter of the job's remaining items.
    """

    least: int
    most: int


def packed(lines: Sequence[bytes]) -> bytes:
    return zlib.compress(b"\n".join(lines))


def unpacked(lines: bytes) -> list[bytes]:
    """Decompress stored item results, and return one entry per item."""
    return zlib.decompress(lines).split(b"\n")


class Lease:
    """The exclusive right to process the items `first` to `end` - 1 of a job. The range may be empty."""

    def __init__(self, connection: Redis, job: str, task: str, found: Sequence[Any]) -> None:
        """Create a lease. `found` is the response of the script take.lua."""
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
        """Take a lease on items of a job. `task` is the task that gets the lease. Return None if the job has ended."""
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
        """Extend the lease, and write fields of the job's record. Raise LeaseLost if the lease is lost.

        If Redis does not respond, do nothing.
        """
        self._renewed = time.monotonic()
        flat = [part for field in fields.items() for part in field]
        try:
            held = run_script(self.connection, "renew", self.job, self.id, JOB_LEASE_MS, *flat)
        except (Unreachable, Unanswered):
            # Redis may respond again before the results are written.
            return
        if not held:
            raise LeaseLost(self.job)

    def put(self, lines: Sequence[bytes], milliseconds: int) -> None:
        """Write the results of the first items of the lease. Each item has one line.

        Release the other items of the lease. Raise LeaseLost if the lease is lost.
        """
        reached = self.first + len(lines)
        arguments = (self.id, self.first, reached, self.end, packed(lines), milliseconds)
        following = retry(lambda: run_script(self.connection, "put", self.job, *arguments))
        if following is None:
            raise LeaseLost(self.job)
        if following:
            enqueue_continuation(self.connection, self.job, int(following))

    def move(self, queue: str, turn_ms: int) -> None:
        """End the lease without results, and move the tasks of the job to the queue `queue`.

        The items become free for workers of this queue. `turn_ms` is the usual duration of the job's tasks in this
        queue. Raise LeaseLost if the lease is lost.
        """
        following = retry(lambda: run_script(self.connection, "move", self.job, self.id, queue, turn_ms))
        if following is None:
            raise LeaseLost(self.job)
        if following:
            enqueue_continuation(self.connection, self.job, int(following))

    def succeed(self, result: Mapping[str, Any], total: int, done: int | None = None) -> None:
        """End the job with its result. `total` is the planned amount of work.

        `done` is the amount that was needed. If it is None, all the work was needed.
        """
        done = total if done is None else done
        end(self.connection, self.job, "succeeded", self.id, done=done, total=total, result=as_json(result))

    def fail(self, code: str, **params: object) -> None:
        end(self.connection, self.job, "failed", self.id, problem=as_json({"code": code, "params": params}))
