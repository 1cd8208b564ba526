"""Simulations with only a count, over HTTP: permissions, number of games, and costs."""

from typing import Any

import pytest
from flask.testing import FlaskClient
from redis import Redis
from werkzeug.test import TestResponse

from service.auth.api_keys import JOBS, KeyStore
from service.auth.rate_limits import RateLimiter, playouts
from service.jobs import counters, queues
from service.jobs.leases import Lease, Portion
from service.jobs.refunds import refund
from service.settings import Limits
from tests.toy import GAME as PEBBLES

SIMULATIONS = "/v1/jobs/simulations"
USUAL, LARGEST = Limits().simulation_games, Limits().tally_games
REMOTE = {"bot": {"url": "https://bots.example/pebbles"}}


def keyed(redis_client: Redis, **own: int) -> dict[str, str]:
    return {"Api-Key": KeyStore(redis_client).add("tests", [JOBS], **own)[1]}


def ask(client: FlaskClient, games: int | None, headers: dict[str, str] | None = None, **body: Any) -> TestResponse:
    sent = {"game": PEBBLES.slug, "seats": [{"bot": {"level": "random"}}] * 2, "games": games, "games_kept": False}
    sent = {name: part for name, part in (sent | body).items() if part is not None}
    return client.post(SIMULATIONS, json=sent, headers=headers or {})


def read_body(answer: TestResponse) -> Any:
    return answer.json


def job_keys(redis_client: Redis) -> list[Any]:
    return list(redis_client.keys("j:{*"))


@pytest.mark.parametrize(
    ("own", "games", "most"),
    [
        pytest.param(None, USUAL + 1, USUAL, id="without a key"),
        pytest.param({}, USUAL + 1, USUAL, id="with a plain key"),
        pytest.param({"games_per_job": 2 * USUAL}, 2 * USUAL + 1, 2 * USUAL, id="with a key that was given fewer"),
        pytest.param({"games_per_job": 1}, USUAL + 1, USUAL, id="with a key that was given less than all have"),
    ],
)
def test_a_refusal_names_the_allowed_number_of_games(
    client: FlaskClient, redis_client: Redis, own: dict[str, int] | None, games: int, most: int
) -> None:
    headers = {} if own is None else keyed(redis_client, **own)
    refused = ask(client, games, headers)
    assert (refused.status_code, read_body(refused)["code"]) == (403, "too-many-games")
    assert f"{most:,}" in read_body(refused)["detail"]
    assert job_keys(redis_client) == []
    assert redis_client.zcard(queues.OPEN_JOBS) == 0
    assert ask(client, most, headers).status_code == 202


def test_a_key_may_have_a_hundred_million_games_and_no_more(client: FlaskClient, redis_client: Redis) -> None:
    headers = keyed(redis_client, games_per_job=10 * LARGEST)
    made = read_body(ask(client, LARGEST, headers))
    assert made["progress"] == {"done": 0, "total": LARGEST}
    assert made["cost"] == {"playouts": LARGEST}
    assert made["expires_at"][:10] > made["created_at"][:10]
    assert redis_client.hget(queues.record_key(made["id"]), "items") == str(LARGEST // 2).encode()
    beyond = ask(client, LARGEST + 1, headers)
    assert (beyond.status_code, read_body(beyond)["errors"][0]["pointer"]) == (422, "/games")
    kept = ask(client, USUAL + 1, headers, games_kept=True)
    assert (kept.status_code, read_body(kept)["errors"][0]["pointer"]) == (422, "/games")


def test_a_large_job_lives_longer_and_its_tasks_no_longer_than_others(client: FlaskClient, redis_client: Redis) -> None:
    headers = keyed(redis_client, games_per_job=LARGEST)
    small, large = (read_body(ask(client, games, headers))["id"] for games in (USUAL, USUAL + 1))
    limits = Limits()
    for job, hours in ((small, limits.job_hours), (large, limits.tally_hours)):
        assert 3_600 * (hours - 1) < redis_client.ttl(queues.record_key(job)) <= 3_600 * hours
        seconds = int(redis_client.hget(queues.record_key(job), "seconds") or 0)
        assert limits.simulation_seconds < seconds <= 2 * limits.simulation_seconds


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        pytest.param({"games_kept": "no"}, "/games_kept", id="no truth value"),
        pytest.param({"seats": [{"bot": {"level": "random"}}, REMOTE]}, "/games_kept", id="a bot at a URL"),
        pytest.param({"until": {"half_width": 0.1, "max_games": 9}}, None, id="a number of games and a rule"),
        pytest.param({"games": None, "until": {"half_width": 0.1, "max_games": 9}}, "/games_kept", id="a rule"),
    ],
)
def test_jobs_without_a_tally_are_refused_and_change_nothing(
    client: FlaskClient, redis_client: Redis, body: dict[str, Any], pointer: str | None
) -> None:
    refused = ask(client, headers=keyed(redis_client), **{"games": 9, **body})
    assert (refused.status_code, read_body(refused)["code"]) == (422, "invalid-body")
    assert pointer is None or read_body(refused)["errors"][0]["pointer"] == pointer
    assert job_keys(redis_client) == []


def test_games_that_are_not_kept_cannot_be_read_and_have_no_chart_yet(client: FlaskClient) -> None:
    here = ask(client, 9).headers["Location"]
    games = client.get(f"{here}/games")
    assert (games.status_code, read_body(games)["code"]) == (404, "games-not-kept")
    assert read_body(client.get(f"{here}/chart"))["code"] == "nothing-counted"
    assert read_body(client.get(f"{here}/results"))["code"] == "no-such-part"


def test_a_key_is_charged_and_gets_back_what_was_not_played(client: FlaskClient, redis_client: Redis) -> None:
    headers = keyed(redis_client, games_per_job=LARGEST, playouts_per_hour=1_000_000)
    beyond = ask(client, 1_000_001, headers)
    assert (beyond.status_code, read_body(beyond)["code"]) == (422, "quota-too-small")
    job = read_body(ask(client, 900_000, headers))["id"]
    assert read_body(ask(client, 100_001, headers))["code"] == "playouts-spent"
    lease = Lease.take(redis_client, job, "task", Portion(150_000, 150_000))
    assert lease is not None
    assert (lease.end - lease.first) == 150_000
    counters.add(lease, {"games": 300_000}, lease.end, 300_000, 1)
    assert client.delete(f"/v1/jobs/{job}", headers=headers).status_code == 200
    refund(redis_client, Limits(), job)
    (made,) = KeyStore(redis_client).every()
    quota = playouts(made, Limits())
    assert quota is not None
    assert RateLimiter(redis_client).standing(quota, f"key-{made.id}").left == 700_000
