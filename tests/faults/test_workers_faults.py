"""Workers and work-horses that are killed: no job is lost, none is done twice, and none is ever seen to go back."""

import json
import os
import signal
import time
from contextlib import ExitStack
from typing import cast

import msgspec
import pytest
from flask import Flask
from redis import Redis

from games.core.kernel import kernel
from service.jobs import queues
from service.jobs.leases import ITEM_ATTEMPTS
from service.jobs.store import JOB_RUNNING, Job
from tests.faults.kit import Line, Mortal
from tests.faults.witness import watched
from tests.launch.kit import PATIENCE_SECONDS
from tests.service import kit
from tests.workers import jobs
from tests.workers.processes import Worker, alive, frozen, horse_of, kill, until, worker


def application(redis_url: str) -> Flask:
    """Return a web process at which jobs can be looked at."""
    return kit.application({jobs.COUNCIL.slug: jobs.COUNCIL}, redis_url)


def running_horse(client: Redis, process: Worker, job: Job) -> int:
    until(lambda: jobs.look(client, job).state == JOB_RUNNING and jobs.look(client, job).done)
    horse = horse_of(process)
    assert horse is not None
    return horse


def test_a_killed_horse_is_noticed_at_once_and_its_job_begun_again(redis_client: Redis, redis_url: str) -> None:
    with worker(redis_url, queues.BULK) as process:
        job = jobs.search(redis_client, milliseconds=4_000)
        with watched(application(redis_url), job.id):
            running_horse(redis_client, process, job)
            with frozen(process) as horse:
                assert horse is not None
                kill(horse)
                for claim in cast("list[bytes]", redis_client.zrange(queues.open_key(job.id), 0, -1)):
                    redis_client.zadd(queues.open_key(job.id), {claim: 2**52})  # it is not noticed by its claim
            assert jobs.wait_until_ended(redis_client, job).state == "succeeded"
        assert jobs.attempts(redis_client, job) == 2


def test_a_job_does_not_fail_where_an_answer_of_the_store_is_lost(mortal: Mortal, line: Line) -> None:
    with Redis.from_url(mortal.url) as client, worker(line.url, queues.SEARCHES):
        until(lambda: client.scard("rq:workers"))
        line.loses = lambda request: not line.lost and b"Leases a range of free items" in request
        job = jobs.wait_until_ended(client, jobs.search(client, iterations=10))
    assert line.lost == 1
    assert (job.state, job.problem) == ("succeeded", None)


def test_a_job_that_kills_every_horse_is_given_up_and_says_why(redis_client: Redis, redis_url: str) -> None:
    with worker(redis_url, queues.BULK) as process:
        job = jobs.search(redis_client, milliseconds=30_000)
        for number in range(1, ITEM_ATTEMPTS + 1):
            until(lambda: jobs.attempts(redis_client, job) == number)  # noqa: B023 -- called before the next turn
            kill(running_horse(redis_client, process, job))
        failed = jobs.wait_until_ended(redis_client, job)
    assert failed.problem == {"code": "worker-lost", "params": {"attempts": ITEM_ATTEMPTS}}
    assert redis_client.zcard(queues.OPEN_JOBS) == 0


def test_the_horse_of_a_killed_worker_ends_its_job_alone(redis_client: Redis, redis_url: str) -> None:
    with worker(redis_url, queues.BULK) as first:
        job = jobs.search(redis_client, milliseconds=2_000)
        horse = running_horse(redis_client, first, job)
        kill(first.pid)
        first.wait()
        with worker(redis_url, queues.BULK):
            assert jobs.wait_until_ended(redis_client, job).state == "succeeded"
            until(lambda: not alive(horse))
            assert jobs.attempts(redis_client, job) == 1


@pytest.mark.parametrize("kind", ["tournament", "batch"])  # a tournament is counted as a simulation is, and rated
def test_of_a_job_in_portions_nothing_is_lost_or_counted_twice(redis_client: Redis, redis_url: str, kind: str) -> None:
    compiled, app = kernel() == "compiled", application(redis_url)
    with ExitStack() as workers:
        first = workers.enter_context(worker(redis_url, queues.BULK, PORTION_MS="200"))
        if kind == "batch":
            job = jobs.batch(redis_client, 40, iterations=1_500 if compiled else 50)
        else:
            job = jobs.tournament(redis_client, "tuned", "greedy", "tuned", rounds=40 if compiled else 4)
        workers.enter_context(watched(app, job.id))
        until(lambda: 0 < jobs.look(redis_client, job).done < job.items)
        with frozen(first) as horse:
            if horse is not None:
                kill(horse)  # its worker sees it, and another horse does that portion
        lost = killed_in_the_middle(redis_client, job, first)
        jobs.lapse(redis_client, job)
        workers.enter_context(worker(redis_url, queues.BULK))
        until(lambda: not lost & set(redis_client.zrange(queues.open_key(job.id), 0, -1)))
        ended = jobs.wait_until_ended(redis_client, job)
    assert ended.state == "succeeded"
    lines = jobs.lines(redis_client, ended)
    assert [line["position" if kind == "batch" else "game"] for line in lines] == list(range(job.items))
    begun = sorted(int(begin) for begin in cast("list[bytes]", redis_client.hkeys(queues.done_key(job.id))))
    assert begun[0] == 0
    assert ended.result is not None
    assert ended.result["positions" if kind == "batch" else "games"] == job.items
    if kind == "tournament":
        standings = jobs.tournament_of("tuned", "greedy", "tuned", rounds=1).tally()
        for line in lines:
            standings.add(msgspec.json.encode(line))
        assert ended.result == standings.summary()


def killed_in_the_middle(client: Redis, job: Job, process: Worker) -> set[bytes]:
    began = time.monotonic()
    while time.monotonic() - began < PATIENCE_SECONDS:
        with frozen(process) as horse:
            claims = set(cast("list[bytes]", client.zrangebyscore(queues.open_key(job.id), 1, "+inf")))
            if horse is not None and claims:
                kill(process.pid)
                kill(horse)
                process.wait()
                return claims
        time.sleep(0.02)
    raise AssertionError(f"never in the middle: {jobs.look(client, job)}")


def test_a_worker_stops_when_asked_and_finishes_the_job_at_hand(redis_client: Redis, redis_url: str) -> None:
    with worker(redis_url, queues.BULK) as process:
        job = jobs.search(redis_client, milliseconds=1_100)
        running_horse(redis_client, process, job)
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(PATIENCE_SECONDS) == 0
    assert jobs.look(redis_client, job).state == "succeeded"
    assert json.dumps(jobs.look(redis_client, job).result)


def test_workers_go_on_when_a_store_that_was_away_comes_back(mortal: Mortal) -> None:
    client = Redis.from_url(mortal.url)
    with worker(mortal.url, queues.BULK) as process:
        job = jobs.search(client, milliseconds=2_500)
        with watched(application(mortal.url), job.id):
            running_horse(client, process, job)
            mortal.kill()
            time.sleep(1)
            mortal.restart()
            assert jobs.wait_until_ended(client, job).state == "succeeded"
        time.sleep(0.5)
        mortal.kill()  # while the worker waits for work
        time.sleep(1)
        mortal.restart()
        assert jobs.wait_until_ended(client, jobs.search(client, milliseconds=1_100)).state == "succeeded"
        process.terminate()
        assert process.wait(PATIENCE_SECONDS) == 0
    client.close()
