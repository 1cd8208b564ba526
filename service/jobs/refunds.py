"""Refunds to API keys for the unused playouts of jobs that were cancelled, have failed, or have finished early."""

from __future__ import annotations

from typing import Final, cast

from redis import Redis

from service.auth.api_keys import KEY_OWNER, KeyStore
from service.auth.rate_limits import RateLimiter, playouts
from service.jobs import queues
from service.settings import Limits

_FIRST: Final = "refunded"
"""Field of the job's record that is set before the refund, so that a job is refunded at most once."""


def refund(client: Redis, limits: Limits, job: str) -> None:
    """Refund an ended job's unused playouts to its API key, at most once.

    If the quota has been renewed since the charge, refund nothing.
    """
    record = queues.record_key(job)
    fields = ["owner", "cost", "made", "items", "done", "total"]
    owner, *numbers = cast("list[bytes | None]", client.hmget(record, fields))
    name = (owner or b"").decode()
    # Callers without an API key get no refund, because any client with the id of their job can cancel it.
    key = KeyStore(client).by_id(name.removeprefix(KEY_OWNER)) if name.startswith(KEY_OWNER) else None
    quota = playouts(key, limits) if key else None
    if quota is None:
        return
    cost, made, items, done, total = (int(number or 0) for number in numbers)
    whole = max(items, total)  # an early end reduces the total; an item may be several games
    unused = cost * (whole - done) // max(1, whole)
    if unused > 0 and client.hsetnx(record, _FIRST, 1):
        RateLimiter(client).give_back(quota, name, unused, made / 1000)
