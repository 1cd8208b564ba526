"""Checks from outside a worker's process whether it still works, for what restarts it where it does not."""

from __future__ import annotations

import socket
from datetime import UTC, datetime, timedelta
from typing import Final

import redis
from rq import Queue, Worker

SILENCE: Final = timedelta(seconds=60)
"""A worker says something every few seconds, whether it waits or watches its work-horse."""


def alive(connection: redis.Redis, queue: str) -> bool:
    """Return whether a worker of this queue on this host was heard of lately.

    Where the store does not answer nobody can be heard of, and no worker is to blame: then it is True.
    """
    try:
        workers = Worker.all(queue=Queue(queue, connection=connection))
    except redis.exceptions.RedisError:
        return True
    ours = (worker for worker in workers if worker.hostname == socket.gethostname())
    return any(_moment(worker.last_heartbeat) > datetime.now(UTC) - SILENCE for worker in ours)


def _moment(heard: datetime | None) -> datetime:
    """Return when a worker was heard of, in the zone RQ means where it names none."""
    if heard is None:
        return datetime.min.replace(tzinfo=UTC)
    return heard if heard.tzinfo else heard.replace(tzinfo=UTC)
