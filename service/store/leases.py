"""Leases in Redis. A lease gives one process an exclusive right until it is released or expires."""

from __future__ import annotations

from redis import Redis

from service.store.scripts import script


class StoreLease:
    """A lease on a Redis key. It expires `milliseconds` after the last call of `take`."""

    def __init__(self, client: Redis, key: str, lease_id: str, milliseconds: int) -> None:
        self.key, self.lease_id, self._milliseconds = key, lease_id, milliseconds
        self._take, self._release = (client.register_script(script(name)) for name in ("lease", "release"))

    def take(self) -> bool:
        """Take or renew the lease. Return False if another process holds it."""
        return bool(self._take(keys=[self.key], args=[self.lease_id, self._milliseconds]))

    def release(self) -> None:
        """Release the lease, unless another process holds it."""
        self._release(keys=[self.key], args=[self.lease_id])
