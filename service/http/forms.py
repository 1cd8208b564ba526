"""Parsing of request bodies and queries by their schemas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

import marshmallow as ma
import msgspec

from games.core.checkpoint import checkpoint
from service.http import json_body
from service.http.context import current_context
from service.http.fields import Entries, Query, faults
from service.http.problems import Problem
from service.http.request import Request, parse_query
from service.validation.faults import Fault

MAX_QUERIES: Final = 256
"""Maximum number of parsed queries in the cache of each operation."""


def body_reader(forms: Sequence[ma.Schema]) -> Callable[[], Any]:
    """Return a function that parses the request body.

    `forms` contains schemas. The function uses the first schema whose required fields are all in the body. If there is
    no such schema, the function uses the first schema in `forms`.
    """
    required = [(form, {name for name, field in form.fields.items() if field.required}) for form in forms]
    # If a field is an `Entries` list in one schema, it must be one in all schemas with this field.
    apart = {name: field.entries for form in forms for name, field in form.fields.items() if isinstance(field, Entries)}
    names = [name for form in forms for name in form.fields] if apart else []
    members = msgspec.defstruct("Members", [(n, msgspec.Raw, msgspec.Raw()) for n in names], forbid_unknown_fields=True)

    def read() -> Any:
        limits = current_context().settings.limits
        data = json_body.receive_body()
        tree = json_body.parse_apart(data, members, apart, limits) if apart else json_body.parse_body(data, limits)
        checkpoint()
        given = set(tree) if isinstance(tree, dict) else set()
        return load_form(next((form for form, needed in required if needed <= given), forms[0]), tree)

    return read


def load_form(form: ma.Schema, tree: Any) -> Any:
    """Parse a body by a schema. Raise Problem if the body is invalid."""
    try:
        return form.load(tree)
    except ma.ValidationError as error:
        raise Problem("invalid-body", errors=faults(error.messages)) from None


def query_reader(schema: ma.Schema) -> Callable[[Request], dict[str, Any]]:
    """Return a function that parses the query of a request. It caches the results of valid queries.

    The caller must first check each query with `refuse_unknown_query`.
    """

    @lru_cache(MAX_QUERIES)
    def read(query: str) -> dict[str, Any]:
        try:
            found: dict[str, Any] = schema.load(parse_query(query).to_dict())
        except ma.ValidationError as error:
            raise Problem("invalid-query", errors=faults(error.messages, "query")) from None
        return found

    return lambda asked: {**read(asked.query)}


def refuse_unknown_query(asked: Request, schema: ma.Schema | None) -> None:
    """Raise Problem if the query has an unknown or repeated parameter."""
    if not asked.query:
        return
    known = frozenset[str]() if schema is None else frozenset(schema.fields)
    reason, taken = ("unknown-parameter", {"choices": ", ".join(sorted(known))}) if known else ("no-parameters", {})
    given = asked.arguments
    unlisted = schema.unlisted if isinstance(schema, Query) else frozenset[str]()
    unknown = [name for name in given if name not in known | unlisted]
    found = [Fault(f"/{name}", reason, taken, place="query") for name in unknown]
    found += [Fault(f"/{name}", "repeated", place="query") for name, texts in given.lists() if len(texts) > 1]
    if found:
        raise Problem("invalid-query", errors=found)
