"""Giving a key back what a job was charged and did not use, however it ended: called off, failed, or done early."""

from __future__ import annotations

from typing import Final, cast

from redis import Redis

from service.auth.api_keys import KeyStore
from service.auth.rate_limits import RateLimiter, playouts
from service.jobs import queues
from service.settings import Limits

_FIRST: Final = "refunded"
"""The field of a record that whoever gives back writes first, so that it is done once at most."""


class Refunds:
    """Gives back, each job once; callers without a key get nothing, for whoever knows a job's id may end it."""

    def __init__(self, client: Redis, limits: Limits) -> None:
        """Take a client of the store of jobs, keys and counters, and the usual quotas."""
        self._client, self._limits = client, limits
        self._keys, self._counters = KeyStore(client), RateLimiter(client)

    def give_back(self, job: str) -> None:
        """Give the owner of a job that has ended back what was not used, in the window of the charge."""
        record = queues.record_key(job)
        fields = ["owner", "cost", "made", "items", "done", "total"]
        owner, *numbers = cast("list[bytes | None]", self._client.hmget(record, fields))
        name = (owner or b"").decode()
        key = self._keys.by_id(name.removeprefix(queues.KEY_OWNER)) if name.startswith(queues.KEY_OWNER) else None
        quota = playouts(key, self._limits) if key else None
        if quota is None:
            return
        cost, made, items, done, total = (int(number or 0) for number in numbers)
        whole = items if items > 1 else total  # who has enough makes the total smaller
        unused = cost * (whole - done) // max(1, whole)
        if unused > 0 and self._client.hsetnx(record, _FIRST, 1):
            self._counters.give_back(quota, name, unused, made / 1000)
