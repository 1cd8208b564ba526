"""How the house is: limits, problem types, health, readiness and figures."""

from __future__ import annotations

from dataclasses import fields as fields_of
from typing import Any, Final

import msgspec
from flask import Response, current_app
from marshmallow import fields

from service.contract.fields import Answer
from service.contract.http import Blueprint
from service.contract.problems import catalogue
from service.house import house
from service.settings import Limits

blp = Blueprint("meta", __name__, description="Limits, problem types, health and figures of the service.")


class ProblemType(Answer):
    """One way a request can fail."""

    type = fields.String(required=True)
    code = fields.String(required=True)
    status = fields.Integer(required=True)
    titles = fields.Dict(keys=fields.String(), values=fields.String(), required=True)


class Health(Answer):
    """Whether the process works."""

    status = fields.String(required=True)


PublishedLimits: Final = msgspec.defstruct("Limits", [(bound.name, int) for bound in fields_of(Limits)], frozen=True)
"""Every bound, without its default, because an answer names them all."""


@blp.get("/v1/limits")
@blp.returns(200, PublishedLimits)
def get_limits() -> Limits:
    """List every bound that a client can run into: sizes, batches, waits, streams and lifetimes."""
    return house().settings.limits


@blp.get("/v1/problems")
@blp.response(200, ProblemType(many=True))
def list_problems() -> list[dict[str, Any]]:
    """List every problem type with its code, its status and its titles."""
    return catalogue()


@blp.get("/healthz")
@blp.response(200, Health())
def get_health() -> dict[str, str]:
    """Tell that the process answers; never asks Redis."""
    return {"status": "ok"}


@blp.get("/readyz")
@blp.response(200, Health())
@blp.problems("store-away")
def get_readiness() -> dict[str, str]:
    """Tell whether the service can do its work now, which needs Redis."""
    for store in {house().redis, house().kept}:
        store.ping()
    return {"status": "ok"}


@blp.get("/metrics")
@blp.response(200, {"type": "string"}, content_type="text/plain")
def get_metrics() -> Response:
    """Return the figures in Prometheus' text format."""
    text, media_type = current_app.extensions["metrics"].page()
    return Response(text, content_type=media_type)
