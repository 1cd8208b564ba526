"""Readiness reports that a store takes no writes, for any reason, without writing anything."""

import signal
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from flask.testing import FlaskClient
from redis import Redis
from redis.exceptions import ExecAbortError

from games.core.kernel import kernel
from games.core.registry import registered
from service.health import STUCK_SECONDS
from service.http.context import AppContext
from service.launch.redis import launch
from service.store.feed import Feed
from service.store.writes import refuses_writes
from tests.faults.kit import Mortal
from tests.launch.kit import within
from tests.service.kit import application, sit
from tests.service.streams.hearing import chunks, listen

LATE_SECONDS = 5
"""The time within which readiness has to notice a part that stands still."""


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the URL of a Redis whose settings may be changed."""
    server = launch(tmp_path_factory.mktemp("own"), {"appendfsync": "no"})
    yield server.url
    server.stop()


@pytest.fixture
def store(own: str) -> Iterator[Redis]:
    with Redis.from_url(own) as client:
        client.flushall()
        yield client
        client.config_set("maxmemory", 0)
        client.config_set("min-replicas-to-write", 0)
        client.replicaof("NO", "ONE")


@pytest.fixture(scope="module")
def client(own: str) -> FlaskClient:
    return application(registered(), own).test_client()


REFUSALS = {
    "its memory is full": lambda store: store.config_set("maxmemory", 1),
    "it is a replica by now": lambda store: store.replicaof("127.0.0.1", 1),
    "its replicas are away": lambda store: store.config_set("min-replicas-to-write", 1),
}


def test_a_transaction_that_is_rejected_at_its_end_is_a_refusal(own: str, store: Redis) -> None:
    with Redis.from_url(own, single_connection_client=True) as other:
        connection = other.connection
        assert connection is not None
        for command in (["MULTI"], ["SET", "a", "b"]):
            connection.send_command(*command)
            connection.read_response()
        store.config_set("maxmemory", 1)
        connection.send_command("EXEC")
        with pytest.raises(ExecAbortError) as refusal:
            connection.read_response()
    assert refuses_writes(refusal.value)
    assert not refuses_writes(ExecAbortError("Transaction discarded because of previous errors."))


@pytest.mark.parametrize("refuse", REFUSALS.values(), ids=REFUSALS.keys())
def test_a_store_that_refuses_writes_can_still_be_read(client: FlaskClient, store: Redis, refuse: object) -> None:
    assert client.get("/readyz").json == {"status": "ok"}
    refuse(store)  # type: ignore[operator]
    answer = client.get("/readyz")
    assert answer.json is not None
    assert (answer.status_code, answer.json["code"]) == (503, "writes-refused")
    assert int(answer.headers["Retry-After"]) > 0
    assert client.get("/readyz?writes=false").json == {"status": "ok"}


def test_readiness_writes_nothing(client: FlaskClient, store: Redis) -> None:
    before = store.info("persistence")
    for _ in range(3):
        assert client.get("/readyz").status_code == 200
    after = store.info("persistence")
    for figure in ("rdb_changes_since_last_save", "aof_current_size"):
        assert after[figure] == before[figure]
    assert store.dbsize() == 0


@pytest.mark.parametrize("refuse", REFUSALS.values(), ids=REFUSALS.keys())
def test_sessions_are_shown_without_a_key_if_requests_are_not_counted(own: str, store: Redis, refuse: Any) -> None:
    counting = application(registered(), own, open_requests_per_minute=30, open_sessions_per_hour=9).test_client()
    seats = [{"kind": "human"}, {"kind": "human"}]
    made: Any = counting.post("/v1/sessions", json={"game": "hoher-rat", "seats": seats}).json
    token = {"Authorization": f"Bearer {made['seats'][0]['token']}"}
    seen = counting.get(made["links"]["session"], headers=token)
    assert "RateLimit" in seen.headers
    refuse(store)
    again = counting.get(made["links"]["session"], headers=token)
    assert (again.status_code, "RateLimit" in again.headers) == (200, False)
    known = counting.get(made["links"]["session"], headers={**token, "If-None-Match": again.headers["ETag"]})
    assert known.status_code == 304
    assert counting.post("/v1/sessions", json={"game": "hoher-rat", "seats": seats}).status_code == 503


def test_a_process_whose_broadcaster_stands_still_is_not_ready(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    app, goes_on = application(redis_url=redis_url), Event()
    client, read = app.test_client(), Feed._look

    def stand_still(feed: Feed) -> None:
        assert goes_on.wait(60)
        read(feed)

    with closing(listen(sit(app), 0)) as answer:
        stream = chunks(answer)
        while "presence" not in next(stream):  # it has joined by then
            continue
        assert client.get("/readyz").json == {"status": "ok"}
        monkeypatch.setattr(Feed, "_look", stand_still)
        assert within(LATE_SECONDS, lambda: client.get("/readyz").status_code == 503)
        goes_on.set()
        assert within(LATE_SECONDS, lambda: client.get("/readyz").status_code == 200)


def test_a_process_with_a_stuck_loop_is_not_ready_for_a_while(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    app, now = application(redis_url=redis_url), [1_000.0]
    context: AppContext = app.extensions["context"]
    monkeypatch.setattr("service.health.time.monotonic", lambda: now[0])

    def status_after(seconds: float) -> int:
        now[0] += seconds
        return app.test_client().get("/readyz").status_code

    context.health.beat()
    assert [status_after(1), status_after(LATE_SECONDS)] == [200, 503]
    context.health.beat()
    assert status_after(0) == 503
    for _ in range(12):
        now[0] += 1
        context.health.beat()
    assert status_after(0) == 200


def test_a_fault_that_lasts_needs_a_restart_but_a_late_loop_that_is_back_does_not(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, now = application(redis_url=redis_url), [1_000.0]
    client, health = app.test_client(), app.extensions["context"].health
    monkeypatch.setattr("service.health.time.monotonic", lambda: now[0])

    def statuses_after(seconds: float) -> tuple[int, int]:
        now[0] += seconds
        health.beat()
        return client.get("/readyz").status_code, client.get("/healthz").status_code

    for broken in ("broadcaster_age", "threads_age"):
        sound = getattr(health, broken)
        setattr(health, broken, lambda: 5.0)
        assert statuses_after(1) == (503, 200)
        assert statuses_after(1) == (503, 200)
        for _ in range(int(STUCK_SECONDS)):
            statuses_after(1)
        assert statuses_after(1) == (503, 503)
        setattr(health, broken, sound)
        assert statuses_after(1) == (200, 200)
    assert statuses_after(2 * STUCK_SECONDS) == (503, 200)


def test_a_store_that_does_not_respond_is_noticed_in_time(tmp_path: Path) -> None:
    store = Mortal(tmp_path)
    client = application(redis_url=store.url).test_client()
    try:
        assert client.get("/readyz").status_code == 200
        store.process.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        found: Any = client.get("/readyz").json
        assert (found["code"], client.get("/healthz").status_code) == ("store-away", 200)
        assert time.monotonic() - began < LATE_SECONDS
        store.process.send_signal(signal.SIGCONT)
        assert within(LATE_SECONDS, lambda: client.get("/readyz").status_code == 200)
    finally:
        store.kill()


def test_a_verbose_look_names_the_kernel(client: FlaskClient, store: Redis) -> None:
    assert client.get("/readyz?verbose").text == f"ok\nkernel {kernel()}\n"
    assert client.get("/readyz?verbos").status_code == 422
    store.replicaof("127.0.0.1", 1)
    assert client.get("/readyz?verbose").status_code == 503
