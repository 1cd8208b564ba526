"""The parts of apispec and flask-smorest that describe our operations in the document."""

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
    """What the document tells of an application's operations; errors and documents are ours, not smorest's."""

    DEFAULT_ERROR_RESPONSE_NAME = None

    def describe(self, resource: Blueprint) -> None:
        """Put the operations of a resource into the document; the application has them already."""
        resource.register_views_in_doc(self, self._app, self.spec, name=resource.name, parameters=None)
        self.spec.tag({"name": resource.name, "description": resource.description})

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
