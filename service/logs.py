"""Structured log lines on stderr: one per request, with its route but never its path, query, tokens or bodies."""

from __future__ import annotations

import logging
import sys
from io import TextIOBase
from typing import TextIO, cast

import structlog
from flask import Flask, Response, request

from service.contract.trace import request_id, seconds, trace_id

_log = structlog.get_logger("service")


def configure(level: str) -> None:
    """Write every log line as JSON, from `level` (debug, info, warning, error) on."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.PrintLoggerFactory(file=cast("TextIO", _Stderr())),
    )


class _Stderr(TextIOBase):
    """The standard error of the moment, so that whoever replaces it is heard."""

    def write(self, text: str) -> int:
        """Write a line."""
        return sys.stderr.write(text)

    def flush(self) -> None:
        """Pass on what is held back."""
        sys.stderr.flush()


def install(app: Flask) -> None:
    """Log every answer."""

    @app.after_request
    def end(response: Response) -> Response:
        _log.info(
            "answered",
            method=request.method,
            route=request.url_rule.rule if request.url_rule else None,
            status=response.status_code,
            milliseconds=round(seconds() * 1000, 2),
            request_id=request_id(),
            trace_id=trace_id(),
        )
        return response
