"""Extensions of apispec and flask-smorest that write operations into the OpenAPI document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any

import flask_smorest
import marshmallow as ma
from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.openapi import OpenAPIConverter

from service.contract.json_schemas import SCHEMAS, Answer, component
from service.contract.schema_forms import merged
from service.http.blueprint import AnswerNotes, Blueprint
from service.http.fields import Payload
from service.http.problems import PROBLEMS


class Converter(OpenAPIConverter):
    """An apispec converter that describes a `Payload` field by the schema of its type."""

    def init_attribute_functions(self) -> None:
        super().init_attribute_functions()  # type: ignore[no-untyped-call]
        self.attribute_functions.append(self.payload2properties)

    def payload2properties(self, field: ma.fields.Field[Any], **_: Any) -> dict[str, Any]:
        """Return the schema of a `Payload` field. The types in it become components of the document."""
        if not isinstance(field, Payload):
            return {}
        for part in field.parts:
            component(part, self.spec.components.schemas)
        return component(field.kind, self.spec.components.schemas)


class Plugin(MarshmallowPlugin):
    """The marshmallow plugin of apispec with our converter."""

    Converter = Converter


class Api(flask_smorest.Api):
    """flask-smorest's generator of OpenAPI documents, without its error handlers and its pages."""

    DEFAULT_ERROR_RESPONSE_NAME = None

    def describe(self, resource: Blueprint) -> None:
        """Add the operations of a resource to the document. The resource must already be registered with Flask."""
        resource.register_views_in_doc(self, self._app, self.spec, name=resource.name, parameters=None)
        self.spec.tag({"name": resource.name, "description": resource.description})

    def complete_operation(self, doc: dict[str, Any], notes: Mapping[str, Any]) -> dict[str, Any]:
        """Return the operation with the parts that flask-smorest cannot describe.

        These parts are error responses, msgspec types, streams, alternative bodies and request headers.
        """
        schemas = self.spec.components.schemas
        responses = doc.setdefault("responses", {})
        headers = [dict(header) for header in notes.get("request_headers", ())]
        if headers:
            doc["parameters"] = doc.get("parameters", []) + headers
        responses |= {status: {"x-problems": codes} for status, codes in _by_status(notes.get("problems", ()))}
        if "described" in notes:
            _describe_answer(responses, notes["described"], schemas)
        if "forms" in notes:
            status, forms = notes["forms"]
            responses[status]["content"] |= {
                media_type: {"schema": dict(schema)} for media_type, schema in forms.items()
            }
        if "body" in notes:
            schema = _body_schema(notes["body"], schemas, self.spec.plugins[1].converter)
            said = f"At most `{notes['body']['size']}` of `/v1/limits`."
            content = {"application/json": {"schema": schema}}
            doc["requestBody"] = {"description": said, "required": notes["body"]["required"], "content": content}
        return doc

    def _leave_to_us(self) -> None:
        """Do nothing. This replaces methods of flask-smorest, because our own code does the work of these methods."""

    _register_error_handlers = _register_doc_blueprint = _register_responses = _leave_to_us
    _register_etag_headers = _register_pagination_header = _leave_to_us


def _body_schema(body: Mapping[str, Any], schemas: dict[str, Any], converter: Any) -> dict[str, Any]:
    first, *others = body["forms"]
    if not others:
        reference: dict[str, Any] = converter.resolve_nested_schema(first)
        schemas[reference["$ref"].removeprefix(SCHEMAS)].setdefault("description", first.__doc__)
        return reference
    forms = [converter.schema2jsonschema(form) for form in body["forms"]]
    schemas[body["name"]] = merged(forms, "Input of the operation.")
    return {"$ref": f"{SCHEMAS}{body['name']}"}


def _describe_answer(responses: dict[Any, Any], described: AnswerNotes, schemas: dict[str, Any]) -> None:
    if described.kind is not None:
        parts: dict[str, Any] = {"content": {"application/json": {"schema": component(described.kind, schemas)}}}
        if described.headers:  # after the content of games, as published
            headers: dict[str, Any] = {"headers": {name: {} for name in described.headers}}
            members = getattr(described.kind, "__args__", (described.kind,))
            parts = headers | parts if issubclass(members[0], Answer) else parts | headers
        responses[described.status] = {"description": HTTPStatus(described.status).phrase, **parts}
    if described.streams:
        messages = "Messages in the format of the schema, one after another."
        response = responses.setdefault(described.status, {"description": messages})
        content = {media_type: {"schema": component(kind, schemas)} for media_type, kind in described.streams.items()}
        response["content"] = response.get("content", {}) | content


def _by_status(codes: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    for status in sorted({PROBLEMS[code] for code in codes}):
        yield status, [code for code in PROBLEMS if code in codes and PROBLEMS[code] == status]
