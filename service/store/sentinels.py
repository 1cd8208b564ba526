"""The Redis that Sentinels know as a master, whichever it is."""

from __future__ import annotations

from typing import Any

from redis import Redis
from redis.connection import SSLConnection
from redis.sentinel import Sentinel, SentinelManagedConnection

from service.store.addresses import Nodes


class _Connection(SentinelManagedConnection):
    """Is closed where a signal breaks off the reading of an answer, as redis-py's connections without Sentinels are.

    Otherwise the next command would read the answer to the last.
    """

    def read_response(self, disable_decoding: bool = False, **options: Any) -> Any:  # noqa: FBT001, FBT002 -- redis-py's
        """Read an answer."""
        return super().read_response(disable_decoding, **{"disconnect_on_error": True, **options})


class _SecuredConnection(_Connection, SSLConnection):
    """The same with TLS."""


def master(name: str, nodes: Nodes, sentinel_options: dict[str, Any], **options: Any) -> Redis:
    """Return a client of the master that Sentinels know by a name; they are asked for it at each new connection."""
    kind = _SecuredConnection if options.get("ssl") else _Connection
    sentinels = Sentinel(nodes, sentinel_kwargs=sentinel_options)
    found: Redis = sentinels.master_for(name, connection_class=kind, **options)
    return found
