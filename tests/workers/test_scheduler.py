"""The scheduler beside a worker: renewal of its lease, its rests, and the restart of its process."""

import os
import signal
from collections.abc import Iterator

import pytest
import redis

from service.sessions.services import SessionServices
from service.settings import Limits, Settings
from service.store.clients import commands
from service.store.leases import StoreLease
from tests.toy import GAME
from workers import scheduler
from workers.scheduler import SCHEDULER_RENEW_SECONDS, TICK_SECONDS, Scheduler, SchedulerProcess


@pytest.fixture
def beside(redis_client: redis.Redis, redis_url: str) -> Scheduler:
    services = SessionServices.of(commands(redis_url), Settings(redis_url=redis_url), {GAME.slug: GAME})
    return Scheduler(redis_client, services, Limits())


def test_a_scheduler_renews_its_lease_but_not_each_tick(beside: Scheduler, monkeypatch: pytest.MonkeyPatch) -> None:
    now, takes = [100.0], list[float]()
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    monkeypatch.setattr(StoreLease, "take", lambda _self: takes.append(now[0]))
    for _ in range(4):
        beside.tick()
        now[0] += SCHEDULER_RENEW_SECONDS / 2
    assert takes == [100.0, 100.0 + SCHEDULER_RENEW_SECONDS]


def test_a_scheduler_rests_and_ends_with_its_worker(beside: Scheduler, monkeypatch: pytest.MonkeyPatch) -> None:
    rests, parents = list[float](), iter([7, 7, 7, 1])
    now = iter([10.0, 10.0 + TICK_SECONDS / 4, 20.0, 20.0, 30.0, 30.0 + 2 * TICK_SECONDS])
    monkeypatch.setattr("os.getppid", lambda: next(parents))
    monkeypatch.setattr(beside, "tick", lambda: None)
    monkeypatch.setattr("time.monotonic", lambda: next(now))
    monkeypatch.setattr("time.sleep", rests.append)
    beside.run(7)
    assert rests == [pytest.approx(TICK_SECONDS * 3 / 4), TICK_SECONDS, 0.0]


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> Iterator[SchedulerProcess]:
    """Yield a process that waits for a signal, and leaves well at SIGTERM; it has begun."""
    here, there = os.pipe()

    def wait(_parent: int) -> None:
        signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
        signal.alarm(20)  # a forgotten one ends by itself
        os.write(there, b".")
        while True:
            signal.pause()

    monkeypatch.setattr(scheduler, "_run_scheduler", wait)
    made = SchedulerProcess()
    made.ensure()
    assert os.read(here, 1)
    yield made
    made.stop()
    os.close(here)
    os.close(there)


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_a_process_restarts_only_after_its_end(process: SchedulerProcess, end: signal.Signals) -> None:
    first = process.pid
    for _ in range(3):
        process.ensure()
    assert process.pid == first
    os.kill(first, end)
    os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
    process.ensure()
    assert process.pid != first
    process.stop()
    assert process.pid == 0
