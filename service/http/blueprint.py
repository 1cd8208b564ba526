"""Conventions of resources: one module in `service/api/`, its schemas on top, one function per operation.

    blp = Blueprint("sessions", __name__, url_prefix="/v1/sessions", description="Tables kept by the service.")

    class MakeMove(Body):                                  # Body, Query, Whole, Words ...: service.http.fields
        move = MoveField(required=True)                    # MoveField, ViewField ...: service.wire.fields

    @blp.post("/<id>/moves")                               # the path
    @require(allow_seat)                                   # checks the permission first: 404, then 401, then 403
    @blp.arguments(MakeMove())                             # checks the input next: 413, 415, 400, then 422
    @blp.response(201, MoveMade, problems=("stale-version", "illegal-move"))  # output: a struct, or a problem
    @idempotent(seat_token)                                # runs once per Idempotency-Key; always the last decorator
    def make_move(body, session, viewer): ...              # operationId is makeMove; the docstring is the description

* The first check that fails determines the status of the error response.
* `response` lists the codes of the problems that the operation raises. Other decorators document their own problems.
* Query parameters that an operation does not declare are rejected with 422.
* `arguments(FormA(), FormB())` parses the body with the first form whose required fields are present.
* An operation returns a value, or (value, status, headers), or a `Response` made by `answer`.
* An uncaught Redis error becomes a 503 with Retry-After. NaN is never sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import wraps
from types import MappingProxyType
from typing import Any, Final

import flask_smorest
import marshmallow as ma
import msgspec
from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from service.http.context import current_context
from service.http.forms import body_reader, query_reader, refuse_unknown_query
from service.http.problems import PROBLEMS
from service.http.request import Request
from service.http.request_context import current_call, this_request
from service.settings import Limits

BODY_BYTES: Final = "body_bytes"
TABLE_BYTES: Final = "table_bytes"
BATCH_BYTES: Final = "batch_bytes"

REPLAYED: Final = {"Idempotency-Replayed": "true"}
"""The header of a response that repeats the result of an earlier request with the same Idempotency-Key."""

IF_NONE_MATCH: Final = {
    "in": "header",
    "name": "If-None-Match",
    "schema": {"type": "string"},
    "description": "ETag of the caller's stored state. The response is 304 if this state is current.",
}
"""The `If-None-Match` header, as documented for operations that can return 304."""

_OF_BODY: Final = (
    "body-too-large",
    "too-many-values",
    "unsupported-media-type",
    "malformed-json",
    "invalid-body",
    "too-much-work",
)
_OF_QUERY: Final = ("invalid-query",)


@dataclass(frozen=True, slots=True)
class AnswerNotes:
    """The documentation of a response whose body has a msgspec schema. `kind` is the type of the JSON body.

    `streams` maps the media type of each stream to the type of its messages.
    """

    status: int
    kind: Any
    headers: Sequence[str]
    streams: Mapping[str, Any]

    def __deepcopy__(self, memo: object) -> AnswerNotes:
        # flask-smorest makes deep copies of its notes, but annotated types cannot be copied.
        return self


def operation_id(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.title, rest))


def answer(
    value: Any, status: int = 200, headers: Mapping[str, str] = MappingProxyType({}), *, repeated: bool = False
) -> Response:
    """Return a value as a JSON response.

    `repeated` is true if an earlier request with the same Idempotency-Key created the value.
    """
    headers = {**headers, **REPLAYED} if repeated else headers
    return Response(msgspec.json.encode(value), status, headers, content_type="application/json")


def no_content() -> Response:
    response = Response(status=204)
    del response.headers["Content-Type"]
    return response


class Blueprint(flask_smorest.Blueprint):
    """A group of operations whose paths have the same prefix."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._queries: dict[str, ma.Schema | None] = {}
        self._prepare_doc_cbks.append(lambda doc, notes, *, api, **_: api.complete_operation(doc, notes))
        self.before_request(self._refuse_unknown_query)

    def add_url_rule(self, rule: str, endpoint: Any = None, view_func: Any = None, *args: Any, **options: Any) -> None:
        """Register an operation, and remember the schema of its query parameters."""
        parameters = getattr(view_func, "_apidoc", {}).get("arguments", {}).get("parameters", ())
        schemas = [parameter["schema"] for parameter in parameters if parameter["in"] == "query"]
        self._queries[f"{self.name}.{endpoint or view_func.__name__}"] = schemas[0] if schemas else None
        super().add_url_rule(rule, endpoint, view_func, *args, **options)

    def _refuse_unknown_query(self) -> None:
        http_request = this_request()
        if http_request.query_string and http_request.endpoint is not None:
            refuse_unknown_query(current_call().request, self._queries.get(http_request.endpoint))

    def _store_endpoint_docs(self, endpoint: str, obj: Any, parameters: Any, tags: Any, **options: Any) -> None:
        """Add an operation id to the operation's documentation, because flask-smorest adds none.

        The id is the function's name in camel case.
        """
        super()._store_endpoint_docs(endpoint, obj, parameters, tags, **options)
        for method, doc in self._docs[endpoint].items():
            if method != "parameters":
                doc.setdefault("manual_doc", {}).setdefault("operationId", operation_id(obj.__name__))

    def arguments(
        self,
        *forms: ma.Schema,
        query: ma.Schema | None = None,
        headers: Sequence[Mapping[str, Any]] = (),
        optional: bool = False,
        size: str = BODY_BYTES,
        name: str = "",
    ) -> Callable[..., Any]:
        """Return a decorator that parses the body and the query, and passes both to the operation.

        * `forms` are alternative schemas of the body.
        * `headers` are documented but not parsed.
        * If `optional` is true, a missing body is an empty object.
        * `size` is the name of the limit on the body's bytes.
        * `name` is the name of the OpenAPI component for a body with several forms.
        """
        read_body = body_reader(forms)
        read_query = None if query is None else query_reader(query)

        def decorator(function: Callable[..., Any]) -> Callable[..., Any]:
            @wraps(function)
            def wrapper(*args: Any, **kwargs: Any) -> Any:
                if forms:
                    request.max_content_length = getattr(current_context().settings.limits, size)
                    absent = optional and not request.get_data()
                    args = (*args, forms[0].load({}) if absent else read_body())
                if read_query is not None:
                    args = (*args, read_query(current_call().request))
                return function(*args, **kwargs)

            problems = (*(_OF_BODY if forms else ()), *(_OF_QUERY if query else ()))
            noted = note(wrapper, problems=problems, request_headers=headers)
            if forms:
                noted = _noting(noted, "body", {"forms": forms, "required": not optional, "size": size, "name": name})
            if query:
                parameters = [{"in": "query", "required": True, "schema": query}]
                noted = _noting(noted, "arguments", {"parameters": parameters})
            return noted

        return decorator

    def response(
        self,
        status_code: int,
        kind: Any = None,
        *,
        problems: Sequence[str] = (),
        headers: Sequence[str] = (),
        not_modified: Mapping[str, Any] | None = None,
        streams: Mapping[str, Any] = MappingProxyType({}),
        forms: Mapping[str, Any] = MappingProxyType({}),
        **options: Any,
    ) -> Callable[..., Any]:
        """Return a decorator that sends the operation's value as JSON and documents the responses.

        * `kind` is the type of the value, or the OpenAPI schema of the value as a dict.
        * `headers` are names in `service.contract.document.HEADERS`.
        * `not_modified` is the OpenAPI object of a request header. With this header, a client can get status 304.
        * `streams` maps the media type of each stream to the type of its messages.
        * `forms` contains the schemas of other media types that `Accept` can select.
        """
        is_schema = kind is None or isinstance(kind, dict)

        def decorator(function: Callable[..., Any]) -> Callable[..., Any]:
            noted = note(function, problems=problems)
            if forms:
                noted = _noting(noted, "forms", (status_code, forms))
            if not_modified is not None:
                noted = note(noted, request_headers=[not_modified], answer_headers=("ETag",))
                noted = _noting(noted, "response", {"responses": {304: [{"description": "", "content_type": None}]}})
            more = dict.fromkeys((*headers, *getattr(noted, "_apidoc", {}).get("answer_headers", ())))
            if streams or not is_schema:
                noted = _noting(noted, "described", AnswerNotes(status_code, kind, [*more], streams))
            if kind is None and streams:
                return noted
            if not is_schema:
                return _answering(noted, status_code)
            if more:
                options["headers"] = {name: {} for name in more}
            document: Callable[..., Any] = super(Blueprint, self).response(status_code, kind, **options)
            return document(noted)  # type: ignore[no-any-return]

        return decorator


def body_limit(app: Flask) -> Callable[[Request], int]:
    limits: Limits = app.extensions["context"].settings.limits
    sizes: dict[str, int] = {
        endpoint: getattr(limits, body["size"])
        for endpoint, function in app.view_functions.items()
        if (body := getattr(function, "_apidoc", {}).get("body"))
    }

    def limit(sent: Request) -> int:
        if 0 < sent.length <= limits.body_bytes:
            return limits.body_bytes
        try:
            endpoint, _ = app.url_map.bind("").match(sent.path, sent.method)
        except HTTPException:
            return limits.body_bytes
        return sizes.get(endpoint, limits.body_bytes)

    return limit


def note(
    function: Callable[..., Any],
    *,
    problems: Sequence[str] = (),
    request_headers: Sequence[Mapping[str, Any]] = (),
    answer_headers: Sequence[str] = (),
    security: Sequence[Mapping[str, list[str]]] | None = None,
) -> Callable[..., Any]:
    """Document the problems, headers and credentials of an operation.

    Raise KeyError if `PROBLEMS` does not contain the code of a problem.
    """
    notes = getattr(function, "_apidoc", {})
    if unknown := [code for code in problems if code not in PROBLEMS]:
        raise KeyError(*unknown)
    for name, more in (("problems", problems), ("request_headers", request_headers)):
        if more:
            function = _noting(function, name, (*more, *notes.get(name, ())))
    if answer_headers:
        function = _noting(function, "answer_headers", (*notes.get("answer_headers", ()), *answer_headers))
    if security is not None:
        function = _noting(function, "manual_doc", {"security": [dict(each) for each in security]})
    return function


def security_of(function: Callable[..., Any]) -> list[dict[str, list[str]]]:
    noted: list[dict[str, list[str]]] = getattr(function, "_apidoc", {}).get("manual_doc", {}).get("security", [{}])
    return noted


def _answering(function: Callable[..., Any], status: int) -> Callable[..., Any]:
    @wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        made = function(*args, **kwargs)
        if isinstance(made, Response):
            return made
        return answer(*made) if type(made) is tuple else answer(made, status)

    return wrapper


def _noting(function: Callable[..., Any], name: str, note: Any) -> Callable[..., Any]:
    notes = deepcopy(getattr(function, "_apidoc", {}))
    notes[name] = note
    function._apidoc = notes  # type: ignore[attr-defined]  # noqa: SLF001 -- smorest's store of notes
    return function
