"""A fuzzer reads the published document and finds nothing: no 500, no undocumented answer, no bad input accepted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import hypothesis
import pytest
import schemathesis
from flask import Flask
from schemathesis import Case

from service.app import create_app
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


@dataclass
class Door:
    """A WSGI application whose inside is changed once a Redis is there; tests are named before."""

    inside: Any

    def __call__(self, environ: Any, start_response: Any) -> Any:
        """Pass the request in."""
        return self.inside(environ, start_response)


def application(redis_url: str) -> Flask:
    return create_app(Settings(redis_url=redis_url, log_level="critical"))


DOOR = Door(application("redis://127.0.0.1:1/0"))
schema = schemathesis.openapi.from_wsgi("/openapi.json", DOOR, config=schemathesis.Config.from_str(CONFIG))


@pytest.fixture
def everything_there(redis_url: str) -> None:
    """Give the application what it needs."""
    DOOR.inside = application(redis_url)


@pytest.mark.usefixtures("everything_there")
@schema.parametrize()
@hypothesis.settings(
    max_examples=15,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture],
)
def test_the_fuzzer_finds_nothing_wrong(case: Case[Any]) -> None:
    case.call_and_validate()
