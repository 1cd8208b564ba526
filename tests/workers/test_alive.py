"""A probe reports whether a worker of this host works, with any date, and blames none for an unreachable store."""

import socket
import time
from datetime import UTC, datetime, timedelta

import pytest
import redis
from rq import Queue, Worker, worker_registration
from rq.utils import utcformat

from service.store.clients import commands
from service.telemetry.tracing import Tracing
from tests.launch.kit import own_port
from workers.liveness import SILENCE, alive
from workers.main import RECORD_MARGIN_SECONDS, WORKER_TTL, worker_at


@pytest.fixture
def worker(redis_client: redis.Redis) -> Worker:
    born = Worker([Queue("play", connection=redis_client)], connection=redis_client)
    born.register_birth()  # type: ignore[no-untyped-call]
    return born


def note_heartbeat(store: redis.Redis, worker: Worker, ago: timedelta) -> None:
    store.hset(worker.key, "last_heartbeat", utcformat(datetime.now(UTC) - ago))


@pytest.mark.usefixtures("worker")
def test_a_worker_that_was_heard_of_is_alive(redis_client: redis.Redis) -> None:
    assert alive(redis_client, "play")
    assert not alive(redis_client, "bulk", watch_seconds=0)


@pytest.mark.parametrize(
    "ago", [SILENCE + timedelta(seconds=1), timedelta(hours=-1)], ids=["long ago", "in the future"]
)
def test_a_worker_that_fell_silent_is_not(worker: Worker, redis_client: redis.Redis, ago: timedelta) -> None:
    note_heartbeat(redis_client, worker, ago)
    assert not alive(redis_client, "play", watch_seconds=0.01)


@pytest.mark.parametrize("ago", [timedelta(hours=1), timedelta(hours=-1)], ids=["ahead", "back"])
def test_a_worker_is_alive_after_a_step_of_the_clock_if_a_heartbeat_follows(
    worker: Worker, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch, ago: timedelta
) -> None:
    note_heartbeat(redis_client, worker, ago)
    later = ago - timedelta(seconds=2)
    monkeypatch.setattr(time, "sleep", lambda _: note_heartbeat(redis_client, worker, later))
    assert alive(redis_client, "play")


def test_a_worker_whose_record_expired_registers_again(redis_client: redis.Redis) -> None:
    busy = worker_at("play", redis_client, Tracing())
    busy.register_birth()  # type: ignore[no-untyped-call]
    redis_client.delete(busy.key)  # the store's clock was set ahead
    busy.heartbeat()
    worker_registration.clean_worker_registry(busy.queues[0])
    assert not alive(redis_client, "play", watch_seconds=0)
    busy.run_maintenance_tasks()
    assert alive(redis_client, "play", watch_seconds=0)
    assert 0 < redis_client.ttl(busy.key) <= WORKER_TTL + RECORD_MARGIN_SECONDS


def test_a_worker_of_another_host_does_not_count(worker: Worker, redis_client: redis.Redis) -> None:
    redis_client.hset(worker.key, "hostname", f"not-{socket.gethostname()}")
    assert not alive(redis_client, "play", watch_seconds=0)


def test_no_worker_is_blamed_for_a_store_that_is_away() -> None:
    with commands(f"redis://127.0.0.1:{own_port()}/0") as client:
        assert alive(client, "play")
