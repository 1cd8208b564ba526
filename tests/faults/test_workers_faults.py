"""Workers and work-horses that are killed: no job is lost, none is done twice, and none is ever seen to go back."""

import errno
import json
import os
import signal
import time
from contextlib import ExitStack
from typing import Any, cast

import msgspec
import pytest
from flask import Flask
from redis import Redis
from redis.exceptions import ConnectionError as Unreachable
from rq import Queue
from rq.serializers import JSONSerializer

from games.core.kernel import kernel
from service.jobs import queues
from service.jobs.leases import ITEM_ATTEMPTS, JOB_LEASE_MS, Lease, LeaseLost
from service.jobs.recovery import MISSING_SECONDS, give_back, is_silent, settle_failure, sweep
from service.jobs.store import JOB_RUNNING, QUEUED, Job
from service.telemetry.tracing import Tracing
from tests.faults.kit import Line, Mortal
from tests.faults.witness import watched
from tests.launch.kit import PATIENCE_SECONDS
from tests.service import kit
from tests.workers import jobs
from tests.workers.processes import Worker, alive, frozen, horse_of, kill, until, worker
from workers.main import MAINTENANCE_SECONDS, MAX_SILENT_CHECKS, NamedJob, worker_at


def application(redis_url: str) -> Flask:
    """Return a web process at which jobs can be looked at."""
    return kit.application({jobs.COUNCIL.slug: jobs.COUNCIL}, redis_url)


def running_horse(client: Redis, process: Worker, job: Job) -> int:
    until(lambda: jobs.look(client, job).state == JOB_RUNNING and jobs.look(client, job).done)
    horse = horse_of(process)
    assert horse is not None
    return horse


def queued(client: Redis) -> list[str]:
    return Queue(queues.SEARCHES, connection=client, serializer=JSONSerializer).get_job_ids()


def lapse(client: Redis, job: Job) -> None:
    """Let every claim on a job be as old as an expired one."""
    for claim in cast("list[bytes]", client.zrange(queues.open_key(job.id), 0, -1)):
        client.zadd(queues.open_key(job.id), {claim: 1})


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


def test_a_task_that_never_renews_its_claim_is_killed_and_no_other(
    redis_client: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = jobs.search(redis_client, milliseconds=1_000)
    (task,) = Queue(queues.SEARCHES, redis_client, serializer=JSONSerializer, job_class=NamedJob).jobs
    busy, killed = worker_at(queues.SEARCHES, redis_client, Tracing()), list[int]()
    monkeypatch.setattr(busy, "kill_horse", lambda: killed.append(1))
    busy.register_birth()  # type: ignore[no-untyped-call]
    busy.run_maintenance_tasks()
    busy.prepare_execution(task)
    lease = Lease.take(redis_client, job.id, task.id)
    assert lease is not None

    def check(times: int) -> None:
        for _ in range(times):
            busy.maintain_heartbeats(task)

    check(MAX_SILENT_CHECKS)
    lapse(redis_client, job)
    check(MAX_SILENT_CHECKS - 1)
    lease.renew()
    check(1)
    lapse(redis_client, job)
    check(MAX_SILENT_CHECKS - 1)
    assert killed == []
    check(MAX_SILENT_CHECKS)
    assert killed == [1]
    give_back(redis_client, job.id, task.id)
    assert not is_silent(redis_client, job.id, task.id)


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.EMFILE, "no files"),
        OSError(errno.ENOMEM, ""),
        MemoryError(),
        RuntimeError("can't start new thread"),
    ],
    ids=repr,
)
def test_a_task_that_lacks_a_resource_is_retried_and_another_fails_its_job(
    redis_client: Redis, error: Exception
) -> None:
    job = jobs.search(redis_client, milliseconds=1_000)
    assert Lease.take(redis_client, job.id, "first") is not None
    settle_failure(redis_client, job.id, "first", error, 60)
    assert jobs.look(redis_client, job).state == JOB_RUNNING
    lapse(redis_client, job)
    second = Lease.take(redis_client, job.id, "second")
    assert (second and second.first, second and second.end) == (0, 1)
    other = type(error)(errno.EINVAL, "a fault of ours") if isinstance(error, OSError) else ZeroDivisionError()
    settle_failure(redis_client, job.id, "second", other, 60)
    assert jobs.look(redis_client, job).problem == {"code": "internal-error", "params": {}}


def test_a_claim_lapses_and_is_looked_for_within_15_seconds() -> None:
    assert JOB_LEASE_MS / 1000 + MAINTENANCE_SECONDS < 15


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
        lapse(redis_client, job)
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


def test_a_frozen_worker_that_wakes_up_late_changes_nothing(redis_client: Redis) -> None:
    job = jobs.search(redis_client, iterations=10)
    frozen = Lease.take(redis_client, job.id)
    assert frozen is not None
    nothing = Lease.take(redis_client, job.id)
    assert nothing is not None
    assert nothing.first == nothing.end
    lapse(redis_client, job)
    heir = Lease.take(redis_client, job.id)
    assert heir is not None
    assert (heir.first, heir.end) == (0, 1)
    with pytest.raises(LeaseLost):
        frozen.renew(done=5)
    with pytest.raises(LeaseLost):
        frozen.put([b"frozen"], 5)
    frozen.succeed({"from": "frozen"}, 10)
    assert jobs.look(redis_client, job).state == JOB_RUNNING
    heir.succeed({"from": "heir"}, 10)
    frozen.fail("internal-error")
    assert jobs.look(redis_client, job).result == {"from": "heir"}
    assert Lease.take(redis_client, job.id) is None


def test_a_call_that_fell_out_of_the_queue_is_put_back(redis_client: Redis) -> None:
    job = jobs.search(redis_client, iterations=10)
    redis_client.delete(f"rq:queue:{queues.SEARCHES}")  # taken from the queue, and its worker died before it began
    sweep(redis_client)
    assert queued(redis_client) == []
    noted = float(redis_client.hget(queues.record_key(job.id), "missing") or 0)
    redis_client.hset(queues.record_key(job.id), "missing", str(noted - MISSING_SECONDS - 1))
    sweep(redis_client)
    assert queued(redis_client) == [f"{job.id}-1"]
    sweep(redis_client)
    assert queued(redis_client) == [f"{job.id}-1"]
    assert jobs.look(redis_client, job).state == QUEUED


def test_a_worker_that_is_busy_puts_back_what_a_dead_one_had_leased(redis_client: Redis) -> None:
    jobs.search(redis_client, iterations=10)
    (task,) = Queue(queues.SEARCHES, redis_client, serializer=JSONSerializer, job_class=NamedJob).jobs
    busy = worker_at(queues.SEARCHES, redis_client, Tracing())
    busy.register_birth()  # type: ignore[no-untyped-call]
    busy.prepare_execution(task)
    lost = jobs.search(redis_client, iterations=10)
    assert Lease.take(redis_client, lost.id, f"{lost.id}-0") is not None
    lapse(redis_client, lost)
    busy.maintain_heartbeats(task)
    assert f"{lost.id}-1" in queued(redis_client)


@pytest.mark.parametrize("script", ["end", "put"])
def test_results_are_written_once_the_store_answers_again(
    redis_client: Redis, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    job = jobs.search(redis_client, iterations=10)
    lease = Lease.take(redis_client, job.id)
    assert lease is not None
    evaluate, failures = redis_client.eval, [Unreachable()] * 2

    def answers_late(*given: Any) -> Any:
        if failures:
            raise failures.pop()
        return evaluate(*given)

    monkeypatch.setattr(time, "sleep", lambda _: None)
    monkeypatch.setattr(redis_client, "eval", answers_late)
    if script == "put":
        lease.put([b"{}"], 10)
        assert redis_client.hlen(queues.done_key(job.id)) == 1
    else:
        lease.succeed({"found": 1}, 10)
        assert jobs.look(redis_client, job).result == {"found": 1}


def test_the_sweep_leaves_alone_what_is_waiting_in_work_or_done(redis_client: Redis) -> None:
    waiting, working, done = (jobs.search(redis_client, iterations=10) for _ in range(3))
    assert Lease.take(redis_client, working.id, f"{working.id}-0") is not None
    finished = Lease.take(redis_client, done.id)
    assert finished is not None
    finished.succeed({}, 10)
    redis_client.zadd(queues.OPEN_JOBS, {done.id: 1, "gone": 1})
    for _ in range(2):
        sweep(redis_client)
    assert [jobs.look(redis_client, job).state for job in (waiting, working, done)] == [
        QUEUED,
        JOB_RUNNING,
        "succeeded",
    ]
    assert redis_client.zrange(queues.OPEN_JOBS, 0, -1) == sorted(
        [waiting.id.encode(), working.id.encode()],
        key=lambda job: float(redis_client.zscore(queues.OPEN_JOBS, job) or 0),
    )


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
