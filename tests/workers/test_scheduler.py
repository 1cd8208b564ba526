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
from workers.scheduler import (
    LISTED_LOOKS,
    LISTED_SECONDS,
    RECONNECT_SECONDS,
    SCHEDULER_RENEW_SECONDS,
    TICK_SECONDS,
    Scheduler,
    SchedulerProcess,
)


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


def test_only_the_scheduler_with_the_lease_works_each_tick_and_looks_at_the_list_each_minute(
    beside: Scheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, held, done = [100.0], [True], list[str]()
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    monkeypatch.setattr(StoreLease, "take", lambda _self: held[0])
    monkeypatch.setattr("workers.sessions.timers.run_due_timers", lambda *_: done.append("timers"))
    monkeypatch.setattr("workers.webhooks.schedule.schedule_deliveries", lambda *_: done.append("deliveries"))
    monkeypatch.setattr("workers.webhooks.schedule.schedule_pushes", lambda *_: done.append("pushes"))
    monkeypatch.setattr(beside._services.store, "forget_unlisted", lambda looks: done.append(f"list of {looks}"))
    each, listed = ["timers", "deliveries", "pushes"], [f"list of {LISTED_LOOKS}"]

    def ticked(seconds: float) -> list[str]:
        done.clear()
        now[0] += seconds
        beside.tick()
        return done

    assert ticked(0) == [*each, *listed]
    assert ticked(1) == each
    assert ticked(LISTED_SECONDS - 2) == each
    assert ticked(1) == [*each, *listed]
    held[0] = False
    assert ticked(SCHEDULER_RENEW_SECONDS / 2) == each, "it has the lease until it is due again"
    assert ticked(SCHEDULER_RENEW_SECONDS) == []
    held[0] = True
    assert ticked(SCHEDULER_RENEW_SECONDS / 2) == []
    assert ticked(SCHEDULER_RENEW_SECONDS / 2) == each


def test_a_scheduler_without_redis_waits_and_takes_the_lease_at_once_when_it_is_back(
    beside: Scheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    parents, rests, answers = iter([7, 7, 7, 1]), list[float](), [True, redis.ConnectionError(), True]
    monkeypatch.setattr("os.getppid", lambda: next(parents))
    monkeypatch.setattr("time.sleep", rests.append)
    monkeypatch.setattr("time.monotonic", lambda: 100.0)
    monkeypatch.setattr("workers.webhooks.schedule.schedule_deliveries", lambda *_: None)
    monkeypatch.setattr("workers.webhooks.schedule.schedule_pushes", lambda *_: None)
    active = list[bool]()

    def take(_self: StoreLease) -> bool:
        active.append(beside.active)
        return True

    def timers(*_: object) -> None:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer

    monkeypatch.setattr(StoreLease, "take", take)
    monkeypatch.setattr("workers.sessions.timers.run_due_timers", timers)
    beside.run(7)
    assert active == [False, False], "first, and after the error"
    assert rests == [TICK_SECONDS, RECONNECT_SECONDS, TICK_SECONDS, TICK_SECONDS]


@pytest.mark.parametrize("error", [None, ValueError("broken")])
def test_the_process_of_a_scheduler_ends_whatever_happens_and_leaves_ctrl_c_to_its_worker(
    redis_url: str, monkeypatch: pytest.MonkeyPatch, error: Exception | None
) -> None:
    class ProcessEnd(BaseException):
        pass

    def leave(status: int) -> None:
        raise ProcessEnd(status)

    def run(_self: Scheduler, parent: int) -> None:
        parents.append(parent)
        if error is not None:
            raise error

    handlers, parents = dict[int, object](), list[int]()
    monkeypatch.setenv("REDIS_URL", redis_url)
    monkeypatch.setattr("signal.signal", handlers.__setitem__)
    monkeypatch.setattr("os._exit", leave)
    monkeypatch.setattr(Scheduler, "run", run)
    with pytest.raises(ProcessEnd):
        scheduler._run_scheduler(7)
    assert parents == [7]
    assert handlers == {signal.SIGTERM: signal.SIG_DFL, signal.SIGINT: signal.SIG_IGN}


def test_a_process_that_somebody_else_has_waited_for_has_ended(process: SchedulerProcess) -> None:
    assert not process._ended()
    os.kill(process.pid, signal.SIGKILL)
    os.waitpid(process.pid, 0)
    assert process._ended()
    process.stop()
    assert process.pid == 0


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
