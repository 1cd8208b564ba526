"""The document has the forms that generators of clients turn into usable types, and is small."""

import gzip
import json
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import msgspec
import pytest
from flask.testing import FlaskClient

from games.core.registry import registered
from service.app import create_app
from service.contract.examples import examples_folder
from service.contract.openapi_3_0 import older
from service.http.problems import MEDIA_TYPE, PROBLEMS
from service.sessions.session_events import HAPPENINGS
from service.webhooks.messages import HOOK_EVENTS, NOTICES

MAX_INTEGER: Final = 2**53 - 1
REFERENCE: Final = "#/components/schemas/"
MAX_OPERATION_BYTES: Final = 8_500
"""Bytes of the document for each operation: agents and generators read all of it."""


def subschemas(part: Any, place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every schema in a part of the document with its place; examples have none."""
    if isinstance(part, list):
        for number, each in enumerate(part):
            yield from subschemas(each, f"{place}/{number}")
    elif isinstance(part, dict):
        if {"type", "$ref", "oneOf", "anyOf", "enum", "const"} & part.keys() and not place.endswith("/properties"):
            yield place, part
        for key, value in part.items():
            if key not in {"example", "examples", "default", "contentSchema"}:
                yield from subschemas(value, f"{place}/{key}")


@cache
def client() -> FlaskClient:
    return create_app().test_client()


@cache
def spec() -> dict[str, Any]:
    served: dict[str, Any] = client().get("/openapi.json").json  # type: ignore[assignment]
    return served


@cache
def components() -> dict[str, Any]:
    found: dict[str, Any] = spec()["components"]["schemas"]
    return found


@cache
def every() -> list[tuple[str, dict[str, Any]]]:
    return [*subschemas(spec()["paths"], "paths"), *subschemas(components(), "schemas")]


@cache
def top() -> set[str]:
    return {f"schemas/{name}" for name in components()}


def types_of(schema: dict[str, Any]) -> list[Any]:
    kind = schema.get("type", [])
    return kind if isinstance(kind, list) else [kind]


def test_every_integer_has_bounds_and_those_beyond_32_bits_say_so() -> None:
    integers = [(place, schema) for place, schema in every() if "integer" in types_of(schema)]
    assert len(integers) > 300
    for place, schema in integers:
        assert -MAX_INTEGER <= schema["minimum"] <= schema["maximum"] <= MAX_INTEGER, place
        wide = schema["minimum"] < -(2**31) or schema["maximum"] > 2**31 - 1
        assert (schema.get("format") == "int64") is wide, place
    assert max(game.code_limit for game in registered().values()) > 2**31
    assert components()["MoveCode"]["properties"]["code"]["format"] == "int64"
    assert components()["Cost"]["properties"]["playouts"]["format"] == "int64"


def test_an_operation_has_one_type_of_success() -> None:
    for path, item in spec()["paths"].items():
        for operation in item.values():
            answers = [body for status, body in operation["responses"].items() if status.startswith("2")]
            for kind in {kind for body in answers for kind in body.get("content", {})}:
                forms = [body["content"][kind]["schema"] for body in answers if kind in body.get("content", {})]
                assert all(form == forms[0] for form in forms), f"{path}: {operation['operationId']}"


def test_times_say_that_they_are_times() -> None:
    named = ("_at", "_until")
    times = [
        (name, field, schema)
        for name, component in components().items()
        for field, schema in component.get("properties", {}).items()
        if field.endswith(named) or field in {"at", "timestamp", "deadline"}
    ]
    assert len(times) > 15
    assert not [(name, field) for name, field, schema in times if schema.get("format") != "date-time"]


def test_unions_are_components_and_each_is_told_apart_by_a_string() -> None:
    for place, schema in every():
        assert "anyOf" not in schema, place
        members = [member for member in schema.get("oneOf", []) if member != {"type": "null"}]
        if len(members) < 2:
            continue
        assert place in top(), place
        if not all("$ref" in member for member in members):
            assert {types_of(member)[0] for member in members} == {"integer", "string"}, place
            continue
        tag = schema["discriminator"]["propertyName"]
        mapping = schema["discriminator"]["mapping"]
        assert list(mapping.values()) == [member["$ref"] for member in members], place
        for name, reference in mapping.items():
            member = components()[reference.rpartition("/")[2]]
            assert member["properties"][tag] == {"type": "string", "const": name}
            assert tag in member["required"]


def tag_of(kind: type[msgspec.Struct]) -> str:
    return str(kind.__struct_config__.tag)


@pytest.mark.parametrize(("union", "kinds"), [("Move", "moves"), ("Event", "events")])
def test_each_game_has_unions_of_its_own(union: str, kinds: str) -> None:
    whole = [tag_of(kind) for game in registered().values() for kind in getattr(game, kinds)]
    around = [tag_of(kind) for kind in HAPPENINGS] if union == "Event" else []
    assert list(components()[union]["discriminator"]["mapping"]) == whole + around
    for slug, game in registered().items():
        prefix = "".join(word.capitalize() for word in slug.split("-"))
        mapping = components()[prefix + union]["discriminator"]["mapping"]
        assert list(mapping) == [tag_of(kind) for kind in getattr(game, kinds)]
    views = [tag_of(game.view_type) for game in registered().values()]
    assert list(components()["View"]["discriminator"]["mapping"]) == views


def test_choices_are_components_and_one_choice_is_a_constant() -> None:
    for place, schema in every():
        if "enum" in schema or "x-extensible-enum" in schema:
            assert place in top(), place
            assert schema["type"] == "string", place
            (values,) = (schema[key] for key in ("enum", "x-extensible-enum") if key in schema)
            assert len(values) > 1, place
        assert isinstance(schema.get("const", ""), str), place


def test_bodies_of_several_forms_are_one_object() -> None:
    for item in spec()["paths"].values():
        for operation in item.values():
            if "requestBody" in operation:
                schema = operation["requestBody"]["content"]["application/json"]["schema"]
                body = components()[schema["$ref"].rpartition("/")[2]]
                assert body["type"] == "object"
                assert body["additionalProperties"] is False
    requests = ("SearchRequest", "SimulationRequest", "TournamentRequest", "ReplayRequest", "PictureRequest")
    for name in (*requests, "Budget", "Bot", "Position", "Snapshot"):
        assert "Exactly one of these" in components()[name]["description"]


def test_no_component_has_the_name_of_the_constructor_of_another() -> None:
    """Go constructs a `Snapshot` by `NewSnapshot`."""
    built = {name for name, schema in components().items() if "properties" in schema}
    assert not components().keys() & {f"New{name}" for name in built}
    assert {"SnapshotRequest", "NewSession", "NewMove"} <= components().keys()


def test_a_list_that_may_be_null_may_be_left_out() -> None:
    """Go leaves such a list out if it is null."""
    lists = [
        (name, field, field in component.get("required", ()))
        for name, component in components().items()
        for field, schema in component.get("properties", {}).items()
        if types_of(schema) == ["array", "null"]
    ]
    assert len(lists) > 3
    assert not [(name, field) for name, field, required in lists if required]


def test_a_choice_that_may_be_null_may_be_left_out_and_stands_in_no_list() -> None:
    """C# reads null as such a choice where it may be left out, and in no list."""
    chosen = {f"{REFERENCE}{name}" for name, schema in components().items() if "enum" in schema}
    nullable = [
        (place, name)
        for place, schema in every()
        for name, field in {**schema.get("properties", {}), "items": schema.get("items", {})}.items()
        if {"type": "null"} in field.get("oneOf", ()) and {one.get("$ref") for one in field["oneOf"]} & chosen
        if name == "items" or name in schema.get("required", ())
    ]
    assert len(chosen) > 20
    assert nullable == []


def test_an_integer_that_may_be_left_out_and_be_0_may_be_null_in_answers() -> None:
    """C# distinguishes 0 from a missing value by null alone; missing flags are false."""
    for name in ("ListedMove", "MoveChecked", "HistoryLine", "MovePlayed", "SessionShown", "Problem"):
        for field, schema in components()[name]["properties"].items():
            if field not in components()[name].get("required", ()):
                assert schema.get("type") != "integer", f"{name}.{field}"
    for name, field in (("SeatShown", "out"), ("HistoryLine", "undone"), ("MoveMade", "fresh")):
        assert components()[name]["properties"][field]["default"] is False


def test_answers_are_open() -> None:
    waiting = [
        schema["$ref"].rpartition("/")[2]
        for item in spec()["paths"].values()
        for operation in item.values()
        for _, schema in subschemas(operation["responses"])
        if schema.get("$ref", "").startswith("#/components/schemas/")
    ]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            assert components()[name].get("additionalProperties") is not False, name
            found = subschemas(components()[name])
            waiting += [schema["$ref"].rpartition("/")[2] for _, schema in found if "$ref" in schema]
    assert {"HoherRatCouncilView", "SessionShown", "JobShown", "BarbarossaClay"} <= seen
    assert not [place for place, schema in every() if schema.get("additionalProperties") is True]


def test_everything_is_described() -> None:
    assert not [name for name, schema in components().items() if not schema.get("description")]
    bare = [
        f"{name}.{field}"
        for name, component in components().items()
        for field, schema in component.get("properties", {}).items()
        if not ({"$ref", "const"} & schema.keys() or schema.get("description"))
    ]
    assert not bare
    assert not [tag["name"] for tag in spec()["tags"] if not tag.get("description")]
    parameters = [
        parameter
        for item in spec()["paths"].values()
        for operation in item.values()
        for parameter in operation["parameters"]
        if "$ref" not in parameter
    ]
    parameters += spec()["components"]["parameters"].values()
    assert not [parameter["name"] for parameter in parameters if not parameter.get("description")]


def test_the_introduction_explains_the_five_concepts() -> None:
    for concept in ("game", "snapshot", "seat", "session", "job"):
        assert f"**{concept}**" in spec()["info"]["description"]
    assert {"contact", "license"} <= spec()["info"].keys()


@pytest.mark.parametrize("path", ["/openapi.json", "/openapi-3.0.json"])
def test_the_link_to_the_documentation_is_a_uri_of_the_host_that_was_asked(path: str) -> None:
    served: Any = client().get(path, base_url="https://play.example").json
    assert served["externalDocs"]["url"] == "https://play.example/docs"


def test_webhooks_tell_every_event() -> None:
    assert {*HOOK_EVENTS, *NOTICES, "move.asked"} == spec()["webhooks"].keys()
    for name, item in spec()["webhooks"].items():
        schema = item["post"]["requestBody"]["content"]["application/json"]["schema"]
        message = components()[schema["$ref"].rpartition("/")[2]]
        assert message["properties"]["type"] == {"type": "string", "const": name}


def test_every_problem_has_an_example_among_the_answers_of_its_status() -> None:
    examples, responses = spec()["components"]["examples"], spec()["components"]["responses"]
    used = {
        reference["$ref"].rpartition("/")[2]
        for response in responses.values()
        for reference in response.get("content", {}).get(MEDIA_TYPE, {}).get("examples", {}).values()
    }
    for code, status in PROBLEMS.items():
        assert (examples[code]["value"]["code"], examples[code]["value"]["status"]) == (code, status)
    assert used == examples.keys() == PROBLEMS.keys()
    assert "Retry-After" in responses["TooManyRequests"]["headers"]
    assert {"Deprecation", "Sunset", "Content-Language"} <= responses["NotFound"]["headers"].keys()


def test_an_unknown_kind_is_answered_with_the_kinds_of_the_game() -> None:
    council = "/v1/games/hoher-rat"
    made: Any = client().post(f"{council}/snapshots", json={"seat_count": 2}).json
    move = {"snapshot": made["snapshot"], "seat": made["actors"][0], "move": {"kind": "castle"}}
    problem: Any = client().post(f"{council}/moves", json=move).json
    kinds = [str(kind.__struct_config__.tag) for kind in registered()["hoher-rat"].moves]
    assert problem["errors"][0]["pointer"] == "/move/kind"
    assert problem["errors"][0]["detail"].endswith(f": {', '.join([*kinds, 'code'])}.")


def test_the_document_is_short_for_its_operations() -> None:
    operations = sum(map(len, spec()["paths"].values()))
    assert len(client().get("/openapi.json").data) / operations <= MAX_OPERATION_BYTES


def test_longer_examples_are_served_by_themselves() -> None:
    outside = [
        address
        for item in spec()["paths"].values()
        for operation in item.values()
        for response in operation["responses"].values()
        for content in response.get("content", {}).values()
        for address in content.get("x-recorded", {}).values()
    ]
    assert "externalValue" not in json.dumps(spec())
    assert len(outside) > 10
    folder = examples_folder()
    assert folder is not None
    for address in outside:
        answer = client().get(address)
        recorded = json.loads((folder / f"{address.removeprefix('/openapi/examples/')}.json").read_text("utf-8"))
        assert answer.status_code == 200
        body = recorded["response"]["body"]
        assert (answer.text if isinstance(body, str) else json.loads(answer.text)) == body
    assert client().get("/openapi/examples/getSession/..").status_code == 400


def test_older_tools_get_the_same_as_openapi_3_0() -> None:
    import openapi_spec_validator

    served: Any = client().get("/openapi-3.0.json").json
    openapi_spec_validator.validate(served)
    assert served["openapi"] == "3.0.3"
    assert served == older(spec())
    assert served["paths"].keys() == spec()["paths"].keys()
    assert served["components"]["schemas"].keys() == components().keys()
    assert not [place for place, schema in subschemas(served["components"]["schemas"]) if "const" in schema]
    winner = served["components"]["schemas"]["HoherRatCouncilView"]["properties"]["winner"]
    assert winner["nullable"] is True


def test_the_older_document_has_no_webhooks_and_no_reference_that_generators_lose() -> None:
    served: Any = client().get("/openapi-3.0.json").json
    assert "webhooks" not in served
    nested = [
        place
        for place, schema in subschemas(served["components"]["schemas"])
        if any("allOf" in member for member in schema.get("allOf", ()))
    ]
    assert nested == []


@pytest.mark.parametrize("path", ["/openapi.json", "/v1/games/hoher-rat/rules", "/v1/problems", "/openapi-3.0.json"])
def test_public_responses_are_compressed_on_request(path: str) -> None:
    plain, packed, unwanted = (
        client().get(path, headers={"Accept-Encoding": coding}, buffered=True)
        for coding in ("identity", "br, gzip;q=0.5", "gzip;q=0")
    )
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert int(packed.headers["Content-Length"]) == len(packed.data) < len(plain.data)
    for answer in (plain, packed):
        assert "Accept-Encoding" in answer.headers["Vary"]
    assert "Content-Encoding" not in unwanted.headers


def test_a_tag_stands_for_both_forms() -> None:
    tags = [
        client().get("/v1/games/hoher-rat/rules", headers={"Accept-Encoding": coding}).headers["ETag"]
        for coding in ("identity", "gzip")
    ]
    assert tags[1] == f"W/{tags[0]}"
    for tag in tags:
        for coding in ("identity", "gzip"):
            headers = {"If-None-Match": tag, "Accept-Encoding": coding}
            answer = client().get("/v1/games/hoher-rat/rules", headers=headers)
            assert (answer.status_code, answer.data) == (304, b"")
            assert "Accept-Encoding" in answer.headers["Vary"]


def test_responses_with_secrets_are_never_compressed() -> None:
    asking = {"Accept-Encoding": "gzip"}
    for query in ("", "?sealed=true"):
        answer = client().post(f"/v1/games/wichtel/snapshots{query}", json={"seat_count": 5}, headers=asking)
        assert (answer.status_code, "Content-Encoding" in answer.headers) == (201, False)
        assert len(answer.data) > 1_000
    short = client().get("/healthz", headers=asking)
    assert "Content-Encoding" not in short.headers


def test_every_success_of_an_operation_that_may_be_repeated_says_whether_it_was() -> None:
    named = [
        (operation["operationId"], status)
        for item in spec()["paths"].values()
        for operation in item.values()
        if "Idempotency-Key" in json.dumps(operation.get("parameters", ()))
        for status, response in operation["responses"].items()
        if status.startswith("2") and "Idempotency-Replayed" not in response.get("headers", {})
    ]
    assert not named


def test_every_header_of_a_recorded_example_is_documented() -> None:
    folder = examples_folder()
    assert folder is not None
    components = spec()["components"]
    for item in spec()["paths"].values():
        for operation in item.values():
            for file in folder.glob(f"{operation['operationId']}/*.json"):
                sent = json.loads(file.read_text("utf-8"))["response"]
                response = operation["responses"].get(str(sent["status"]))
                if response is None:  # as where the store is away
                    continue
                if "$ref" in response:
                    response = components["responses"][response["$ref"].rpartition("/")[2]]
                assert set(sent["headers"]) - set(response.get("headers", {})) == set(), file
