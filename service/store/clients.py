"""Clients of Redis, one per way of using it, because their timeouts exclude each other."""

from __future__ import annotations

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

PATIENCE = 5.0
"""Seconds that an answer of Redis may take: it waits for the disk before it acknowledges (docs/decisions/027)."""


def commands(url: str) -> redis.Redis:
    """Return the client for short commands: no retry, since a repeated write may count twice."""
    return redis.Redis.from_url(
        url, protocol=2, socket_timeout=PATIENCE, socket_connect_timeout=1.0, retry=Retry(NoBackoff(), 0)
    )


def blocking(url: str, seconds: float, connections: int) -> redis.Redis:
    """Return the client for reads that block up to `seconds`, so many at the same time."""
    return redis.Redis.from_url(
        url,
        protocol=2,
        max_connections=connections,
        socket_timeout=seconds + PATIENCE,
        socket_connect_timeout=1.0,
        retry=Retry(NoBackoff(), 0),
    )
