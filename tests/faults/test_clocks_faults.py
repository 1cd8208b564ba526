"""Clocks of real workers that are killed, with Redis too: each deadline passes once, a little late at worst.

All clients read their sessions all the while, at two web processes; their observations must fit into one order with the
log.
"""

import os
import signal
import time
from contextlib import ExitStack
from typing import Any

import redis
from flask import Flask

from service.app import create_app
from service.jobs import queues
from service.settings import Limits, Settings
from service.store import keys
from service.store.clients import commands
from service.store.due import DueSets
from tests.faults.kit import Mortal
from tests.faults.witness import WitnessedSitting
from tests.workers.processes import clock_of, kill, until, worker
from workers.scheduler import Scheduler

MOVE_MS = 1_000
SLACK = 30
"""Maximum delay of a deadline on a busy machine, besides the time of a lease to run out."""


def application(redis_url: str) -> Flask:
    return create_app(Settings(redis_url=redis_url, log_level="critical"))


def sit(app: Flask, policy: str = "random", other: Flask | None = None) -> WitnessedSitting:
    """Create a session of two persons with a short clock; another web process may answer for it, too."""
    clock = {"move_ms": MOVE_MS, "policy": policy}
    body = {"game": "hoher-rat", "seats": [{"kind": "human"}] * 2, "spectators": "live", "clock": clock}
    answer = app.test_client().post("/v1/sessions", json=body)
    assert answer.status_code == 201, answer.text
    made: Any = answer.json
    return WitnessedSitting(app, made, [] if other is None else [other])


def happened(sitting: WitnessedSitting) -> list[int]:
    """Return when something happened at a session besides its beginning, in milliseconds; somebody looks meanwhile."""
    sitting.glance()
    times = [line.at for line in sitting.lines][1:]
    sitting.glance()
    return times


def fits(sitting: WitnessedSitting) -> bool:
    """Let each caller look once more, however soon all was over; raise NotLinearizable if what they saw cannot be."""
    callers = len(sitting.made["seats"]) + 1
    for _ in range(callers):
        sitting.glance()
    return sitting.check() >= callers


def began(sitting: WitnessedSitting) -> int:
    return int(sitting.lines[0].at)


def holder(client: redis.Redis) -> bytes | None:
    found: bytes | None = client.get(keys.SCHEDULER)  # type: ignore[assignment]
    return found


def test_a_worker_of_any_queue_ends_times_in_time_and_in_order(redis_url: str, redis_client: redis.Redis) -> None:
    with worker(redis_url, queues.BULK):
        until(lambda: holder(redis_client))
        app, other = application(redis_url), application(redis_url)
        sittings = [sit(app, other=other) for _ in range(3)]
        for sitting in sittings:
            until(lambda: len(happened(sitting)) >= 2)  # noqa: B023 -- called at once
    for sitting in sittings:
        first, second, *_ = happened(sitting)
        assert fits(sitting)
        assert 0 <= first - began(sitting) - MOVE_MS < SLACK * 1000
        assert 0 <= second - first - MOVE_MS < SLACK * 1000


def test_another_scheduler_takes_over_and_the_killed_one_restarts(redis_url: str, redis_client: redis.Redis) -> None:
    with ExitStack() as workers:
        processes = [workers.enter_context(worker(redis_url, queue)) for queue in queues.QUEUES]
        until(lambda: all(clock_of(process) for process in processes) and holder(redis_client))
        mark = holder(redis_client)
        before = [clock_of(process) for process in processes]
        for clock in before:
            assert clock is not None
            kill(clock)
            if holder(redis_client) != mark:
                break
        sitting = sit(application(redis_url))
        until(lambda: happened(sitting))
        until(lambda: holder(redis_client) not in {None, mark})
        until(lambda: all(clock_of(process) for process in processes))
        assert all(clock_of(process) not in before for process in processes)
    assert fits(sitting)


def test_deadlines_that_passed_while_redis_and_the_workers_were_dead_are_dealt_with_once(mortal: Mortal) -> None:
    app, other = application(mortal.url), application(mortal.url)
    with worker(mortal.url, queues.PLAY) as first:
        with redis.Redis.from_url(mortal.url) as client:
            until(lambda: holder(client))
        clock = clock_of(first)
        assert clock is not None
        os.kill(clock, signal.SIGSTOP)  # it must not come first
        sittings = [sit(app, policy, other) for policy in ("forfeit", "random", "bot")]
        kill(first.pid)
        kill(clock)
        first.wait()
    mortal.kill()
    time.sleep(MOVE_MS / 1000)
    mortal.restart()
    assert [happened(sitting) for sitting in sittings] == [[], [], []]
    with ExitStack() as workers:
        for queue in queues.QUEUES:
            workers.enter_context(worker(mortal.url, queue))
        until(lambda: all(happened(sitting) for sitting in sittings))
        forfeit, random, bot = sittings
        assert len(happened(forfeit)) == 1
        assert forfeit.look(None).json["status"] == "forfeited"  # type: ignore[index]
        assert DueSets(commands(mortal.url)).time(forfeit.made["id"]) is None
        assert happened(random)[1:2] == [] or happened(random)[1] >= happened(random)[0] + MOVE_MS
        until(lambda: len(happened(bot)) >= 3)
        seats = bot.look(None).json["seats"]  # type: ignore[index]
        assert [seat.get("bot") for seat in seats].count({"level": "medium"}) >= 1
    assert all(fits(sitting) for sitting in sittings)


def test_a_redis_that_dies_under_a_clock_is_waited_for(mortal: Mortal) -> None:
    app = application(mortal.url)
    with worker(mortal.url, queues.PLAY) as process:
        with redis.Redis.from_url(mortal.url) as client:
            until(lambda: holder(client))
        clock = clock_of(process)
        sitting = sit(app)
        mortal.kill()
        time.sleep(0.3)
        mortal.restart()
        until(lambda: happened(sitting))
        assert clock_of(process) == clock
    assert fits(sitting)


def test_one_clock_looks_at_a_time(redis_url: str, redis_client: redis.Redis) -> None:
    services = application(redis_url).extensions["context"].sessions
    one, other = (Scheduler(commands(redis_url), services, Limits()) for _ in range(2))
    one.tick()
    other.tick()
    assert (one.active, other.active) == (True, False)
    redis_client.delete(keys.SCHEDULER)
    other.rest()
    other.tick()
    assert other.active
