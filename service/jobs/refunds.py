"""Giving a key back what a job was charged and did not use, however it ended: canceled, failed, or done early."""

from __future__ import annotations

from typing import Final, cast

from redis import Redis

from service.auth.api_keys import KEY_OWNER, KeyStore
from service.auth.rate_limits import RateLimiter, playouts
from service.jobs import queues
from service.settings import Limits

_FIRST: Final = "refunded"
"""The field of a record that is written before a refund, so that there is one at most."""


def refund(client: Redis, limits: Limits, job: str) -> None:
    """Give the key that owns an ended job back what was not used, once, in the window of the charge.

    `client` is of the store of jobs, keys and counters. A caller without a key gets nothing, for whoever knows a job's
    id may end it.
    """
    record = queues.record_key(job)
    fields = ["owner", "cost", "made", "items", "done", "total"]
    owner, *numbers = cast("list[bytes | None]", client.hmget(record, fields))
    name = (owner or b"").decode()
    key = KeyStore(client).by_id(name.removeprefix(KEY_OWNER)) if name.startswith(KEY_OWNER) else None
    quota = playouts(key, limits) if key else None
    if quota is None:
        return
    cost, made, items, done, total = (int(number or 0) for number in numbers)
    whole = max(items, total)  # who has enough makes the total smaller; an item may be several games
    unused = cost * (whole - done) // max(1, whole)
    if unused > 0 and client.hsetnx(record, _FIRST, 1):
        RateLimiter(client).give_back(quota, name, unused, made / 1000)
