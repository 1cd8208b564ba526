"""Clients of Redis, one per way of using it, because their timeouts exclude each other.

Whether a URL is that of one Redis, of Sentinels or of a cluster (`service.store.addresses`), its client has the
commands of a Redis, and no client asks for anything before its first command.
"""

from __future__ import annotations

from typing import Any, Final, cast

from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.store import addresses, sentinels
from service.store.cluster import ClusterClient

PATIENCE: Final = 5.0
"""Seconds that an answer of Redis may take: it waits for the disk before it acknowledges (docs/decisions/027)."""

CONNECT_SECONDS: Final = 1.0


def commands(url: str) -> Redis:
    """Return the client for short commands: no retry, since a repeated write may count twice."""
    return _client(url, socket_timeout=PATIENCE)


def queue(url: str) -> Redis:
    """Return the client for RQ's worker, which says itself how long it waits."""
    return _client(url)


def _client(url: str, **options: Any) -> Redis:
    options |= {"protocol": 2, "socket_connect_timeout": CONNECT_SECONDS}
    match addresses.read(url):
        case addresses.Alone(url=plain):
            return Redis.from_url(plain, retry=_never(), **options)
        case addresses.Cluster(nodes=nodes, options=own):
            # What is asked of sessions is said in commands that a cluster has too.
            return cast("Redis", ClusterClient(nodes, retry=_never(), **options, **own))
        case addresses.Watched(nodes=nodes, options=own, name=name, sentinel_options=theirs):
            asking = {"socket_timeout": CONNECT_SECONDS, "socket_connect_timeout": CONNECT_SECONDS, "retry": _never()}
            return sentinels.master(name, nodes, {**asking, **theirs}, retry=_never(), **options, **own)


def _never() -> Retry:
    """Return the will to try nothing twice.

    A move without an Idempotency-Key has no operation in the store (`service.api.sessions`), so if a client sent a
    script again whose answer was lost, nothing would tell that it was done. It would be refused as overtaken, and then
    planned anew.
    """
    return Retry(NoBackoff(), 0)
