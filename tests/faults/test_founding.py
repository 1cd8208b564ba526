"""A session is founded once, and opened by nobody else, whoever repeats the founding how."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import redis
from flask import Flask
from werkzeug.test import TestResponse

from service.store import keys, operations
from tests.service.kit import SESSIONS, Sitting, application, bid, code_of

SEATS = [{"kind": "human"}, {"kind": "open"}]
OTHERS = (
    {"seats": [{"kind": "open"}, {"kind": "human"}]},
    {"seats": [{"kind": "human", "name": "Zoë"}, {"kind": "open"}]},
    {"seats": [*SEATS, {"kind": "human"}]},
    {"options": {"heap": 10}},
    {"seed": "dawn"},
    {"spectators": "live"},
    {"clock": {"move_ms": 1000, "policy": "random"}},
)
RACERS = 6


@pytest.fixture
def app(redis_url: str) -> Flask:
    return application(redis_url=redis_url)


def create_session(app: Flask, key: str, **body: Any) -> TestResponse:
    sent = {"game": "pebbles", "seats": SEATS, **body}
    return app.test_client().post(SESSIONS, json=sent, headers={"Idempotency-Key": key})


def forget(client: redis.Redis) -> None:
    """Forget all operations, as if the service had been killed before it kept their answers."""
    client.delete(*client.scan_iter("o:*"))


def sessions(client: redis.Redis) -> int:
    return sum(1 for _ in client.scan_iter(keys.session("?" * 32)))


def admits(app: Flask, path: str, token: str) -> bool:
    return app.test_client().get(path, headers={"Authorization": f"Bearer {token}"}).status_code == 200


def secrets_of(made: Any) -> list[str]:
    return [made["owner_token"], made["seats"][0]["token"], made["seats"][1]["invite"]]


def test_repeats_at_once_found_one(app: Flask, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operations, "TAKES_MS", -1_000)  # nobody waits for anybody
    for number in range(1, 21):
        key = str(uuid.uuid4())
        with ThreadPoolExecutor(RACERS) as pool:
            answers = list(pool.map(lambda _: create_session(app, key), range(RACERS)))  # noqa: B023 -- done within the round
        assert [answer.status_code for answer in answers] == [201] * RACERS
        assert all(answer.json == answers[0].json for answer in answers)
        assert sum("Idempotency-Replayed" not in answer.headers for answer in answers) == 1
        assert sessions(redis_client) == number


def test_of_different_wishes_one_wins(app: Flask, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operations, "TAKES_MS", -1_000)
    for number in range(1, 11):
        key, wanted = str(uuid.uuid4()), [{}, *OTHERS]
        with ThreadPoolExecutor(len(wanted)) as pool:
            answers = list(pool.map(lambda body: create_session(app, key, **body), wanted))  # noqa: B023 -- done within the round
        assert sorted(answer.status_code for answer in answers) == [201] + [422] * len(OTHERS)
        assert {code_of(answer) for answer in answers if answer.status_code == 422} == {"idempotency-key-reused"}
        assert sessions(redis_client) == number
        forget(redis_client)


@pytest.mark.parametrize("other", OTHERS, ids=" ".join)
def test_another_wish_for_a_key_is_refused(app: Flask, redis_client: redis.Redis, other: dict[str, Any]) -> None:
    key = str(uuid.uuid4())
    made = create_session(app, key)
    forget(redis_client)
    refused = create_session(app, key, **other)
    assert (refused.status_code, code_of(refused)) == (422, "idempotency-key-reused")
    assert made.json is not None
    assert made.json["id"] not in refused.text
    again = create_session(app, key)
    assert (again.status_code, again.json) == (201, made.json)
    assert again.headers["Idempotency-Replayed"] == "true"


def test_a_founding_that_is_repeated_later_gets_the_same_answer(app: Flask, redis_client: redis.Redis) -> None:
    key = str(uuid.uuid4())
    made: Any = create_session(app, key).json
    claimed = app.test_client().post(f"{made['links']['session']}/seats/1/claim", json={"code": secrets_of(made)[2]})
    assert Sitting(app, made).move(0, bid(1)).status_code == 201
    forget(redis_client)
    again = create_session(app, key)
    assert again.json is not None
    assert again.json == made
    assert Sitting(app, made).look(0).json["status"] == "running"  # type: ignore[index]
    assert claimed.json is not None
    assert claimed.json["token"] not in again.text  # it belongs to the claimer of the seat
    assert sessions(redis_client) == 1


def test_a_founding_repeated_after_the_session_expired_founds_another(app: Flask, redis_client: redis.Redis) -> None:
    key = str(uuid.uuid4())
    made: Any = create_session(app, key).json
    redis_client.flushdb()
    fresh = create_session(app, key)
    assert "Idempotency-Replayed" not in fresh.headers
    assert fresh.json is not None
    assert not set(secrets_of(fresh.json)) & set(secrets_of(made))
    path = fresh.json["links"]["session"]
    assert admits(app, path, secrets_of(fresh.json)[1])
    assert not admits(app, path, secrets_of(made)[1])


def test_all_that_redis_holds_of_a_founding_names_no_secret_of_it(app: Flask, redis_client: redis.Redis) -> None:
    key = str(uuid.uuid4())
    made: Any = create_session(app, key, seed="noon").json
    twin: Any = create_session(app, str(uuid.uuid4()), seed="noon").json
    assert not set(secrets_of(made)) & set(secrets_of(twin))  # the seed decides the cards, and no secret
    held = b"".join(redis_client.dump(name) or b"" for name in redis_client.scan_iter("*"))
    for secret in (key, *secrets_of(made)):
        assert secret.encode() not in held
