"""JSON schemas of values whose type depends on the game, as references into the OpenAPI document."""

from __future__ import annotations

from collections.abc import Collection, MutableMapping
from functools import cache
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

SCHEMAS: Final = "#/components/schemas/"

AnyMove = Annotated[Any, Meta(extra_json_schema={"$ref": f"{SCHEMAS}Move"})]
"""A move of any game, in an answer."""

AnyEvent = Annotated[Any, Meta(extra_json_schema={"$ref": f"{SCHEMAS}Event"})]
"""An event of any game, in an answer."""

AnyView = Annotated[Any, Meta(extra_json_schema={"$ref": f"{SCHEMAS}View"})]
"""A view of any game, in an answer."""

AnyProblem = Annotated[Any, Meta(extra_json_schema={"$ref": f"{SCHEMAS}Problem"})]
"""A problem document, in an answer."""

AnyFault = Annotated[Any, Meta(extra_json_schema={"$ref": f"{SCHEMAS}Fault"})]
"""A fault of a problem document, in an answer."""

Time = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
"""A time as RFC 3339 writes it."""

ELSE_FALSE: Final = {"default": False}
"""What the schema of a flag adds that is told where it is true, and left out otherwise."""

_KEYS: Final = ("type", "format", "minimum", "maximum", "enum", "description")


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer as it is sent; what is UNSET is left out. Its schema has the name of the class."""


def schemas_of(*kinds: Any) -> tuple[list[dict[str, Any]], dict[str, dict[str, Any]]]:
    """Return the JSON schema of each type, and by its name that of every struct in them; both are the caller's own."""
    schemas, found = msgspec.json.decode(_written_schemas(kinds))
    return schemas, found


@cache
def _written_schemas(kinds: tuple[Any, ...]) -> bytes:
    """Return the schemas of types as JSON: to find them takes long, and one type is part of many operations."""
    return msgspec.json.encode(msgspec.json.schema_components(kinds, ref_template=f"{SCHEMAS}{{name}}"))


def component(kind: Any, components: MutableMapping[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of a type, and put every struct in it among the components."""
    (schema,), found = schemas_of(kind)
    answers = answer_names()
    for name, described in found.items():
        components.setdefault(name, describe_answer(described, answers) if name in answers else described)
    if "discriminator" in schema:
        schema["oneOf"] = schema.pop("anyOf")
    return schema


def answer_names() -> set[str]:
    """Return the names of all answers."""
    kinds, names = [Answer], set[str]()
    while kinds:
        below = kinds.pop().__subclasses__()
        names |= {kind.__name__ for kind in below}
        kinds += below
    return names


def describe_answer(schema: dict[str, Any], answers: Collection[str]) -> dict[str, Any]:
    """Return the schema of an answer in the order of keys that the document keeps."""
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
