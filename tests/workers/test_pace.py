"""The pace of workers: how much they take at a time, when a turn is over, and how long they wait for the store."""

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any, Self

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as Unreachable
from redis.exceptions import TimeoutError as Unanswered

from games.core.levels import LEVELS
from service.jobs import leases, queues
from service.jobs.leases import JOB_RENEW_SECONDS, DeadlinePassed, Lease, Portion, TurnOver
from service.jobs.records import RETRIES, retry
from service.jobs.recovery import is_silent
from tests.toy import GAME as PEBBLES
from tests.toy.game import PebbleOptions
from tests.workers import jobs
from workers import tasks
from workers.simulate import here
from workers.simulate.batch import FIRST_PORTION, SimulationPlan, SimulationWork
from workers.simulate.tally import GameResult
from workers.tasks import PARTIAL_SECONDS, Heartbeat

PORTION_MS = 1_500
HEAD = ("kind", "seat", "seed", "view")


@pytest.mark.parametrize(
    ("games", "spent_ms", "least", "most"),
    [
        pytest.param(0, 0, FIRST_PORTION // 4, FIRST_PORTION, id="a few of which nothing is known"),
        pytest.param(100, 1_000, 37, 150, id="as many as take a portion's time"),
        pytest.param(10, 60_000, 1, 1, id="one of what takes long"),
        pytest.param(1_000_000, 1, 1_024, 4_096, id="so many of what takes no time"),
    ],
)
def test_a_portion_takes_as_long_as_the_items_before_it_show(
    redis_client: Redis, monkeypatch: pytest.MonkeyPatch, games: int, spent_ms: int, least: int, most: int
) -> None:
    taken = _portions(monkeypatch)
    job = jobs.simulation(redis_client, "random", "random", games=10_000)
    redis_client.hset(queues.record_key(job.id), mapping={"done": games, "spent": spent_ms})
    assert jobs.work_once(redis_client, queues.BULK)
    assert taken == [Portion(least, most)]


def test_a_portion_of_a_tally_is_whole_turns_of_all_seats(redis_client: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = _portions(monkeypatch)
    job = jobs.tally(redis_client, "random", "random", games=10_000)
    redis_client.hset(queues.record_key(job.id), mapping={"done": 200, "spent": 1_000})  # a hundred turns
    assert jobs.work_once(redis_client, queues.BULK)
    assert taken == [Portion(37, 150)]


def _portions(monkeypatch: pytest.MonkeyPatch) -> list[Portion]:
    asked = list[Portion]()
    monkeypatch.setattr(tasks, "PORTION_MS", PORTION_MS)
    monkeypatch.setattr(Lease, "take", lambda _connection, _job, _task, portion: asked.append(portion))
    return asked


def test_work_ends_with_its_time_in_a_queue_and_fails_with_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, renewed = [1_000.0], list[float]()
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    lease: Any = SimpleNamespace(renewal_due=lambda: True, renew=lambda: renewed.append(now[0]))
    heartbeat = Heartbeat(lease, 60, turn_seconds=2)
    now[0] += 2
    heartbeat(0, 1, dict)
    assert renewed == [1_002]
    now[0] += 1
    with pytest.raises(TurnOver):
        heartbeat(0, 1, dict)
    now[0] += 60
    with pytest.raises(DeadlinePassed):
        heartbeat(0, 1, dict)
    assert renewed == [1_002]


def test_a_heartbeat_writes_progress_each_time_and_the_result_so_far_once_a_second(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, due, written = [1_000.0], [True], list[dict[str, Any]]()
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    lease: Any = SimpleNamespace(renewal_due=lambda: due[0], renew=lambda **fields: written.append(fields))
    heartbeat, silent = Heartbeat(lease, 60, writes=True), Heartbeat(lease, 60)
    for done in range(1, 6):
        now[0] += PARTIAL_SECONDS / 2
        heartbeat(done, 9, lambda done=done: {"so far": done})  # type: ignore[misc]
    assert [(fields["done"], fields["total"]) for fields in written] == [(done, 9) for done in range(1, 6)]
    assert [fields.get("partial") for fields in written] == [None, '{"so far":2}', None, '{"so far":4}', None]
    silent(1, 9, dict)
    assert written.pop() == {}
    due[0] = False
    now[0] += 2 * PARTIAL_SECONDS
    heartbeat(6, 9, dict)
    assert len(written) == 5, "not before the lease wants it"


def test_a_lease_is_renewed_after_a_quarter_of_a_second(redis_client: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1_000.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    lease = Lease.take(redis_client, jobs.search(redis_client, iterations=9).id)
    assert lease is not None
    for _ in range(2):
        now[0] += JOB_RENEW_SECONDS / 2
        assert not lease.renewal_due()
        now[0] += JOB_RENEW_SECONDS / 2
        assert lease.renewal_due()
        lease.renew()
        assert not lease.renewal_due()


def test_a_lease_is_silent_once_it_has_ended_and_not_before(redis_client: Redis) -> None:
    job = jobs.search(redis_client, iterations=9)
    lease = Lease.take(redis_client, job.id, "task")
    assert lease is not None
    seconds, microseconds = redis_client.time()
    now = 1_000 * seconds + microseconds // 1_000
    for ends, silent in ((now + 60_000, False), (now - 1, True)):
        redis_client.zadd(queues.open_key(job.id), {lease.id: ends})
        assert is_silent(redis_client, job.id, "task") is silent
    assert not is_silent(redis_client, job.id, "another task")


def test_a_search_so_far_is_told_like_a_result(redis_client: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "JOB_RENEW_SECONDS", 0)
    monkeypatch.setattr(tasks, "PARTIAL_SECONDS", 0)
    told, renew = list[dict[str, Any]](), Lease.renew

    def renewed(lease: Lease, **fields: str | int) -> None:
        renew(lease, **fields)
        told.append(jobs.look(lease.connection, job).partial or {})

    monkeypatch.setattr(Lease, "renew", renewed)
    job = jobs.search(redis_client, iterations=100)
    jobs.work(redis_client, queues.SEARCHES)
    result = jobs.look(redis_client, job).result
    assert result is not None
    assert told
    for partial in told:
        assert set(partial) == set(result)
        assert {name: partial[name] for name in HEAD} == {name: result[name] for name in HEAD}


@pytest.mark.parametrize("away", [Unreachable, Unanswered])
def test_required_writes_are_retried_for_ten_seconds(monkeypatch: pytest.MonkeyPatch, away: type[Exception]) -> None:
    rests, failures = list[float](), [away()] * 3
    monkeypatch.setattr("time.sleep", rests.append)

    def write() -> str:
        if failures:
            raise failures.pop()
        return "written"

    assert retry(write) == "written"
    assert rests == [0.5] * 3
    failures.extend([away()] * (RETRIES + 1))
    with pytest.raises(away):
        retry(write)
    assert len(failures) == 1
    assert sum(rests[3:]) == pytest.approx(10, abs=0.5)


@pytest.mark.parametrize(
    ("game_seconds", "sizes"),
    [
        pytest.param(0.001, [16, 16, 16, 16, 64, 256, 116], id="more at a time where games are quick"),
        pytest.param(0.25, [16, 16, 16, 16, 4, 4], id="few where they take long"),
    ],
)
def test_processes_are_given_games_for_a_second(
    monkeypatch: pytest.MonkeyPatch, game_seconds: float, sizes: list[int]
) -> None:
    now, given = [1_000.0], list[int]()

    class Inline:
        """A pool that does here and at once what it is given, on a clock that only games move."""

        def __init__(self, _workers: int, _context: object, prepare: Any, arguments: Any) -> None:
            prepare(*arguments)

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def submit(self, play: Any, begin: int, end: int) -> Future[Any]:
            given.append(end - begin)
            done = Future[Any]()
            done.set_result(play(begin, end))
            return done

        def shutdown(self, *, cancel_futures: bool) -> None:
            assert cancel_futures

    def play(self: SimulationWork, number: int) -> GameResult:
        now[0] += game_seconds
        return alone(self, number)

    plan = SimulationPlan(PEBBLES, (LEVELS["random"],) * 2, PebbleOptions(), "a seed", 500)
    expected, alone = here.simulate(plan), SimulationWork.play
    monkeypatch.setattr(here, "ProcessPoolExecutor", Inline)
    monkeypatch.setattr(SimulationWork, "play", play)
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    assert here.simulate(plan, workers=2) == expected
    assert given[: len(sizes)] == sizes
