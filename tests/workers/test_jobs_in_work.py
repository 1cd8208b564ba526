"""Jobs at real workers: responses, progress, and stops."""

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
import rq
from redis import Redis
from rq import Queue
from rq.executions import Execution
from rq.serializers import JSONSerializer, PickleSerializer

from games.core.levels import LEVELS
from games.search.advise import seed_of
from games.search.analysis import analyse
from service.jobs import queues
from service.jobs.submit import cancel
from service.telemetry import logs
from service.telemetry.tracing import Tracing
from tests.workers import jobs
from tests.workers.processes import alive, horse_of, until, worker
from workers.main import NamedJob, worker_at
from workers.simulate.batch import SimulationPlan, SimulationWork
from workers.simulate.here import simulate


@pytest.fixture
def searches(redis_url: str) -> Iterator[object]:
    with worker(redis_url, queues.SEARCHES) as process:
        yield process


@pytest.fixture
def bulk(redis_url: str) -> Iterator[object]:
    with worker(redis_url, queues.BULK) as process:
        yield process


@pytest.mark.usefixtures("searches")
def test_a_search_job_answers_what_the_search_answers_here(redis_client: Redis) -> None:
    job = jobs.wait_until_ended(redis_client, jobs.search(redis_client, iterations=200))
    here = analyse(jobs.COUNCIL, jobs.view(), (200, 0), seed_of("search", "stone"))
    assert job.state == "succeeded"
    view = msgspec.to_builtins(jobs.view())
    assert job.result == {"kind": "search", "seat": jobs.view().seat, "seed": "stone", "view": view, **here}
    assert (job.done, job.total, job.partial) == (200, 200, None)
    until(lambda: redis_client.zcard(queues.OPEN_JOBS) == 0)
    assert redis_client.hget(queues.record_key(job.id), "payload") is None


@pytest.mark.usefixtures("bulk")
def test_a_simulation_job_counts_what_a_simulation_counts_here(redis_client: Redis) -> None:
    job = jobs.wait_until_ended(redis_client, jobs.simulation(redis_client, "greedy", "random", games=3))
    levels = (LEVELS["greedy"], LEVELS["random"])
    here = simulate(SimulationPlan(jobs.COUNCIL, levels, jobs.COUNCIL.options_type(), "stone", 3))
    assert job.result == here
    assert (job.done, job.total, job.counted, job.partial) == (3, 3, 3, None)


@pytest.mark.thorough
@pytest.mark.parametrize("workers", [1, 3])
def test_any_workers_and_any_portions_find_the_same(redis_client: Redis, redis_url: str, workers: int) -> None:
    games, positions = 60 * workers + 7, 9
    with ExitStack() as stack:
        for _ in range(workers):
            stack.enter_context(worker(redis_url, queues.BULK, PORTION_MS=str(20 * 3**workers)))
        job = jobs.simulation(redis_client, "greedy", "random", games=games)
        batch = jobs.batch(redis_client, positions, iterations=40)
        until_enough = jobs.simulation(redis_client, "greedy", "random", games=2_000, half_width=0.07)
        rated = jobs.tournament(redis_client, "greedy", "random", "random", rounds=99, half_width=100)
        asked = (job, batch, until_enough, rated)
        played, searched, enough, ranked = (jobs.wait_until_ended(redis_client, each) for each in asked)
    levels = (LEVELS["greedy"], LEVELS["random"])
    plan = SimulationPlan(jobs.COUNCIL, levels, jobs.COUNCIL.options_type(), "stone", games)
    assert played.result == simulate(plan)
    assert jobs.lines(redis_client, played) == [
        msgspec.to_builtins(SimulationWork(plan).play(number)) for number in range(games)
    ]
    assert enough.result == simulate(replace(plan, games=2_000, half_width=0.07))
    tournament = jobs.tournament_of("greedy", "random", "random", rounds=99, half_width=100)
    assert ranked.result == simulate(tournament)
    assert 0 < ranked.done < tournament.games
    assert searched.result == {"kind": "search_batch", "positions": positions, "refused": 0, "iterations": 360}
    for number, line in enumerate(jobs.lines(redis_client, searched)):
        seed = f"stone/{number}"
        here = analyse(jobs.COUNCIL, jobs.view(number), (40, 0), seed_of("search", seed), top=1)
        view = jobs.view(number)
        head = {"kind": "search", "seat": view.seat, "seed": seed, "view": msgspec.to_builtins(view)}
        assert line == {"position": number, "id": f"{number}", "result": {**head, **here}}


def test_a_short_job_of_a_queue_does_not_wait_for_a_long_one(redis_client: Redis, redis_url: str) -> None:
    with worker(redis_url, queues.BULK, PORTION_MS="200"):
        long = jobs.simulation(redis_client, "greedy", "greedy", games=50_000)
        until(lambda: jobs.look(redis_client, long).done)
        assert (
            jobs.wait_until_ended(redis_client, jobs.simulation(redis_client, "random", "random", games=5)).state
            == "succeeded"
        )
        assert jobs.look(redis_client, long).state == "running"
        assert (jobs.look(redis_client, long).partial or {})["games"] > 0
        assert cancel(redis_client, long)[0].state == "canceled"
        assert (jobs.look(redis_client, long).partial or {})["games"] > 0


def take_call(client: Redis, queue: str) -> rq.job.Job:
    """Return the call that waits in a queue, as a worker that has just taken it."""
    ticket = client.lpop(Queue(queue, connection=client).key)
    assert isinstance(ticket, bytes)
    return NamedJob.fetch(ticket.decode(), connection=client, serializer=JSONSerializer)


def test_a_job_can_be_called_off_in_the_moment_in_which_a_worker_is_done_with_it(redis_client: Redis) -> None:
    job = jobs.simulation(redis_client, "random", "random", games=5)
    call = take_call(redis_client, queues.BULK)
    with redis_client.pipeline() as pipe:
        execution = Execution.create(call, 60, pipe)
        pipe.execute()
    redis_client.delete(execution.key)  # RQ deletes it first, and the list that names it after that
    told, ended = cancel(redis_client, job)
    assert (told.state, ended) == ("canceled", True)


def test_canceling_a_taken_job_is_no_failure(redis_client: Redis, capfd: pytest.CaptureFixture[str]) -> None:
    logs.configure("info")
    try:
        job = jobs.search(redis_client, iterations=5)
        call, runner = take_call(redis_client, queues.SEARCHES), worker_at(queues.SEARCHES, redis_client, Tracing())
        assert cancel(redis_client, job)[0].state == "canceled"
        runner.register_birth()  # type: ignore[no-untyped-call]
        runner.execute_job(call, Queue(queues.SEARCHES, connection=redis_client, serializer=JSONSerializer))
        runner.teardown()  # type: ignore[no-untyped-call]
    finally:
        logs.configure("critical")
    said = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    assert [line["event"] for line in said if line["level"] != "info"] == []
    assert redis_client.hgetall(queues.TASK_COUNTS) == {f"{queues.SEARCH}/done".encode(): b"1"}


@pytest.mark.usefixtures("bulk")
@pytest.mark.parametrize("kind", ["search", "simulation"])
def test_a_job_that_runs_for_too_long_fails_and_says_so(redis_client: Redis, kind: str) -> None:
    if kind == "search":
        job = jobs.search(redis_client, milliseconds=30_000, seconds=1)
    else:
        job = jobs.simulation(redis_client, "hard", "hard", games=50, seconds=1)
    ended = jobs.wait_until_ended(redis_client, job)
    assert (ended.state, ended.problem) == ("failed", {"code": "deadline-passed", "params": {"seconds": 1}})


def test_a_running_search_tells_its_progress_and_stops_if_canceled(redis_client: Redis, redis_url: str) -> None:
    with worker(redis_url, queues.BULK) as process:
        job = jobs.search(redis_client, milliseconds=600_000, seconds=900)
        until(lambda: (jobs.look(redis_client, job).partial or {}).get("iterations", 0) > 0)
        assert 0 < jobs.look(redis_client, job).done < 600_000
        horse = horse_of(process)
        assert horse is not None
        assert alive(horse)
        assert os.getpriority(os.PRIO_PROCESS, horse) > os.getpriority(os.PRIO_PROCESS, process.pid), (
            "others come first"
        )
        assert cancel(redis_client, job)[1]
        until(lambda: not alive(horse))
        assert not cancel(redis_client, job)[1], "it was called off before"
        after = jobs.wait_until_ended(redis_client, jobs.search(redis_client, milliseconds=1_100))
        assert (after.state, jobs.look(redis_client, job).state) == ("succeeded", "canceled")


def test_work_that_was_called_off_looks_up_and_ends_by_itself(redis_client: Redis, redis_url: str) -> None:
    with worker(redis_url, queues.BULK) as process:
        job = jobs.search(redis_client, milliseconds=600_000, seconds=900)
        until(lambda: jobs.look(redis_client, job).done)
        redis_client.hset(queues.record_key(job.id), "state", "canceled")  # no command reaches the worker
        until(lambda: horse_of(process) is None)
        assert jobs.look(redis_client, job).state == "canceled"


def test_work_that_breaks_fails_without_a_second_try(redis_client: Redis, redis_url: str) -> None:
    job = jobs.search(redis_client, iterations=10)
    broken = jobs.search(redis_client, iterations=10)
    redis_client.hset(queues.record_key(broken.id), "payload", '{"seconds": 5}')
    with worker(redis_url, queues.SEARCHES):
        assert jobs.wait_until_ended(redis_client, job).state == "succeeded"
        failed = jobs.wait_until_ended(redis_client, broken)
    assert failed.problem == {"code": "internal-error", "params": {}}
    assert jobs.attempts(redis_client, broken) == 1


def test_only_names_of_the_list_run_and_only_json_is_read(redis_client: Redis, redis_url: str, tmp_path: Path) -> None:
    queue = Queue(queues.SEARCHES, connection=redis_client, serializer=JSONSerializer)
    marks = [tmp_path / name for name in ("called", "pickled", "succeeded")]
    refused = [
        queue.enqueue_call("os.getcwd"),
        queue.enqueue_call("os.mkdir", args=(str(marks[0]),)),
        Queue(queues.SEARCHES, connection=redis_client, serializer=PickleSerializer).enqueue_call(
            os.mkdir, args=(str(marks[1]),)
        ),
    ]
    with worker(redis_url, queues.SEARCHES):
        assert jobs.wait_until_ended(redis_client, jobs.search(redis_client, iterations=10)).state == "succeeded"
    states = [redis_client.hget(f"rq:job:{job.id}", "status") for job in refused]
    assert states == [b"failed"] * 3
    assert not any(mark.exists() for mark in marks)


def test_a_task_that_an_earlier_release_queued_is_run(redis_client: Redis, redis_url: str) -> None:
    job = jobs.search(redis_client, iterations=10)
    jobs.queue_as_earlier(redis_client, job)
    assert redis_client.hget(queues.record_key(job.id), "function") == b"workers.jobs.search"
    with worker(redis_url, queues.PLAY):
        assert jobs.wait_until_ended(redis_client, job).state == "succeeded"


def test_a_callback_in_the_queue_is_not_called(redis_client: Redis, redis_url: str) -> None:
    job = jobs.search(redis_client, iterations=10)
    own = f"rq:job:{queues.task_id(job.id, 0)}"
    redis_client.hset(own, "success_callback_name", "os.getcwd")  # called with a job, a client and a result, it fails
    with worker(redis_url, queues.SEARCHES):
        assert jobs.wait_until_ended(redis_client, job).state == "succeeded"
        until(lambda: not redis_client.exists(own))
    assert not redis_client.zrange(f"rq:failed:{queues.SEARCHES}", 0, -1)
