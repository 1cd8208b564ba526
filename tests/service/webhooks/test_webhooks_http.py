"""Webhooks over HTTP: made, looked at, turned round, tested, sent again and forgotten, by their key alone."""

import re
import uuid
from typing import Any

import msgspec
import pytest
from flask import Flask
from flask.testing import FlaskClient
from redis import Redis
from werkzeug.test import TestResponse

from service.auth.api_keys import KeyStore
from service.contract.document import ID_PATTERN
from service.http.context import AppContext
from service.store.hooks import DELIVERY_FAILED, DELIVERY_WAITING, Attempt
from tests.figures import store_figures_of
from tests.service.kit import application
from tests.service.test_keys import code
from workers.webhooks.deliver import after

HOOKS = "/v1/webhooks"
PLACE = {"url": "https://hooks.example/told"}


@pytest.fixture(scope="module")
def app(redis_server: str) -> Flask:
    return application(None, redis_server, webhooks_per_key=3)


@pytest.fixture
def client(app: Flask, redis_url: str) -> FlaskClient:  # noqa: ARG001 -- an empty store
    return app.test_client()


@pytest.fixture
def key(redis_client: Redis) -> dict[str, str]:
    return {"Api-Key": KeyStore(redis_client).add("tests", ["webhooks"])[1]}


def make(client: FlaskClient, key: dict[str, str], **body: Any) -> Any:
    answer = client.post(HOOKS, json={**PLACE, **body}, headers=key)
    assert answer.status_code == 201, answer.text
    return answer.json


def read_body(answer: TestResponse, status: int = 200) -> Any:
    assert answer.status_code == status, answer.text
    assert answer.headers["Cache-Control"] == "no-store"
    return answer.json


def test_a_webhook_is_made_shown_listed_and_forgotten(client: FlaskClient, key: dict[str, str]) -> None:
    answer = client.post(HOOKS, json=PLACE, headers=key)
    made = read_body(answer, 201)
    here, secret = answer.headers["Location"], made.pop("secret")
    assert secret.startswith("whsec_")
    assert made["events"] == ["seat.asked", "job.ended", "session.ended", "seat.claimed", "deadline.near"]
    assert read_body(client.get(here, headers=key)) == made
    assert read_body(client.get(HOOKS, headers=key)) == {"webhooks": [made]}
    assert client.delete(here, headers=key).status_code == 204
    assert read_body(client.get(HOOKS, headers=key)) == {"webhooks": []}
    for method in ("GET", "DELETE"):
        assert code(client.open(here, method=method, headers=key)) == (404, "unknown-webhook")


def test_the_store_keeps_no_secret(client: FlaskClient, key: dict[str, str], redis_client: Redis) -> None:
    secrets = [make(client, key)["secret"] for _ in range(2)]
    written = str(redis_client.hgetall("{w}:hooks"))
    assert secrets[0] != secrets[1]
    assert not [secret for secret in secrets if secret[6:30] in written]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", ""),
        ("GET", ""),
        ("GET", "/x"),
        ("DELETE", "/x"),
        ("POST", "/x/rotate"),
        ("POST", "/x/ping"),
        ("GET", "/x/deliveries"),
        ("POST", "/x/deliveries/y/replay"),
    ],
)
def test_without_a_key_there_are_no_webhooks(client: FlaskClient, redis_client: Redis, method: str, path: str) -> None:
    assert code(client.open(HOOKS + path, method=method)) == (401, "key-needed")
    player = {"Api-Key": KeyStore(redis_client).add("tests", ["play", "jobs"])[1]}
    assert code(client.open(HOOKS + path, method=method, headers=player)) == (403, "scope-missing")


def test_another_key_sees_nothing_of_a_webhook(client: FlaskClient, key: dict[str, str], redis_client: Redis) -> None:
    here = f"{HOOKS}/{make(client, key)['id']}"
    other = {"Api-Key": KeyStore(redis_client).add("other", ["webhooks"])[1]}
    for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/rotate"), ("POST", "/ping"), ("GET", "/deliveries")):
        assert code(client.open(here + path, method=method, headers=other)) == (404, "unknown-webhook")
    assert read_body(client.get(HOOKS, headers=other)) == {"webhooks": []}
    assert client.get(here, headers=key).status_code == 200


@pytest.mark.parametrize(
    "url", ["http://hooks.example/", "https://127.0.0.1/", "https://[::1]/", "https://a@b.example/"]
)
def test_an_address_that_nothing_may_be_sent_to_is_refused(client: FlaskClient, key: dict[str, str], url: str) -> None:
    answer: Any = client.post(HOOKS, json={"url": url}, headers={**key, "Accept-Language": "de"})
    assert code(answer) == (422, "invalid-body")
    (fault,) = answer.json["errors"]
    assert fault["pointer"] == "/url"
    assert "https" in fault["detail"]


def test_a_repeated_creation_makes_one_webhook(client: FlaskClient, key: dict[str, str], redis_client: Redis) -> None:
    named = {**key, "Idempotency-Key": "mine"}
    first, again = (client.post(HOOKS, json=PLACE, headers=named) for _ in range(2))
    redis_client.delete(*redis_client.keys("o:*"))  # as if the first had died before it could keep its answer
    found = client.post(HOOKS, json=PLACE, headers=named)
    assert first.json == again.json == found.json
    redis_client.delete(*redis_client.keys("o:*"))
    other = client.post(HOOKS, json={"url": "https://other.example/"}, headers=named)
    assert code(other) == (422, "idempotency-key-reused")
    assert len(read_body(client.get(HOOKS, headers=key))["webhooks"]) == 1


def test_a_key_has_so_many_webhooks(client: FlaskClient, key: dict[str, str]) -> None:
    for _ in range(3):
        make(client, key)
    assert code(client.post(HOOKS, json=PLACE, headers=key)) == (409, "too-many-webhooks")


def test_a_rotated_secret_is_new_and_a_repetition_rotates_once(client: FlaskClient, key: dict[str, str]) -> None:
    made = make(client, key)
    turned = {**key, "Idempotency-Key": str(uuid.uuid4())}
    first, again = (read_body(client.post(f"{HOOKS}/{made['id']}/rotate", headers=turned)) for _ in range(2))
    assert first == again
    assert first["secret"] != made["secret"]
    further = read_body(client.post(f"{HOOKS}/{made['id']}/rotate", headers=key))
    assert further["secret"] not in {made["secret"], first["secret"]}


def test_a_ping_stands_in_the_log_until_it_is_sent(client: FlaskClient, key: dict[str, str]) -> None:
    here = f"{HOOKS}/{make(client, key)['id']}"
    one, two = (read_body(client.post(f"{here}/ping", headers=key), 202) for _ in range(2))
    assert one["id"] != two["id"]
    assert all(re.fullmatch(ID_PATTERN, ping["id"]) for ping in (one, two)), "it fits into the path of a replay"
    assert (one["event"], one["state"], one["attempts"]) == ("webhook.ping", "waiting", [])
    assert one["body"] == {"type": "webhook.ping", "timestamp": one["created_at"], "data": {}}
    assert read_body(client.get(f"{here}/deliveries", headers=key)) == {"deliveries": [two, one]}


def test_a_failed_delivery_is_sent_again_unchanged(app: Flask, client: FlaskClient, key: dict[str, str]) -> None:
    house: AppContext = app.extensions["context"]
    store, hook = house.sessions.hooks, make(client, key)["id"]
    ping = read_body(client.post(f"{HOOKS}/{hook}/ping", headers=key), 202)["id"]
    message = store.message(hook, ping)
    assert message is not None
    gone = after(message, Attempt(at=1, milliseconds=20, status=410), 1)
    store.note(hook, gone)
    assert gone.state == DELIVERY_FAILED
    assert store.first(hook, 2**50) is None
    again = read_body(client.post(f"{HOOKS}/{hook}/deliveries/{ping}/replay", headers=key), 202)
    assert (again["id"], again["state"], len(again["attempts"])) == (ping, DELIVERY_WAITING, 1)
    assert again["attempts"][0] == {"at": "1970-01-01T00:00:00.001Z", "milliseconds": 20, "status": 410}
    found = store.first(hook, house.sessions.now())
    assert found is not None
    assert (found.id, found.tries, found.body) == (ping, 0, message.body)
    assert msgspec.json.decode(found.body) == again["body"]
    assert code(client.post(f"{HOOKS}/{hook}/deliveries/msg_x/replay", headers=key)) == (404, "unknown-delivery")


def test_the_figures_tell_of_deliveries(app: Flask, client: FlaskClient, key: dict[str, str]) -> None:
    house: AppContext = app.extensions["context"]
    house.sessions.hooks.count("timed-out")
    client.post(f"{HOOKS}/{make(client, key)['id']}/ping", headers=key)
    told = store_figures_of(app)
    assert 'dorfplatz_webhook_attempts_total{outcome="timed-out"} 1.0' in told
    assert "dorfplatz_webhooks_waiting 1.0" in told
