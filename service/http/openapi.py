"""The OpenAPI document: put together once per application, and written to `openapi/openapi.yaml`.

Recorded examples lie in `openapi/examples/<operationId>/<name>.json` as {"request": {...}, "response": {...}} and are
set into their operation; where the folder is not there (an installation without the checkout), there are none.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

from flask import Flask

from service.http.problems import MEDIA_TYPE, TEXTS

TITLE: Final = "Dorfplatz"
VERSION: Final = "1.0.0"
DESCRIPTION: Final = """\
German board games as a service: the rules as a stateless engine, tables kept as sessions, search and simulation as
jobs. Every failure is a problem document (RFC 9457). Texts come in German, English and Italian by `Accept-Language`;
codes, kinds and keys are never translated. Unknown fields and unknown query parameters are refused.
"""

RATE_LIMITED: Final = "rate-limited"

_QUOTAS: Final = {
    "RateLimitPolicy": ("RateLimit-Policy", "The caller's quotas, where it has any."),
    "RateLimit": ("RateLimit", "What is left (`r`) of the quotas charged, and when (`t` seconds) they are renewed."),
}
_HEADERS: Final = {
    "RequestId": ("Request-Id", "Names this answer in our logs; the caller's own where it sent one."),
    "Traceparent": ("traceparent", "The W3C trace context this answer belongs to."),
}
_LANGUAGE: Final = {
    "in": "header",
    "name": "Accept-Language",
    "description": "The language of texts: de, en (the default) or it.",
    "schema": {"type": "string"},
    "example": "en",
}


def preamble(plugin: Any) -> dict[str, Any]:
    """Return what the document says before the first operation."""
    return {
        "title": TITLE,
        "version": VERSION,
        "openapi_version": "3.1.0",
        "marshmallow_plugin": plugin,
        "info": {"description": DESCRIPTION, "license": {"name": "Apache 2.0", "identifier": "Apache-2.0"}},
        "servers": [{"url": "/"}],
        "security": [],  # what an operation does not ask for is not needed
    }


def _add_rate_limit(responses: dict[str, Any]) -> None:
    """Document that an operation is counted, as all are but those that ask whether the service works."""
    said = f"`{RATE_LIMITED}`: {TEXTS.say('en', 'titles', RATE_LIMITED)}"
    refusal = responses.setdefault("429", {"content": deepcopy(responses["default"]["content"])})
    refusal["description"] = "; ".join(filter(None, (refusal.get("description"), said)))


def finish(spec: dict[str, Any], slugs: list[str]) -> dict[str, Any]:
    """Return a document with what all operations have in common, with examples, and in a stable order."""
    components = spec["components"]
    schemas = components["schemas"]
    for schema in schemas.values():
        schema.pop("title", None)
    _type_enums(schemas)
    schemas["GameSlug"] = {"description": "A game of this service.", "type": "string", "enum": slugs}
    components["schemas"] = dict(sorted(schemas.items()))
    components["headers"] = {
        key: {"description": said, "schema": {"type": "string"}} for key, (_, said) in (_HEADERS | _QUOTAS).items()
    }
    components["parameters"] = {"AcceptLanguage": _LANGUAGE}
    components["securitySchemes"] = {
        "key": {
            "type": "apiKey",
            "in": "header",
            "name": "Api-Key",
            "description": (
                "An API key of this service, which has scopes and quotas. Beginning anything asks for one where the "
                "operator demands keys; what was begun has secrets of its own."
            ),
        },
        "bearer": {"type": "http", "scheme": "bearer", "description": "A seat's or an owner's token of a session."},
        "seat_key": {
            "type": "apiKey",
            "in": "header",
            "name": "Seat-Key",
            "description": "The key of a seat at a sealed snapshot.",
        },
        "ticket": {
            "type": "apiKey",
            "in": "query",
            "name": "ticket",
            "description": "A ticket out of `picture_url` or `stream_url`, where no header can be sent.",
        },
    }
    for path, item in spec["paths"].items():
        # Many readers follow no reference in parameters that a path's operations share, so each has its own.
        shared = item.pop("parameters", [])
        own = [parameter for operation in item.values() for parameter in operation.get("parameters", ())]
        for parameter in shared + own:
            if parameter.get("name") == "game":
                parameter["schema"] = {"$ref": "#/components/schemas/GameSlug"}
        language = [{"$ref": "#/components/parameters/AcceptLanguage"}] if path.startswith("/v1") else []
        for operation in item.values():
            operation["parameters"] = [*deepcopy(shared), *operation.get("parameters", []), *language]
            if language:
                _add_rate_limit(operation["responses"])
            _finish(operation, _HEADERS | (_QUOTAS if language else {}))
    plain: dict[str, Any] = json.loads(json.dumps(spec))  # a default of a game's may be a tuple, which is no JSON
    return plain


def document(create_app: Callable[[], Flask]) -> dict[str, Any]:
    """Return the document of the application that a factory makes."""
    spec: dict[str, Any] = create_app().extensions["openapi"]
    return spec


def as_yaml(spec: dict[str, Any]) -> str:
    """Return the document as YAML, which needs PyYAML."""
    import yaml  # noqa: PLC0415 -- a tool for developers, not there in production

    class Plain(yaml.SafeDumper):
        """Writes what stands twice twice."""

        def ignore_aliases(self, data: Any) -> bool:
            return True

    plain = json.loads(json.dumps(spec))
    text: str = yaml.dump(plain, Dumper=Plain, sort_keys=False, allow_unicode=True, width=110)
    return text


def write(path: Path, create_app: Callable[[], Flask]) -> None:
    """Write the document of the application that a factory makes."""
    path.write_text(as_yaml(document(create_app)), "utf-8")


def examples_folder() -> Path | None:
    """Return `openapi/examples` of the checkout that this package stands in, compiled or not."""
    for above in Path(__file__).resolve().parents:
        if (above / "openapi" / "examples").is_dir():
            return above / "openapi" / "examples"
    return None


def _finish(operation: dict[str, Any], common: Mapping[str, tuple[str, str]]) -> None:
    """Give one operation the headers of every answer, and its examples."""
    for response in operation["responses"].values():
        headers = {name: {"$ref": f"#/components/headers/{key}"} for key, (name, _) in common.items()}
        response["headers"] = {**response.get("headers", {}), **headers}
    folder = examples_folder()
    for file in sorted((folder / operation["operationId"]).glob("*.json")) if folder else ():
        recorded = json.loads(file.read_text("utf-8"))
        body, said = recorded["request"].get("body"), recorded["response"]
        if body is not None and said["content_type"] != MEDIA_TYPE:
            content = operation["requestBody"]["content"]["application/json"]
            content.setdefault("examples", {})[file.stem] = {"value": body}
        response = operation["responses"].get(str(said["status"]), operation["responses"]["default"])
        if said.get("body") is not None:
            response["content"][said["content_type"]].setdefault("examples", {})[file.stem] = {"value": said["body"]}


def _type_enums(schema: Any) -> None:
    """Name the type of every enumeration, because clients are generated from it."""
    if isinstance(schema, list):
        for item in schema:
            _type_enums(item)
    if isinstance(schema, dict):
        for item in schema.values():
            _type_enums(item)
        values = schema.get("enum")
        if isinstance(values, list) and "type" not in schema:
            if all(isinstance(value, str) for value in values):
                schema["type"] = "string"
            elif all(isinstance(value, bool) for value in values):
                schema["type"] = "boolean"
