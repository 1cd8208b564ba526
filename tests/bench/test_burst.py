"""Sixty-four workers at one tally lose little of their time to the queue, by the model that drives the real leases."""

import pytest
from redis import Redis

from bench.burst import work
from service.jobs import counters
from tests.workers import jobs
from workers import tasks


def test_sixty_four_workers_lose_little_to_tasks_and_to_the_store(redis_client: Redis) -> None:
    turns = 192_000  # of 20 ms: an hour of one core
    job = jobs.tally(redis_client, "random", "random", games=2 * turns, seconds=100_000)
    shares = work(redis_client, job, 64, 20.0)
    assert counters.counted(redis_client, job.id)["games"] == 2 * turns, "each game counts once"
    assert shares.playing > 0.9
    assert shares.at_tasks < 0.02
    assert shares.waiting_for_store < 0.05


def test_workers_with_a_task_per_portion_would_lose_half(redis_client: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "TALLY_SECONDS", 0)
    job = jobs.tally(redis_client, "random", "random", games=48_000, seconds=100_000)
    assert work(redis_client, job, 64, 20.0).playing < 0.7
