"""Fixtures of the sessions' tests."""

from collections.abc import Iterator
from typing import Any

import pytest
import redis
from flask import Flask

from service.sessions import broadcasts
from service.telemetry import logs
from service.waiting import Wait
from tests.service.kit import Clock, Room, Sitting, application, freeze, open_room, sit
from tests.service.sessions.batched import WAYS


@pytest.fixture
def room(redis_url: str) -> Room:
    """Return the services of the use cases at an empty Redis."""
    return open_room(redis_url)


@pytest.fixture(scope="session")
def pebbles_table(redis_server: str) -> Flask:
    return application(redis_url=redis_server)


@pytest.fixture
def app(pebbles_table: Flask, redis_client: redis.Redis) -> Flask:
    assert redis_client.dbsize() == 0
    return pebbles_table


@pytest.fixture
def logged(capsys: pytest.CaptureFixture[str]) -> Iterator[pytest.CaptureFixture[str]]:
    logs.configure("info")
    yield capsys
    logs.configure("critical")


@pytest.fixture
def sitting(app: Flask) -> Sitting:
    return sit(app)


@pytest.fixture
def still(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sitting]:
    """Yield a session whose clock stands still, at which nobody waits for more than a moment."""
    monkeypatch.setattr(broadcasts, "Wait", lambda seconds: Wait(seconds / 100))
    with freeze(app, Clock()):
        yield sit(app)


@pytest.fixture(params=[*WAYS.values()], ids=[*WAYS])
def way(request: pytest.FixtureRequest) -> Any:
    return request.param
