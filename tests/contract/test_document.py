"""The OpenAPI document is valid, committed as generated, and matches the service."""

import ast
import re
import statistics
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from games.core.registry import registered
from games.core.texts import LANGUAGES
from service import api
from service.app import create_app
from service.contract.document import as_yaml, document
from service.http.problems import PROBLEMS, TEXTS
from tests.contract.recorder import FOLDER, recorded
from tests.contract.scenes import stateless
from tests.service.kit import application
from tests.toy import GAME

EXAMPLES = sorted(f"{file.parent.name}/{file.stem}" for file in FOLDER.glob("*/*.json"))
SOLVED = {
    "unknown-game", "unknown-session", "unknown-job", "unknown-webhook", "unknown-delivery", "unauthorized",
    "wrong-invite", "seat-without-person", "session-waiting", "not-dealt", "session-over", "session-running",
    "history-cut", "undo-pending", "no-undo-pending", "too-many-jobs", "too-many-sessions", "too-many-webhooks",
    "scope-missing",
}  # fmt: skip
"""Problems that a caller solves by another operation, or understands by it."""

REMEDY = "python3 dev.py run tests.contract.recorder writes openapi/ anew, with live also what has tokens and clocks"


@cache
def spec() -> dict[str, Any]:
    return document(create_app)


@cache
def operations() -> dict[str, tuple[str, str, dict[str, Any]]]:
    return {
        operation["operationId"]: (path, method, operation)
        for path, item in spec()["paths"].items()
        for method, operation in item.items()
        if isinstance(operation, dict)
    }


@cache
def examples() -> dict[str, dict[str, Any]]:
    return recorded()


def resolved(part: dict[str, Any]) -> dict[str, Any]:
    """Return the target of a part's reference in the document, or the part itself."""
    if "$ref" not in part:
        return part
    found: Any = spec()
    for step in part["$ref"].removeprefix("#/").split("/"):
        found = found[step]
    return {**found, **{key: value for key, value in part.items() if key != "$ref"}}


def fits(value: Any, schema: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator({**schema, "components": spec()["components"]}).validate(value)


def test_the_document_is_valid_openapi_3_1() -> None:
    import openapi_spec_validator

    openapi_spec_validator.validate(spec())
    assert spec()["openapi"] == "3.1.0"


def test_the_committed_document_is_what_the_service_generates() -> None:
    committed = (FOLDER.parent / "openapi.yaml").read_text("utf-8")
    assert as_yaml(spec()) == committed, REMEDY
    assert yaml.load(committed, yaml.CSafeLoader)["info"]["title"] == "Dorfplatz"


def test_every_operation_has_an_id_a_description_and_a_default_problem() -> None:
    assert len(operations()) == sum(
        isinstance(part, dict) for item in spec()["paths"].values() for part in item.values()
    )
    for name, (_, _, operation) in operations().items():
        assert re.fullmatch(r"[a-z][A-Za-z]+", name)
        assert operation["summary"]
        assert operation["description"]
        problem = resolved(operation["responses"]["default"])["content"]["application/problem+json"]["schema"]
        assert problem == {"$ref": "#/components/schemas/Problem"}


def test_only_views_have_a_schema_and_the_table_of_a_snapshot_has_none() -> None:
    table = spec()["components"]["schemas"]["Snapshot"]["properties"]["table"]
    assert table == {"type": "object", "description": "The table. Treat it as opaque."}
    assert spec()["components"]["schemas"]["Snapshot"]["required"] == ["game", "ruleset", "ply", "sealed"]
    records = {game.record_type.__name__ for game in registered().values()}
    assert not [name for name in spec()["components"]["schemas"] if any(name.endswith(record) for record in records)]


def test_no_two_components_are_numbered_apart() -> None:
    names = set(spec()["components"]["schemas"])
    assert not [name for name in names if name.rstrip("0123456789") in names - {name}]


def test_every_problem_of_the_table_may_stand_in_a_problem_document() -> None:
    assert spec()["components"]["schemas"]["ProblemCode"]["x-extensible-enum"] == list(PROBLEMS)


def test_every_operation_has_a_recorded_success() -> None:
    succeeded = {key.partition("/")[0] for key, example in examples().items() if example["response"]["status"] < 400}
    assert operations().keys() - succeeded == set(), REMEDY


@pytest.mark.parametrize("key", EXAMPLES)
def test_every_example_fits_its_schema(key: str) -> None:
    path, method, operation = operations()[key.partition("/")[0]]
    example = examples()[key]
    assert example["request"]["method"].lower() == method
    pattern = re.sub(r"\{\w+\}", "[^/]+", path)
    assert re.fullmatch(pattern, example["request"]["path"].partition("?")[0])
    said = example["response"]
    response = resolved(operation["responses"].get(str(said["status"]), operation["responses"]["default"]))
    if said["body"] is not None:
        fits(said["body"], response["content"][said["content_type"]]["schema"])
    if said["status"] < 400 and "body" in example["request"]:
        fits(example["request"]["body"], operation["requestBody"]["content"]["application/json"]["schema"])


def test_the_examples_of_stateless_operations_are_what_the_service_says_now() -> None:
    now = stateless().taken
    assert {key: examples().get(key) for key in now} == now, REMEDY


def test_a_further_game_needs_no_line_in_the_service() -> None:
    import openapi_spec_validator

    more = application({**registered(), GAME.slug: GAME}).extensions["openapi"].spec()
    openapi_spec_validator.validate(more)
    schemas = more["components"]["schemas"]
    assert "pebbles" in schemas["View"]["discriminator"]["mapping"]
    assert "bid_pebbles" in schemas["Move"]["discriminator"]["mapping"]
    without = {name: schema for name, schema in schemas.items() if not name.startswith("Pebbles")}
    growing = {"GameSlug", "Move", "MoveOrCode", "Event", "View", "Options"}
    assert {"PebblesMove", "PebblesEvent"} <= schemas.keys()
    assert {name: schema for name, schema in without.items() if name not in growing} == {
        name: schema for name, schema in spec()["components"]["schemas"].items() if name not in growing
    }


def test_an_operation_stands_under_few_decorators_the_route_among_them() -> None:
    methods = {"get", "post", "put", "patch", "delete"}
    heights = []
    for module in Path(str(api.__file__)).parent.glob("*.py"):
        for node in ast.walk(ast.parse(module.read_text("utf-8"))):
            decorators = getattr(node, "decorator_list", [])
            if any(
                isinstance(each, ast.Call) and ast.unparse(each.func).rpartition(".")[2] in methods
                for each in decorators
            ):
                heights.append(len(decorators))
    assert len(heights) >= len(operations())
    assert statistics.median(heights) <= 4
    assert max(heights) <= 6


POINTER = re.compile(r"(GET|POST|DELETE) (…?/[\w/-]+/…|…?/[\w/-]+)")


def pointers(text: str) -> list[tuple[str, str]]:
    """Return the operations that a text names by method and path, in the order of their names."""
    return sorted(POINTER.findall(text))


def names_operation(method: str, path: str) -> bool:
    pattern = re.escape(path.strip("…")).rstrip("/") + ("/[^/]+" if path.endswith("…") else "")
    return any(
        method.lower() in item and re.search(f"{pattern}$", re.sub(r"\{number\}", "0", re.sub(r"\{id\}", "x", known)))
        for known, item in spec()["paths"].items()
    )


def test_problems_that_another_operation_solves_name_it_in_every_language() -> None:
    details = {language: TEXTS.sections[language]["details"] for language in LANGUAGES}
    named = {code: pointers(text) for code, text in details["en"].items() if pointers(text)}
    assert named.keys() >= SOLVED
    for code, operations_named in named.items():
        for language in LANGUAGES:
            assert pointers(details[language][code]) == operations_named, (code, language)
        assert not [each for each in operations_named if not names_operation(*each)], code
