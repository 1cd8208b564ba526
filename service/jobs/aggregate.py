"""Aggregates a job: counts its lines in the order of its items, whoever wrote them and in whatever order.

Whoever has written lines counts as far as there is no gap, by a compare and set on how far the count is. What was
counted is the job's partial result, and at the end its result; so a result depends on the lines alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final, Protocol, cast

from redis import Redis

from service.jobs import queues
from service.jobs.leases import PRELUDE, as_json, end, keys, retry, unpacked

_COUNT: Final = (
    PRELUDE
    + """
-- ARGV how far the count was and is, tally, partial result. 1 if it was there.
if not in_work() or redis.call('HGET', record, 'counted') ~= ARGV[1] then return 0 end
redis.call('HSET', record, 'counted', ARGV[2], 'tally', ARGV[3], 'partial', ARGV[4])
return 1
"""
)

AT_ONCE_SECONDS: Final = 1.0
"""For how long lines are added up before that is written."""


class Count(Protocol):
    """What lines add up to."""

    def add(self, line: bytes) -> None:
        """Count the line of the next item."""

    def enough(self) -> bool:
        """Tell whether the lines so far are all that is needed."""

    def told(self) -> dict[str, Any]:
        """Return the result so far."""

    def written(self) -> bytes:
        """Return the count as the next worker reads it."""


def count(connection: Redis, job: str, read: Callable[[bytes], Count]) -> None:
    """Count as far as there are lines, and end the job where that is all; `read` takes nothing, or what was written."""
    record = queues.record_key(job)
    while True:
        found: Any = retry(lambda: connection.hmget(record, ["state", "counted", "items", "tally"]))
        state, counted, items, tally = found
        if state != b"running":
            return
        before, items = int(counted), int(items)
        so_far = read(tally or b"")
        reached = _added(connection, job, so_far, before)
        if reached == items or so_far.enough():
            end(
                connection,
                job,
                "succeeded",
                counted=reached,
                done=reached,
                total=reached,
                result=as_json(so_far.told()),
            )
            return
        if reached == before:
            return
        news = (before, reached, so_far.written(), as_json(so_far.told()))
        retry(lambda: connection.eval(_COUNT, 3, *keys(job), *news))  # noqa: B023 -- called before the next turn


def _added(connection: Redis, job: str, so_far: Count, reached: int) -> int:
    """Add lines from an item on, as long as there are any and for no longer than a while, and return how far it is."""
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
