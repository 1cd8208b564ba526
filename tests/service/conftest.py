"""An application that tests of the service share, for to make one costs as much as a whole test."""

import math

import pytest
from flask import Flask
from flask.testing import FlaskClient

from games.core.registry import registered
from service.http import pipeline
from tests.service.kit import application
from tests.toy import GAME


@pytest.fixture(autouse=True)
def _unhurried_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give batches time without end, because a full garbage collection alone can take what they have."""
    monkeypatch.setattr(pipeline, "BATCH_SECONDS", math.inf)


@pytest.fixture(scope="session")
def shared_app(redis_server: str) -> Flask:
    return application({GAME.slug: GAME, **registered()}, redis_server)


@pytest.fixture
def every_game(shared_app: Flask, redis_url: str) -> Flask:
    assert redis_url
    return shared_app


@pytest.fixture
def client(every_game: Flask) -> FlaskClient:
    """Return a client of an application with an empty Redis and no workers."""
    return every_game.test_client()
