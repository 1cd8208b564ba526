"""Extensions of apispec and flask-smorest that write operations into the OpenAPI document."""

from __future__ import annotations

from typing import Any

import flask_smorest
import marshmallow as ma
from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.openapi import OpenAPIConverter

from service.http.blueprint import Blueprint
from service.http.fields import Payload
from service.http.json_schemas import component


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
        """Add the operations of a resource to the document. The application must already have registered them."""
        resource.register_views_in_doc(self, self._app, self.spec, name=resource.name, parameters=None)
        self.spec.tag({"name": resource.name, "description": resource.description})

    def _leave_to_us(self) -> None:
        """Do nothing, instead of the features of flask-smorest that this service implements itself."""

    _register_error_handlers = _register_doc_blueprint = _register_responses = _leave_to_us
    _register_etag_headers = _register_pagination_header = _leave_to_us
