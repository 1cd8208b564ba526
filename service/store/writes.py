"""A check that a store accepts writes, without writing."""

from __future__ import annotations

import re
from typing import Final

from redis import Redis
from redis.exceptions import OutOfMemoryError, ReadOnlyError, RedisError

from service.store import keys
from service.store.cluster import ClusterClient

_UNSAFE: Final = re.compile(r"(?:^|: )(?:MISCONF|NOREPLICAS) ")
"""Redis's refusals of writes without durability: a failing disk, or missing replicas."""


def check_writes(client: Redis | ClusterClient) -> None:
    """Raise the RedisError with which a store rejects writes. A cluster rejects writes only if every node does.

    The check replaces keys that never exist, so it changes nothing. Redis rejects that command like any write.
    """
    refusal: RedisError | None = None
    for bucket in keys.BUCKETS if isinstance(client, ClusterClient) else keys.BUCKETS[:1]:
        try:
            client.execute_command("SET", keys.never(bucket), "", "XX")  # type: ignore[no-untyped-call]
        except RedisError as error:
            refusal = error
        else:
            return
    if refusal is not None:
        raise refusal


def refuses_writes(error: Exception) -> bool:
    """Return whether this error means that a store is reachable but rejects writes."""
    return isinstance(error, OutOfMemoryError | ReadOnlyError) or bool(_UNSAFE.search(str(error)))
