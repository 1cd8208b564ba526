"""Creates clients of a Redis master that Sentinels monitor."""

from __future__ import annotations

from typing import Any

from redis import Redis
from redis.connection import SSLConnection
from redis.sentinel import Sentinel, SentinelManagedConnection

from service.store.addresses import Nodes


class _Connection(SentinelManagedConnection):
    """A connection that closes if a signal interrupts a read.

    If the connection stayed open, the next command would read the rest of the interrupted response.
    """

    def read_response(self, disable_decoding: bool = False, **options: Any) -> Any:  # noqa: FBT001, FBT002 -- redis-py's
        return super().read_response(disable_decoding, **{"disconnect_on_error": True, **options})


class _SecuredConnection(_Connection, SSLConnection):
    """A connection with TLS that also closes if a signal interrupts a read."""


def master(name: str, nodes: Nodes, sentinel_options: dict[str, Any], **options: Any) -> Redis:
    """Return a client of the master `name`. Each new connection asks a Sentinel for the master's current address."""
    kind = _SecuredConnection if options.get("ssl") else _Connection
    sentinels = Sentinel(nodes, sentinel_kwargs=sentinel_options)
    found: Redis = sentinels.master_for(name, connection_class=kind, **options)
    return found
