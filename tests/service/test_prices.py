"""Jobs are priced before they begin, and a key can read its permissions and its remaining quota."""

from dataclasses import replace
from typing import Any, Final

import pytest
from flask import Flask
from flask.testing import FlaskClient
from redis import Redis

from service.auth.api_keys import JOBS, PLAY_SCOPE, WEBHOOKS, KeyStore
from service.http.context import AppContext
from service.jobs import queues
from service.jobs.submit import JOB_KINDS
from tests.service.kit import changed
from tests.service.test_keys import code

PRICE: Final = "?validate_only=true"
BOTS: Final[list[dict[str, Any]]] = [{"bot": {"level": "random"}}, {"bot": {"level": "random"}}]
ENTRANTS: Final = [{"bot": {"level": "random"}}, {"bot": {"level": "greedy"}}]
BUDGET: Final = {"budget": {"iterations": 50}}
PATHS: Final = {
    "search": "searches",
    "search_batch": "searches:batch",
    "review": "reviews",
    "simulation": "simulations",
    "tournament": "tournaments",
}
COSTS: Final = {"search": 50, "search_batch": 100, "review": 200, "simulation": 7, "tournament": 6}


def finish_session(client: FlaskClient) -> tuple[str, dict[str, str]]:
    made: Any = client.post("/v1/sessions", json={"game": "pebbles", "seats": [{"kind": "human"}] * 2}).json
    here = made["links"]["session"]
    seats = [{"Authorization": f"Bearer {seat['token']}"} for seat in made["seats"]]
    for seat in seats:
        listed: Any = client.get(f"{here}/legal-moves", headers=seat)
        body = {"move": listed.json["moves"][0]["move"]}
        played = client.post(f"{here}/moves", json=body, headers={**seat, "If-Match": listed.headers["ETag"]})
        assert played.status_code == 201, played.text
    client.post(f"{here}/resign", json={"then": "forfeit"}, headers=seats[0])
    return made["id"], seats[0]


def order(client: FlaskClient, kind: str) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the body of a job of a kind, and the headers that it needs."""
    if kind == "review":
        session, seat = finish_session(client)
        return {"session": session, "iterations": 100}, seat
    body: dict[str, Any] = {"game": "pebbles", "seed": "s"}
    if kind == "simulation":
        return {**body, "seats": BOTS, "games": 7}, {}
    if kind == "tournament":
        return {**body, "seat_count": 2, "entrants": ENTRANTS, "games": 6}, {}
    made: Any = client.post("/v1/games/pebbles/snapshots", json={"seat_count": 2, "seed": "s"}).json
    seated = {"snapshot": made["snapshot"], "seat": made["actors"][0]}
    if kind == "search":
        return {**body, **BUDGET, **seated}, {}
    return {**body, **BUDGET, "positions": [{"id": "one", **seated}, {"id": "two", **seated}]}, {}


def test_every_kind_of_job_has_a_price(client: FlaskClient) -> None:
    rules = [rule.rule for rule in client.application.url_map.iter_rules()]
    assert PATHS.keys() == set(JOB_KINDS.values()) == COSTS.keys()
    assert {f"/v1/jobs/{path}" for path in PATHS.values()} <= set(rules)


@pytest.mark.parametrize("kind", PATHS)
def test_a_price_is_the_later_cost_and_nothing_begins(client: FlaskClient, redis_client: Redis, kind: str) -> None:
    path = f"/v1/jobs/{PATHS[kind]}"
    body, headers = order(client, kind)
    headers = {**headers, "Idempotency-Key": "3f1f9a5e-0d3b-4a3e-9a60-0f0a6c6d9b11"}
    before = sorted(redis_client.keys())
    quoted: Any = client.post(path + PRICE, json=body, headers=headers)
    assert quoted.status_code == 200, quoted.text
    assert (quoted.json["id"], quoted.json["kind"], quoted.json["state"]) == ("", kind, "queued")
    assert "Location" not in quoted.headers
    assert sorted(redis_client.keys()) == before
    started: Any = client.post(path, json=body, headers=headers)
    assert started.status_code == 202, started.text
    assert started.json["cost"] == quoted.json["cost"] == {"playouts": COSTS[kind]}
    assert started.json["progress"] == quoted.json["progress"]
    assert "Idempotency-Replayed" not in started.headers
    again: Any = client.post(path, json=body, headers=headers)
    assert (again.json, again.headers["Idempotency-Replayed"]) == (started.json, "true")
    assert redis_client.zcard(queues.OPEN_JOBS) == 1
    assert code(client.post(path, json={**body, "seed": "other"}, headers=headers)) == (422, "idempotency-key-reused")


@pytest.mark.parametrize("kind", PATHS)
def test_a_price_needs_what_the_job_needs(client: FlaskClient, redis_client: Redis, kind: str) -> None:
    path = f"/v1/jobs/{PATHS[kind]}{PRICE}"
    assert code(client.post(path, json={})) == (422, "invalid-body")
    player = {"Api-Key": KeyStore(redis_client).add("phone", [PLAY_SCOPE])[1]}
    assert code(client.post(path, json={}, headers=player)) == (403, "scope-missing")
    body, _ = order(client, kind)
    assert code(client.post(path.replace("true", "yes"), json=body)) == (422, "invalid-query")
    malformed = {"Idempotency-Key": "x" * 129}
    assert code(client.post(path, json=body, headers=malformed)) == (422, "invalid-idempotency-key")
    wrong = {**body, "iterations": 10**9} if kind == "review" else {**body, "game": "halma"}
    assert client.post(path, json=wrong).status_code in {401, 404, 422}


def test_a_price_beyond_the_quota_is_told_and_charges_nothing(client: FlaskClient, redis_client: Redis) -> None:
    worker = {"Api-Key": KeyStore(redis_client).add("batches", [JOBS], playouts_per_hour=10)[1]}
    for games in (7, 7, 70):
        body = {"game": "pebbles", "seats": BOTS, "games": games}
        quoted: Any = client.post(f"/v1/jobs/simulations{PRICE}", json=body, headers=worker)
        assert quoted.json["cost"] == {"playouts": games}
        assert '"playouts";r=10;' in quoted.headers["RateLimit"]
    assert client.post("/v1/jobs/simulations", json=body, headers=worker).status_code == 422


def test_a_key_learns_its_scopes_limits_and_what_is_left(client: FlaskClient, redis_client: Redis) -> None:
    store = KeyStore(redis_client)
    made, text = store.add("batches", [JOBS, WEBHOOKS], 120, 1_000, 5_000_000)
    mine = {"Api-Key": text}
    client.post("/v1/jobs/simulations", json={"game": "pebbles", "seats": BOTS, "games": 400}, headers=mine)
    shown = client.get("/v1/keys/current", headers=mine)
    told: Any = shown.json
    assert (told["id"], told["name"], told["scopes"]) == (made.id, "batches", [JOBS, WEBHOOKS])
    assert told["limits"] == {"games_per_job": 5_000_000, "open_jobs": 100}
    quotas = told["quotas"]
    assert (quotas["requests"]["amount"], quotas["requests"]["window_seconds"]) == (120, 60)
    assert quotas["requests"]["remaining"] == 118
    assert (quotas["playouts"]["amount"], quotas["playouts"]["remaining"]) == (1_000, 600)
    assert 0 < quotas["playouts"]["renews_in_seconds"] <= quotas["playouts"]["window_seconds"] == 3600
    assert '"playouts";r=600;' in shown.headers["RateLimit"]
    assert shown.headers["Cache-Control"] == "no-store"
    assert text.split("_", 2)[2] not in shown.text
    assert made.hashed not in shown.text


def test_a_key_of_any_scope_may_ask_and_nobody_without_one(client: FlaskClient, redis_client: Redis) -> None:
    store = KeyStore(redis_client)
    for scope in (PLAY_SCOPE, JOBS, WEBHOOKS):
        told: Any = client.get("/v1/keys/current", headers={"Api-Key": store.add("one", [scope])[1]})
        assert (told.status_code, told.json["scopes"]) == (200, [scope])
    assert code(client.get("/v1/keys/current")) == (401, "key-needed")
    assert code(client.get("/v1/keys/current", headers={"Api-Key": "dorf_guessed"})) == (401, "unknown-key")


def test_a_quota_without_a_bound_is_left_out(client: FlaskClient, redis_client: Redis) -> None:
    text = KeyStore(redis_client).add("studio", [JOBS], requests_per_minute=0, playouts_per_hour=0)[1]
    told: Any = client.get("/v1/keys/current", headers={"Api-Key": text}).json
    assert told["quotas"] == {}


@pytest.mark.parametrize(("count", "longest"), [(1, 1_500), (2, 1_000), (3, 666)])
def test_the_positions_of_a_batch_share_its_time(
    every_game: Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch, count: int, longest: int
) -> None:
    house: AppContext = every_game.extensions["context"]
    limits = replace(house.settings.limits, batch_seconds=2, search_milliseconds=1_500)
    body, _ = order(client, "search_batch")
    body["positions"] = body["positions"][:1] * count
    monkeypatch.setitem(
        every_game.extensions, "context", changed(house, settings=replace(house.settings, limits=limits))
    )
    longer = client.post(f"/v1/jobs/searches:batch{PRICE}", json={**body, "budget": {"milliseconds": longest + 1}})
    assert longer.json is not None
    fault = {"in": "body", "pointer": "/budget/milliseconds", "detail": f"Must be a number from 1 to {longest:,}."}
    assert longer.json["errors"] == [fault]
    permitted = client.post(f"/v1/jobs/searches:batch{PRICE}", json={**body, "budget": {"milliseconds": longest}})
    assert permitted.status_code == 200, permitted.text
