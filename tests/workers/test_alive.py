"""A probe tells whether a worker of this host works, and blames none for a store that is away."""

from __future__ import annotations

import socket
from datetime import UTC, datetime, timedelta

import pytest
import redis
from rq import Queue, Worker

from service.store.clients import commands
from tests.launch.processes import own_port
from workers.liveness import SILENCE, alive


@pytest.fixture
def worker(redis_client: redis.Redis) -> Worker:
    """Return a worker of the queue play that was born this moment."""
    born = Worker([Queue("play", connection=redis_client)], connection=redis_client)
    born.register_birth()  # type: ignore[no-untyped-call]
    return born


@pytest.mark.usefixtures("worker")
def test_a_worker_that_was_heard_of_is_alive(redis_client: redis.Redis) -> None:
    assert alive(redis_client, "play")
    assert not alive(redis_client, "bulk")


def test_a_worker_that_fell_silent_is_not(worker: Worker, redis_client: redis.Redis) -> None:
    then = datetime.now(UTC) - SILENCE - timedelta(seconds=1)
    redis_client.hset(worker.key, "last_heartbeat", then.strftime("%Y-%m-%dT%H:%M:%S.%fZ"))
    assert not alive(redis_client, "play")


def test_a_worker_of_another_host_does_not_count(worker: Worker, redis_client: redis.Redis) -> None:
    redis_client.hset(worker.key, "hostname", f"not-{socket.gethostname()}")
    assert not alive(redis_client, "play")


def test_no_worker_is_blamed_for_a_store_that_is_away() -> None:
    with commands(f"redis://127.0.0.1:{own_port()}/0") as client:
        assert alive(client, "play")
