"""What tests of the stateless engine share: an application, and whole games played over HTTP."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from games.core.game import Game
from service.app import create_app
from service.settings import Limits, Settings
from tests.toy import GAME

NOWHERE = "redis://127.0.0.1:1/0"
"""A Redis that is not there."""

PEBBLES = "/v1/games/pebbles"


def application(games: Mapping[str, Game] | None = None, redis_url: str = NOWHERE, **limits: int) -> Flask:
    settings = Settings(redis_url=redis_url, log_level="critical", limits=Limits(**limits))
    return create_app(settings, {GAME.slug: GAME} if games is None else games)


def snapshot(client: FlaskClient, game: str = "pebbles", **body: Any) -> dict[str, Any]:
    """Return a new snapshot, of two seats and a fixed seed unless said otherwise."""
    answer = client.post(f"/v1/games/{game}/snapshots", json={"seat_count": 2, "seed": "a seed", **body})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json["snapshot"]  # type: ignore[index]
    return made


def plays(
    client: FlaskClient, game: str, start: dict[str, Any], choice: Random
) -> Iterator[tuple[dict[str, Any], TestResponse]]:
    current = start
    actors = client.post(f"/v1/games/{game}/snapshots", json={"seat_count": 2, "seed": "a seed"}).json["actors"]  # type: ignore[index]
    while actors:
        seat = choice.choice(actors)
        listed = client.post(f"/v1/games/{game}/legal-moves", json={"snapshot": current, "seat": seat}).json
        assert listed is not None
        assert listed["count"] == len(listed["moves"]) > 0
        request = {"snapshot": current, "seat": seat, "move": choice.choice(listed["moves"])["move"]}
        answer = client.post(f"/v1/games/{game}/moves", json=request)
        assert answer.status_code == 200, answer.text
        assert answer.json is not None
        yield request, answer
        current, actors = answer.json["snapshot"], answer.json["actors"]
