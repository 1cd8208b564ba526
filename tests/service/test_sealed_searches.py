"""Searches at sealed snapshots: the seat's key opens them, and nothing of snapshot or key is kept anywhere."""

import json
import zlib
from typing import Any

import pytest
from flask.testing import FlaskClient
from redis import Redis

from service.jobs import queues
from tests.service.kit import contents

COUNCIL = "/v1/games/hoher-rat"
SEARCHES = "/v1/jobs/searches"
NAMED = {"Idempotency-Key": "6d1c9f57-3b6e-4c85-9a6f-2f3d1a0b7c11"}


@pytest.fixture
def table(client: FlaskClient) -> dict[str, Any]:
    made: Any = client.post(f"{COUNCIL}/snapshots?sealed=true", json={"seat_count": 2}).json
    return dict(made)


def search_of(table: dict[str, Any]) -> dict[str, Any]:
    seated = {"snapshot": table["snapshot"], "seat": table["actors"][0]}
    return {"game": "hoher-rat", "budget": {"iterations": 20}, "seed": "ravens", **seated}


def key_of(table: dict[str, Any], seat: int) -> dict[str, str]:
    return {"Seat-Key": table["seat_keys"][seat]["key"]}


def test_a_search_needs_the_seat_s_key(client: FlaskClient, table: dict[str, Any]) -> None:
    seat = table["actors"][0]
    tried = [{}, key_of(table, 1 - seat), key_of(table, seat)]
    statuses = [client.post(SEARCHES, json=search_of(table), headers=headers).status_code for headers in tried]
    assert statuses == [401, 403, 202]


def test_a_named_search_is_repeated_to_the_holder_of_the_key_alone(client: FlaskClient, table: dict[str, Any]) -> None:
    seat = table["actors"][0]
    own = key_of(table, seat) | NAMED
    first, again = (client.post(SEARCHES, json=search_of(table), headers=own) for _ in range(2))
    assert first.json is not None
    assert again.json is not None
    assert (first.json["id"], again.headers["Idempotency-Replayed"]) == (again.json["id"], "true")
    for headers, status in ((NAMED, 401), (key_of(table, 1 - seat) | NAMED, 403)):
        answer = client.post(SEARCHES, json=search_of(table), headers=headers)
        assert answer.status_code == status
        assert "Idempotency-Replayed" not in answer.headers


def test_no_token_key_or_other_hand_is_kept(client: FlaskClient, redis_client: Redis, table: dict[str, Any]) -> None:
    seat = table["actors"][0]
    assert client.post(SEARCHES, json=search_of(table), headers=key_of(table, seat) | NAMED).status_code == 202
    kept = b"".join(contents(redis_client).values())
    assert b"ravens" in kept, "the search itself"
    for secret in (table["snapshot"]["token"][60:90], *(entry["key"] for entry in table["seat_keys"])):
        assert secret.encode() not in kept


def test_a_batch_searches_what_the_key_opens_and_nothing_else(client: FlaskClient, table: dict[str, Any]) -> None:
    other: Any = client.post(f"{COUNCIL}/snapshots?sealed=true", json={"seat_count": 2}).json
    seat = table["actors"][0]
    positions = [
        {"snapshot": table["snapshot"], "seat": seat},
        {"snapshot": table["snapshot"], "seat": 1 - seat},
        {"snapshot": other["snapshot"], "seat": seat},
        {"snapshot": {**table["snapshot"], "ply": 9}, "seat": seat},
    ]
    body = {"game": "hoher-rat", "budget": {"iterations": 20}, "positions": positions}
    asked = client.post(f"{SEARCHES}:batch", json=body, headers=key_of(table, seat))
    assert asked.status_code == 202
    found = inputs_of(client, asked.json["id"])  # type: ignore[index]
    assert ["view" in entry or entry["problem"]["code"] for entry in found] == [
        True,
        "wrong-seat-key",
        "wrong-seat-key",
        "broken-seal",
    ]


def inputs_of(client: FlaskClient, job: str) -> list[dict[str, Any]]:
    redis = client.application.extensions["context"].redis
    return [json.loads(zlib.decompress(entry)) for entry in redis.lrange(queues.inputs_key(job), 0, -1)]
