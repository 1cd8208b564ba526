"""Simulations of which the count alone is kept: the same to the last digit however cut, and bounded in the store."""

import os
import statistics
import subprocess
import sys
import time
from collections import Counter
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from redis import Redis

from games.core.levels import LEVELS
from service.jobs import counters, leases, queues, records
from service.jobs.leases import Lease, LeaseLost, Portion
from service.jobs.recovery import give_back, sweep
from service.jobs.store import Job
from service.jobs.submit import cancel
from service.telemetry.tracing import Tracing
from tests.launch.kit import PATIENCE_SECONDS
from tests.toy import GAME as PEBBLES
from tests.toy.game import PebbleOptions
from tests.workers import jobs
from workers import tasks
from workers.main import worker_at
from workers.simulate.batch import SimulationPlan
from workers.simulate.here import simulate
from workers.simulate.tally import summarize_lengths
from workers.simulate.turns import SeatTurns

BOTS = ("random", "random")  # which play fast
MAX_TALLY = 100_000_000


@cache
def here(games: int) -> dict[str, Any]:
    """Return the counts of such a simulation here, game by game, where each has a line."""
    levels = tuple(LEVELS[bot] for bot in BOTS)
    return simulate(SimulationPlan(jobs.COUNCIL, levels, jobs.COUNCIL.options_type(), "stone", games))


def stored(client: Redis, job: Job) -> dict[str, int]:
    """Return the size of every key of a job in bytes, by the key."""
    keys: list[Any] = client.keys(f"{queues.record_key(job.id)}*")
    return {key.decode(): client.memory_usage(key) or 0 for key in keys}


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 30), st.lists(st.integers(1, 9), min_size=1, max_size=5), st.booleans())
def test_tallies_add_up_in_any_order_and_any_cut(games: int, cuts: list[int], rotate: bool) -> None:  # noqa: FBT001
    levels = tuple(LEVELS[bot] for bot in ("random", "greedy", "random"))
    plan = SimulationPlan(PEBBLES, levels, PebbleOptions(), "a seed", games, rotate)
    turns, left = SeatTurns(plan), list(range(-(-games // 3)))
    total: Counter[str] = Counter()
    for size in [*cuts, len(left)]:
        shard, left = left[-size:], left[:-size]
        tally = turns.tally({})
        for turn in shard:
            turns.play(turn, tally)
        total.update(tally.counters())
    assert turns.tally(total).summary() == simulate(plan)


def test_a_shard_whose_worker_died_counts_once(redis_client: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    job = jobs.tally(redis_client, *BOTS, games=40)
    task = queues.task_id(job.id, 0)
    lost = Lease.take(redis_client, job.id, task, Portion(5, 5))
    assert lost is not None
    give_back(redis_client, job.id, task)  # as its worker does that saw it die
    assert jobs.work(redis_client, queues.BULK)
    assert jobs.look(redis_client, job).result == here(40)
    with pytest.raises(LeaseLost):
        counters.add(lost, {"games": 10}, lost.end, 10, 1)
    assert counters.counted(redis_client, job.id)["games"] == 40
    monkeypatch.setattr(leases, "JOB_LEASE_MS", 0)  # every lease has run out as soon as it is taken
    late = jobs.tally(redis_client, *BOTS, games=40)
    slow = Lease.take(redis_client, late.id, "slow", Portion(5, 5))
    quick = Lease.take(redis_client, late.id, "quick", Portion(5, 5))
    assert slow is not None
    assert quick is not None
    assert (slow.first, slow.end) == (quick.first, quick.end)
    counters.add(quick, {"games": 10}, quick.end, 10, 1)
    with pytest.raises(LeaseLost):
        counters.add(slow, {"games": 10}, slow.end, 10, 1)
    assert jobs.look(redis_client, late).done == counters.counted(redis_client, late.id)["games"] == 10


def test_another_tells_the_end_if_the_last_worker_died(redis_client: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as dying:
        dying.setattr(tasks, "tell", lambda *_: None)
        job = jobs.tally(redis_client, *BOTS, games=9)
        jobs.work(redis_client, queues.BULK)
    assert jobs.look(redis_client, job).state == "running"
    sweep(redis_client)
    jobs.work(redis_client, queues.BULK)
    assert jobs.look(redis_client, job).result == here(9)


def test_a_lost_answer_of_the_store_counts_nothing_twice(redis_client: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    job = jobs.tally(redis_client, *BOTS, games=20)
    before = records.run_script

    def twice(client: Redis, name: str, *arguments: Any) -> Any:
        found = before(client, name, *arguments)
        return before(client, name, *arguments) if name == "add" else found

    with monkeypatch.context() as patched:
        patched.setattr("service.jobs.counters.run_script", twice)  # as `retry` does where the answer was lost
        jobs.work(redis_client, queues.BULK)
    found = jobs.look(redis_client, job)
    assert found.done == counters.counted(redis_client, job.id)["games"] == 20
    sweep(redis_client)
    jobs.work(redis_client, queues.BULK)
    assert jobs.look(redis_client, job).result == here(20)


def test_a_job_takes_no_more_of_the_store_with_games(redis_client: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    plies = range(150, 250)
    shard = {"games": 1_000, **{f"plies {number}": 10 for number in plies}}

    def size_after(job: Job, shards: int) -> int:
        for number in range(shards):
            lease = Lease.take(redis_client, job.id, f"task-{number}", Portion(500, 500))
            assert lease is not None
            counters.add(lease, shard, lease.end, 1_000, 1)
        keys = stored(redis_client, job)
        assert set(keys) <= {queues.record_key(job.id), queues.open_key(job.id), queues.done_key(job.id)}
        return sum(keys.values())

    monkeypatch.setattr(queues, "enqueue", lambda *_: None)  # nobody takes its tasks
    job = jobs.tally(redis_client, *BOTS, games=MAX_TALLY)
    few, many = size_after(job, 3), size_after(job, 300)
    assert many < 2 * few
    assert counters.counted(redis_client, job.id)["games"] == 303_000
    assert counters.counted(redis_client, job.id)["plies 150"] == 3_030
    assert redis_client.zcard(queues.open_key(job.id)) == 1


def test_counts_of_the_largest_job_are_exact_and_told_at_once() -> None:
    levels = tuple(LEVELS[bot] for bot in BOTS)
    plan = SimulationPlan(jobs.COUNCIL, levels, jobs.COUNCIL.options_type(), "stone", MAX_TALLY)
    turns = SeatTurns(plan)
    tally = turns.tally({})
    turns.play(0, tally)
    one = tally.counters()
    assert all(number * MAX_TALLY < 2**62 for number in one.values())
    many = turns.tally({name: number * (MAX_TALLY // 2) for name, number in one.items()})
    assert many.games == MAX_TALLY
    began = time.process_time()
    assert many.summary()["plies"]["mean"] == tally.summary()["plies"]["mean"]
    assert time.process_time() - began < 10, "no list of games is made"
    lengths = {7: 2, 3: 1, 9: 3, 4: 4}
    assert summarize_lengths(lengths)["median"] == statistics.median_low(list(Counter(lengths).elements()))


def test_a_worker_keeps_a_tally_until_another_job(redis_client: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "PORTION_MS", 1)
    alone = jobs.tally(redis_client, *BOTS, games=16)
    assert jobs.work(redis_client, queues.BULK) <= 2, "one task, and one that finds nothing left"
    assert jobs.attempts(redis_client, alone) > 3
    first = jobs.tally(redis_client, *BOTS, games=16, caller="first")
    second = jobs.tally(redis_client, *BOTS, games=16, caller="second")
    assert jobs.work(redis_client, queues.BULK) > 4
    assert jobs.look(redis_client, first).result == jobs.look(redis_client, second).result == here(16)


def test_a_tally_shows_its_progress_and_can_be_canceled(redis_client: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "PORTION_MS", 1)
    monkeypatch.setattr(tasks, "TALLY_SECONDS", 0)
    monkeypatch.setattr(counters, "TELL_MS", 0)
    job = jobs.tally(redis_client, *BOTS, games=10_000)
    jobs.work_once(redis_client, queues.BULK)
    jobs.work_once(redis_client, queues.BULK)
    found = jobs.look(redis_client, job)
    assert found.state == "running"
    assert 0 < found.done == (found.partial or {})["games"] < 10_000
    assert cancel(redis_client, job)[1]
    assert jobs.work(redis_client, queues.BULK) <= 1
    after = jobs.look(redis_client, job)
    assert (after.state, after.done, after.partial) == ("canceled", found.done, found.partial)


def test_an_earlier_result_so_far_does_not_replace_a_later_one(redis_client: Redis) -> None:
    job = jobs.tally(redis_client, *BOTS, games=100)
    assert Lease.take(redis_client, job.id, "task") is not None
    counters.tell(redis_client, job.id, 60, {"games": 60})
    counters.tell(redis_client, job.id, 40, {"games": 40})
    assert jobs.look(redis_client, job).partial == {"games": 60}


def test_a_tally_that_takes_too_long_fails_and_says_so(redis_client: Redis) -> None:
    job = jobs.tally(redis_client, *BOTS, games=100, seconds=0)
    jobs.work(redis_client, queues.BULK)
    assert jobs.look(redis_client, job).problem == {"code": "deadline-passed", "params": {"seconds": 0}}


def test_a_worker_that_has_had_nothing_to_do_for_long_enough_ends(redis_client: Redis) -> None:
    idle = worker_at(queues.BULK, redis_client, Tracing())
    idle.register_birth()  # type: ignore[no-untyped-call]
    assert idle.dequeue_job_and_maintain_ttl(1, 1) is None
    assert idle.asked_to_stop
    waiting = worker_at(queues.BULK, redis_client, Tracing())
    waiting.register_birth()  # type: ignore[no-untyped-call]
    job = jobs.tally(redis_client, *BOTS, games=2)
    found = waiting.dequeue_job_and_maintain_ttl(1, 1)
    assert found is not None
    assert found[0].args == [job.id]
    assert not waiting.asked_to_stop


@pytest.mark.thorough
def test_workers_that_end_when_idle_do_a_whole_job_before(redis_client: Redis, redis_url: str) -> None:
    job = jobs.tally(redis_client, *BOTS, games=20)
    run = subprocess.run(
        [sys.executable, "-P", "-c", f"from workers.main import run; run({queues.BULK!r}, 1)"],
        env={**os.environ, "REDIS_URL": redis_url},
        check=False,
        timeout=PATIENCE_SECONDS,
    )
    assert run.returncode == 0
    assert jobs.look(redis_client, job).result == here(20)
