"""Creates Redis clients. Each purpose has its own kind of client with its own timeouts.

Clients connect at their first command.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, cast

import hiredis
from redis import Redis
from redis.backoff import NoBackoff
from redis.connection import Connection, ConnectionPool, HiredisRespSerializer
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError
from redis.retry import Retry

from service.store import addresses, sentinels
from service.store.cluster import ClusterClient

PATIENCE: Final = 5.0
"""Timeout of a response in seconds.

Redis responds to a write only after the write is on disk (docs/decisions/027). So a slow disk delays responses.
"""

CONNECT_SECONDS: Final = 1.0


PROBE_SECONDS: Final = 1.0
"""Timeout in seconds of a Redis response during a readiness check."""


def commands(url: str, response_seconds: float = PATIENCE) -> Redis:
    """Return a client for short commands. It never retries a command, because a repeated write might count twice."""
    return _client(url, socket_timeout=response_seconds)


def queue(url: str) -> Redis:
    """Return a client without timeouts. RQ's worker sets the timeouts of this client itself."""
    return _client(url)


class ShortPacker(HiredisRespSerializer):
    """Encodes commands with hiredis. It skips the checks of redis-py."""

    def pack(self, *args: Any) -> list[bytes]:
        """Return a command encoded for the Redis protocol. Raise DataError if an argument is not supported."""
        with suppress(TypeError):
            if " " not in args[0]:
                return [hiredis.pack_command(args)]
        return cast("list[bytes]", super().pack(*args))


class ShortPool(ConnectionPool):
    """A connection pool for a single Redis. It is three times as fast as the pool of redis-py.

    It records no metrics, and does not check for deprecated arguments.
    """

    def get_connection(self, *args: Any, **options: Any) -> Connection:
        """Return a connection that is ready for a command."""
        self._checkpid()
        with self._lock:
            connection: Connection | None = None
            if self._available_connections:
                connection = self._available_connections.pop()
                self._in_use_connections.add(connection)
        if connection is None:  # not under the lock: others would wait while it connects
            return super().get_connection(*args, **options)
        try:
            self._ensure_ready(connection)
        except BaseException:
            self.release(connection)
            raise
        return connection

    @staticmethod
    def _ensure_ready(connection: Connection) -> None:
        try:
            connection.connect()
            if not connection.can_read():
                return
        except (RedisConnectionError, RedisTimeoutError, OSError):
            pass
        connection.disconnect()
        connection.connect()
        if connection.can_read():
            raise RedisConnectionError("a new connection has an answer that nobody has asked for")

    def release(self, connection: Connection) -> None:  # type: ignore[override]  # as ConnectionPool has it
        self._checkpid()
        with self._lock:
            if connection not in self._in_use_connections or not self.owns_connection(connection):
                super().release(connection)
                return
            self._in_use_connections.remove(connection)
            self._available_connections.append(connection)


class ShortClient(Redis):
    """A client of a single Redis. It is faster than the client of redis-py, because it never retries a command."""

    def execute_command(self, *args: Any, **options: Any) -> Any:
        """Send a command and return its response. If the response is incomplete, close the connection."""
        pool = self.connection_pool
        if self.connection:  # a dedicated connection, as for a thread with many commands
            return super().execute_command(*args, **options)  # type: ignore[no-untyped-call]
        connection = pool.get_connection()
        try:
            connection.send_command(*args, **options)
            return self.parse_response(connection, args[0], **options)  # type: ignore[no-untyped-call]
        except (RedisConnectionError, RedisTimeoutError, OSError):
            connection.disconnect()
            raise
        finally:
            pool.release(connection)

    def exchange(self, commands: Sequence[Sequence[Any]]) -> list[Any]:
        """Send several commands at once. For each command, return the response or the error."""
        pool = self.connection_pool
        connection = pool.get_connection()
        try:
            connection.send_packed_command(connection.pack_commands(commands))
            return [_answer(connection) for _ in commands]
        except (RedisConnectionError, RedisTimeoutError, OSError):
            connection.disconnect()
            raise
        finally:
            pool.release(connection)


def _answer(connection: Connection) -> Any:
    try:
        return connection.read_response()
    except ResponseError as problem:
        return problem


def exchange(client: Redis, commands: Sequence[Sequence[Any]]) -> list[Any]:
    """Send several commands at once. For each command, return the raw response or the error."""
    if isinstance(client, ShortClient):
        return client.exchange(commands)
    with client.pipeline(transaction=False) as pipe:
        for command in commands:
            pipe.execute_command(*command)
        return pipe.execute(raise_on_error=False)


def _client(url: str, **options: Any) -> Redis:
    options |= {"protocol": 2, "socket_connect_timeout": CONNECT_SECONDS}
    match addresses.read(url):
        case addresses.Alone(url=plain):
            options |= {"command_packer": ShortPacker(), "retry": _never()}
            return ShortClient.from_pool(ShortPool.from_url(plain, **options))
        case addresses.Cluster(nodes=nodes, options=own):
            # Sessions use only commands that a cluster has too.
            return cast("Redis", ClusterClient(nodes, retry=_never(), **options, **own))
        case addresses.Watched(nodes=nodes, options=own, name=name, sentinel_options=theirs):
            asking = {"socket_timeout": CONNECT_SECONDS, "socket_connect_timeout": CONNECT_SECONDS, "retry": _never()}
            return sentinels.master(name, nodes, {**asking, **theirs}, retry=_never(), **options, **own)


def _never() -> Retry:
    """Return a retry policy that never retries. A repeated command could make a move a second time."""
    return Retry(NoBackoff(), 0)
