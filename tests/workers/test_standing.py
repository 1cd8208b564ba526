"""A work-horse that stands ready: one process for many tasks, and a fresh one if it is gone."""

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from redis import Redis

from service.jobs import queues
from service.jobs.records import fields_of
from tests.workers import jobs
from tests.workers.processes import alive, horse_of, kill, until, worker
from workers import standing
from workers.main import WORKERS, FastWorker, PromptWorker
from workers.standing import StandingHorse

ORIGIN = {"request_id": "r"}


@contextmanager
def standing_horse(do: Callable[[str, str, Mapping[str, str]], None]) -> Iterator[StandingHorse]:
    horse = StandingHorse(do, lambda: None)
    try:
        yield horse
    finally:
        horse.end()
    until(lambda: not alive(horse.pid))


def test_one_process_does_task_after_task(tmp_path: Path) -> None:
    def do(job: str, execution: str, origin: Mapping[str, str]) -> None:
        with (tmp_path / "said").open("a") as file:
            file.write(f"{os.getpid()} {job} {execution} {origin['request_id']}\n")

    with standing_horse(do) as horse:
        for job in ("a", "b", "c"):
            assert horse.begin(job, "e", ORIGIN)
            assert horse.wait() == (horse.pid, os.EX_OK, None)
            assert horse.wait() == (horse.pid, os.EX_OK, None), "a wait that was broken off is begun again"
        assert os.getpgid(horse.pid) == horse.pid
    assert (tmp_path / "said").read_text().splitlines() == [f"{horse.pid} {job} e r" for job in "abc"]


@pytest.mark.thorough
def test_one_that_is_forked_from_a_large_process_stays() -> None:
    large = bytearray(standing.HORSE_BYTES)
    large[:] = b"x" * len(large)
    with standing_horse(lambda *_: None) as horse:
        for _ in range(2):
            assert horse.begin("a", "e", ORIGIN)
            assert horse.wait()[1] == os.EX_OK
    assert len(large) == standing.HORSE_BYTES


@pytest.mark.parametrize(("name", "limit"), [("HORSE_TASKS", 2), ("HORSE_BYTES", -1)])
def test_it_makes_room_after_some_tasks_or_growth(monkeypatch: pytest.MonkeyPatch, name: str, limit: int) -> None:
    monkeypatch.setattr(standing, name, limit)
    with standing_horse(lambda *_: None) as horse:
        for _ in range(max(1, limit)):
            assert horse.begin("a", "e", ORIGIN)
            assert horse.wait()[1] == os.EX_OK
        assert not horse.begin("a", "e", ORIGIN)
        assert not alive(horse.pid)


def test_a_task_that_breaks_it_ends_it_and_its_status_says_so() -> None:
    with standing_horse(lambda *_: os.kill(os.getpid(), signal.SIGKILL)) as horse:
        assert horse.begin("a", "e", ORIGIN)
        pid, status, _ = horse.wait()
        assert (pid, os.WTERMSIG(status or 0)) == (horse.pid, signal.SIGKILL)
        assert not horse.begin("b", "e", ORIGIN)


def test_one_that_was_killed_while_it_had_nothing_to_do_does_nothing() -> None:
    with standing_horse(lambda *_: None) as horse:
        assert horse.begin("a", "e", ORIGIN)
        assert horse.wait()[1] == os.EX_OK
        os.kill(horse.pid, signal.SIGKILL)
        until(lambda: not alive(horse.pid))
        assert not horse.begin("b", "e", ORIGIN) or horse.wait()[1] != os.EX_OK


def test_one_that_dies_before_it_has_read_its_task_has_ended() -> None:
    with standing_horse(lambda *_: None) as horse:
        os.kill(horse.pid, signal.SIGSTOP)
        assert horse.begin("a", "e", ORIGIN)
        os.kill(horse.pid, signal.SIGKILL)
        assert os.WTERMSIG(horse.wait()[1] or 0) == signal.SIGKILL


def test_ending_it_does_not_wait_for_its_task() -> None:
    with standing_horse(lambda *_: signal.pause()) as horse:
        assert horse.begin("a", "e", ORIGIN)
        horse.end()
        assert alive(horse.pid), "and the task goes on"
        os.kill(horse.pid, signal.SIGKILL)


def test_short_tasks_have_one_and_long_ones_a_fork_each() -> None:
    prompt = {name for name in queues.QUEUES if WORKERS.get(name, FastWorker) is PromptWorker}
    assert prompt == {queues.PLAY, queues.SEARCHES}


def test_a_worker_keeps_its_horse_and_has_a_fresh_one_for_lost_tasks(redis_client: Redis, redis_url: str) -> None:
    with worker(redis_url, queues.SEARCHES) as process:
        seen = set()
        for _ in range(3):
            assert jobs.wait_until_ended(redis_client, jobs.search(redis_client, iterations=10)).state == "succeeded"
            seen.add(horse_of(process))
        (horse,) = seen
        assert horse is not None
        kill(horse)
        until(lambda: not alive(horse))
        assert jobs.wait_until_ended(redis_client, jobs.search(redis_client, iterations=10)).state == "succeeded"
        fresh = horse_of(process)
        assert fresh not in {None, horse}
    until(lambda: not alive(fresh or 0))


@pytest.mark.thorough
def test_a_search_whose_standing_horse_dies_is_begun_again_at_once(redis_client: Redis, redis_url: str) -> None:
    with worker(redis_url, queues.SEARCHES) as process:
        job = jobs.search(redis_client, milliseconds=900)
        until(lambda: jobs.look(redis_client, job).done)
        kill(horse_of(process) or 0)
        assert jobs.wait_until_ended(redis_client, job).state == "succeeded"
        assert jobs.attempts(redis_client, job) == 2
        assert fields_of(redis_client, job.id, "state") == ("succeeded",)


def test_the_standing_horse_of_a_worker_that_was_killed_ends(redis_client: Redis, redis_url: str) -> None:
    with worker(redis_url, queues.SEARCHES) as process:
        assert jobs.wait_until_ended(redis_client, jobs.search(redis_client, iterations=10)).state == "succeeded"
        horse = horse_of(process) or 0
        kill(process.pid)
        process.wait()
        until(lambda: not alive(horse))
