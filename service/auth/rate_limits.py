"""Rate limits of a caller: requests per minute, and sessions and playouts per hour.

A quota limits the charges in a window of time. A window starts with the first charge. After the window, the whole
quota is available again. If one charge of a request exceeds its quota, none of the request's charges is made. The
headers follow draft-ietf-httpapi-ratelimit-headers-11.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from redis import Redis

from service.auth.api_keys import ApiKey
from service.settings import HOUR_MS, Limits
from service.store.scripts import run_each, script

REQUESTS: Final = "requests"
FOUNDED: Final = "sessions"
PLAYOUTS: Final = "playouts"
ANSWER_BYTES: Final = "answer-bytes"

MINUTE_MS: Final = 60_000

CLOCK_SKEW_MS: Final = 1_000
"""Maximum difference in milliseconds between the clocks of a process and of Redis."""

WITHOUT_LIMIT: Final = 1 << 53
"""A number larger than any counter."""


@dataclass(frozen=True, slots=True)
class Quota:
    """The amount that a caller may use in every `window_ms` milliseconds. `name` is the unit of the amount."""

    name: str
    amount: int
    window_ms: int

    @property
    def policy(self) -> str:
        """The quota in the syntax of the header RateLimit-Policy. The unit is omitted if the quota counts requests."""
        unit = "" if self.name == REQUESTS else f';qu="{self.name}"'
        return f'"{self.name}";q={self.amount}{unit};w={self.window_ms // 1000}'

    def key(self, caller: str) -> str:
        return f"q:{self.name}:{caller}"


@dataclass(frozen=True, slots=True)
class RateLimitStatus:
    """The state of a quota after a charge. `granted` is true if the quota was sufficient.

    `left` is the remaining quota. `seconds` is the time until the quota is renewed.
    """

    quota: Quota
    granted: bool
    left: int
    seconds: int

    @property
    def header(self) -> str:
        """The status in the syntax of the header RateLimit."""
        return f'"{self.quota.name}";r={self.left};t={self.seconds}'


@dataclass(frozen=True, slots=True)
class CappedSet:
    """A sorted set in Redis with at most `most` members.

    New members get the score `score`. The set expires `life_ms` milliseconds after the last addition.
    """

    name: str
    key: str
    most: int
    score: int
    life_ms: int


@dataclass(frozen=True, slots=True)
class Charge:
    """The result of `RateLimiter.charge`. `statuses` contains one status for each quota.

    A charge can also add members to sets with a maximum size. If the charge was rejected because such a set has too
    little room, `full` is this set. Otherwise, `full` is None. `repeated` is true if an earlier request made the same
    charge.
    """

    statuses: tuple[RateLimitStatus, ...]
    full: CappedSet | None = None
    repeated: bool = False

    @property
    def granted(self) -> bool:
        """True if the charge was made, either now or by an earlier request (`repeated`)."""
        return self.full is None and all(status.granted for status in self.statuses)


def per_minute(requests: int) -> Quota | None:
    """Return a quota of requests per minute. Return None (no limit) if `requests` is 0."""
    return Quota(REQUESTS, requests, MINUTE_MS) if requests else None


def per_hour(amount: int, name: str = PLAYOUTS) -> Quota | None:
    """Return an hourly quota. Return None (no limit) if `amount` is 0. `name` is the unit of the amount."""
    return Quota(name, amount, HOUR_MS) if amount else None


class RateLimiter:
    """Counts in Redis how much of their quotas callers have used."""

    def __init__(self, client: Redis) -> None:
        """`client` must be connected to the Redis that stores API keys and counters."""
        self._client = client
        self._charge = client.register_script(script("charge", "service.auth"))
        self._give_back = client.register_script(script("give_back", "service.auth"))

    def charge(
        self,
        caller: str,
        costs: Sequence[tuple[Quota, int]],
        sets: Sequence[CappedSet] = (),
        members: Sequence[str] = (),
        receipts: Mapping[str, int] | None = None,
    ) -> Charge:
        """Charge all costs to a caller, add `members` to each of `sets`, and store `receipts`.

        Change nothing if a quota or a set has too little room. If Redis already has the first key of `receipts`, an
        earlier request made this charge. In this case, also change nothing.
        """
        # Receipts expire when the first of the quotas is renewed.
        kept = receipts or {}
        answer = cast(
            "list[int]",
            self._charge(
                keys=[quota.key(caller) for quota, _ in costs] + [each.key for each in sets] + list(kept),
                args=[
                    *(len(costs), len(sets), len(members)),
                    *(arg for quota, cost in costs for arg in (quota.amount, cost, quota.window_ms)),
                    *(arg for each in sets for arg in (each.most, each.score, each.life_ms)),
                    *members,
                    *kept.values(),
                ],
            ),
        )
        obstacle = answer[0] - 1
        statuses = tuple(
            _status(quota, place != obstacle, answer[2 * place + 1], answer[2 * place + 2])
            for place, (quota, _) in enumerate(costs)
        )
        full = sets[obstacle - len(costs)] if obstacle >= len(costs) else None
        return Charge(statuses, full, repeated=answer[0] < 0)

    def spend(self, quota: Quota, caller: str, cost: int = 1) -> RateLimitStatus:
        """Charge `cost` to a caller. Return the status of the quota. If less than `cost` is left, charge nothing."""
        return self.charge(caller, [(quota, cost)]).statuses[0]

    def spend_each(self, costs: Sequence[tuple[Quota, str, int]]) -> list[RateLimitStatus | Exception]:
        """Charge several costs, given as (quota, caller, cost), with one round trip to Redis.

        A cost is not charged if it exceeds the rest of its quota. The other costs are still charged. Return one status
        or exception per cost.
        """
        calls = [([quota.key(caller)], [1, 0, 0, quota.amount, cost, quota.window_ms]) for quota, caller, cost in costs]
        return [
            answer if isinstance(answer, Exception) else _status(quota, answer[0] == 0, answer[1], answer[2])
            for (quota, _, _), answer in zip(costs, run_each(self._client, self._charge, calls), strict=True)
        ]

    def add_each(self, costs: Sequence[tuple[Quota, str, int]]) -> list[RateLimitStatus | Exception]:
        """Charge several costs, given as (quota, caller, cost), with one round trip to Redis.

        Every cost is charged, even if it exceeds its quota, because the work is already done. Return one status or
        exception per cost.
        """
        anything = [(Quota(quota.name, WITHOUT_LIMIT, quota.window_ms), *rest) for quota, *rest in costs]
        return [
            status if isinstance(status, Exception) else _without_limit(quota, status)
            for (quota, _, _), status in zip(costs, self.spend_each(anything), strict=True)  # type: ignore[arg-type]
        ]

    def standing(self, quota: Quota, caller: str) -> RateLimitStatus:
        """Return the status of a quota without charging anything."""
        return self.spend(quota, caller, 0)

    def give_back(self, quota: Quota, caller: str, cost: int, charged: float) -> bool:
        """Refund a cost, and return whether it was refunded.

        If the quota has been renewed since the charge, refund nothing. `charged` is the time of the charge, in seconds
        since 1970.
        """
        args = [cost, round(charged * 1000), quota.window_ms, CLOCK_SKEW_MS]
        return bool(self._give_back(keys=[quota.key(caller)], args=args))


def _without_limit(quota: Quota, status: RateLimitStatus) -> RateLimitStatus:
    left = max(0, quota.amount - (WITHOUT_LIMIT - status.left))
    return RateLimitStatus(quota, granted=True, left=left, seconds=status.seconds)


def _status(quota: Quota, granted: bool, spent: int, left_ms: int) -> RateLimitStatus:  # noqa: FBT001 -- by place
    open_ms = left_ms if left_ms > 0 else quota.window_ms
    return RateLimitStatus(quota, granted, max(0, quota.amount - spent), max(1, math.ceil(open_ms / 1000)))


def requests(key: ApiKey | None, limits: Limits) -> Quota | None:
    """Return the request quota of an API key. If `key` is None, return the quota of a caller without an API key."""
    if key is None:
        return per_minute(limits.open_requests_per_minute)
    return per_minute(limits.key_requests_per_minute if key.requests_per_minute is None else key.requests_per_minute)


def sessions(key: ApiKey | None, limits: Limits) -> Quota | None:
    """Return the quota of new sessions of a caller without an API key. Return None (no limit) if there is a key."""
    return per_hour(limits.open_sessions_per_hour, FOUNDED) if key is None else None


def playouts(key: ApiKey | None, limits: Limits) -> Quota | None:
    """Return the playout quota of an API key. A playout is one simulated game.

    If `key` is None, return the quota of a caller without an API key.
    """
    if key is None:
        return per_hour(limits.open_playouts_per_hour)
    return per_hour(limits.key_playouts_per_hour if key.playouts_per_hour is None else key.playouts_per_hour)


def answers(key: ApiKey | None, limits: Limits) -> Quota | None:
    """Return the hourly quota for a caller's stored responses. The quota counts the bytes of these responses.

    If the caller has an API key, there is no limit, and the function returns None.
    """
    return per_hour(limits.open_answer_bytes_per_hour, ANSWER_BYTES) if key is None else None


def policies(quotas: Iterable[Quota | None]) -> str:
    """Return the value of the header RateLimit-Policy."""
    return ", ".join(quota.policy for quota in quotas if quota)
