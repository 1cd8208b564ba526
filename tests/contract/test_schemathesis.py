"""A fuzzer reads the published document and finds nothing: no 500, no undocumented answer, no bad input accepted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import hypothesis
import pytest
import schemathesis
from flask import Flask
from redis import Redis
from schemathesis import Case

from service.app import create_app
from service.house import House
from service.keys import SCOPES, KeyStore
from service.settings import Settings

CONFIG: Final = """
[generation]
deterministic = true
database = "none"

[checks]
missing_required_header.expected-statuses = [400, 401, 415, 422, 428]

# A body of the right form may still be no table, no legal move, or a seat that the game has not.
[[operations]]
include-method = ["POST", "PUT"]
checks.positive_data_acceptance.expected-statuses = ["2xx", 400, 401, 403, 404, 409, 412, 422, 428]
"""

DRAWN_ONLY: Final = """
# What examples and every edge of every field bring about was seen without a key.
[phases.examples]
enabled = false
[phases.coverage]
enabled = false
"""


@dataclass
class Door:
    """A WSGI application whose inside is changed once a Redis is there; tests are named before."""

    inside: Any

    def __call__(self, environ: Any, start_response: Any) -> Any:
        """Pass the request in."""
        return self.inside(environ, start_response)


def application(redis_url: str) -> Flask:
    """Return an application with every game."""
    return create_app(Settings(redis_url=redis_url, log_level="critical"))


def fuzzed(examples: int) -> hypothesis.settings:
    """Return how a fuzzer goes about it, the same each time."""
    return hypothesis.settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture],
    )


DOOR = Door(application("redis://127.0.0.1:1/0"))
schema = schemathesis.openapi.from_wsgi("/openapi.json", DOOR, config=schemathesis.Config.from_str(CONFIG))
drawn = schemathesis.openapi.from_wsgi("/openapi.json", DOOR, config=schemathesis.Config.from_str(CONFIG + DRAWN_ONLY))


@pytest.fixture(scope="module")
def app(redis_server: str) -> Flask:
    """Return an application with what it needs."""
    return application(redis_server)


@pytest.fixture
def open_service(app: Flask, redis_url: str) -> None:  # noqa: ARG001 -- an empty store
    """Let the door lead to it."""
    DOOR.inside = app


@pytest.fixture
def key(app: Flask, open_service: None, redis_client: Redis) -> Iterator[str]:  # noqa: ARG001 -- where the door leads
    """Yield a key that may do everything, of a service that begins nothing without one."""
    house: House = app.extensions["house"]
    app.extensions["house"] = replace(house, settings=replace(house.settings, keys_required=True))
    yield KeyStore(redis_client).add("the fuzzer", SCOPES)[1]
    app.extensions["house"] = house


@pytest.mark.usefixtures("open_service")
@schema.parametrize()
@fuzzed(15)
def test_the_fuzzer_finds_nothing_wrong(case: Case[Any]) -> None:
    case.call_and_validate()


@drawn.parametrize()
@fuzzed(5)
def test_the_fuzzer_finds_nothing_wrong_with_a_key_where_keys_are_demanded(case: Case[Any], key: str) -> None:
    case.call_and_validate(headers={"Api-Key": key})
