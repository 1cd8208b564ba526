"""Leases in the stores: what one process at a time may do, until it gives the lease back or does not renew it."""

from __future__ import annotations

from redis import Redis

from service.store.scripts import script


class StoreLease:
    """A lease on a key, with an id of its holder; it ends by itself `milliseconds` after it was last taken.

    A worker takes it again from time to time; False means that another has it.
    """

    def __init__(self, client: Redis, key: str, lease_id: str, milliseconds: int) -> None:
        self._key, self._lease_id, self._milliseconds = key, lease_id, milliseconds
        self._take, self._release = (client.register_script(script(name)) for name in ("lease", "release"))

    def take(self) -> bool:
        """Take or renew the lease, and return whether it is ours."""
        return bool(self._take(keys=[self._key], args=[self._lease_id, self._milliseconds]))

    def release(self) -> None:
        """Give the lease back, if it is ours."""
        self._release(keys=[self._key], args=[self._lease_id])
