"""Checks whether a worker process is alive. A container platform can restart a dead one."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

import redis
from rq import Queue, Worker

SILENCE: Final = timedelta(seconds=60)
"""Age at which a heartbeat counts as too old. A worker sends one every few seconds, whether idle or busy."""

WATCH_SECONDS: Final = 8.0
"""Maximum time to wait for a new heartbeat if the last one is old. A probe may take 15 seconds in all."""

WATCH_PAUSE_SECONDS: Final = 0.5


def alive(connection: redis.Redis, queue: str, watch_seconds: float = WATCH_SECONDS) -> bool:
    """Return whether a worker of this queue on this host sends heartbeats.

    Usually, return at once. If the last heartbeat is old, wait up to `watch_seconds` for a new one. If Redis does not
    respond, return True.
    """
    try:
        first = set(_heartbeats(connection, queue))
        now = datetime.now(UTC)
        if any(abs(now - moment) < SILENCE for _, moment in first):
            return True
        # Heartbeats may look old because the machine's clock has changed. So wait for a new one.
        until = time.monotonic() + watch_seconds
        while time.monotonic() < until:
            time.sleep(WATCH_PAUSE_SECONDS)
            if not first.issuperset(_heartbeats(connection, queue)):
                return True
    # Without Redis, restarting the worker would not help.
    except redis.exceptions.RedisError:
        return True
    return False


def _heartbeats(connection: redis.Redis, queue: str) -> Iterator[tuple[str, datetime]]:
    for worker in Worker.all(queue=Queue(queue, connection=connection)):
        if worker.hostname == socket.gethostname() and worker.last_heartbeat is not None:
            heard = worker.last_heartbeat
            yield worker.name, heard if heard.tzinfo else heard.replace(tzinfo=UTC)
