"""Leases in the stores: exclusive rights of one process, until it releases the lease or fails to renew it."""

from __future__ import annotations

from redis import Redis

from service.store.scripts import script


class StoreLease:
    """A lease on a key, with an id of its holder; it expires `milliseconds` after it was last taken.

    The holder renews it by taking it again; False means that another process holds it.
    """

    def __init__(self, client: Redis, key: str, lease_id: str, milliseconds: int) -> None:
        self._key, self._lease_id, self._milliseconds = key, lease_id, milliseconds
        self._take, self._release = (client.register_script(script(name)) for name in ("lease", "release"))

    def take(self) -> bool:
        """Take or renew the lease, and return whether this holder has it."""
        return bool(self._take(keys=[self._key], args=[self._lease_id, self._milliseconds]))

    def release(self) -> None:
        """Release the lease, if this holder has it."""
        self._release(keys=[self._key], args=[self._lease_id])
