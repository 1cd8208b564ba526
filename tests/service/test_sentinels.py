"""The queue, and all else, lies on a Redis that Sentinels watch over."""

from collections.abc import Iterator

import pytest

from service.jobs import queues
from service.store.clients import commands
from tests.service.kit import application, bid, sit
from tests.service.nodes import PATIENCE, Watched, watched
from tests.workers import jobs
from tests.workers.processes import until, worker


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    with watched(tmp_path_factory.mktemp("watched")) as running:
        yield running


def test_work_and_sessions_go_on_after_a_fail_over_and_an_idle_worker_ends_when_asked(place: Watched) -> None:
    app = application(redis_url=place.url, open_requests_per_minute=1_000)
    sitting = sit(app)
    with commands(place.url) as client, worker(place.url, queues.SEARCHES) as process:
        first = jobs.search(client, iterations=10)
        assert jobs.wait_until_ended(client, first).state == "succeeded"
        assert sitting.move(0, bid(1)).status_code == 201
        until(lambda: not client.exists(f"rq:job:{queues.task_id(first.id, 0)}"), PATIENCE)
        place.fail_over()
        until(lambda: sitting.look(0).status_code == 200, PATIENCE)
        assert sitting.move(1, bid(1)).status_code == 201
        second = jobs.search(client, iterations=10)
        assert jobs.wait_until_ended(client, second).state == "succeeded"
        until(lambda: not client.exists(f"rq:job:{queues.task_id(second.id, 0)}"), PATIENCE)
        process.terminate()
        assert process.wait(PATIENCE) == 0
