"""Information about the service: limits, problem types, health and readiness."""

from __future__ import annotations

from dataclasses import fields as fields_of
from typing import Annotated, Any, Final

import msgspec
import structlog
from flask import Response, redirect, request
from marshmallow import EXCLUDE
from msgspec import Meta
from redis import Redis
from redis.exceptions import RedisError
from werkzeug.wrappers import Response as Answered

from games.core.kernel import kernel
from service.api.docs import wants_page
from service.contract.json_schemas import Answer
from service.http.blueprint import Blueprint, answer
from service.http.context import current_context
from service.http.error_handlers import STORE_RETRY_SECONDS
from service.http.fields import Flag, Query
from service.http.problems import Problem, catalogue
from service.settings import Limits
from service.store.writes import check_writes, refuses_writes

VERBOSE: Final = "verbose"

_log = structlog.get_logger("service")

blp = Blueprint("meta", __name__, description="Limits, problem types and health of the service.")


class ProblemType(Answer, frozen=True, kw_only=True):
    """A problem type, with its title in each language."""

    type: str
    code: str
    status: int
    titles: dict[str, str]


class Health(Answer, frozen=True, kw_only=True):
    """Health of the process."""

    status: str


Bound = Annotated[int, Meta(le=2**31 - 1)]

PublishedLimits: Final = msgspec.defstruct(
    "Limits",
    [(bound.name, int if "playouts" in bound.name else Bound) for bound in fields_of(Limits)],
    frozen=True,
)
"""The response type of all limits. No field has a default, because a response contains every limit."""


@blp.get("/v1/limits")
@blp.response(200, PublishedLimits)
def get_limits() -> Limits:
    """Get the limits.

    Return every limit that a client can reach: sizes, batches, waits, streams and lifetimes.
    """
    return current_context().settings.limits


@blp.get("/v1/problems")
@blp.response(200, list[ProblemType])
@blp.alt_response(303, description="Redirect of browsers to the documentation of the problems.")
def list_problems() -> Answered:
    """List problem types.

    Return every problem type with its code, status and titles.
    """
    types = [ProblemType(**entry) for entry in catalogue()]
    response = redirect("/docs/problems", 303) if wants_page() else answer(types)
    response.vary.add("Accept")
    return response


@blp.get("/healthz")
@blp.response(200, Health, problems=("streams-busy",))
def get_health() -> Health:
    """Check the process.

    Return 200 if the process works, and 503 if it has a fault that only a restart can fix. The check does not query
    Redis.
    """
    _refuse(current_context().health.lasting_faults(), "to be restarted")
    return Health(status="ok")


class Readiness(Query):
    """Query parameters of the readiness check."""

    unlisted = frozenset({VERBOSE})

    class Meta:
        """Lets marshmallow ignore unknown query parameters."""

        unknown = EXCLUDE

    writes = Flag(load_default=True, description="Whether stores must also accept writes.")


@blp.get("/readyz")
@blp.arguments(query=Readiness())
@blp.response(200, Health, problems=("store-away", "writes-refused", "streams-busy"))
def get_readiness(query: dict[str, Any]) -> Health | Answered:
    """Check readiness.

    Return 200 if the service can work: streams are available, and its stores respond and accept writes. A store rejects
    writes if it is full, is a replica, or has lost its replicas. Clients can still read sessions from such a store.
    With `?writes=false`, the operation does not check whether the stores accept writes.
    """
    _refuse(current_context().health.complaints(), "not ready")
    for store in current_context().probed_stores:
        store.ping()
        if query["writes"]:
            _check_writes(store)
    if VERBOSE in request.args:
        return Response(f"ok\nkernel {kernel()}\n", content_type="text/plain")
    return Health(status="ok")


def _refuse(reasons: list[str], event: str) -> None:
    if reasons:
        _log.warning(event, reasons=reasons)
        raise Problem("streams-busy", headers={"Retry-After": STORE_RETRY_SECONDS})


def _check_writes(store: Redis) -> None:
    try:
        check_writes(store)
    except RedisError as error:
        if refuses_writes(error):
            raise Problem("writes-refused", headers={"Retry-After": STORE_RETRY_SECONDS}) from None
        raise
