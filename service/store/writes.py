"""Whether a store takes writes now; asking writes nothing."""

from __future__ import annotations

import re
from typing import Final

from redis import Redis
from redis.exceptions import OutOfMemoryError, ReadOnlyError, RedisError

from service.store import keys
from service.store.cluster import ClusterClient

_UNSAFE: Final = re.compile(r"(?:^|: )(?:MISCONF|NOREPLICAS) ")
"""How Redis refuses to write where it cannot keep its promises: its disk fails, or its replicas are away."""


def check_writes(client: Redis | ClusterClient) -> None:
    """Raise the RedisError with which a store refuses to write; of a cluster, where every node refuses.

    It asks to replace keys that nobody ever writes, so nothing changes; Redis refuses that as it refuses every write.
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
    """Return whether a store answers, and by this error says that it cannot write now."""
    return isinstance(error, OutOfMemoryError | ReadOnlyError) or bool(_UNSAFE.search(str(error)))
