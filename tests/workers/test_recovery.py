"""Recovery of tasks, leases and workers after faults that need no process: the tests call what a worker calls."""

import errno
import time
from types import SimpleNamespace
from typing import Any, cast

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as Unreachable
from redis.exceptions import ResponseError
from rq import Queue
from rq.exceptions import StopRequested
from rq.serializers import JSONSerializer
from rq.timeouts import JobTimeoutException

from service.jobs import queues
from service.jobs.leases import JOB_LEASE_MS, Lease, LeaseLost
from service.jobs.recovery import MISSING_SECONDS, give_back, is_silent, settle_failure, sweep
from service.jobs.store import JOB_RUNNING, QUEUED, Job
from service.telemetry.tracing import Tracing
from tests.workers import jobs
from workers import main, tasks
from workers.main import MAINTENANCE_SECONDS, MAX_SILENT_CHECKS, NamedJob, RefusedName, worker_at


def queued(client: Redis) -> list[str]:
    return Queue(queues.SEARCHES, connection=client, serializer=JSONSerializer).get_job_ids()


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
    jobs.lapse(redis_client, job)
    check(MAX_SILENT_CHECKS - 1)
    lease.renew()
    check(1)
    jobs.lapse(redis_client, job)
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
    jobs.lapse(redis_client, job)
    second = Lease.take(redis_client, job.id, "second")
    assert (second and second.first, second and second.end) == (0, 1)
    other = type(error)(errno.EINVAL, "a fault of ours") if isinstance(error, OSError) else ZeroDivisionError()
    settle_failure(redis_client, job.id, "second", other, 60)
    assert jobs.look(redis_client, job).problem == {"code": "internal-error", "params": {}}


def test_a_claim_lapses_and_is_looked_for_within_15_seconds() -> None:
    assert JOB_LEASE_MS / 1000 + MAINTENANCE_SECONDS < 15


def test_a_frozen_worker_that_wakes_up_late_changes_nothing(redis_client: Redis) -> None:
    job = jobs.search(redis_client, iterations=10)
    frozen = Lease.take(redis_client, job.id)
    assert frozen is not None
    nothing = Lease.take(redis_client, job.id)
    assert nothing is not None
    assert nothing.first == nothing.end
    jobs.lapse(redis_client, job)
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
    jobs.lapse(redis_client, lost)
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


@pytest.mark.parametrize(
    ("error", "free", "problem"),
    [
        (Unreachable(), True, None),
        (ResponseError("READONLY You can't write against a read only replica."), False, None),
        (ResponseError("ERR a fault of ours"), False, {"code": "internal-error", "params": {}}),
        (JobTimeoutException(), False, {"code": "deadline-passed", "params": {"seconds": 60}}),
    ],
    ids=repr,
)
def test_an_exception_frees_the_items_keeps_them_or_fails_the_job(
    redis_client: Redis, error: Exception, free: object, problem: object
) -> None:
    job = jobs.search(redis_client, iterations=9)
    assert Lease.take(redis_client, job.id, "first") is not None
    settle_failure(redis_client, job.id, "first", error, 60)
    assert jobs.look(redis_client, job).problem == problem
    second = Lease.take(redis_client, job.id, "second")
    assert (second is None) is (problem is not None)
    assert bool(second and second.first < second.end) is free


def at_work(client: Redis) -> tuple[main.FastWorker, NamedJob, Job]:
    """Return a worker with a task, which has leased its item."""
    job = jobs.search(client, iterations=9)
    (task,) = Queue(queues.SEARCHES, client, serializer=JSONSerializer, job_class=NamedJob).jobs
    busy = worker_at(queues.SEARCHES, client, Tracing())
    busy.register_birth()  # type: ignore[no-untyped-call]
    busy.prepare_execution(task)
    assert Lease.take(client, job.id, task.id) is not None
    return busy, cast("NamedJob", task), job


def test_a_task_that_breaks_fails_its_job_and_its_record(redis_client: Redis) -> None:
    busy, task, job = at_work(redis_client)
    with pytest.raises(ZeroDivisionError) as broken:
        jobs.fail(ZeroDivisionError())
    busy.handle_exception(task, broken.type, broken.value, broken.tb)
    assert jobs.look(redis_client, job).problem == {"code": "internal-error", "params": {}}


def test_the_items_of_a_killed_process_are_free_at_once(redis_client: Redis) -> None:
    busy, task, job = at_work(redis_client)
    busy.handle_work_horse_killed(task, 1, 9, None)
    assert queued(redis_client)[-1] == f"{job.id}-1"
    heir = Lease.take(redis_client, job.id, "heir")
    assert (heir and heir.first, heir and heir.end) == (0, 1)


@pytest.mark.parametrize("instance", [False, True])
@pytest.mark.parametrize("name", [*tasks.ENTRY_POINTS, "os.getcwd", "workers.tasks.search"])
def test_a_task_runs_only_functions_of_the_list(redis_client: Redis, name: str, *, instance: bool) -> None:
    task = NamedJob.create(name, args=["x"], connection=redis_client, serializer=JSONSerializer)
    task._instance = "anything" if instance else None
    if name in tasks.ENTRY_POINTS and not instance:
        assert task.func is tasks.ENTRY_POINTS[name]
    else:
        with pytest.raises(RefusedName):
            _ = task.func
    assert (task.success_callback, task.failure_callback, task.stopped_callback) == (None, None, None)


def test_a_stop_request_is_recorded(redis_client: Redis) -> None:
    idle = worker_at(queues.BULK, redis_client, Tracing())
    idle.register_birth()  # type: ignore[no-untyped-call]
    assert not idle.asked_to_stop
    with pytest.raises(StopRequested):
        idle.request_stop(15, None)
    assert idle.asked_to_stop


@pytest.mark.parametrize(("name", "nice"), [("play", 0), ("search", 5), ("bulk", 10), ("remote", 10), ("hooks", 0)])
def test_long_tasks_run_behind_bots(redis_client: Redis, monkeypatch: pytest.MonkeyPatch, name: str, nice: int) -> None:
    set_to = list[int]()
    monkeypatch.setattr("os.nice", set_to.append)
    monkeypatch.setattr("signal.signal", lambda *_: None)
    worker_at(name, redis_client, Tracing()).setup_work_horse_signals()
    assert set_to == [nice]


def test_maintenance_is_due_after_more_than_three_seconds(redis_client: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    now, swept, ensured = [100.0], list[float](), list[float]()
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    monkeypatch.setattr("service.jobs.recovery.sweep", lambda _: swept.append(now[0]))
    busy, task, _ = at_work(redis_client)
    busy.beside = cast("Any", SimpleNamespace(ensure=lambda: ensured.append(now[0])))
    for _ in range(8):
        busy.maintain_heartbeats(task)
        now[0] += 1
    assert swept == ensured == [100, 104]


def test_the_time_at_a_task_is_counted_from_its_begin(redis_client: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    monkeypatch.setattr("rq.Worker.execute_job", lambda *_: None)
    busy, task, _ = at_work(redis_client)
    busy.execute_job(task, busy.queues[0])
    now[0] += 7
    for told, expected in ((1.0, b"7.0"), (0.0, b"0")):
        busy.set_current_job_working_time(told)
        assert redis_client.hget(busy.key, "current_job_working_time") == expected


class Beside:
    """A fake process of a scheduler."""

    def __init__(self) -> None:
        self.calls = list[str]()

    def ensure(self) -> None:
        self.calls.append("ensure")

    def stop(self) -> None:
        self.calls.append("stop")


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> Beside:
    made = Beside()
    monkeypatch.setattr("workers.scheduler.SchedulerProcess", lambda: made)
    for name in ("prepare_process", "log_refused_games", "logs"):
        monkeypatch.setattr(
            main, name, SimpleNamespace(configure=print, log_uncaught=print) if name == "logs" else print
        )
    return made


@pytest.mark.parametrize("end", [None, StopRequested, KeyboardInterrupt])
def test_a_worker_restarts_until_a_stop_request(
    monkeypatch: pytest.MonkeyPatch, beside: Beside, end: type[BaseException] | None
) -> None:
    ended, rests, asked = [False, False], list[float](), list[tuple[Any, ...]]()

    def work(*given: Any) -> bool:
        asked.append(given)
        if ended:
            return ended.pop()
        if end is not None:
            raise end
        return True

    monkeypatch.setattr(main, "_work", work)
    monkeypatch.setattr("time.sleep", rests.append)
    if end is KeyboardInterrupt:
        with pytest.raises(KeyboardInterrupt):
            main.run(queues.BULK, 7)
    else:
        main.run(queues.BULK, 7)
    assert (rests, beside.calls) == ([1, 1], ["ensure", "stop"])
    assert {(given[0], given[2], given[4]) for given in asked} == {(queues.BULK, beside, 7)}
    with pytest.raises(ValueError, match="no such queue: lunch"):
        main.run("lunch")


def test_a_worker_ends_well_only_if_it_was_asked_to(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    worked = list[dict[str, Any]]()

    class Stub(SimpleNamespace):
        def work(self, **given: Any) -> None:
            worked.append(given)
            if self.error:
                raise self.error

    beside: Any = Beside()
    for stops, error in ((True, None), (False, None), (False, Unreachable()), (True, Unreachable())):
        stub = Stub(error=error, asked_to_stop=stops)
        monkeypatch.setattr(main, "worker_at", lambda *_, stub=stub: stub)
        assert main._work(queues.BULK, redis_url, beside, Tracing(), 7) is stops
        assert stub.beside is beside
        assert worked.pop()["max_idle_time"] == 7
    monkeypatch.setattr(main, "worker_at", lambda *_: jobs.fail(Unreachable()))
    assert main._work(queues.BULK, redis_url, beside, Tracing(), None) is False


def test_a_standing_process_takes_task_after_task_and_another_those_of_a_dead_one(
    redis_client: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = list[Any]()

    class Horse:
        def __init__(self, *_: object) -> None:
            self.pid, self.begun, self.alive, self.ended = 100 + len(made), list[str](), True, False
            made.append(self)

        def begin(self, job: str, *_: object) -> bool:
            self.begun.append(job) if self.alive else None
            return self.alive

        def wait(self) -> str:
            return f"of {self.pid}"

        def end(self) -> None:
            self.ended = True

    monkeypatch.setattr(main, "StandingHorse", Horse)
    at, task, _ = at_work(redis_client)
    busy = cast("Any", at)
    for pid in (100, 100, 101):
        if pid == 101:
            made[0].alive = False
        busy.fork_work_horse(task, busy.queues[0])
        assert (busy._horse_pid, busy.wait_for_horse()) == (pid, f"of {pid}")
    assert [horse.begun for horse in made] == [[task.id] * 2, [task.id]]
    busy.teardown()
    assert [horse.ended for horse in made] == [False, True]
