"""Fixtures of the streams' tests."""

import pytest
import redis
from flask import Flask

from games.core.registry import registered
from tests.service.kit import application
from tests.toy import GAME


@pytest.fixture(scope="session")
def every_game_at_once(redis_server: str) -> Flask:
    """Return an application that plays every game at the run's Redis, and sends heartbeats often."""
    return application({GAME.slug: GAME, **registered()}, redis_server, heartbeat_seconds=1, streams=12)


@pytest.fixture
def app(every_game_at_once: Flask, redis_client: redis.Redis) -> Flask:
    assert redis_client.dbsize() == 0
    return every_game_at_once
