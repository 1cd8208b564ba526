"""A fuzzer reads the published document and finds nothing: no 500, no undocumented answer, no bad input accepted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

import hypothesis
import msgspec
import pytest
import yaml
from flask import Flask
from redis import Redis

from games.core.dice import FastDice
from games.core.registry import registered
from service.app import create_app
from service.auth.api_keys import SCOPES, KeyStore
from service.http.context import AppContext
from service.settings import Settings
from tests.service.kit import changed

if TYPE_CHECKING:
    from schemathesis import Case, HookContext
    from schemathesis.schemas import BaseSchema

DOCUMENT: Final = Path(__file__).resolve().parents[2] / "openapi" / "openapi.yaml"
PATHS: Final = yaml.load(DOCUMENT.read_bytes(), yaml.CSafeLoader)["paths"]
METHODS: Final = {"get", "put", "post", "delete", "patch"}
OPERATIONS: Final = {
    f"{method.upper()} {path}": operation
    for path, of in PATHS.items()
    for method, operation in of.items()
    if method in METHODS
}
KEYED: Final = [
    label for label, operation in OPERATIONS.items() if any("key" in each for each in operation.get("security", ()))
]
"""The operations that accept an API key."""

CONFIG: Final = """
[generation]
deterministic = true
database = "none"

[checks]
# A list of more than it may have may be too long to be read at all.
negative_data_rejection.expected-statuses = [400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429, "5xx"]
missing_required_header.expected-statuses = [400, 401, 415, 422, 428]

"""

WITH_BODIES: Final = """
positive_data_acceptance.expected-statuses = ["2xx", 400, 401, 403, 404, 409, 412, 413, 422, 428]
"""
"""A further check: a body of the right form may still be no table, no legal move, or a seat that the game has not."""

AT_HOME: Final = {
    "View": "POST /v1/games/{game}/pictures",
    "MoveOrCode": "POST /v1/games/{game}/moves",
    "Move": "POST /v1/games/{game}/moves",
}
"""Operations at which a union is tested that many operations take by the same code; the others get few values."""

REFERENCE: Final = "#/components/schemas/"

SAMPLING_STEP: Final = 40
"""Interval of the further values that are sent at a tried edge of a field."""


class Edges:
    """A choice of the possible requests: each edge of each field once, and a share of further values there."""

    def __init__(self) -> None:
        self._sent: Counter[tuple[Any, ...]] = Counter()

    def picks(self, case: Case[Any]) -> bool:
        """Return whether a request is sent; randomly drawn requests always are."""
        from schemathesis.generation.meta import CoveragePhaseData

        data = case.meta.phase.data if case.meta else None
        if not isinstance(data, CoveragePhaseData):
            return True
        edge = (case.method, data.scenario, data.description, data.parameter_location, data.parameter)
        sent = self._sent[edge]
        self._sent[edge] += 1
        return sent == 0 or (crc32(repr(edge).encode()) + sent) % SAMPLING_STEP == 0


def application(redis_url: str) -> Flask:
    return create_app(Settings(redis_url=redis_url, log_level="critical"))


def values() -> dict[str, list[Any]]:
    """Return values of the unions: the view and the legal moves of the first seat of each game."""
    views, moves = [], []
    for game in registered().values():
        table = game.new(game.seat_numbers[0], next(iter(game.presets.values())), FastDice(1))
        seat = game.actors(table)[0]
        views.append(msgspec.to_builtins(game.view(table, seat)))
        moves.append(msgspec.to_builtins(game.decode(table, game.legal(table, seat)[0])))
    return {"View": views, "Move": moves, "MoveOrCode": [*moves, {"code": 1}]}


def narrowed(schema: Any, schemas: dict[str, Any], given: dict[str, list[Any]]) -> Any:
    if isinstance(schema, list):
        return [narrowed(each, schemas, given) for each in schema]
    if not isinstance(schema, dict):
        return schema
    name = schema["$ref"].removeprefix(REFERENCE) if isinstance(schema.get("$ref"), str) else None
    if name in given:
        return {"enum": given[name]}
    if name in AT_HOME:
        return schema
    whole = schema if name is None else schemas[name]
    return {key: narrowed(value, schemas, given) for key, value in whole.items()}


def fuzz(document: BaseSchema, label: str, examples: int, *, whole: bool, **headers: str) -> None:
    """Send requests to an operation, the same each time, and check the answers; `whole` is in all the ways there are.

    They are made up here and not when tests are collected, as `schema.parametrize` does: that takes a minute of CPU.
    """
    from schemathesis.generation.hypothesis.builder import HypothesisTestConfig, HypothesisTestMode, create_test

    path = label.partition(" ")[2]
    operation = document[path][label.partition(" ")[0]]
    settings = hypothesis.settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        database=None,
    )

    edges = Edges()

    def filter_case(_context: HookContext, case: Case[Any]) -> bool:
        return edges.picks(case)

    @document.hooks.apply(filter_case)
    def check(case: Case[Any]) -> None:
        case.call_and_validate(headers={"Accept-Encoding": "identity", **headers})

    modes = list(HypothesisTestMode) if whole else [HypothesisTestMode.FUZZING]
    config = HypothesisTestConfig(project=document.config, modes=modes, explicit_settings=settings)
    create_test(operation=operation, test_func=check, config=config)()


@pytest.fixture(scope="module")
def app(redis_server: str) -> Flask:
    return application(redis_server)


@pytest.fixture(scope="module")
def documents(app: Flask) -> dict[str, BaseSchema]:
    """Return the published document by operation, with few values of the parts that are tested elsewhere.

    Checks of a few operations would be looked up again for each request, so there are two documents.
    """
    import schemathesis
    from schemathesis.checks import load_all_checks

    load_all_checks()
    raw: Any = app.test_client().get("/openapi.json").json
    given = values()
    for path, operations in raw["paths"].items():
        for method, operation in operations.items():
            label = f"{method.upper()} {path}"
            elsewhere = {name: given[name] for name, at in AT_HOME.items() if at != label}
            for content in operation.get("requestBody", {}).get("content", {}).values():
                content["schema"] = narrowed(content["schema"], raw["components"]["schemas"], elsewhere)
    found: dict[str, BaseSchema] = {}
    for config, methods in ((CONFIG, {"GET", "DELETE"}), (CONFIG + WITH_BODIES, {"POST", "PUT"})):
        schema = schemathesis.openapi.from_dict(raw, config=schemathesis.Config.from_str(config))
        schema.app = app
        found |= {label: schema for label in OPERATIONS if label.partition(" ")[0] in methods}
    return found


@pytest.fixture
def key(app: Flask, redis_client: Redis) -> Iterator[str]:
    """Yield a key that may do everything, of a service that begins nothing without one."""
    house: AppContext = app.extensions["context"]
    app.extensions["context"] = changed(house, settings=replace(house.settings, keys_required=True))
    yield KeyStore(redis_client).add("the fuzzer", SCOPES)[1]
    app.extensions["context"] = house


def test_shared_unions_are_tested_at_one_operation() -> None:
    assert set(AT_HOME.values()) <= OPERATIONS.keys()


@pytest.mark.thorough
@pytest.mark.usefixtures("redis_client")
@pytest.mark.parametrize("label", OPERATIONS)
def test_the_fuzzer_finds_nothing_wrong(documents: dict[str, BaseSchema], label: str) -> None:
    fuzz(documents[label], label, 3, whole=True)


@pytest.mark.thorough
@pytest.mark.parametrize("label", KEYED)
def test_the_fuzzer_finds_nothing_wrong_behind_keys(documents: dict[str, BaseSchema], label: str, key: str) -> None:
    fuzz(documents[label], label, 2, whole=False, **{"Api-Key": key})
