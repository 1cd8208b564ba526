"""Checks whether Redis accepts writes. The check writes nothing."""

from __future__ import annotations

import re
from typing import Final

from redis import Redis
from redis.exceptions import OutOfMemoryError, ReadOnlyError, RedisError

from service.store import keys
from service.store.cluster import ClusterClient

_UNSAFE: Final = re.compile(r"(?:^|: )(?:MISCONF|NOREPLICAS|OOM|READONLY) ")
"""Pattern for errors of a Redis that rejects writes. In pipelines and transactions, a colon precedes the code."""


def check_writes(client: Redis | ClusterClient) -> None:
    """Raise the error of Redis if Redis rejects writes.

    A cluster accepts writes if any of its nodes accepts writes.
    """
    refusal: RedisError | None = None
    for bucket in keys.BUCKETS if isinstance(client, ClusterClient) else keys.BUCKETS[:1]:
        try:
            # The key never exists, so nothing changes. A Redis that rejects writes fails before it looks for the key.
            client.execute_command("SET", keys.never(bucket), "", "XX")  # type: ignore[no-untyped-call]
        except RedisError as error:
            refusal = error
        else:
            return
    if refusal is not None:
        raise refusal


def refuses_writes(error: Exception) -> bool:
    """Return whether an error means that Redis can be reached but rejects writes."""
    return isinstance(error, OutOfMemoryError | ReadOnlyError) or bool(_UNSAFE.search(str(error)))
