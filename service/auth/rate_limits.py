"""Rate limits: requests a minute and playouts an hour, counted for each caller by the `limits` library.

Windows are fixed, so that what is left and when it is renewed can be told exactly. A counter is one key, on any node of
a cluster. Headers have the form of draft-ietf-httpapi-ratelimit-headers-11.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from limits import RateLimitItem, RateLimitItemPerHour, RateLimitItemPerMinute
from limits.storage import RedisStorage
from limits.strategies import FixedWindowRateLimiter
from redis import Redis

from service.auth.api_keys import ApiKey
from service.settings import Limits

REQUESTS: Final = "requests"
PLAYOUTS: Final = "playouts"

PREFIX: Final = "q"

ROUNDED_SECONDS: Final = 1
"""How exactly the store tells when a window ends."""


class OneStorage(RedisStorage):
    """Counters in Redis, by the one client library that we use: `limits` would load Valkey's at every start, too."""

    DEPENDENCIES = {"redis": RedisStorage.DEPENDENCIES["redis"]}  # noqa: RUF012 -- as in the class above


@dataclass(frozen=True, slots=True)
class Quota:
    """So much of something in a window of time; `name` is also its unit."""

    name: str
    item: RateLimitItem

    @property
    def policy(self) -> str:
        """Return the quota as RateLimit-Policy writes it; requests are the default unit."""
        unit = "" if self.name == REQUESTS else f';qu="{self.name}"'
        return f'"{self.name}";q={self.item.amount}{unit};w={self.item.get_expiry()}'


@dataclass(frozen=True, slots=True)
class RateLimitStatus:
    """How a quota stands for a caller: whether it had enough, what is left, and in how many seconds it is renewed."""

    quota: Quota
    granted: bool
    left: int
    seconds: int

    @property
    def header(self) -> str:
        """Return the status as RateLimit writes it."""
        return f'"{self.quota.name}";r={self.left};t={self.seconds}'


def per_minute(requests: int) -> Quota | None:
    """Return the quota of requests, None where there is none to keep to."""
    return Quota(REQUESTS, RateLimitItemPerMinute(requests, namespace=REQUESTS)) if requests else None


def per_hour(playouts: int) -> Quota | None:
    """Return the quota of playouts, None where there is none to keep to."""
    return Quota(PLAYOUTS, RateLimitItemPerHour(playouts, namespace=PLAYOUTS)) if playouts else None


class RateLimiter:
    """What callers have spent."""

    def __init__(self, client: Redis) -> None:
        """Take a client of the store, whose connections are used."""
        self._storage = OneStorage("redis://", connection_pool=client.connection_pool, key_prefix=PREFIX)
        self._limiter = FixedWindowRateLimiter(self._storage)

    def spend(self, quota: Quota, caller: str, cost: int = 1) -> RateLimitStatus:
        """Take a cost from what a caller has left, all of it or nothing, and return the status."""
        granted = self._limiter.hit(quota.item, caller, cost=cost)
        if not granted:
            self._give(quota, caller, cost)  # what was refused is not charged
        return self.standing(quota, caller, granted=granted)

    def standing(self, quota: Quota, caller: str, *, granted: bool = True) -> RateLimitStatus:
        """Return the status of a quota."""
        stats = self._limiter.get_window_stats(quota.item, caller)
        return RateLimitStatus(
            quota, granted, max(0, stats.remaining), max(1, math.ceil(stats.reset_time - time.time()))
        )

    def give_back(self, quota: Quota, caller: str, cost: int, charged: float) -> bool:
        """Give back what was charged at a time and not used, and return whether that was done.

        It is done in the window of the charge alone: what was spent of an earlier one counts no more.
        """
        stats = self._limiter.get_window_stats(quota.item, caller)
        if (
            charged + ROUNDED_SECONDS < stats.reset_time - quota.item.get_expiry()
            or stats.remaining + cost > quota.item.amount
        ):
            return False
        self._give(quota, caller, cost)
        return True

    def _give(self, quota: Quota, caller: str, cost: int) -> None:
        """Count a cost back."""
        self._storage.incr(quota.item.key_for(caller), quota.item.get_expiry(), -cost)


def requests(key: ApiKey | None, limits: Limits) -> Quota | None:
    """Return the quota of requests of a key, or of who has none."""
    if key is None:
        return per_minute(limits.open_requests_per_minute)
    return per_minute(limits.key_requests_per_minute if key.requests_per_minute is None else key.requests_per_minute)


def playouts(key: ApiKey | None, limits: Limits) -> Quota | None:
    """Return the quota of playouts of a key, or of who has none."""
    if key is None:
        return per_hour(limits.open_playouts_per_hour)
    return per_hour(limits.key_playouts_per_hour if key.playouts_per_hour is None else key.playouts_per_hour)


def policies(quotas: Iterable[Quota | None]) -> str:
    """Return the value of RateLimit-Policy."""
    return ", ".join(quota.policy for quota in quotas if quota)
