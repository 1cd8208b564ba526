"""Bots played by a real worker, one for all: nobody waits for a worker that only waits."""

from contextlib import ExitStack
from itertools import pairwise
from typing import Any

import pytest
from redis import Redis

from games.core.levels import LEVELS
from service.app import create_app
from service.jobs import queues
from service.jobs.submit import cancel
from service.settings import Settings
from tests.service.kit import Sitting
from tests.workers import jobs
from tests.workers.processes import until, worker
from workers.sessions import bot_turns

BOT = {"kind": "bot", "bot": {"level": "random"}}
DELAY = LEVELS["random"].delay_ms


def sit(redis_url: str, *seats: dict[str, Any]) -> Sitting:
    app = create_app(Settings(redis_url=redis_url, log_level="critical"))
    body = {"game": "hoher-rat", "seats": list(seats), "spectators": "live"}
    answer = app.test_client().post("/v1/sessions", json=body)
    assert answer.status_code == 201, answer.text
    made: Any = answer.json
    return Sitting(app, made)


def times(sitting: Sitting) -> list[int]:
    store = sitting.app.extensions["context"].sessions.store
    return [line.at for _, line in store.log_entries(sitting.made["id"])]


@pytest.mark.usefixtures("redis_client")
def test_bots_among_themselves_keep_no_other_session_waiting(redis_url: str) -> None:
    endless = [sit(redis_url, *[BOT] * 4) for _ in range(2)]
    with worker(redis_url, queues.PLAY):
        until(lambda: all(len(times(sitting)) > 3 for sitting in endless))
        before = sum(len(times(sitting)) for sitting in endless)
        late = sit(redis_url, BOT, BOT)
        until(lambda: len(times(late)) > 1)
        meanwhile = sum(len(times(sitting)) for sitting in endless) - before
    assert meanwhile < bot_turns.BOT_SLICE_MS / DELAY / 2, "they waited for the end of a slice"
    for sitting in endless:
        assert min(after - before for before, after in pairwise(times(sitting))) >= DELAY


@pytest.mark.thorough
def test_neither_bots_nor_short_searches_wait_for_long_ones(redis_client: Redis, redis_url: str) -> None:
    with ExitStack() as workers:
        for queue in queues.QUEUES:
            workers.enter_context(worker(redis_url, queue))
        long = [jobs.search(redis_client, milliseconds=600_000, seconds=900, caller="greedy") for _ in range(6)]
        until(lambda: jobs.look(redis_client, long[0]).done)
        flood = [jobs.search(redis_client, milliseconds=1_000, caller="greedy") for _ in range(8)]
        until(lambda: jobs.look(redis_client, flood[0]).state == "running")
        assert (
            jobs.wait_until_ended(redis_client, jobs.search(redis_client, milliseconds=10, caller="other")).state
            == "succeeded"
        )
        others = [job for job in flood if jobs.look(redis_client, job).state != "queued"]
        assert len(others) <= 3, "at most the one at work, and one that began while the answer was looked at"
        sitting = sit(redis_url, BOT, BOT)
        until(lambda: len(times(sitting)) > 3)
        assert [jobs.look(redis_client, job).state for job in long] == ["running", *["queued"] * 5]
        for job in (*long, *flood):
            cancel(redis_client, job)


def test_bots_keep_their_pace_while_one_worker_plays_several_sessions(redis_client: Redis, redis_url: str) -> None:
    sittings = [sit(redis_url, BOT, BOT) for _ in range(3)]
    with worker(redis_url, queues.PLAY):
        until(lambda: all(len(times(sitting)) > 12 for sitting in sittings))
        queued = redis_client.lrange("rq:queue:play", 0, -1)
        assert len(set(queued)) == len(queued)
    steps = [after - before for sitting in sittings for before, after in pairwise(times(sitting)[2:12])]
    assert min(steps) >= DELAY
