"""Converts the document to OpenAPI 3.0.3 for tools that do not support 3.1.

Paths and components stay the same. Newer JSON Schema keywords are replaced with older keywords, or are left out.
"""

from __future__ import annotations

from typing import Any, Final

OPENAPI_3_0: Final = "3.0.3"
LEFT_OUT: Final = frozenset({"contentMediaType", "contentSchema", "unevaluatedProperties"})


def older(spec: dict[str, Any]) -> dict[str, Any]:
    """Convert an OpenAPI 3.1 document to 3.0.3. `webhooks`, which 3.0 lacks, becomes `x-webhooks`."""
    found = {key: value for key, value in spec.items() if key not in {"webhooks", "components", "paths"}}
    found["openapi"] = OPENAPI_3_0
    info = dict(spec["info"])
    if "identifier" in info.get("license", {}):
        named = {key: value for key, value in info["license"].items() if key != "identifier"}
        info["license"] = {**named, "url": "https://www.apache.org/licenses/LICENSE-2.0"}
    components = dict(spec["components"])
    schemas = components.pop("schemas")
    components = {key: _part(value) for key, value in components.items()}
    components["schemas"] = {name: _schema(schema) for name, schema in schemas.items()}
    found |= {"info": info, "paths": _part(spec["paths"]), "components": components}
    if "webhooks" in spec:
        found["x-webhooks"] = _part(spec["webhooks"])
    return found


def _part(part: Any) -> Any:
    if isinstance(part, list):
        return [_part(each) for each in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        return {"$ref": part["$ref"]}
    return {
        key: _schema(value) if key == "schema" else value if key in {"example", "value"} else _part(value)
        for key, value in part.items()
    }


def _schema(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        return {**_schema(rest), "allOf": [{"$ref": schema["$ref"]}]} if rest else schema
    found = {key: value for key, value in schema.items() if key not in LEFT_OUT}
    for key in ("items", "additionalProperties"):
        if key in found:
            found[key] = _schema(found[key])
    if "properties" in found:
        found["properties"] = {name: _schema(value) for name, value in found["properties"].items()}
    for key, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if key in found:  # a flag beside the bound in 3.0
            found[bound], found[key] = found[key], True
    return _choices(found)


def _choices(found: dict[str, Any]) -> dict[str, Any]:
    if "const" in found:
        found["enum"] = [found.pop("const")]
    if isinstance(found.get("type"), list):
        (found["type"],) = (each for each in found["type"] if each != "null")
        found["nullable"] = True
        if "enum" in found:
            found["enum"] = [*found["enum"], None]
    if "oneOf" in found:
        given = found.pop("oneOf")
        members = [_schema(member) for member in given if member != {"type": "null"}]
        if len(members) < len(given):
            found["nullable"] = True
        if len(members) == 1 and members[0].keys() <= {"allOf", "description"}:
            found = {**members[0], **found}  # generators lose a reference in nested `allOf`s
        elif len(members) == 1:
            found["allOf"] = members
        else:
            found["oneOf"] = members
    return found
