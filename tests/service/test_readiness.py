"""Readiness tells that a store takes no writes, whatever keeps it from them, and writes nothing to find that out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient
from redis import Redis

from games.core.registry import registered
from service.launch.redis import launch
from tests.service.table_talk import application


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the URL of a Redis whose settings may be changed."""
    server = launch(tmp_path_factory.mktemp("own"), {"appendfsync": "no"})
    yield server.url
    server.stop()


@pytest.fixture
def store(own: str) -> Iterator[Redis]:
    """Yield a client of it; afterwards it takes writes again."""
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


@pytest.mark.parametrize("refuse", REFUSALS.values(), ids=REFUSALS.keys())
def test_a_store_that_refuses_writes_is_not_ready_but_can_be_looked_at(
    client: FlaskClient, store: Redis, refuse: object
) -> None:
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
def test_sessions_can_be_looked_at_without_a_key_while_requests_cannot_be_counted(
    own: str, store: Redis, refuse: Any
) -> None:
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
