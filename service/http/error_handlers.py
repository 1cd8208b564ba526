"""Error handlers. They turn every exception into a problem document, without tracebacks or hidden game data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec
import redis.exceptions
import structlog
from flask import Flask, Response, request
from werkzeug.datastructures import Headers
from werkzeug.exceptions import HTTPException
from werkzeug.routing import RoutingException

from service.http.problems import BY_STATUS, MEDIA_TYPE, Problem
from service.http.request_context import language, trace_id
from service.http.response import Reply
from service.store.writes import refuses_writes
from service.telemetry.logs import places
from service.work_clock import ClientGone, TooMuchWork

STORE_RETRY_SECONDS: Final = "2"

CLIENT_CLOSED_REQUEST: Final = 499
"""The status in logs and metrics if the client disconnected before the response; nginx uses the same."""

_STORE_ERRORS: Final = (
    redis.exceptions.ConnectionError,
    redis.exceptions.TimeoutError,
    redis.exceptions.ReadOnlyError,
    redis.exceptions.OutOfMemoryError,
    redis.exceptions.ClusterError,
    redis.exceptions.TryAgainError,
)

_log = structlog.get_logger("service")


_mappers: Final[dict[type[Exception], Callable[[Exception], Problem]]] = {}
"""Functions that convert exceptions to problems. Each key is the base class of the exceptions to convert."""


def install(app: Flask) -> None:
    """Register `reply_to` as Flask's handler for all errors."""
    app.register_error_handler(HTTPException, _handle_http_exception)
    app.register_error_handler(Exception, lambda error: to_flask(reply_to(error)))


def map_errors(kind: type[Exception], mapper: Callable[[Exception], Problem]) -> None:
    _mappers[kind] = mapper


def reply_to(error: Exception) -> Reply:
    """Return the response to any exception of the current request, in the client's language.

    If the exception is unexpected, log it.
    """
    if isinstance(error, ClientGone):
        return Reply(CLIENT_CLOSED_REQUEST, {"Content-Type": "text/html; charset=utf-8", "Content-Length": "0"})
    problem = _problem_of(error)
    body = msgspec.json.encode(problem.document(language(), trace_id()))
    headers = {**problem.headers, "Content-Type": MEDIA_TYPE, "Content-Length": str(len(body))}
    return Reply(problem.status, headers, body)


def to_flask(reply: Reply) -> Response:
    """Convert a `Reply` to a Flask response. The response does not yet have the headers that all responses share."""
    response = Response(reply.body, reply.status)
    response.headers = Headers(list(reply.headers.items()))
    return response


def _problem_of(error: Exception) -> Problem:
    if isinstance(error, Problem):
        return error
    for kind, mapper in _mappers.items():
        if isinstance(error, kind):
            return mapper(error)
    if isinstance(error, TooMuchWork):
        return Problem("too-much-work", milliseconds=error.milliseconds)
    if isinstance(error, _STORE_ERRORS) or (
        isinstance(error, redis.exceptions.ResponseError) and refuses_writes(error)
    ):
        _log.warning("store away", kind=type(error).__name__)
        return Problem("store-away", headers={"Retry-After": STORE_RETRY_SECONDS})
    # The log contains the places in the code but not the values, which may be secret.
    _log.error("unforeseen", kind=type(error).__name__, places=places(error.__traceback__))
    return Problem("internal-error")


def _handle_http_exception(error: HTTPException) -> Response | HTTPException:
    if isinstance(error, RoutingException) or error.code is None:
        return error
    headers = {name: value for name, value in error.get_headers() if name in {"Allow", "Retry-After"}}
    code = BY_STATUS.get(error.code, "bad-request" if error.code < 500 else "internal-error")  # noqa: PLR2004
    return to_flask(reply_to(Problem(code, headers=headers, limit=request.max_content_length)))
