"""A call: one request during its processing, with the parts of its response besides the operation's reply."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

import structlog
from flask import Flask, g
from werkzeug.datastructures import Headers

from games.core.checkpoint import check_with
from service.auth.rate_limits import Quota, RateLimitStatus, policies
from service.http.request import Request
from service.http.request_context import RequestSpan
from service.http.response import HeaderPolicy, Reply, Response, Shared
from service.http.work_clock import WorkClock
from service.telemetry.logs import writes

if TYPE_CHECKING:
    from service.http.admission import Caller
    from service.http.metrics import Metrics

_log = structlog.get_logger("service")

Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")

HEADER_POLICY: Final = "header policy"
"""The name of the application's extension that adds the shared headers."""


class Call:
    """One request; `caller` is None until it is identified, and `refusal` is the reason for a rejection."""

    caller: Caller | None = None
    refusal: Exception | None = None
    standings: Sequence[RateLimitStatus] = ()
    spent = 0.0
    """Processor time in seconds."""

    waits = False
    game = ""
    """The slug of the game of moves in the body."""

    def __init__(self, app: Flask, request: Request, endpoint: str, route: str | None) -> None:
        self.app, self.request, self.endpoint = app, request, endpoint
        self.span = RequestSpan(request, route, app.extensions["tracing"], time.perf_counter())

    def gone(self) -> bool:
        """Return whether the client has disconnected; clients of batches are not watched."""
        return False

    def note(self, standing: RateLimitStatus) -> None:
        """Note the state of a quota for the headers, and count a rejection."""
        self.standings = [*self.standings, standing]
        if not standing.granted:
            metrics: Metrics = self.app.extensions["metrics"]
            metrics.count_refusal(standing.quota.name)

    def run(
        self, function: Callable[Arguments, Result], *arguments: Arguments.args, **named: Arguments.kwargs
    ) -> Result:
        """Call a function within the limit of processor time; its log lines belong to this call."""
        milliseconds = self.app.extensions["context"].settings.limits.request_cpu_milliseconds
        clock = WorkClock(milliseconds, self.gone, self.spent)
        found: Result = self.span.run(_run_on, clock, function, *arguments, **named)
        return found

    def respond(self, reply: Reply) -> Response:
        """Record a reply and return its response."""
        response = _policy(self.app).respond(reply, self.request, self._shared())
        self.record(reply.status)
        self.span.end()
        return response

    def add_headers(self, headers: Headers, asked: Headers) -> None:
        """Add the shared headers to those of a Flask response; `asked` are the headers of its request."""
        _policy(self.app).add(headers, asked, self.request.method, self._shared())

    def record(self, status: int) -> None:
        """Count and log a response; the log has its route but never its path, query, tokens or bodies."""
        span = self.span
        self.app.extensions["metrics"].count(span, status)
        if writes(logging.INFO):
            milliseconds = round(span.seconds * 1000, 2)
            noted = {"route": span.route, "status": status, "milliseconds": milliseconds}
            span.run(_log.info, "answered", method=span.method, **noted)
        span.record_status(status)

    def _shared(self) -> Shared:
        limits = {}
        if self.standings and self.caller is not None:
            account = self.caller.account
            limits = rate_limit_headers((self.caller.requests, account.sessions, account.playouts), self.standings)
        return Shared(self.span.ids, self.span.chosen_language, limits)


def current_call() -> Call:
    """Return the call that this thread processes."""
    found: Call = g._get_current_object().call  # noqa: SLF001 -- the proxy costs more
    return found


def rate_limit_headers(quotas: Iterable[Quota | None], standings: Iterable[RateLimitStatus]) -> dict[str, str]:
    """Return the headers of quotas, and of their states after a request."""
    return {"RateLimit-Policy": policies(quotas), "RateLimit": ", ".join(each.header for each in standings)}


def _policy(app: Flask) -> HeaderPolicy:
    found: HeaderPolicy = app.extensions[HEADER_POLICY]
    return found


def _run_on(clock: WorkClock, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    check_with(clock.check)
    return function(*arguments, **named)
