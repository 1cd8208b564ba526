"""The access log: one line for each request, with its route but never its path, query, tokens or bodies."""

from __future__ import annotations

import logging

import structlog
from flask import Flask, Response

from service.http.request_context import RequestSpan, current_span
from service.telemetry.logs import writes

_log = structlog.get_logger("service")


def install(app: Flask) -> None:
    """Log every answer."""

    @app.after_request
    def end(response: Response) -> Response:
        log_request(current_span(), response.status_code)
        return response


def log_request(span: RequestSpan, status: int) -> None:
    """Log an answer."""
    if not writes(logging.INFO):
        return
    milliseconds = round(span.seconds * 1000, 2)
    span.run(_log.info, "answered", method=span.method, route=span.route, status=status, milliseconds=milliseconds)
