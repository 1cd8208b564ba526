"""Counts requests by quotas; of a caller who sends many a process takes some at once from the store.

A counted request would be a write otherwise, and the disk of the store would hear of every look at a session. What a
process has taken and not used is lost to the others when the window ends: a second's worth for each, at most.
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
"""One of so many parts is taken at once: a second's worth of a minute's."""

CALLERS_KEPT: Final = 10_000
"""After how many callers those are forgotten whose windows have ended."""


@dataclass(slots=True)
class TakenAhead:
    """Requests that a process has taken and not used yet, what the store has left, and when the window ends."""

    requests: int
    left: int
    until: float


class RequestCounter:
    """Spends requests of callers, in any thread."""

    def __init__(self, limiter: RateLimiter) -> None:
        self._limiter = limiter
        self._taken: dict[tuple[Quota, str], TakenAhead] = {}
        self._lock = Lock()

    def spend_each(self, asked: Sequence[tuple[Quota, str]]) -> list[RateLimitStatus | Exception]:
        """Count a request for each caller, and return how its quota stands, or what the store raises for it.

        The store is asked once, and once more for callers who have no second's worth left.
        """
        found: list[RateLimitStatus | Exception | None] = [self._spend_ahead(*each) for each in asked]
        places = [place for place, status in enumerate(found) if status is None]
        if places:
            failed = self._take_ahead(Counter(asked[place] for place in places))
            for place in places:
                found[place] = failed.get(asked[place]) or self._spend_ahead(*asked[place])
        rest = [place for place in places if found[place] is None]
        spent = self._limiter.spend_each([(*asked[place], 1) for place in rest])
        for place, status in zip(rest, spent, strict=True):
            found[place] = status
        return [status for status in found if status is not None]

    def _take_ahead(self, wanted: Mapping[tuple[Quota, str], int]) -> dict[tuple[Quota, str], Exception]:
        """Take as many requests of each caller ahead as are wanted now, and as a second has; return what failed."""
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
        """Count a request of those taken ahead, and return how the quota stands; None where the store must be asked."""
        with self._lock:
            kept = self._taken.get((quota, caller))
            if kept is not None and kept.requests and kept.until > time.monotonic():
                kept.requests -= 1
                return _status(quota, kept)
        return None

    def _keep(self, quota: Quota, caller: str, taken: TakenAhead) -> None:
        with self._lock:
            if len(self._taken) >= CALLERS_KEPT:
                now = time.monotonic()
                self._taken = {who: each for who, each in self._taken.items() if each.until > now}
            kept = self._taken.get((quota, caller))
            if kept is not None and kept.until > time.monotonic():
                taken.requests += kept.requests  # of another thread, which took some at the same time
            self._taken[quota, caller] = taken


def _status(quota: Quota, taken: TakenAhead) -> RateLimitStatus:
    seconds = max(1, math.ceil(taken.until - time.monotonic()))
    return RateLimitStatus(quota, granted=True, left=taken.left + taken.requests, seconds=seconds)
