"""Tasks of jobs, which run in the process of the tests: their portions, limits, failures and entry points."""

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as Unreachable
from rq.exceptions import DeserializationError

from games.search.advise import seed_of
from games.search.analysis import analyse
from service.auth.api_keys import KeyStore
from service.jobs import leases, queues
from service.jobs.recovery import sweep
from service.store.hooks import Hook, HookStore
from service.telemetry.tracing import Tracing
from service.webhooks.messages import enter
from tests.workers import jobs
from workers import task_telemetry, tasks
from workers.positions import search_position
from workers.simulate.batch import SimulationWork
from workers.simulate.turns import SeatTurns
from workers.tasks import ENTRY_POINTS


def test_a_position_that_breaks_a_search_ends_no_other(redis_client: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    def break_at_one(payload: Any, entered: Any, seed: str, tick: Any) -> dict[str, Any]:
        if seed == "stone/1":
            raise ZeroDivisionError
        return search_position(payload, entered, seed, tick)

    monkeypatch.setattr("workers.positions.search_position", break_at_one)
    job = jobs.batch(redis_client, 3, iterations=10)
    jobs.work(redis_client, queues.BULK)
    ended = jobs.look(redis_client, job)
    assert ended.result == {"kind": "search_batch", "positions": 3, "refused": 1, "iterations": 20}
    broken = {"code": "internal-error", "params": {}, "errors": []}
    assert jobs.lines(redis_client, ended)[1] == {"position": 1, "id": "1", "problem": broken}


def test_the_time_that_a_job_may_be_worked_at_is_that_of_all_its_portions(redis_client: Redis) -> None:
    job = jobs.simulation(redis_client, "random", "random", games=50, seconds=30)
    redis_client.hset(queues.record_key(job.id), "spent", 30_000)
    jobs.work(redis_client, queues.BULK)
    found = jobs.look(redis_client, job)
    assert (found.done, found.problem) == (0, {"code": "deadline-passed", "params": {"seconds": 30}})


def test_tasks_keep_the_names_that_earlier_releases_stored() -> None:
    names = (
        "jobs.search",
        "jobs.search_batch",
        "jobs.review",
        "jobs.simulate",
        "jobs.tally",
        "jobs.play_tournament",
        "bots.take_turn",
    )
    stored = {f"workers.{name}" for name in (*names, "hooks.deliver", "hooks.push")}
    assert set(ENTRY_POINTS) == stored | {queues.REMOTE_SIMULATION, queues.REMOTE_TOURNAMENT} == queues.ALLOWED


def test_a_long_search_that_an_earlier_release_queued_keeps_no_bot_waiting(redis_client: Redis) -> None:
    job = jobs.search(redis_client, milliseconds=1_100)
    jobs.queue_as_earlier(redis_client, job)
    assert jobs.work(redis_client, queues.PLAY) == 1
    assert jobs.look(redis_client, job).done == 0
    assert jobs.work(redis_client, queues.BULK) == 1
    assert jobs.look(redis_client, job).state == "succeeded"


def test_a_search_beyond_its_estimate_goes_to_long_queue(redis_client: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "SHORT_SECONDS", 0)
    monkeypatch.setattr(leases, "JOB_RENEW_SECONDS", 0)
    job = jobs.search(redis_client, iterations=200)
    assert jobs.work(redis_client, queues.SEARCHES) == 1
    assert jobs.look(redis_client, job).result is None
    sweep(redis_client)
    assert jobs.work(redis_client, queues.BULK) == 1, "its task waits there once"
    found = jobs.look(redis_client, job)
    assert (found.state, found.done) == ("succeeded", 200)
    here = analyse(jobs.COUNCIL, jobs.view(), (200, 0), seed_of("search", "stone"))
    assert here.items() <= (found.result or {}).items()


@pytest.mark.parametrize(("item_seconds", "items"), [(0.5, 7), (3.0, 2), (3.001, 1), (100.0, 1)])
def test_a_portion_ends_after_twice_its_time_and_the_rest_is_left_to_others(
    redis_client: Redis, monkeypatch: pytest.MonkeyPatch, item_seconds: float, items: int
) -> None:
    now, do, play = [50.0], SimulationWork.do, SeatTurns.play

    def timed(work: Callable[..., Any]) -> Callable[..., Any]:
        def run(*given: Any) -> Any:
            now[0] += item_seconds
            return work(*given)

        return run

    monkeypatch.setattr(tasks, "PORTION_MS", 1_500)
    monkeypatch.setattr("time.process_time", lambda: now[0])
    monkeypatch.setattr(SimulationWork, "do", timed(do))
    monkeypatch.setattr(SeatTurns, "play", timed(play))
    monkeypatch.setattr(tasks, "_tally_some", tally_once(tasks._tally_some))
    kept = jobs.simulation(redis_client, "random", "random", games=60, seconds=10_000)
    counted = jobs.tally(redis_client, "random", "random", games=60, seconds=10_000)
    for job, games in ((kept, items), (counted, 2 * items)):
        assert jobs.work_once(redis_client, queues.BULK)
        spent = redis_client.hget(queues.record_key(job.id), "spent")
        assert (jobs.look(redis_client, job).done, spent) == (games, str(round(1_000 * items * item_seconds)).encode())


def tally_once(tally: Callable[..., bool]) -> Callable[..., bool]:
    return lambda *given: bool(tally(*given)) and False


@pytest.mark.parametrize("spent_ms", [30_000, 20_000])
def test_a_tally_ends_with_the_time_of_its_job(redis_client: Redis, spent_ms: int) -> None:
    job = jobs.tally(redis_client, "random", "random", games=6, seconds=30)
    redis_client.hset(queues.record_key(job.id), "spent", spent_ms)
    jobs.work(redis_client, queues.BULK)
    problem = {"code": "deadline-passed", "params": {"seconds": 30}} if spent_ms == 30_000 else None
    assert jobs.look(redis_client, job).problem == problem


def test_a_task_whose_record_cannot_be_read_counts_as_failed_and_has_no_name(redis_client: Redis) -> None:
    class Broken:
        id, meta = "ticket", dict[str, str]()

        @property
        def func_name(self) -> str:
            raise DeserializationError

        def get_status(self) -> str:
            raise Unreachable

    broken: Any = Broken()
    assert task_telemetry.read(broken) == (task_telemetry.UNKNOWN, "ticket")
    with task_telemetry.observed(Tracing(), redis_client, broken, queues.BULK):
        pass
    assert redis_client.hgetall(queues.TASK_COUNTS) == {b"unknown/failed": b"1"}


@pytest.mark.parametrize(
    ("function", "args", "read"),
    [
        (queues.SEARCH, ["job"], (queues.SEARCH, "job")),
        (queues.SEARCH, [], (queues.SEARCH, "ticket")),
        ("os.getcwd", ["job"], (task_telemetry.UNKNOWN, "job")),
    ],
)
def test_a_task_is_named_by_its_function_and_first_argument(
    function: str, args: list[str], read: tuple[str, str]
) -> None:
    job: Any = SimpleNamespace(id="ticket", func_name=function, args=args)
    assert task_telemetry.read(job) == read


def test_a_delivery_is_tried_with_the_settings_of_the_environment(
    redis_client: Redis, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REDIS_URL", redis_url)
    key = KeyStore(redis_client).add("tests", ["webhooks"])[0].id
    store = HookStore(redis_client, 10)
    hook = Hook(id="h", key=key, url="https://h.example/", events=("job.ended",), made=1, check="of another secret")
    assert store.create(hook)
    enter(store, hook, "job.ended", "matter", {}, 1, 1)
    tasks.deliver("h")
    (message,) = store.log("h")
    assert [attempt.problem for attempt in message.attempts] == ["unsigned"]
    tasks.deliver("no such webhook")
    tasks.push("a session/0")  # without a key of its own, a service pushes nothing


def test_every_entry_point_can_be_loaded() -> None:
    for name in ENTRY_POINTS:
        tasks.load(name)
    assert sys.modules.keys() >= set(tasks._HEAVY.values())


def test_a_short_search_has_a_second_and_a_quarter_and_remote_games_begin_for_three() -> None:
    assert (tasks.SHORT_SECONDS, tasks.REMOTE_SECONDS) == (1.25, 3.0)
    assert tasks.ALL_ITEMS.least == tasks.ALL_ITEMS.most > 10**9
