"""Steps of every machine's clock while bots play: no table stalls, and nothing waits by the date."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
import redis
from rq.worker import base

from service.app import create_app
from service.auth.rate_limits import Quota, RateLimiter
from service.jobs import queues, recovery
from service.jobs.leases import Lease, Portion
from service.launch.redis import launch
from service.settings import Settings
from service.store import keys
from service.store.clients import commands
from service.telemetry.tracing import Tracing
from tests.faults.kit import Machine, machine
from tests.workers.processes import until, worker
from workers.main import MAINTENANCE_SECONDS, worker_at

TABLES: Final = 3
BOT: Final = {"kind": "bot", "bot": {"level": "random"}}
RESUME_SECONDS: Final = 30
"""Maximum pause of a table after a step on a busy machine: far less than any step."""

MOVES: Final = 3


@pytest.fixture
def stepped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Machine, str]]:
    """Yield a machine with a store, whose clock the test steps."""
    here = machine(tmp_path)
    with monkeypatch.context() as environment:
        for name, value in here.environment.items():
            environment.setenv(name, value)
        store = launch(tmp_path / "store", {"appendfsync": "no"})
    try:
        yield here, store.url
    finally:
        store.stop()


def create_tables(url: str) -> list[str]:
    """Begin tables at which bots alone play, several moves a second, and return their ids."""
    client = create_app(Settings(redis_url=url, log_level="critical")).test_client()
    body = {"game": "gartenzwerge", "seats": [BOT] * 4, "bot_ms": 60}
    made: list[Any] = [client.post("/v1/sessions", json=body).json for _ in range(TABLES)]
    return [table["id"] for table in made]


def revisions(store: redis.Redis, tables: list[str]) -> list[int]:
    return [int(store.hget(keys.session(table), "revision") or 0) for table in tables]


def await_moves(store: redis.Redis, tables: list[str]) -> None:
    """Wait until each table has gone on by some moves, or its game is over."""
    before = revisions(store, tables)

    def goes_on(table: str, then: int, now: int) -> bool:
        return now >= then + MOVES or store.hget(keys.session(table), "status") != b"running"

    until(lambda: all(map(goes_on, tables, before, revisions(store, tables))), RESUME_SECONDS)


@pytest.mark.parametrize("step", [timedelta(hours=1), timedelta(hours=-1)], ids=["ahead", "back"])
def test_a_worker_looks_around_and_judges_its_work_horse_by_no_date(
    redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch, step: timedelta
) -> None:
    busy = worker_at(queues.PLAY, redis_client, Tracing())
    busy.run_maintenance_tasks()
    busy._task_began = time.monotonic()
    assert not busy.should_run_maintenance_tasks
    monkeypatch.setattr(base, "now", lambda: datetime.now(UTC) + step)
    busy.set_current_job_working_time(step.total_seconds())
    assert 0 <= busy.current_job_working_time < MAINTENANCE_SECONDS
    assert not busy.should_run_maintenance_tasks
    passed = time.monotonic() + MAINTENANCE_SECONDS + 1
    monkeypatch.setattr(time, "monotonic", lambda: passed)
    assert busy.should_run_maintenance_tasks


@pytest.mark.parametrize("seconds", [3_600, -3_600])
def test_a_lost_task_is_found_after_a_step(
    redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch, seconds: int
) -> None:
    assert not recovery._long_missing(redis_client, "job")
    stepped = time.time() + seconds
    monkeypatch.setattr(time, "time", lambda: stepped)
    assert recovery._long_missing(redis_client, "job")


def test_a_quota_is_renewed_after_its_window_although_the_clock_was_set_back(redis_client: redis.Redis) -> None:
    limiter, quota = RateLimiter(redis_client), Quota("requests", 1, 60_000)
    assert limiter.spend(quota, "ann").granted
    redis_client.pexpire(quota.key("ann"), 3_600_000 + 60_000)  # as it is once the clock is set back by an hour
    refused = limiter.spend(quota, "ann")
    assert (refused.granted, refused.seconds <= 60) == (False, True)


def test_leases_of_a_lost_worker_lapse_although_the_clock_was_set_back(redis_client: redis.Redis) -> None:
    record = queues.record_key("job"), queues.open_key("job"), queues.inputs_key("job")
    redis_client.hset(record[0], mapping={"state": "running", "payload": "{}", "called": "", "items": 4})
    redis_client.zadd(record[1], {"0-4-0-": 0})
    lost = Lease.take(redis_client, "job", portion=Portion(4, 4))
    assert lost is not None
    assert lost.end == 4
    busy = Lease.take(redis_client, "job")
    assert busy is not None
    assert busy.first == busy.end
    redis_client.zincrby(record[1], 3_600_000, lost.id)  # as it is once the clock is set back by an hour
    found = Lease.take(redis_client, "job", portion=Portion(4, 4))
    assert found is not None
    assert (found.first, found.end) == (0, 4)


def test_bots_go_on_after_every_step_of_the_clock(stepped: tuple[Machine, str]) -> None:
    here, url = stepped
    with commands(url) as store, worker(url, queues.PLAY, LOG_LEVEL="error", **here.environment):
        until(lambda: store.hget(keys.TIME, "seen"))
        tables = create_tables(url)
        await_moves(store, tables)
        for ahead in (60, 3_660, 0, -3_600, 0):
            here.step(ahead)
            await_moves(store, tables)
