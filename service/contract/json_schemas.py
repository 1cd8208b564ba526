"""JSON schemas of Python types. If a type depends on the game, its schema refers to a component of the document."""

from __future__ import annotations

from collections.abc import Collection, MutableMapping
from functools import cache
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

SCHEMAS: Final = "#/components/schemas/"

AnyMove = Annotated[Any, Meta(extra_json_schema={"$ref": f"{SCHEMAS}Move"})]
AnyEvent = Annotated[Any, Meta(extra_json_schema={"$ref": f"{SCHEMAS}Event"})]
AnyView = Annotated[Any, Meta(extra_json_schema={"$ref": f"{SCHEMAS}View"})]
AnyProblem = Annotated[Any, Meta(extra_json_schema={"$ref": f"{SCHEMAS}Problem"})]
AnyFault = Annotated[Any, Meta(extra_json_schema={"$ref": f"{SCHEMAS}Fault"})]

Time = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
"""A time in RFC 3339 format."""

ELSE_FALSE: Final = {"default": False}
"""Schema entry of a boolean that is omitted if it is false."""

_KEYS: Final = ("type", "format", "minimum", "maximum", "enum", "description")


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The base class of response bodies. UNSET fields are omitted. The schema has the name of the class."""


def schemas_of(*kinds: Any) -> tuple[list[dict[str, Any]], dict[str, dict[str, Any]]]:
    """Return the list of the JSON schemas of `kinds`, and a dict of the schemas of all structs in `kinds`.

    The keys of the dict are the names of the structs. The caller may modify the schemas.
    """
    schemas, found = msgspec.json.decode(_written_schemas(kinds))
    return schemas, found


@cache
def _written_schemas(kinds: tuple[Any, ...]) -> bytes:
    """Return the schemas as cached JSON, because they are slow to build and several operations share them."""
    return msgspec.json.encode(msgspec.json.schema_components(kinds, ref_template=f"{SCHEMAS}{{name}}"))


def component(kind: Any, components: MutableMapping[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of a type. Add the schemas of all structs in the type to `components`."""
    (schema,), found = schemas_of(kind)
    answers = answer_names()
    for name, described in found.items():
        components.setdefault(name, describe_answer(described, answers) if name in answers else described)
    if "discriminator" in schema:
        schema["oneOf"] = schema.pop("anyOf")
    return schema


def answer_names() -> set[str]:
    kinds, names = [Answer], set[str]()
    while kinds:
        below = kinds.pop().__subclasses__()
        names |= {kind.__name__ for kind in below}
        kinds += below
    return names


def describe_answer(schema: dict[str, Any], answers: Collection[str]) -> dict[str, Any]:
    """Return the schema of a response body with only the keys `type`, `properties` and `required`, in this order.

    Put the keys in the schema of each property in a fixed order, too. The schema of an array ends with `items`. If the
    items are objects of a class in `answers`, the schema of the array begins with `type`. `answers` contains names of
    `Answer` classes.
    """
    properties = {name: _ordered(value, answers) for name, value in schema["properties"].items()}
    return {"type": "object", "properties": properties, "required": sorted(schema.get("required", []))}


def _ordered(schema: dict[str, Any], answers: Collection[str]) -> dict[str, Any]:
    if schema.get("type") == "array":
        items = _ordered(schema["items"], answers)
        is_answer = items.get("$ref", "").removeprefix(SCHEMAS) in answers
        head = {"type": "array"} | schema if is_answer else schema
        return {**{key: value for key, value in head.items() if key != "items"}, "items": items}
    if "discriminator" in schema:
        return {"discriminator": schema["discriminator"], "oneOf": schema["anyOf"]}
    if "type" not in schema:
        return schema
    return {key: schema[key] for key in _KEYS if key in schema} | schema
