"""A worker's lease on some items of a job; what RQ says about the job is only a hint.

A job has items, numbered from 0: a search has one, a batch one for each position, a simulation or a tournament one for
each game. Workers lease ranges of items and do them in any order. They write one line for each item, except of a
search. `service.jobs.aggregate` counts the lines in the order of the items, so every split gives the same result.

record    hash: state, function, queue, caller, turn_ms, attempts, made, expires, payload, items, done, total,
          spent (ms), called, calls, counted, tally, partial, result, problem
open      sorted set of the ranges that are not done, "<first>-<end>-<lost>-<task>", by the time (ms) from which they
          may be leased: 0 for a free range, else the end of the lease, which its worker renews. `lost` counts the
          workers that died, `task` is the task of the lease, empty where there is none.
done      hash: packed lines by the first item they describe; of a job of which the count alone is kept, its counters
          (`service.jobs.counters`)

Every write names the lease, so a worker that lost it, or whose job was canceled, changes nothing any more.
As long as items are free, one task for another worker is queued: `called` is its number until a worker begins it.
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
"""How long a lease lasts without renewal."""

JOB_RENEW_SECONDS: Final = 0.25
"""How often a worker looks at its job's record, at most."""

ITEM_ATTEMPTS: Final = 3
"""How often a range is begun before its job fails: once, and two retries."""


class Stopped(Exception):
    """The work must stop."""


class LeaseLost(Stopped):
    """The lease is lost: the job was canceled, or another worker has the items."""


class DeadlinePassed(Stopped):
    """The job took longer than it may."""


class TurnOver(Stopped):
    """The work took longer than it may in its queue."""


@dataclass(frozen=True, slots=True)
class Portion:
    """How many items to lease: a quarter of what is left, between `least` and `most`."""

    least: int
    most: int


def packed(lines: Sequence[bytes]) -> bytes:
    """Return lines as they are stored."""
    return zlib.compress(b"\n".join(lines))


def unpacked(lines: bytes) -> list[bytes]:
    """Return lines that were stored."""
    return zlib.decompress(lines).split(b"\n")


class Lease:
    """The exclusive use of some items of one job, from `first` to before `end`; none where both are equal."""

    def __init__(self, connection: Redis, job: str, task: str, found: Sequence[Any]) -> None:
        """Take what the script `take` found."""
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
        """Begin a task, or none, and lease items; return None where the job has ended."""
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
        """Return whether it is time to renew."""
        return time.monotonic() - self._renewed >= JOB_RENEW_SECONDS

    def renew(self, **fields: str | int) -> None:
        """Renew the lease and write fields of the record; raise LeaseLost where the lease is lost.

        A store that does not answer is no reason to stop: the work goes on, and the end is retried for longer.
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
        """Write the lines of the items that are done, from the first one leased, and give the others back.

        Raise LeaseLost where the lease is lost.
        """
        reached = self.first + len(lines)
        arguments = (self.id, self.first, reached, self.end, packed(lines), milliseconds)
        following = retry(lambda: run_script(self.connection, "put", self.job, *arguments))
        if following is None:
            raise LeaseLost(self.job)
        if following:
            enqueue_continuation(self.connection, self.job, int(following))

    def move(self, queue: str, turn_ms: int) -> None:
        """Give the items back, to be done by who works at another queue, in turns that last so long.

        Raise LeaseLost where the lease is lost.
        """
        following = retry(lambda: run_script(self.connection, "move", self.job, self.id, queue, turn_ms))
        if following is None:
            raise LeaseLost(self.job)
        if following:
            enqueue_continuation(self.connection, self.job, int(following))

    def succeed(self, result: Mapping[str, Any], total: int, done: int | None = None) -> None:
        """End the job with its result, for which all was done that there was to do, or less where that was enough."""
        done = total if done is None else done
        end(self.connection, self.job, "succeeded", self.id, done=done, total=total, result=as_json(result))

    def fail(self, code: str, **params: object) -> None:
        """End the job with a problem's code."""
        end(self.connection, self.job, "failed", self.id, problem=as_json({"code": code, "params": params}))
