"""Clients of Redis, one per way of using it, because their timeouts exclude each other."""

from __future__ import annotations

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry


def commands(url: str) -> redis.Redis:
    """Return the client for short commands: one second, no retry, since a repeated write may count twice."""
    return redis.Redis.from_url(
        url, protocol=2, socket_timeout=1.0, socket_connect_timeout=1.0, retry=Retry(NoBackoff(), 0)
    )


def blocking(url: str, seconds: float, connections: int) -> redis.Redis:
    """Return the client for reads that block up to `seconds`, so many at the same time."""
    return redis.Redis.from_url(
        url,
        protocol=2,
        max_connections=connections,
        socket_timeout=seconds + 1.0,
        socket_connect_timeout=1.0,
        retry=Retry(NoBackoff(), 0),
    )
