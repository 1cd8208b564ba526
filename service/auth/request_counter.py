"""Counts requests by quotas; of a caller who sends many a process takes some at once from the store.

A counted request would be a write otherwise, and the disk of the store would hear of every look at a session. What a
process has taken and not used is lost to the others when the window ends: a second's worth for each, at most.
"""

from __future__ import annotations

import math
import time
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

    def spend(self, quota: Quota, caller: str) -> RateLimitStatus:
        """Count a request, and return how the quota stands; it is not granted where nothing is left."""
        status = self.spend_ahead(quota, caller)
        if status is not None:
            return status
        ahead = quota.amount // PARTS_OF_A_QUOTA
        if ahead > 1:
            status = self._limiter.spend(quota, caller, ahead)
            if status.granted:
                return self._keep(quota, caller, TakenAhead(ahead - 1, status.left, time.monotonic() + status.seconds))
        return self._limiter.spend(quota, caller)

    def spend_ahead(self, quota: Quota, caller: str) -> RateLimitStatus | None:
        """Count a request of those taken ahead, and return how the quota stands; None where the store must be asked."""
        with self._lock:
            kept = self._taken.get((quota, caller))
            if kept is not None and kept.requests and kept.until > time.monotonic():
                kept.requests -= 1
                return _status(quota, kept)
        return None

    def _keep(self, quota: Quota, caller: str, taken: TakenAhead) -> RateLimitStatus:
        """Keep what was taken ahead, and return how the quota stands."""
        with self._lock:
            if len(self._taken) >= CALLERS_KEPT:
                now = time.monotonic()
                self._taken = {who: each for who, each in self._taken.items() if each.until > now}
            kept = self._taken.get((quota, caller))
            if kept is not None and kept.until > time.monotonic():
                taken.requests += kept.requests  # of another thread, which took some at the same time
            self._taken[quota, caller] = taken
            return _status(quota, taken)


def _status(quota: Quota, taken: TakenAhead) -> RateLimitStatus:
    """Return how a quota stands of which some is taken ahead."""
    seconds = max(1, math.ceil(taken.until - time.monotonic()))
    return RateLimitStatus(quota, granted=True, left=taken.left + taken.requests, seconds=seconds)
