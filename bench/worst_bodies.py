"""The worst bodies of every operation, made from the OpenAPI document, so that new operations and fields are included.

For each list, object or string of the document there is a body that is valid except at that place. The place is filled
until the body has the maximum size of its operation. A schema that several operations share is used once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from bench.cost_cases import Case, Place
from service.validation.strict_json import counted

MARK: Final = "the place to fill"
DEPTH: Final = 12
"""Levels of a nest, so that with those around it no limit of depth ends it early."""

Schema = Mapping[str, Any]
Wrap = Callable[[Any], Any]


class Spot(NamedTuple):
    """A place of a body: its pointer, its schema, and a function that makes a valid body around it."""

    pointer: str
    schema: Schema
    wrap: Wrap


class Document:
    """The schemas of a document."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        """Take the document."""
        self.paths = document["paths"]
        self._schemas = document["components"]["schemas"]
        self._walked = set[str]()

    def resolve(self, schema: Schema) -> Schema:
        """Return the target of a schema's reference."""
        while "$ref" in schema:
            schema = self._schemas[schema["$ref"].rpartition("/")[2]]
        return schema

    def sample(self, schema: Schema) -> Any:
        """Return a small value that fits a schema."""
        schema = self.resolve(schema)
        for union in ("oneOf", "anyOf", "allOf"):
            if union in schema:
                return self.sample(schema[union][0])
        if "enum" in schema:
            return schema["enum"][0]
        kind = schema.get("type", "object")
        kind = kind if isinstance(kind, str) else kind[0]
        if kind == "array":
            return [self.sample(schema.get("items", {}))] * schema.get("minItems", 0)
        if kind == "string":
            return _word(schema)
        if kind in {"integer", "number"}:
            return schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
        if kind == "object":
            properties = schema.get("properties", {})
            return {name: self.sample(properties.get(name, {})) for name in schema.get("required", ())}
        return {"boolean": False, "null": None}[kind]

    def spots(self, schema: Schema, pointer: str = "") -> Iterator[Spot]:
        """Yield a value's own place and all below it; below a schema that was walked before none."""
        if "$ref" in schema:
            if schema["$ref"] in self._walked:
                yield Spot(pointer, self.resolve(schema), lambda value: value)
                return
            self._walked.add(schema["$ref"])
        schema = self.resolve(schema)
        yield Spot(pointer, schema, lambda value: value)
        for union in ("oneOf", "anyOf", "allOf"):
            for variant in schema.get(union, ()):
                yield from self.spots(variant, pointer)
        if "properties" in schema:
            sample = self.sample(schema)
            for name, inner in schema["properties"].items():
                for spot in self.spots(inner, f"{pointer}/{name}"):
                    yield spot._replace(wrap=_member(sample, name, spot.wrap))
        if "items" in schema:
            for spot in self.spots(schema["items"], f"{pointer}/0"):
                more = [self.sample(schema["items"])] * (schema.get("minItems", 0) - 1)
                yield spot._replace(wrap=_item(more, spot.wrap))


def _member(sample: Mapping[str, Any], name: str, wrap: Wrap) -> Wrap:
    return lambda value: {**sample, name: wrap(value)}


def _item(more: list[Any], wrap: Wrap) -> Wrap:
    return lambda value: [wrap(value), *more]


def _word(schema: Schema) -> str:
    length = max(schema.get("minLength", 1), 1)
    words: list[str] = [letter * length for letter in "a0A"]
    return next((word for word in words if re.search(schema.get("pattern", ""), word)), words[0])


class Filling(NamedTuple):
    """The filling of a place: a repeated unit between a beginning and an end, up to the available room.

    `counted` is the number of values of a unit.
    """

    name: str
    begin: bytes
    unit: Callable[[int], bytes]
    counted: int
    end: bytes


def fillings(document: Document, spot: Spot) -> Iterator[Filling]:
    """Yield the possible fillings of a place."""
    schema = spot.schema
    kinds = {kind for each in [schema, *_variants(schema)] for kind in _kinds(document.resolve(each))}
    if not spot.pointer:
        yield _list("nested lists", b"[" * DEPTH + b"]" * DEPTH)
        yield _list("objects in objects", b'{"":{}}')
        yield _list("long numbers", b"1" * 4_000)
        yield Filling("a word in a long alphabet", '"😀'.encode(), lambda _: b"a", 0, b'"')
    if "array" in kinds:
        yield _list("empty objects", b"{}")
        yield _list("numbers", b"1")
        yield _list("valid items", msgspec.json.encode(document.sample(schema.get("items", {}))))
    if "object" in kinds:
        sample = b"{" if "oneOf" in schema else msgspec.json.encode(document.sample(schema))[:-1]
        begin = sample if sample == b"{" else sample + b","
        yield Filling("unknown members", begin, lambda number: b'"~%06x":1,' % number, 1, b'"~":1}')
    if "string" in kinds:
        yield Filling("a long word", b'"', lambda _: b"a", 0, b'"')


def _list(name: str, unit: bytes) -> Filling:
    return Filling(name, b"[", lambda _: unit + b",", counted(unit) + 1, unit + b"]")


def _kinds(schema: Schema) -> list[str]:
    kinds = schema.get("type", "string" if "enum" in schema else "object")
    return [kinds] if isinstance(kinds, str) else list(kinds)


def _variants(schema: Schema) -> list[Schema]:
    return [*schema.get("oneOf", ()), *schema.get("anyOf", ())]


class Operation(NamedTuple):
    """An operation that takes a body, and how a request of it comes to be read."""

    name: str
    method: str
    path: str
    headers: Mapping[str, str]
    schema: Schema
    bytes: int


def operations(place: Place, document: Document, key: str) -> Iterator[Operation]:
    """Yield all operations that take a body, at a session of their own; `key` is an API key."""
    game = next(iter(place.games.values()))
    open_seats = [{"kind": "open"}] * (min(game.seat_numbers) - 1)
    made = place.post("/v1/sessions", {"game": game.slug, "seats": [{"kind": "human"}, *open_seats]})
    here = {"game": game.slug, "id": made["id"], "number": "1", "puzzle": next(iter(game.puzzles), "0" * 10)}
    for path, methods in document.paths.items():
        for method, described in methods.items():
            if "requestBody" not in described:
                continue
            headers = {"Content-Type": "application/json"}
            if "{id}" in path:
                headers["Authorization"] = f"Bearer {made['seats'][0]['token']}"
            if all("key" in each for each in described.get("security", [{}])):
                headers["Api-Key"] = key
            url = re.sub(r"\{(\w+)\}", lambda found: here[found[1]], path)
            yield Operation(
                name=described["operationId"],
                method=method.upper(),
                path=url,
                headers=headers,
                schema=described["requestBody"]["content"]["application/json"]["schema"],
                bytes=place.longest(method.upper(), url),
            )


def worst_bodies(place: Place, key: str) -> Iterator[Case]:
    """Yield the worst bodies of all operations, with as many bytes and with as many values as they may have.

    Few of them are valid all the same.
    """
    document, most = Document(place.app.extensions["openapi"].spec()), place.limits.json_values
    for operation in operations(place, document, key):
        for spot in document.spots(operation.schema):
            before, _, after = msgspec.json.encode(spot.wrap(MARK)).partition(msgspec.json.encode(MARK))
            for filling in fillings(document, spot):
                begin, end = before + filling.begin, filling.end + after
                bytes_left = (operation.bytes - len(begin) - len(end)) // len(filling.unit(0))
                values_left = (most - counted(begin + end)) // filling.counted if filling.counted else bytes_left
                for units in sorted({bytes_left, min(bytes_left, values_left)}):
                    yield Case(
                        operation=operation.name,
                        what=f"{filling.name} at `{spot.pointer or '/'}`",
                        path=operation.path,
                        body=begin + b"".join(map(filling.unit, range(units))) + end,
                        refused=True,
                        method=operation.method,
                        headers=operation.headers,
                    )
