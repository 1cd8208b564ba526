"""Rewrites the document's schemas so that client generators produce usable types.

* An enumeration of one value becomes `const`.
* Larger enumerations and unions become components with the name of the Python type alias.
* A nullable schema has a list of types, or `oneOf` with the type null.
* Integers have bounds, and a format for their size in bits.
* Only schemas in responses allow unknown properties.
* Missing descriptions come from `field_texts.json` of the service or the game. A text with a key of the form
  `Component.field` replaces any other description of this field.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from types import UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from service.contract.json_schemas import SCHEMAS

MAX_INTEGER: Final = 2**53 - 1
"""The largest integer that all clients represent exactly."""

INT32: Final = 2**31 - 1
SEAT_NAMES: Final = frozenset({"seat", "actors", "partner", "winners", "next", "asked", "answered", "connected"})
SIGNED: Final = frozenset({"steps", "hat", "value", "among", "points", "place", "total", "bonus", "result"})
"""Names of fields whose values may be negative."""

FIELD_TEXTS: Final = "field_texts.json"
GROWING: Final = frozenset({"ProblemCode", "ForfeitCause", "DeliveryProblem", "DeliveredEvent", "KeyScope", "PhraseId"})
"""Enumerations that may get new values. In responses, clients must read them as plain strings."""

Names = Mapping[frozenset[Any], str]


def settle(schemas: dict[str, Any], paths: dict[str, Any], games: Mapping[str, str], seats: int) -> None:
    """Rewrite all schemas of a document.

    The keys of `games` are the prefixes of the component names, one for each game. The values are the names of the
    games' Python packages. `seats` is the maximum number of seats at a table.
    """
    scopes = {"": aliases("service"), **{prefix: aliases(package) for prefix, package in games.items()}}
    texts = {"": field_texts("service"), **{prefix: field_texts(package) for prefix, package in games.items()}}

    def scope_of(name: str) -> str:
        return next((prefix for prefix in games if name.startswith(prefix)), "")

    found: dict[str, Any] = {}
    for name, schema in schemas.items():
        scope = scope_of(name)
        forms = _Forms(name, scope, scopes, found, seats)
        schemas[name] = forms.plain(schema, "", top=True)
        _describe(schemas[name], name.removeprefix(scope), texts[scope], texts[""])
    forms = _Forms("", "", scopes, found, seats)
    for item in paths.values():
        for part in _schemas_in(item):
            part["schema"] = forms.plain(part["schema"], part.get("name", ""))
    for name, schema in found.items():
        schemas.setdefault(name, schema)
        scope = scope_of(name)
        _describe(schemas[name], name.removeprefix(scope), texts[scope], texts[""])
    _open_answers(schemas, paths)


@cache
def aliases(package: str) -> dict[frozenset[Any], str]:
    """Return a dict that maps the members of each type alias of a package to the name of the alias.

    If the alias allows only certain strings, the members are these strings. If the alias is a union of types, the
    members are the names of these types.
    """
    found: dict[frozenset[Any], str] = {}
    modules = [name for name in sys.modules if name == package or name.startswith(f"{package}.")]
    for module in sorted(modules):
        for name, value in sorted(vars(sys.modules[module]).items()):
            members = None if name.startswith("_") or name.isupper() else _members(value)
            if members is not None:
                found.setdefault(members, name)
    return found


def _members(alias: Any) -> frozenset[Any] | None:
    origin, args = get_origin(alias), get_args(alias)
    if origin is Literal:
        return frozenset(args)
    if origin is Annotated:
        extra = getattr(args[1], "extra_json_schema", None) or {}
        values = extra.get("enum")
        return frozenset(values) if values and len(values) > 1 else None
    if origin in {Union, UnionType} and all(hasattr(each, "__struct_fields__") for each in args):
        return frozenset(each.__name__ for each in args)
    return None


@cache
def field_texts(package: str) -> dict[str, str]:
    """Return the descriptions of fields in the file `field_texts.json` of a package.

    The text with the key `Component.field` describes the field `field` of the component `Component`. This text replaces
    any other description of the field. The text with the key `field` describes the field `field` of every component. It
    is used only if the field has no other description.
    """
    file = files(package) / FIELD_TEXTS
    found: dict[str, str] = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    return found


class _Forms:
    """Rewrites the schema of one component, or the schemas in the operations."""

    def __init__(self, owner: str, scope: str, scopes: Mapping[str, Names], found: dict[str, Any], seats: int) -> None:
        self._owner, self._scope, self._names, self._common = owner, scope, scopes[scope], scopes[""]
        self._found, self._seats = found, seats

    def plain(self, schema: Any, name: str, *, top: bool = False) -> Any:
        if not isinstance(schema, dict):
            return schema
        schema = {key: value for key, value in schema.items() if key != "title"}
        if isinstance(schema.get("description"), str):
            schema["description"] = inspect.cleandoc(schema["description"])
        if "default" in schema and not isinstance(schema["default"], bool | int | float | str):
            del schema["default"]  # generators ignore other defaults
        if schema.get("required") == []:
            del schema["required"]
        for key in ("items", "additionalProperties"):
            if key in schema:
                schema[key] = self._in_list(self.plain(schema[key], name))
        if "properties" in schema:
            schema["properties"] = {key: self.plain(value, key) for key, value in schema["properties"].items()}
        for key in ("anyOf", "oneOf"):
            if key in schema and not top:
                schema = self._union(schema, key, name)
        if schema.get("type") in ("integer", ["integer", "null"]):
            self._bound(schema, name)
        if schema.get("type") == "number":
            schema["format"] = "double"
        return self._choice(schema, top=top) if "enum" in schema or "x-extensible-enum" in schema else schema

    def _union(self, schema: dict[str, Any], key: str, name: str) -> dict[str, Any]:
        members: list[Any] = []
        for member in schema.pop(key):
            plain = self.plain(member, name)
            if plain not in members:
                members.append(plain)
        null = {"type": "null"} in members
        members = [member for member in members if member != {"type": "null"}]
        numbers = [member for member in members if member.get("type") == "number"]
        if len(numbers) == len(members) > 1:  # two ranges of one number
            low, high = min(each["minimum"] for each in numbers), max(each["maximum"] for each in numbers)
            members = [{**numbers[0], "minimum": low, "maximum": high}]
        if len(members) == 1:
            member = members[0]
            if "oneOf" in member or "$ref" in member or "const" in member:
                nullable = member.get("oneOf", [member])
                return {**schema, "oneOf": [*nullable, {"type": "null"}]} if null else {**member, **schema}
            found = {**member, **schema}
            found["type"] = [member["type"], "null"] if null else member["type"]
            return found
        reference = self._named(members, schema, name)
        rest = {kept: value for kept, value in schema.items() if kept != "discriminator"}
        return {**rest, "oneOf": [reference, {"type": "null"}]} if null else {**reference, **rest}

    def _in_list(self, items: Any) -> Any:
        """Return the schema of list items.

        In generated C#, an enumeration value in a list cannot be null. A nullable enumeration therefore becomes a
        nullable string.
        """
        if not isinstance(items, dict) or {"type": "null"} not in items.get("oneOf", ()):
            return items
        target = items["oneOf"][0].get("$ref", "").removeprefix(SCHEMAS)
        if "enum" not in self._found.get(target, {}):
            return items
        return {"description": f"One of `{target}`, or null.", "type": ["string", "null"]}

    def _named(self, members: list[Any], schema: dict[str, Any], name: str) -> dict[str, Any]:
        targets = [member.get("$ref", "").removeprefix(SCHEMAS) for member in members]
        key = frozenset(target.removeprefix(self._scope) for target in targets)
        alias = self._names.get(key) or self._common.get(key)
        title = f"{self._scope}{alias}" if alias else f"{self._owner}{_words(name)}"
        if not all(targets):  # clients distinguish these only by their types
            members = [{key: value for key, value in member.items() if key != "const"} for member in members]
        union: dict[str, Any] = {"oneOf": members}
        if "discriminator" in schema:
            union["discriminator"] = schema["discriminator"]
        title = next((known for known, schema in self._found.items() if schema == union), title)
        self._found[title] = union
        return {"$ref": SCHEMAS + title}

    def _bound(self, schema: dict[str, Any], name: str) -> None:
        if "exclusiveMaximum" in schema:
            schema["maximum"] = schema.pop("exclusiveMaximum") - 1
        if "exclusiveMinimum" in schema:
            schema["minimum"] = schema.pop("exclusiveMinimum") + 1
        if name == "seat_count":
            schema.setdefault("maximum", self._seats)
        low, high = (0, self._seats - 1) if name in SEAT_NAMES else (-MAX_INTEGER if name in SIGNED else 0, MAX_INTEGER)
        schema.setdefault("minimum", low)
        schema.setdefault("maximum", high)
        if schema["minimum"] < -INT32 - 1 or schema["maximum"] > INT32:
            schema["format"] = "int64"

    def _choice(self, schema: dict[str, Any], *, top: bool) -> dict[str, Any]:
        """Return the schema of an enumeration, usually as a reference to a component.

        An enumeration with only one string becomes `const`. An enumeration of numbers becomes a range, because client
        generators do not support such enumerations.
        """
        values = schema.get("enum", schema.get("x-extensible-enum", []))
        if len(values) == 1 and isinstance(values[0], str):
            rest = {key: value for key, value in schema.items() if key not in {"enum", "type"}}
            return {"type": "string", "const": values[0], **rest}
        if not all(isinstance(value, str) for value in values):  # generators do not support choices of numbers
            kept = {key: value for key, value in schema.items() if key != "enum"}
            if all(type(value) is bool for value in values):
                return {**kept, "type": "boolean"}
            bounds = {"minimum": min(values), "maximum": max(values)}
            return {**kept, "type": "integer", **bounds}
        alias = self._names.get(frozenset(values)) or self._common.get(frozenset(values))
        if top or alias is None:
            return schema
        local = frozenset(values) in self._names
        title = f"{self._scope if local else ''}{alias}"
        kind = "x-extensible-enum" if title in GROWING else "enum"
        self._found.setdefault(title, {"type": "string", kind: values})
        rest = {key: value for key, value in schema.items() if key not in {"enum", "x-extensible-enum", "type"}}
        return {"$ref": SCHEMAS + title, **rest}


def _words(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _describe(schema: dict[str, Any], name: str, texts: Mapping[str, str], common: Mapping[str, str]) -> None:
    if "description" not in schema and (said := texts.get(name) or common.get(name)):
        schema["description"] = said
    for field, value in schema.get("properties", {}).items():
        said = texts.get(f"{name}.{field}")
        # A value with a reference or a constant describes itself.
        if said is None and not {"description", "$ref", "const"} & value.keys():
            said = texts.get(field) or common.get(field)
        if said is not None:
            value["description"] = said


def _open_answers(schemas: dict[str, Any], paths: dict[str, Any]) -> None:
    answered: set[str] = set()
    for item in paths.values():
        for operation in item.values():
            if isinstance(operation, dict):
                answered |= _reached(operation.get("responses", {}), schemas)
    for name in answered:
        if schemas[name].get("additionalProperties") is False:
            del schemas[name]["additionalProperties"]


def _reached(part: Any, schemas: Mapping[str, Any]) -> set[str]:
    found: set[str] = set()
    waiting = list(_references(part))
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _references(schemas[name])
    return found


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, list):
        for each in part:
            yield from _references(each)
    elif isinstance(part, dict):
        reference = part.get("$ref")
        if isinstance(reference, str) and reference.startswith(SCHEMAS):
            yield reference.removeprefix(SCHEMAS)
        for key, value in part.items():
            if key not in {"examples", "example"}:
                yield from _references(value)


def _schemas_in(part: Any) -> Iterator[dict[str, Any]]:
    if isinstance(part, list):
        for each in part:
            yield from _schemas_in(each)
    elif isinstance(part, dict):
        if "schema" in part:
            yield part
        for key, value in part.items():
            if key not in {"schema", "examples", "example"}:
                yield from _schemas_in(value)


def merged(schemas: list[Mapping[str, Any]], description: str) -> dict[str, Any]:
    """Return one schema that replaces several alternative schemas of an object.

    The new schema has the fields of all alternatives. Its description names the fields that each alternative requires.
    """
    properties: dict[str, Any] = {}
    for schema in schemas:
        for name, field in schema["properties"].items():
            properties.setdefault(name, field)
    common = [
        name for name in schemas[0].get("required", []) if all(name in one.get("required", []) for one in schemas)
    ]
    forms = [[name for name in each.get("required", []) if name not in common] for each in schemas]
    said = "; or ".join(" and ".join(f"`{name}`" for name in form) for form in forms)
    head = f"{description} Exactly one of these: {said}."
    closed = {"additionalProperties": False} if all("additionalProperties" in each for each in schemas) else {}
    needed = {"required": common} if common else {}
    return {"description": head, "type": "object", "properties": properties, **needed, **closed}
