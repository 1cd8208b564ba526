"""The access log: one line for each request, with its route but never its path, query, tokens or bodies."""

from __future__ import annotations

import logging

import structlog

from service.http.request_context import RequestSpan
from service.telemetry.logs import writes

_log = structlog.get_logger("service")


def log_request(span: RequestSpan, status: int) -> None:
    """Log a response."""
    if not writes(logging.INFO):
        return
    milliseconds = round(span.seconds * 1000, 2)
    span.run(_log.info, "answered", method=span.method, route=span.route, status=status, milliseconds=milliseconds)
