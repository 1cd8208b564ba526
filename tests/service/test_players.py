"""The players of a job: how many games they may play, for how long, and the names that they get."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from redis import Redis

from service.api.players import games_of_tally
from service.auth.api_keys import JOBS, KeyStore
from service.settings import Limits
from tests.service.kit import changed

BOT = {"bot": {"level": "random"}}
REMOTE = {"bot": {"url": "https://bot.example/decide"}}
LIMITS = Limits(
    simulation_games=10, remote_games=4, tally_games=1_000, simulation_seconds=60, remote_seconds=90, open_jobs=99
)


@pytest.fixture
def limited(every_game: Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> FlaskClient:
    """Return a client of a service with small limits."""
    house = every_game.extensions["context"]
    settings = replace(house.settings, limits=LIMITS)
    monkeypatch.setitem(every_game.extensions, "context", changed(house, settings=settings))
    return client


def simulate(client: FlaskClient, headers: dict[str, str], games: int, *bots: dict[str, Any], **more: Any) -> Any:
    body = {"game": "pebbles", "seats": list(bots), "games": games, "seed": "s", **more}
    return client.post("/v1/jobs/simulations?validate_only=true", json=body, headers=headers)


def key(redis_client: Redis, **quotas: int) -> dict[str, str]:
    return {"Api-Key": KeyStore(redis_client).add("jobs", [JOBS], **quotas)[1]}


@pytest.mark.parametrize(("bots", "most"), [([BOT, BOT], 10), ([BOT, REMOTE], 4), ([REMOTE, REMOTE], 4)])
def test_games_are_limited_by_the_kind_of_the_players(
    limited: FlaskClient, redis_client: Redis, bots: list[dict[str, Any]], most: int
) -> None:
    headers = key(redis_client)
    assert simulate(limited, headers, most, *bots).status_code == 200
    refused: Any = simulate(limited, headers, most + 1, *bots).json
    assert [(each["pointer"], each["detail"]) for each in refused["errors"]] == [
        ("/games", f"Must be a number from 1 to {most}.")
    ]


def test_a_remote_bot_needs_a_key_and_a_public_address(limited: FlaskClient, redis_client: Redis) -> None:
    assert simulate(limited, {}, 1, BOT, REMOTE).status_code == 401
    for url in ("https://10.0.0.1/", "http://bot.example/", "https://localhost:0/"):
        refused: Any = simulate(limited, key(redis_client), 1, BOT, {"bot": {"url": url}}).json
        assert [each["pointer"] for each in refused["errors"]] == ["/seats/1/bot/url"]


def test_games_that_are_not_kept_have_a_limit_of_the_key(limited: FlaskClient, redis_client: Redis) -> None:
    headers, rich = key(redis_client), key(redis_client, games_per_job=500)
    found = [
        simulate(limited, headers, games, BOT, BOT, games_kept=False).status_code
        for headers, games in ((headers, 10), (headers, 11), (rich, 500), (rich, 501), (rich, 1_001))
    ]
    assert found == [200, 403, 200, 403, 422]
    kept: Any = simulate(limited, rich, 4, BOT, REMOTE, games_kept=False).json
    assert [each["pointer"] for each in kept["errors"]] == ["/games_kept"]


@pytest.mark.parametrize(
    ("given", "most"), [(None, 10), (0, 10), (9, 10), (10, 10), (11, 11), (1_000, 1_000), (1_001, 1_000)]
)
def test_a_key_raises_the_games_of_a_job_up_to_the_limit_of_the_service(given: int | None, most: int) -> None:
    holder: Any = SimpleNamespace(games_per_job=given)
    assert games_of_tally(holder, LIMITS) == most
    assert games_of_tally(None, LIMITS) == 10
