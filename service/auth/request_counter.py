"""Counts requests against quotas. Many requests are counted in memory, to reduce the number of writes to Redis.

In advance, a process subtracts a small part of a caller's quota in Redis. The caller's next requests use up this part,
and the process counts these requests in memory. When the quota is renewed, the unused rest of this part is lost. If a
quota is small, each request is counted in Redis.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final

from service.auth.rate_limits import Quota, RateLimiter, RateLimitStatus

PARTS_OF_A_QUOTA: Final = 60
"""Number of equal parts of a quota. A process usually reserves one part at a time."""

MAX_CALLERS: Final = 10_000
"""Number of reservations in memory at which expired reservations are removed."""


@dataclass(slots=True)
class TakenAhead:
    """The requests that this process has reserved for a caller and not yet used.

    `requests` is their number. `left` is the number of requests that can still be reserved in Redis. `until` is the
    time at which the quota is renewed, in seconds of the monotonic clock.
    """

    requests: int
    left: int
    until: float


class RequestCounter:
    """Counts the requests of callers against their quotas. It is thread-safe."""

    def __init__(self, limiter: RateLimiter) -> None:
        self._limiter = limiter
        self._taken: dict[tuple[Quota, str], TakenAhead] = {}
        self._lock = Lock()

    def spend_each(self, asked: Sequence[tuple[Quota, str]]) -> list[RateLimitStatus | Exception]:
        """Count one request for each pair (quota, caller), with at most two round trips to Redis.

        For each pair, return the status of the quota or the exception from Redis.
        """
        found: list[RateLimitStatus | Exception | None] = [self._spend_ahead(*each) for each in asked]
        places = [place for place, status in enumerate(found) if status is None]
        if places:
            failed = self._take_ahead(Counter(asked[place] for place in places))
            for place in places:
                found[place] = failed.get(asked[place]) or self._spend_ahead(*asked[place])
        rest = [place for place in places if found[place] is None]
        # Small quotas, and quotas with too little left, allow no reservation.
        spent = self._limiter.spend_each([(*asked[place], 1) for place in rest])
        for place, status in zip(rest, spent, strict=True):
            found[place] = status
        return [status for status in found if status is not None]

    def _take_ahead(self, wanted: Mapping[tuple[Quota, str], int]) -> dict[tuple[Quota, str], Exception]:
        failed = dict[tuple[Quota, str], Exception]()
        costs = [
            (quota, caller, max(number, quota.amount // PARTS_OF_A_QUOTA))
            for (quota, caller), number in wanted.items()
            if quota.amount // PARTS_OF_A_QUOTA > 1
        ]
        for (quota, caller, cost), status in zip(costs, self._limiter.spend_each(costs), strict=True):
            if isinstance(status, Exception):
                failed[quota, caller] = status
            elif status.granted:
                self._keep(quota, caller, TakenAhead(cost, status.left, time.monotonic() + status.seconds))
        return failed

    def _spend_ahead(self, quota: Quota, caller: str) -> RateLimitStatus | None:
        with self._lock:
            kept = self._taken.get((quota, caller))
            if kept is not None and kept.requests and kept.until > time.monotonic():
                kept.requests -= 1
                return _status(quota, kept)
        return None

    def _keep(self, quota: Quota, caller: str, taken: TakenAhead) -> None:
        with self._lock:
            if len(self._taken) >= MAX_CALLERS:
                now = time.monotonic()
                self._taken = {who: each for who, each in self._taken.items() if each.until > now}
            kept = self._taken.get((quota, caller))
            if kept is not None and kept.until > time.monotonic():
                taken.requests += kept.requests  # of another thread, which took some at the same time
            self._taken[quota, caller] = taken


def _status(quota: Quota, taken: TakenAhead) -> RateLimitStatus:
    seconds = max(1, math.ceil(taken.until - time.monotonic()))
    return RateLimitStatus(quota, granted=True, left=taken.left + taken.requests, seconds=seconds)
