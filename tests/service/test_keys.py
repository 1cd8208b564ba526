"""API keys: stored as hashes, valid for their scopes, owners of their resources; and operations without one."""

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import pytest
from flask import Flask
from flask.testing import FlaskClient
from redis import Redis
from werkzeug.test import TestResponse

from service.app import create_app
from service.auth.api_keys import ALL, JOBS, PLAY_SCOPE, SCOPES, KeyStore
from service.http.context import AppContext
from service.http.idempotency import IdempotencyKey
from service.http.request import Request
from service.settings import Settings
from tests.service.kit import NOWHERE, application, changed
from tests.toy import GAME

SEARCHES, SESSIONS = "/v1/jobs/searches", "/v1/sessions"
PEBBLES: Final = {"game": "pebbles", "seats": [{"kind": "human"}] * 2}

UNKEYED: Final = {
    "POST /v1/fairness:verify": "nothing: whoever doubts may check",
    "POST /v1/sessions/<id>/moves": "the seat's token",
    "POST /v1/sessions/<id>/moves/check": "the seat's token",
    "POST /v1/sessions/<id>/resign": "the seat's token",
    "POST /v1/sessions/<id>/phrases": "the seat's token",
    "POST /v1/sessions/<id>/undo": "the seat's token",
    "POST /v1/sessions/<id>/undo/consent": "the seat's token",
    "POST /v1/sessions/<id>/undo/refuse": "the seat's token",
    "POST /v1/sessions/<id>/pause": "the seat's token",
    "POST /v1/sessions/<id>/pause/consent": "the seat's token",
    "POST /v1/sessions/<id>/pause/refuse": "the seat's token",
    "POST /v1/sessions/<id>/pause/end": "the seat's token",
    "POST /v1/sessions/<id>/vacation": "the seat's token",
    "POST /v1/sessions/<id>/vacation/end": "the seat's token",
    "POST /v1/sessions/<id>/seats/<int:number>/absence": "the seat's token",
    "POST /v1/devices": "the device code",
    "POST /v1/sessions/<id>/seats/<int:number>/claim": "the invite code",
    "POST /v1/sessions/<id>/seats/<int:number>/device-codes": "the seat's token",
    "POST /v1/sessions/<id>/seats/<int:number>/erase": "the owner's token",
    "POST /v1/sessions/<id>/seats/<int:number>/reclaim": "the seat's token",
    "POST /v1/sessions/<id>/seats/<int:number>/token": "the owner's token",
    "POST /v1/sessions/<id>/seats/<int:number>/assign": "the owner's token or the seat's",
}
"""Operations with effects that need no key, and their other credentials."""


@pytest.fixture
def store(redis_client: Redis) -> KeyStore:
    return KeyStore(redis_client)


@pytest.fixture(scope="module")
def app(redis_server: str) -> Flask:
    return application(None, redis_server)


@pytest.fixture
def client(app: Flask, redis_url: str) -> FlaskClient:  # noqa: ARG001 -- an empty store
    return app.test_client()


@pytest.fixture
def closed(app: Flask, redis_url: str) -> Iterator[FlaskClient]:  # noqa: ARG001 -- an empty store
    house: AppContext = app.extensions["context"]
    app.extensions["context"] = changed(house, settings=replace(house.settings, keys_required=True))
    yield app.test_client()
    app.extensions["context"] = house


def key(store: KeyStore, *scopes: str) -> dict[str, str]:
    return {"Api-Key": store.add("tests", scopes or tuple(SCOPES))[1]}


def code(answer: TestResponse) -> tuple[int, str]:
    said: Any = answer.json
    return answer.status_code, said["code"]


def search(client: FlaskClient, **headers: str) -> TestResponse:
    table = GAME.slug
    made: Any = client.post(f"/v1/games/{table}/snapshots", json={"seat_count": 2, "seed": "s"}, headers=headers).json
    body = {"game": table, "snapshot": made["snapshot"], "seat": 1, "budget": {"iterations": 50}}
    return client.post(SEARCHES, json=body, headers=headers)


def test_the_store_has_the_hash_of_a_key_and_not_its_secret(store: KeyStore, redis_client: Redis) -> None:
    made, text = store.add("phone", [PLAY_SCOPE])
    assert store.find(text) == made
    written = str(redis_client.hgetall(ALL)).encode()
    assert redis_client.keys() == [ALL.encode()]
    assert made.id.encode() in written
    assert text.split("_", 2)[2].encode() not in written


def test_keys_are_listed_in_the_order_of_their_making_with_their_scopes_and_quotas(store: KeyStore) -> None:
    begun = time.time_ns() // 1_000_000
    one, _ = store.add("one", [JOBS, PLAY_SCOPE])
    two, _ = store.add("two", [PLAY_SCOPE], requests_per_minute=7)
    assert begun <= one.made <= two.made <= time.time_ns() // 1_000_000
    assert store.every() == sorted([one, two], key=lambda key: key.made)
    assert (one.scopes, two.requests_per_minute, two.playouts_per_hour) == ((PLAY_SCOPE, JOBS), 7, None)


@pytest.mark.parametrize("path", ["/v1/games", "/v1/limits", "/v1/jobs/0123456789abcdef012345", "/v1/nowhere"])
def test_a_key_that_is_none_is_refused_whatever_is_asked(client: FlaskClient, store: KeyStore, path: str) -> None:
    made, text = store.add("gone", [PLAY_SCOPE])
    other = store.add("other", [PLAY_SCOPE])[1]
    assert client.get("/v1/games", headers={"Api-Key": text}).status_code == 200
    assert store.revoke(made.id)
    assert not store.revoke(made.id)
    mixed = f"dorf_{other.split('_')[1]}_{text.split('_', 2)[2]}"
    for wrong in (text, mixed, other[:-1], other + " x", "", "dorf", other.upper()):
        answer = client.get(path, headers={"Api-Key": wrong})
        assert code(answer) == (401, "unknown-key")
        assert answer.headers["WWW-Authenticate"] == 'Api-Key realm="service"'


def test_a_key_is_worth_nothing_outside_its_scopes(client: FlaskClient, store: KeyStore) -> None:
    player, worker = key(store, PLAY_SCOPE), key(store, JOBS)
    assert client.post(SESSIONS, json=PEBBLES, headers=player).status_code == 201
    assert code(client.post(SESSIONS, json=PEBBLES, headers=worker)) == (403, "scope-missing")
    assert code(client.post("/v1/games/pebbles/snapshots", json={"seat_count": 2}, headers=worker)) == (
        403,
        "scope-missing",
    )
    assert code(client.post(SEARCHES, json={}, headers=player)) == (403, "scope-missing")
    assert code(client.post(SEARCHES, json={}, headers=worker)) == (422, "invalid-body")


def test_where_keys_are_demanded_nothing_begins_without_one(closed: FlaskClient, store: KeyStore) -> None:
    asked: list[str] = []
    free: list[str] = []
    for rule in closed.application.url_map.iter_rules():
        if "POST" in (rule.methods or ()):
            path = rule.rule.replace("<string:game>", "pebbles").replace("<game>", "pebbles")
            path = path.replace("<id>", "0" * 32).replace("<int:number>", "0").replace("<delivery>", "x")
            answer = closed.post(path, json={})
            (asked if code(answer) == (401, "key-needed") else free).append(f"POST {rule.rule}")
    assert set(free) == set(UNKEYED)
    assert "POST /v1/jobs/simulations" in asked
    assert closed.post(SESSIONS, json=PEBBLES, headers=key(store, PLAY_SCOPE)).status_code == 201


def test_where_keys_are_demanded_a_seat_plays_by_its_token_alone(closed: FlaskClient, store: KeyStore) -> None:
    body = {**PEBBLES, "seats": [{"kind": "human"}, {"kind": "open"}], "spectators": "live"}
    made: Any = closed.post(SESSIONS, json=body, headers=key(store, PLAY_SCOPE)).json
    here = made["links"]["session"]
    claimed = closed.post(f"{here}/seats/1/claim", json={"code": made["seats"][1]["invite"]})
    assert claimed.status_code == 201
    own = {"Authorization": f"Bearer {made['seats'][0]['token']}"}
    view: Any = closed.get(f"{here}?expand=legal_moves", headers=own).json
    move = {"move": view["legal_moves"]["moves"][0]["move"]}
    assert closed.post(f"{here}/moves", json=move, headers={**own, "If-Match": '"1"'}).status_code in {201, 412}
    assert closed.get(here).status_code == 200
    assert closed.get(view["picture_url"]).status_code == 200
    for path in ("/v1/games", "/v1/games/pebbles", "/v1/limits", "/v1/problems", "/healthz", "/openapi.json"):
        assert closed.get(path).status_code == 200


def test_a_job_belongs_to_the_key_it_was_made_with(client: FlaskClient, store: KeyStore) -> None:
    mine, yours = key(store), key(store)
    here = search(client, **mine).headers["Location"]
    bearer = {"Authorization": "Bearer me"}
    for headers in (mine, {**mine, **bearer}):
        assert client.get(here, headers=headers).status_code == 200
    for headers in (yours, bearer, {}):
        for method in ("GET", "DELETE"):
            assert code(client.open(here, method=method, headers=headers)) == (404, "unknown-job")


def test_an_idempotency_key_counts_for_the_key_that_sent_it(client: FlaskClient, store: KeyStore) -> None:
    mine, yours = key(store), key(store)
    named = {"Idempotency-Key": "game-1"}
    first, again, other = (client.post(SESSIONS, json=PEBBLES, headers={**who, **named}) for who in (mine, mine, yours))
    assert first.json == again.json != other.json
    assert again.headers["Idempotency-Replayed"] == "true"
    assert code(client.post(SESSIONS, json=PEBBLES, headers=named)) == (422, "invalid-idempotency-key")


def test_a_kept_answer_opens_to_nobody_who_guesses_its_name_without_the_key(client: FlaskClient) -> None:
    asked = Request("POST", SESSIONS, body=b"{}")
    with client.application.app_context():
        mine, guessed = (IdempotencyKey.of("game-1", key, asked) for key in ("dorf_mine", None))
        assert mine.secret != guessed.secret
        assert mine.operation != guessed.operation


def test_no_log_line_has_a_key(redis_url: str, store: KeyStore, capfd: pytest.CaptureFixture[str]) -> None:
    talkative = create_app(Settings(redis_url=redis_url, log_level="debug"), {GAME.slug: GAME}).test_client()
    mine = key(store)
    search(talkative, **mine)
    talkative.get("/v1/games", headers={"Api-Key": mine["Api-Key"][:-1]})
    application()  # speaks of nothing again
    lines = capfd.readouterr().err.splitlines()
    assert [json.loads(line)["status"] for line in lines] == [201, 202, 401]
    assert "dorf_" not in "".join(lines)


def test_without_a_store_a_key_opens_nothing_and_what_needs_none_goes_on() -> None:
    client = application(redis_url=NOWHERE).test_client()
    sent = {"Api-Key": f"dorf_{'0' * 12}_{'x' * 43}"}
    assert code(client.post("/v1/games/pebbles/snapshots", json={"seat_count": 2}, headers=sent)) == (503, "store-away")
    assert client.post("/v1/games/pebbles/snapshots", json={"seat_count": 2}).status_code == 201
