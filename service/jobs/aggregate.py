"""Adds up the results of a job's items. Each result is one encoded line.

Workers may write the lines in any order. Each line is added once, in the order of the items. When all lines are added,
the sum is the result of the job. Until then, it is a partial result.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final, Self, cast

import msgspec
from redis import Redis

from service.jobs import queues
from service.jobs.leases import unpacked
from service.jobs.records import as_json, end, retry, run_script

AT_ONCE_SECONDS: Final = 1.0
"""Maximum time spent on adding item results before the sum is written to Redis."""


class Aggregate:
    """Base class for the sum of a job's item results. An example is the number of wins of each bot.

    Redis stores the sum, so that another worker can add the remaining results.
    """

    __slots__ = ()

    def add(self, line: bytes) -> None:
        raise NotImplementedError

    def enough(self) -> bool:
        """Return whether the items added so far suffice for the result. If they suffice, the job ends early."""
        return False

    def summary(self) -> dict[str, Any]:
        """Return the partial result as a JSON object."""
        raise NotImplementedError

    def restored(self, written: bytes) -> Self:
        """Return the aggregate that is encoded in `written`. If `written` is empty, return this aggregate."""
        return msgspec.json.decode(written, type=type(self)) if written else self


def count(connection: Redis, job: str, begin: Callable[[], Aggregate]) -> None:
    """Add the results of a job's items in order. Stop at the first item that has no result yet.

    End the job if the results of all items have been added. Also end the job if `Aggregate.enough` returns true for the
    sum. `begin` is a function that returns an empty aggregate.
    """
    record = queues.record_key(job)
    while True:
        found: Any = retry(lambda: connection.hmget(record, ["state", "counted", "items", "tally"]))
        state, counted, items, tally = found
        if state != b"running":
            return
        before, items = int(counted), int(items)
        so_far = begin().restored(tally or b"")
        reached = _added(connection, job, so_far, before)
        if reached == items or so_far.enough():
            reach: dict[str, Any] = {"counted": reached, "done": reached, "total": reached}
            end(connection, job, "succeeded", **reach, result=as_json(so_far.summary()))
            return
        if reached == before:
            return
        news = (before, reached, msgspec.json.encode(so_far), as_json(so_far.summary()))
        # The script changes the number of added lines with compare-and-set, so no line is added twice.
        retry(lambda: run_script(connection, "count", job, *news))  # noqa: B023 -- called before the next turn


def _added(connection: Redis, job: str, so_far: Aggregate, reached: int) -> int:
    until = time.monotonic() + AT_ONCE_SECONDS
    while not so_far.enough() and time.monotonic() < until:
        lines = cast("bytes | None", retry(lambda: connection.hget(queues.done_key(job), str(reached))))  # noqa: B023
        if lines is None:
            break
        for line in unpacked(lines):
            so_far.add(line)
            reached += 1
            if so_far.enough():
                break
    return reached
