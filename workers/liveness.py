"""Liveness check of a worker process, for the supervisor that restarts it."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

import redis
from rq import Queue, Worker

SILENCE: Final = timedelta(seconds=60)
"""Age after which a heartbeat is stale. Workers send one every few seconds, both idle and while a work-horse runs."""

WATCH_SECONDS: Final = 8.0
"""Maximum time to watch for a heartbeat if the dates are inconclusive; a probe may take 15 seconds."""

WATCH_PAUSE_SECONDS: Final = 0.5


def alive(connection: redis.Redis, queue: str, watch_seconds: float = WATCH_SECONDS) -> bool:
    """Return whether a worker of this queue on this host sends heartbeats.

    A recent heartbeat suffices. An old one may only mean that the machine's clock was set. In that case, wait up to
    `watch_seconds` for a new heartbeat. If the store does not respond, return True, since the worker is not at fault.
    """
    try:
        first = set(_heartbeats(connection, queue))
        now = datetime.now(UTC)
        if any(abs(now - moment) < SILENCE for _, moment in first):
            return True
        until = time.monotonic() + watch_seconds
        while time.monotonic() < until:
            time.sleep(WATCH_PAUSE_SECONDS)
            if not first.issuperset(_heartbeats(connection, queue)):
                return True
    except redis.exceptions.RedisError:
        return True
    return False


def _heartbeats(connection: redis.Redis, queue: str) -> Iterator[tuple[str, datetime]]:
    for worker in Worker.all(queue=Queue(queue, connection=connection)):
        if worker.hostname == socket.gethostname() and worker.last_heartbeat is not None:
            heard = worker.last_heartbeat
            yield worker.name, heard if heard.tzinfo else heard.replace(tzinfo=UTC)
