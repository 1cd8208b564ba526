"""The OpenAPI document. It is built on first use, served, and written to `openapi/openapi.yaml`.

Each example is a file `openapi/examples/<operationId>/<name>.json`. Its content has the form {"request": {...},
"response": {...}}. The document contains only the short response examples. Instead of a long response example, it
contains a link to this example.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from copy import deepcopy
from http import HTTPStatus
from pathlib import Path
from string import Formatter
from typing import Any, Final

from flask import Flask

from games.core.admission import prefix
from service.contract.examples import INLINE_BYTES, add_examples, read_example, recorded_examples, size_of
from service.contract.links import add_links
from service.contract.schema_forms import MAX_INTEGER, settle
from service.http.problems import MEDIA_TYPE, PROBLEMS, PROXY_PROBLEMS, TEXTS, Problem

TITLE: Final = "Dorfplatz"
VERSION: Final = "1.0.0"
DESCRIPTION: Final = """\
German board games as a REST service: rules as a stateless engine, persistent sessions, search and simulation as jobs.
Five terms are enough to start.

* A **game** is its rules as data: options, kinds of moves and events, numbers of seats (`GET /v1/games`).
* A **snapshot** is a table at one moment. Send it with a move and receive the next one; the service stores nothing.
  An open snapshot contains everything, for trusted back ends. A sealed one shows each seat only its own view.
* A **seat** is a player's place, counted from 0. The holder of its token (in a session) or its key (at a sealed
  snapshot) sees its view and decides for it.
* A **session** is a table that the service keeps: people and bots, clocks, history, streams (`POST /v1/sessions`).
* A **job** is long-running work: a search, a simulation, a tournament (`POST /v1/jobs/searches`).

Every error is a problem document (RFC 9457). Texts are available in German, English and Italian by `Accept-Language`.
Codes, kinds and keys are never translated. Requests are strict: unknown fields and query parameters are rejected, also
in moves, views and snapshots. Responses are open: clients must ignore unknown fields and accept new kinds of events and
new codes. An enumeration that may grow is a string with `x-extensible-enum`. Every response has a `Request-Id` and a
`traceparent`.
"""

RATE_LIMITED: Final = "rate-limited"
OVERLOADED: Final = "overloaded"
DOCS_URL: Final = "http://127.0.0.1:8000/docs"
"""The URL of the documentation. When the document is served, the host of the request replaces the host here."""

_TEXT: Final = {"type": "string"}
_SECONDS: Final = {"type": "integer", "minimum": 0, "maximum": MAX_INTEGER, "format": "int64"}
HEADERS: Final[Mapping[str, tuple[str, str, Mapping[str, Any]]]] = {
    "RequestId": ("Request-Id", "Id of the request in the service's logs: the caller's own id if it sent one.", _TEXT),
    "Traceparent": ("traceparent", "W3C trace context of the response.", _TEXT),
    "RateLimitPolicy": ("RateLimit-Policy", "Quotas of the caller, if any.", _TEXT),
    "RateLimit": (
        "RateLimit",
        "Remaining units (`r`) of each charged quota, and seconds until it renews (`t`).",
        _TEXT,
    ),
    "RetryAfter": ("Retry-After", "Seconds to wait before the next attempt.", _SECONDS),
    "ETag": ("ETag", "Version of the response, for `If-None-Match` and `If-Match`.", _TEXT),
    "Location": ("Location", "URL of the created resource.", _TEXT),
    "ContentLanguage": ("Content-Language", "Language of the texts: de, en or it.", _TEXT),
    "Vary": ("Vary", "Request headers on which the response depends.", _TEXT),
    "Deprecation": (
        "Deprecation",
        "Time of deprecation (RFC 9745): `@` and seconds since 1970.",
        _TEXT,
    ),
    "Sunset": ("Sunset", "Time at which this operation ends (RFC 8594).", _TEXT),
    "Link": ("Link", "Documentation of a deprecated operation, and its replacement.", _TEXT),
    "IdempotencyReplayed": (
        "Idempotency-Replayed",
        "`true` if the response repeats that of an earlier request with the same `Idempotency-Key`.",
        {"type": "string", "const": "true"},
    ),
    "WWWAuthenticate": ("WWW-Authenticate", "Credentials that the operation accepts.", _TEXT),
    "PreferenceApplied": ("Preference-Applied", "The part of `Prefer` that was applied.", _TEXT),
}
_KEYS: Final = {name: key for key, (name, _, _) in HEADERS.items()}
_OF_ALL: Final = ("RequestId", "Traceparent")
_OF_COUNTED: Final = ("ContentLanguage", "RateLimitPolicy", "RateLimit")
_OF_RETIRED: Final = ("Deprecation", "Sunset", "Link")
_COUNTS: Final = Counter(PROBLEMS.values())
"""The number of problem codes for each status."""

_OF_STATUS: Final[Mapping[int, tuple[str, ...]]] = {
    401: ("WWWAuthenticate",),
    409: ("RetryAfter",),
    412: ("ETag",),
    429: ("RetryAfter",),
    502: ("RetryAfter",),
    503: ("RetryAfter",),
}
"""The headers of problem responses, by status."""

_LANGUAGE: Final = {
    "in": "header",
    "name": "Accept-Language",
    "description": "Preferred language of texts: de, en (default) or it.",
    "schema": {"type": "string"},
    "example": "en",
}
SECURITY: Final = {
    "key": {
        "type": "apiKey",
        "in": "header",
        "name": "Api-Key",
        "description": (
            "API key with scopes and quotas. It is required for creating resources if the operator requires keys. "
            "Created resources have tokens of their own."
        ),
    },
    "bearer": {"type": "http", "scheme": "bearer", "description": "Token of a seat or of the owner of a session."},
    "seat_key": {
        "type": "apiKey",
        "in": "header",
        "name": "Seat-Key",
        "description": "Key of a seat at a sealed snapshot.",
    },
    "ticket": {
        "type": "apiKey",
        "in": "query",
        "name": "ticket",
        "description": "Ticket from `picture_url` or `stream_url`, for clients that cannot send headers.",
    },
}
ID_PATTERN: Final = "^[A-Za-z0-9_-]{16,}$"
"""The format of all ids in paths. It excludes dots and slashes, which proxies may normalise."""

_PARAMETERS: Final = {
    "game": "The game, by its slug.",
    "id": "Id that was returned at creation.",
    "seat": "Seat, from 0.",
    "replay": "Id of a published session.",
    "delivery": "Id of a message, equal to its `webhook-id`.",
    "device": "Id of a device, as in the list of devices.",
    "limit": "Maximum number of items.",
    "status": "Only jobs with this state.",
    "state": "Only jobs with this state.",
    "number": "Seat, from 0.",
    "theme": "Colour scheme: light or dark.",
    "puzzle": "Id of a puzzle, as in the list of puzzles.",
}
_SAMPLES: Final = {"game": "chess", "ruleset": "hoher-rat/99", "scope": "jobs", "kind": "search", "part": "games"}


def preamble(plugin: Any) -> dict[str, Any]:
    """Return the parts of the document that come before the operations."""
    return {
        "title": TITLE,
        "version": VERSION,
        "openapi_version": "3.1.0",
        "marshmallow_plugin": plugin,
        "info": {
            "description": DESCRIPTION,
            "contact": {"name": "The maintainers of Dorfplatz"},
            "license": {"name": "Apache 2.0", "identifier": "Apache-2.0"},
        },
        "externalDocs": {"description": "Guides, rules and decisions.", "url": DOCS_URL},
        "servers": [{"url": "/", "description": "The service that serves this document."}],
        "security": [],  # an operation without credentials needs none
    }


def finish(spec: dict[str, Any], games: Mapping[str, str], seats: int) -> dict[str, Any]:
    """Add the shared parts and the examples to a document, and sort it.

    The keys of `games` are the games' slugs, and the values are the names of the games' Python packages. `seats` is the
    maximum number of seats at a table.
    """
    components, schemas = spec["components"], spec["components"]["schemas"]
    schemas["GameSlug"] = {"description": "A game of this service.", "type": "string", "enum": list(games)}
    components["headers"] = {key: {"description": said, "schema": schema} for key, (_, said, schema) in HEADERS.items()}
    components["parameters"] = {"AcceptLanguage": _LANGUAGE}
    components["securitySchemes"] = SECURITY
    components["examples"] = _problem_examples()
    components["responses"] = _problem_responses()
    for path, item in spec["paths"].items():
        # Many readers do not follow references in parameters shared by a path's operations, so each has its own.
        shared = item.pop("parameters", [])
        for operation in item.values():
            operation["parameters"] = [*deepcopy(shared), *operation.get("parameters", [])]
            for parameter in operation["parameters"]:
                _describe_parameter(parameter)
            counted = path.startswith("/v1")
            operation["parameters"] = [
                _shared(parameter, components["parameters"]) for parameter in operation["parameters"]
            ]
            operation["parameters"] += [{"$ref": "#/components/parameters/AcceptLanguage"}] if counted else []
            operation.setdefault("description", operation["summary"])
            operation["summary"] = operation["summary"].removesuffix(".")
            _finish(operation, counted=counted)
    prefixes = {prefix(slug): package for slug, package in games.items()}
    settle(schemas, {**spec["paths"], **spec["webhooks"]}, prefixes, seats)
    components["schemas"] = dict(sorted(schemas.items()))
    add_links(spec)
    named = json.dumps(spec["paths"])
    for name in [name for name in components["responses"] if f'responses/{name}"' not in named]:
        del components["responses"][name]
    plain: dict[str, Any] = json.loads(json.dumps(spec))  # a game's default may be a tuple, which is not a JSON type
    return plain


def _problem_responses() -> dict[str, Any]:
    codes: defaultdict[int, list[str]] = defaultdict(list)
    for code, status in PROBLEMS.items():
        codes[status].append(code)
    found = {
        "Problem": _problem_response(
            "Any other problem.",
            ["internal-error", "method-not-allowed", "request-timeout", "response-lost"],
            HTTPStatus.BAD_GATEWAY,
        )
    }
    headers = _header_references(("ETag", "Vary", *_OF_ALL, *_OF_COUNTED, *_OF_RETIRED))
    found["NotModified"] = {"description": "The caller's stored response is current.", "headers": headers}
    for status, some in sorted(codes.items()):
        found[_name_of(status)] = _problem_response(f"{HTTPStatus(status).phrase}.", some, status)
    return found


def _problem_response(said: str, codes: list[str], status: int) -> dict[str, Any]:
    headers = (*_OF_ALL, *_OF_COUNTED, *_OF_RETIRED, *_OF_STATUS.get(status, ()))
    examples = {code: {"$ref": f"#/components/examples/{code}"} for code in codes}
    content = {"schema": {"$ref": "#/components/schemas/Problem"}, "examples": examples}
    return {"description": said, "content": {MEDIA_TYPE: content}, "headers": _header_references(headers)}


def _name_of(status: int) -> str:
    return "".join(word.capitalize() for word in HTTPStatus(status).phrase.replace("-", " ").split())


def _problem_examples() -> dict[str, Any]:
    recorded: dict[str, Any] = {}
    for file in sorted(recorded_examples().values()):
        answer = read_example(file)["response"]
        if answer["content_type"] == MEDIA_TYPE and answer["body"] and size_of(answer["body"]) <= INLINE_BYTES:
            known = recorded.setdefault(answer["body"]["code"], answer["body"])
            if len(json.dumps(answer["body"])) < len(json.dumps(known)):
                recorded[answer["body"]["code"]] = answer["body"]
    traces = {code: "" if code in PROXY_PROBLEMS else "4bf92f3577b34da6a3ce929d0e0e4736" for code in PROBLEMS}
    found = {code: recorded.get(code) or _sample(code).document("en", trace) for code, trace in traces.items()}
    return {code: {"value": document} for code, document in found.items()}


def _sample(code: str) -> Problem:
    named = [name for _, name, _, _ in Formatter().parse(TEXTS.sections["en"]["details"][code]) if name]
    params: dict[str, Any] = {name: _SAMPLES.get(name, 8) for name in named}
    return Problem(code, **params)


def _header_references(keys: tuple[str, ...]) -> dict[str, Any]:
    return {HEADERS[key][0]: {"$ref": f"#/components/headers/{key}"} for key in keys}


def _describe_parameter(parameter: dict[str, Any]) -> None:
    if parameter.get("name") == "game":
        parameter["schema"] = {"$ref": "#/components/schemas/GameSlug"}
    if parameter.get("in") == "path" and parameter["name"] in {"id", "delivery", "device"}:
        parameter["schema"] = {"type": "string", "pattern": ID_PATTERN}
    if "name" in parameter and parameter["name"] in _PARAMETERS:
        parameter.setdefault("description", _PARAMETERS[parameter["name"]])


def _shared(parameter: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    if parameter.get("in") not in {"header", "path"}:
        return parameter
    name = parameter["name"].replace("-", "") if parameter["in"] == "header" else f"{parameter['name'].title()}InPath"
    same = known.setdefault(name, parameter) == parameter
    return {"$ref": f"#/components/parameters/{name}"} if same else parameter


def _finish(operation: dict[str, Any], *, counted: bool) -> None:
    responses = operation["responses"]
    problems = {429: [RATE_LIMITED], 503: [OVERLOADED]} if counted else {}
    for status, response in responses.items():
        if "x-problems" in response:
            problems[int(status)] = [*response["x-problems"], *problems.get(int(status), [])]
    for status, codes in problems.items():
        reference = {"$ref": f"#/components/responses/{_name_of(status)}"}
        said = {"description": ", ".join(f"`{code}`" for code in dict.fromkeys(codes))}
        responses[str(status)] = reference if len(set(codes)) == _COUNTS[status] else {**reference, **said}
    if "304" in responses:
        responses["304"] = {"$ref": "#/components/responses/NotModified"}
    responses["default"] = {"$ref": "#/components/responses/Problem"}
    common = _header_references(("RequestId", *(_OF_COUNTED if counted else ())))
    for response in responses.values():
        if "$ref" in response:
            continue
        own = {name: {"$ref": f"#/components/headers/{_KEYS[name]}"} for name in response.get("headers", {})}
        varied = _header_references(("Vary",)) if "ETag" in own else {}
        response["headers"] = {**own, **varied, **common}
    made = [status for status in responses if status.startswith("2")]
    # Generators take an operation's type from the first response.
    first = sorted(made, key=lambda status: (status != "201", status))
    rest = sorted(status for status in responses if status not in made)
    operation["responses"] = {status: responses[status] for status in (*first, *rest)}
    add_examples(operation)


def document(create_app: Callable[[], Flask]) -> dict[str, Any]:
    spec: dict[str, Any] = create_app().extensions["openapi"].spec()
    return spec


def as_yaml(spec: dict[str, Any]) -> str:
    """Return the document as YAML. This requires PyYAML."""
    import yaml  # noqa: PLC0415 -- a tool for developers, not there in production

    plain = json.loads(json.dumps(spec))  # without shared parts, which would become aliases
    text: str = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=110)
    return text


def write(path: Path, create_app: Callable[[], Flask]) -> None:
    recorded_examples.cache_clear()
    path.write_text(as_yaml(document(create_app)), "utf-8")
