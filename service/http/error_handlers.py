"""Error handlers: every exception becomes a problem document; no traceback and no hidden data leaves or is logged."""

from __future__ import annotations

from typing import Final

import redis.exceptions
import structlog
from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException
from werkzeug.routing import RoutingException

from service.http.blueprint import answer
from service.http.problems import BY_STATUS, MEDIA_TYPE, Problem
from service.http.request_context import language, trace_id
from service.http.work_clock import ClientGone, TooMuchWork
from service.store.writes import refuses_writes
from service.telemetry.logs import places

STORE_RETRY_SECONDS: Final = "2"

CLIENT_CLOSED_REQUEST: Final = 499
"""The status of a request whose client has gone, as web servers have it."""

_AWAY: Final = (
    redis.exceptions.ConnectionError,
    redis.exceptions.TimeoutError,
    redis.exceptions.ReadOnlyError,
    redis.exceptions.OutOfMemoryError,
    redis.exceptions.ClusterError,
    redis.exceptions.TryAgainError,
)

_log = structlog.get_logger("service")


def install(app: Flask) -> None:
    """Register every handler."""
    app.register_error_handler(Problem, to_response)
    app.register_error_handler(TooMuchWork, handle_too_much_work)
    app.register_error_handler(ClientGone, handle_client_gone)
    app.register_error_handler(HTTPException, handle_http_exception)
    app.register_error_handler(Exception, handle_unforeseen)
    for away in _AWAY:
        app.register_error_handler(away, handle_store_away)
    app.register_error_handler(redis.exceptions.ResponseError, handle_response_error)


def to_response(problem: Problem) -> Response:
    """Answer a problem in the reader's language."""
    response = answer(problem.document(language(), trace_id()), problem.status, problem.headers)
    response.content_type = MEDIA_TYPE
    response.headers["Cache-Control"] = "no-store"
    return response


def handle_http_exception(error: HTTPException) -> Response | HTTPException:
    """Answer what Flask or Werkzeug refuses."""
    if isinstance(error, RoutingException) or error.code is None:
        return error
    headers = {name: value for name, value in error.get_headers() if name in {"Allow", "Retry-After"}}
    code = BY_STATUS.get(error.code, "bad-request" if error.code < 500 else "internal-error")  # noqa: PLR2004
    return to_response(Problem(code, headers=headers, limit=request.max_content_length))


def handle_too_much_work(error: TooMuchWork) -> Response:
    """Answer a request that has taken its processor time."""
    return to_response(Problem("too-much-work", milliseconds=error.milliseconds))


def handle_client_gone(_error: ClientGone) -> Response:
    """Answer nobody; the status is for logs and figures."""
    return Response(status=CLIENT_CLOSED_REQUEST)


def handle_store_away(error: Exception) -> Response:
    """Answer while Redis is away."""
    _log.warning("store away", kind=type(error).__name__)
    return to_response(Problem("store-away", headers={"Retry-After": STORE_RETRY_SECONDS}))


def handle_response_error(error: Exception) -> Response:
    """Answer what Redis refuses, which is a fault of ours unless it says that it cannot write now."""
    return handle_store_away(error) if refuses_writes(error) else handle_unforeseen(error)


def handle_unforeseen(error: Exception) -> Response:
    """Answer what nobody foresaw; the log names the places, not the values, which may be secret."""
    _log.error("unforeseen", kind=type(error).__name__, places=places(error.__traceback__))
    return to_response(Problem("internal-error"))
