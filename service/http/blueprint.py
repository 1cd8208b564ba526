"""How a resource is written: one module in `service/api/`, its schemas on top, one function per operation.

    blp = Blueprint("sessions", __name__, url_prefix="/v1/sessions", description="Tables kept by the service.")

    class MakeMove(Body):                                  # service.http.fields: Body, Query, Answer, Whole,
        move = MoveField(required=True)                    # Words, Choice, Flag, Rows, Within, Payload; MoveField,
                                                           # ViewField ... stand in service.wire.fields
    @blp.post("/<id>/moves")
    @require(allow_seat)                                   # 404, 401, 403 before the body; it documents them itself
    @blp.arguments(MakeMove())                             # an INSTANCE; checks 413, 415, 400, 422 in this order
    @blp.response(201, MoveMade)                           # a struct (`json_schemas.Answer`), sent as it is
    @blp.problems("stale-version", "illegal-move")
    @idempotent(seat_token)                                # stands below `response`, as `conditional` does
    def make_move(body, session, viewer): ...              # operationId is makeMove; the docstring is the description

* Fail with `raise Problem("stale-version", version=7, members={"version": 7}, headers={...})`; codes, statuses and
  texts: `service.http.problems`. `blp.problems` documents them; what `arguments` can raise documents itself.
* `blp.arguments(schema, location="query")` for query parameters; any other parameter is refused with 422, also on
  operations that take none. A body of several forms: `blp.either(FormA(), FormB())`, chosen by their required fields.
* A view function returns what its schema dumps, or (value, status, headers), or a ready `Response` (`answer(value)`).
  Where the whole answer is one payload, `@blp.returns(200, kind)` stands in for `response`: a struct, dataclass, list
  of structs, or `AnyView`; its schema comes from msgspec. `@blp.streams({media_type: kind})` for a stream.
* `current_context()` (service.context) gives settings, limits and games; `language()`, `current_span()`, `trace_id()`
  (service.http.request_context) belong to the request. A redis error that nobody catches is a 503 with Retry-After.
* msgspec structs go into answers as they are: the JSON provider writes them. NaN never gets out.
* Headers of an answer are documented by `blp.response(..., headers={"ETag": ETAG})`, request headers by
  `blp.doc(parameters=[...])`, recorded examples by `openapi/examples/` (see `service.http.openapi`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, wraps
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, Final

import flask_smorest
import marshmallow as ma
import msgspec
from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from flask import Response, current_app, request

from service.context import current_context
from service.http import json_body
from service.http.fields import Payload, faults
from service.http.json_schemas import SCHEMAS
from service.http.problems import MEDIA_TYPE, PROBLEMS, TEXTS, Problem
from service.validation.faults import Fault
from service.wire.fields import component

ETAG: Final = {
    "description": "The version of this answer, for If-None-Match and If-Match.",
    "schema": {"type": "string"},
}
IF_NONE_MATCH: Final = {
    "in": "header",
    "name": "If-None-Match",
    "schema": {"type": "string"},
    "description": "The ETag of what the caller has; the answer is 304 while nothing is new.",
}
LOCATION: Final = {"description": "Where the created resource stands.", "schema": {"type": "string"}}

_OF_BODY: Final = ("body-too-large", "unsupported-media-type", "malformed-json", "invalid-body")
_OF_QUERY: Final = ("invalid-query",)


@dataclass(frozen=True, slots=True)
class Payloaded:
    """What is noted of an answer that is one payload; smorest copies its notes deeply, which a type does not bear."""

    status: int
    kind: Any
    headers: Mapping[str, Any] | None

    def __deepcopy__(self, memo: object) -> Payloaded:
        """Return this."""
        return self


@dataclass(frozen=True, slots=True)
class Streamed:
    """What is noted of an answer that is a stream."""

    kinds: Mapping[str, Any]

    def __deepcopy__(self, memo: object) -> Streamed:
        """Return this."""
        return self


def operation_id(name: str) -> str:
    """Return the id of the operation that a function of this name is."""
    first, *rest = name.split("_")
    return first + "".join(map(str.title, rest))


def answer(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return JSON as the provider writes it."""
    return Response(current_app.json.dumps(value), status, headers, content_type="application/json")


def no_content() -> Response:
    """Return an answer without a body."""
    response = Response(status=204)
    del response.headers["Content-Type"]
    return response


class Blueprint(flask_smorest.Blueprint):
    """A group of operations under one path."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Take what Flask's takes, and a description."""
        super().__init__(*args, **kwargs)
        self._queries: dict[str, frozenset[str]] = {}
        self._prepare_doc_cbks.append(self._prepare_own_doc)
        self.before_request(self._refuse_unknown_query)

    def add_url_rule(self, rule: str, endpoint: Any = None, view_func: Any = None, *args: Any, **options: Any) -> None:
        """Register an operation and remember its query parameters."""
        known = [
            field
            for parameter in getattr(view_func, "_apidoc", {}).get("arguments", {}).get("parameters", ())
            if parameter["in"] == "query"
            for field in parameter["schema"].fields
        ]
        self._queries[f"{self.name}.{endpoint or view_func.__name__}"] = frozenset(known)
        super().add_url_rule(rule, endpoint, view_func, *args, **options)

    def _refuse_unknown_query(self) -> None:
        """Refuse a query parameter that the operation does not have, or has twice."""
        if not request.query_string or request.endpoint is None:
            return
        known = self._queries.get(request.endpoint, frozenset())
        found = [Fault(f"/{name}", "unknown", place="query") for name in request.args if name not in known]
        found += [
            Fault(f"/{name}", "repeated", place="query") for name, given in request.args.lists() if len(given) > 1
        ]
        if found:
            raise Problem("invalid-query", errors=found)

    def _store_endpoint_docs(self, endpoint: str, obj: Any, parameters: Any, tags: Any, **options: Any) -> None:
        """Name the operation after its function."""
        super()._store_endpoint_docs(endpoint, obj, parameters, tags, **options)
        for method, doc in self._docs[endpoint].items():
            if method != "parameters":
                doc.setdefault("manual_doc", {}).setdefault("operationId", operation_id(obj.__name__))

    def arguments(self, schema: ma.Schema, *, location: str = "json") -> Callable[..., Any]:
        """Read the body, or the query, by a schema instance and hand it in."""
        if location == "json":
            return self.either(schema)
        note = {"in": location, "required": True, "schema": schema}
        return _handing(_query(schema), _OF_QUERY, lambda notes: _parameters(notes).append(note))

    def optional(self, schema: ma.Schema) -> Callable[..., Any]:
        """Read the body by a schema instance and hand it in; no body at all is read as an empty object."""

        def read() -> Any:
            return _body([(schema, set())]) if request.get_data() else schema.load({})

        return _handing(read, _OF_BODY, lambda notes: notes.update(forms=(schema,), may_be_left_out=True))

    def either(self, *forms: ma.Schema) -> Callable[..., Any]:
        """Read the body by the first form whose required fields are all there, else by the first, and hand it in."""
        needed = [(form, {name for name, field in form.fields.items() if field.required}) for form in forms]
        return _handing(lambda: _body(needed), _OF_BODY, lambda notes: notes.update(forms=forms))

    def response(self, status_code: int, schema: Any = None, **kwargs: Any) -> Callable[..., Any]:
        """Answer with a schema, or with a struct as it is; headers that decorators below have noted are documented."""
        (kind,) = getattr(schema, "__args__", (schema,))
        is_struct = isinstance(kind, type) and issubclass(kind, msgspec.Struct)

        def decorator(function: Callable[..., Any]) -> Callable[..., Any]:
            noted = getattr(function, "_apidoc", {}).get("answer_headers", {})
            headers = {**kwargs.pop("headers", {}), **noted}
            options = kwargs | ({"headers": headers} if headers else {})
            if not is_struct:
                plain: Callable[..., Any] = super(Blueprint, self).response(status_code, schema, **options)(function)
                return plain
            reference: dict[str, Any] = {"$ref": f"{SCHEMAS}{kind.__name__}"}
            reference = reference if kind is schema else {"type": "array", "items": reference}
            document = super(Blueprint, self).response(status_code, reference, **options)
            return note(document(_answering(function, status_code)), structs=(kind,))

        return decorator

    def returns(self, status: int, kind: Any, *, headers: Mapping[str, Any] | None = None) -> Callable[..., Any]:
        """Answer with one payload: any type that msgspec writes, described by `kind`."""

        def decorator(function: Callable[..., Any]) -> Callable[..., Any]:
            noted = getattr(function, "_apidoc", {}).get("answer_headers", {})
            payload = Payloaded(status, kind, {**(headers or {}), **noted})
            return _noting(_answering(function, status), "payload", payload)

        return decorator

    @staticmethod
    def streams(kinds: Mapping[str, Any]) -> Callable[..., Any]:
        """Document an answer that goes on: the schema of one message in each media type."""
        return lambda function: _noting(function, "streams", Streamed(kinds))

    @staticmethod
    def problems(*codes: str) -> Callable[..., Any]:
        """Document the problems that an operation may answer with."""
        unknown = [code for code in codes if code not in PROBLEMS]
        if unknown:
            raise KeyError(*unknown)
        return lambda function: note(function, problems=codes)

    @staticmethod
    def secured(scheme: str, *, always: bool) -> Callable[..., Any]:
        """Document that an operation takes a scheme, always or if one likes, beside those that it names itself."""

        def decorator(function: Callable[..., Any]) -> Callable[..., Any]:
            said = getattr(function, "_apidoc", {}).get("manual_doc", {})
            others = said.get("security", [{}])
            beside = [{scheme: list[str](), **other} for other in others]
            return _noting(function, "manual_doc", {**said, "security": beside if always else [*beside, *others]})

        return decorator

    @staticmethod
    def _prepare_own_doc(doc: dict[str, Any], doc_info: Mapping[str, Any], *, spec: Any, **_: Any) -> dict[str, Any]:
        """Write into the document what smorest does not know.

        That is problems (one response per status), payload answers and streams, bodies of several forms, and headers
        of the request beside query parameters.
        """
        headers = [*doc_info["manual_doc"].pop("parameters", []), *doc_info.get("request_headers", ())]
        if headers:
            doc["parameters"] = doc.get("parameters", []) + headers
        responses = doc.setdefault("responses", {})
        content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
        for status, codes in _by_status(doc_info.get("problems", ())):
            said = "; ".join(f"`{code}`: {TEXTS.say('en', 'titles', code)}" for code in codes)
            responses[status] = {"description": said, "content": deepcopy(content)}
        responses["default"] = {"description": "Any other problem.", "content": deepcopy(content)}
        for kind in doc_info.get("structs", ()):
            component(kind, spec.components.schemas)
        if "payload" in doc_info:
            whole = doc_info["payload"]
            content = {"application/json": {"schema": component(whole.kind, spec.components.schemas)}}
            described = {"description": HTTPStatus(whole.status).phrase, "content": content}
            responses[whole.status] = described | ({"headers": dict(whole.headers)} if whole.headers else {})
        if "streams" in doc_info:
            kinds = doc_info["streams"].kinds
            content = {
                kind: {"schema": component(described, spec.components.schemas)} for kind, described in kinds.items()
            }
            described = responses.setdefault(
                200, {"description": "Messages, each as its schema says, one after another."}
            )
            described["content"] = described.get("content", {}) | content
        if "forms" in doc_info:
            refs = [spec.plugins[1].converter.resolve_nested_schema(form) for form in doc_info["forms"]]
            schema = refs[0] if len(refs) == 1 else {"oneOf": refs}
            required = "may_be_left_out" not in doc_info
            doc["requestBody"] = {"required": required, "content": {"application/json": {"schema": schema}}}
        return doc


def _handing(
    read: Callable[[], Any], codes: Sequence[str], write: Callable[[dict[str, Any]], None]
) -> Callable[..., Any]:
    """Return a decorator that hands in what was read, and notes it and the problems of reading for the document."""

    def decorator(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return function(*args, read(), **kwargs)

        noted = note(wrapper, problems=codes)
        write(noted._apidoc)  # type: ignore[attr-defined]  # noqa: SLF001 -- smorest's store of notes
        return noted

    return decorator


def _parameters(notes: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the list in which smorest notes an operation's parameters."""
    found: list[dict[str, Any]] = notes.setdefault("arguments", {}).setdefault("parameters", [])
    return found


def _body(forms: Sequence[tuple[ma.Schema, set[str]]]) -> Any:
    """Read the body by one of its forms."""
    tree = json_body.body(current_context().settings.limits.json_depth)
    given = set(tree) if isinstance(tree, dict) else set()
    form = next((form for form, needed in forms if needed <= given), forms[0][0])
    try:
        return form.load(tree)
    except ma.ValidationError as error:
        raise Problem("invalid-body", errors=faults(error.messages)) from None


def _query(schema: ma.Schema) -> Callable[[], Any]:
    """Return what reads the query; that it has no unknown and no repeated parameter was seen before.

    What a query says that is not there is found out once.
    """

    def read(given: Mapping[str, str]) -> Any:
        try:
            return schema.load(given)
        except ma.ValidationError as error:
            raise Problem("invalid-query", errors=faults(error.messages, "query")) from None

    nothing = cache(lambda: read({}))
    return lambda: read(request.args.to_dict()) if request.query_string else {**nothing()}


def note(
    function: Callable[..., Any],
    *,
    problems: Sequence[str] = (),
    structs: Sequence[type[msgspec.Struct]] = (),
    request_headers: Sequence[Mapping[str, Any]] = (),
    answer_headers: Mapping[str, Any] = MappingProxyType({}),
) -> Callable[..., Any]:
    """Add to the notes of an operation: its problems, the structs it sends, and headers of request and answer."""
    notes = getattr(function, "_apidoc", {})
    for name, more in (("problems", problems), ("structs", structs), ("request_headers", request_headers)):
        if more:
            function = _noting(function, name, (*notes.get(name, ()), *more))
    if answer_headers:
        function = _noting(function, "answer_headers", {**notes.get("answer_headers", {}), **answer_headers})
    return function


def secure(function: Callable[..., Any], security: Sequence[Mapping[str, list[str]]]) -> Callable[..., Any]:
    """Document the credentials that an operation takes."""
    said = getattr(function, "_apidoc", {}).get("manual_doc", {})
    return _noting(function, "manual_doc", {**said, "security": [dict(each) for each in security]})


def conditional(
    description: str = "Nothing is new for the caller.", header: Mapping[str, Any] = MappingProxyType(IF_NONE_MATCH)
) -> Callable[..., Any]:
    """Document an answer with an ETag, which is 304 for a caller who has it; stands below `response` or `returns`."""

    def decorator(function: Callable[..., Any]) -> Callable[..., Any]:
        noted = note(function, request_headers=[dict(header)], answer_headers={"ETag": ETAG})
        found = {304: [{"description": description, "content_type": None}]}
        return _noting(noted, "response", {"responses": found})

    return decorator


def _answering(function: Callable[..., Any], status: int) -> Callable[..., Any]:
    """Return a function that answers with JSON of what a function returns, unless that is a response already."""

    @wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        made = function(*args, **kwargs)
        if isinstance(made, Response):
            return made
        value, code, more = made if type(made) is tuple else (made, status, None)
        return answer(value, code, more)

    return wrapper


def _noting(function: Callable[..., Any], name: str, note: Any) -> Callable[..., Any]:
    """Note something of an operation."""
    notes = deepcopy(getattr(function, "_apidoc", {}))
    notes[name] = note
    function._apidoc = notes  # type: ignore[attr-defined]  # noqa: SLF001 -- smorest's store of notes
    return function


def _by_status(codes: Sequence[str]) -> list[tuple[int, list[str]]]:
    """Group problem codes by their status, both in order."""
    statuses = sorted({PROBLEMS[code] for code in codes})
    return [(status, [code for code in PROBLEMS if code in codes and PROBLEMS[code] == status]) for status in statuses]


class Converter(OpenAPIConverter):
    """Describes payload fields by the types behind them."""

    def init_attribute_functions(self) -> None:
        """Add ours to those of apispec."""
        super().init_attribute_functions()  # type: ignore[no-untyped-call]
        self.attribute_functions.append(self.payload2properties)

    def payload2properties(self, field: ma.fields.Field[Any], **_: Any) -> dict[str, Any]:
        """Return the schema of a payload field, and put what it refers to among the components."""
        if not isinstance(field, Payload):
            return {}
        for part in field.parts:
            component(part, self.spec.components.schemas)
        return component(field.kind, self.spec.components.schemas)


class Plugin(MarshmallowPlugin):
    """apispec's plugin with our converter."""

    Converter = Converter


class Api(flask_smorest.Api):
    """The API of an application; errors and documents are ours, not smorest's."""

    DEFAULT_ERROR_RESPONSE_NAME = None

    def _register_error_handlers(self) -> None:
        """Leave errors to `service.http.error_handlers`."""

    def _register_doc_blueprint(self) -> None:
        """Leave the document to `service.api.docs`."""

    def _register_responses(self) -> None:
        """Leave responses to the operations that answer with them."""

    def _register_etag_headers(self) -> None:
        """Leave headers to the operations that have them."""

    def _register_pagination_header(self) -> None:
        """Leave pages to bodies."""
