"""One log line for each request, with its route but never its path, query, tokens or bodies."""

from __future__ import annotations

import structlog
from flask import Flask, Response, request

from service.contract.trace import method, seconds

_log = structlog.get_logger("service")


def install(app: Flask) -> None:
    """Log every answer."""

    @app.after_request
    def end(response: Response) -> Response:
        _log.info(
            "answered",
            method=method(),
            route=request.url_rule.rule if request.url_rule else None,
            status=response.status_code,
            milliseconds=round(seconds() * 1000, 2),
        )
        return response
