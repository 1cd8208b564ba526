"""A client of a Redis Cluster with the methods and exceptions of a Redis client. It connects at the first command.

Keys of one script share a hash tag, so they are on one node.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Any, Final, Self

from redis.cluster import ClusterNode, ClusterPipeline, RedisCluster
from redis.commands import CoreCommands
from redis.exceptions import ClusterDownError, ConnectionError, RedisClusterException, TimeoutError  # noqa: A004 -- those of Redis

_STREAMS: Final = b"STREAMS"
"""The keyword in XREAD that precedes the keys."""


class ClusterClient(CoreCommands):
    """Sends each command to the node of its key."""

    _event_dispatcher: Any = None
    """Attribute that redis-py requires of a client."""

    def __init__(self, nodes: Sequence[tuple[str, int]], **options: Any) -> None:
        """Create a client from the addresses of some nodes. `options` are the options of redis-py's own client."""
        self._nodes, self._options = nodes, options
        self._found: RedisCluster | None = None
        self._lock = Lock()

    def execute_command(self, *args: Any, **options: Any) -> Any:
        """Send a command to the node of its key, and return the response."""
        with _as_redis_fails():
            cluster = self._cluster()
            if args[0] == "XREAD":  # redis-py would query a node each time for the position of the key
                options["target_nodes"] = cluster.get_node_from_key(args[args.index(_STREAMS) + 1])
            return cluster.execute_command(*args, **options)

    def ping(self, **_: Any) -> Any:
        """Return whether any node responds. A cluster is useful even if some of its nodes have failed."""
        with _as_redis_fails():
            cluster = self._cluster()
            for node in cluster.get_nodes():
                with suppress(ConnectionError, TimeoutError):
                    return bool(cluster.ping(target_nodes=node))
        raise ConnectionError("no node answers")

    @contextmanager
    def pipeline(self, transaction: bool = True) -> Iterator[ClusterPipeline]:  # noqa: FBT001, FBT002 -- as Redis has it
        """Collect commands and send them together. In a transaction, all keys must share a hash tag."""
        with _as_redis_fails(), self._cluster().pipeline(transaction=transaction) as pipe:
            yield pipe

    @contextmanager
    def pubsub(self, **options: Any) -> Iterator[Any]:
        """Subscribe to messages at one node. The node also delivers messages that were published at other nodes."""
        with _as_redis_fails(), self._cluster().pubsub(**options) as messages:
            yield messages

    def scan_iter(self, match: Any = None, count: int | None = None, *_: Any, **__: Any) -> Iterator[Any]:
        """Yield the keys of all nodes."""
        with _as_redis_fails():
            yield from self._cluster().scan_iter(match=match, count=count)

    def get_encoder(self) -> type[str]:
        """Return an object that encodes text. redis-py uses it to register a script."""
        return str

    def close(self) -> None:
        """Close all connections."""
        if self._found is not None:
            self._found.close()

    def __enter__(self) -> Self:
        """Return this client. It closes at the end of the `with` block."""
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _cluster(self) -> RedisCluster:
        with self._lock:
            if self._found is None:
                self._found = RedisCluster(
                    startup_nodes=[ClusterNode(host, port) for host, port in self._nodes], **self._options
                )
            return self._found


@contextmanager
def _as_redis_fails() -> Iterator[None]:
    try:
        yield
    except RedisClusterException as error:
        raise ClusterDownError(str(error)) from error
