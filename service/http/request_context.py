"""The context of each request: its id, trace span, language, line of the access log, and response headers."""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextvars import Context, Token, copy_context
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

import structlog
from flask import Flask, g, request
from flask import Request as FlaskRequest
from opentelemetry.context import Context as OtelContext
from opentelemetry.context import attach, detach
from opentelemetry.trace import SpanKind, StatusCode, set_span_in_context
from structlog.contextvars import bind_contextvars, reset_contextvars
from werkzeug.datastructures import Headers, LanguageAccept
from werkzeug.http import parse_accept_header

from games.core.checkpoint import check_with
from games.core.texts import LANGUAGES
from service.auth.rate_limits import RateLimitStatus, policies
from service.http.request import Request
from service.http.response import HeaderPolicy, Reply, Response, Shared
from service.telemetry import tracing
from service.telemetry.logs import writes
from service.telemetry.tracing import TRACE_HEADERS
from service.trace_context import REQUEST_ID
from service.work_clock import WorkClock

if TYPE_CHECKING:
    from service.http.admission import Caller
    from service.http.metrics import Metrics

HEADER_POLICY: Final = "header policy"
"""The key in `app.extensions` for the object that adds the headers shared by all responses."""

NO_ROUTE: Final = "none"
"""Label of requests without a route."""

REQUEST_ID_BYTES: Final = 16
MAX_DESCRIPTIONS: Final = 512

_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}\Z")
_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})

Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")

_log = structlog.get_logger("service")


class Call:
    """A request that is being processed. Between `enter` and `leave`, log lines of the thread contain the request's id.

    `refusal` is the exception that rejects the request, or None.
    """

    caller: Caller | None = None
    refusal: Exception | None = None
    standings: Sequence[RateLimitStatus] = ()
    spent = 0.0
    """Processor time used so far, in seconds."""

    waits = False
    game = ""
    """The slug of the game if the request body contains a move."""

    token: str | None = None
    """The hash of the caller's seat token. The caller has sent the token, or a ticket that was issued for the token."""

    _language: str | None = None
    _context: Context | None = None

    def __init__(self, app: Flask, sent: Request, endpoint: str, route: str | None) -> None:
        self._began = time.perf_counter()
        self.app, self.request, self.endpoint, self._route = app, sent, endpoint, route
        given = sent.headers.get("request-id")
        self._request_id = given if given and _REQUEST_ID.match(given) else os.urandom(REQUEST_ID_BYTES).hex()
        carrier = {name: sent.headers[name] for name in TRACE_HEADERS if name in sent.headers}
        # `method` and `label` are labels of metrics, so they never contain arbitrary text.
        self.method, self.label, name, attributes = _describe(sent.method, route)
        self.span = app.extensions["tracing"].begin(name, carrier, SpanKind.SERVER, **attributes)

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._began

    @property
    def language(self) -> str:
        """The language of the response.

        It is the first supported language in Accept-Language, or else the default language. A region is ignored. For
        example, de-AT selects de.
        """
        if self._language is None:
            self._language = _preferred_language(self.request.headers)
        return self._language

    @language.setter
    def language(self, chosen: str) -> None:
        self._language = chosen

    def gone(self) -> bool:
        """Return whether the client has disconnected. If the request is in a batch, the result is always False."""
        return False

    def note(self, standing: RateLimitStatus) -> None:
        """Store the status of a quota for the response headers.

        If the quota rejects the request, count the rejection in the metrics.
        """
        self.standings = [*self.standings, standing]
        if not standing.granted:
            metrics: Metrics = self.app.extensions["metrics"]
            metrics.count_refusal(standing.quota.name)

    def enter(self) -> None:
        """Start adding this request's id and span to log lines of the thread."""
        self._attached, self._bound = self._bind()

    def _bind(self) -> tuple[Token[OtelContext], Mapping[str, Token[Any]]]:
        return attach(set_span_in_context(self.span)), bind_contextvars(**{REQUEST_ID: self._request_id})

    def leave(self) -> None:
        """Stop adding this request's id and span to log lines of the thread."""
        reset_contextvars(**self._bound)
        detach(self._attached)

    def run(
        self, function: Callable[Arguments, Result], *arguments: Arguments.args, **named: Arguments.kwargs
    ) -> Result:
        """Call a function with the processor-time limit of this request.

        The function's log lines contain the request's id.
        """
        milliseconds = self.app.extensions["context"].settings.limits.request_cpu_milliseconds
        if self._context is None:
            self._context = copy_context()
            self._context.run(self._bind)
        self._context.run(check_with, WorkClock(milliseconds, self.gone, self.spent).check)
        return self._context.run(function, *arguments, **named)

    def pause(self) -> None:
        """Delete the context that `run` has created. The next call of `run` creates a new one.

        The old context has cyclic references. Without this call, only garbage collection would free its memory.
        """
        self._context = None

    def end(self) -> None:
        self.pause()
        self.span.end()

    def respond(self, reply: Reply) -> Response:
        response = self._policy.respond(reply, self.request, self._shared())
        self.record(reply.status)
        self.end()
        return response

    def add_headers(self, headers: Headers, asked: Headers) -> None:
        """Add to `headers` the headers that every response has. `asked` contains the headers of the request."""
        self._policy.add(headers, asked, self.request.method, self._shared())

    def record(self, status: int) -> None:
        """Count a response and log one line. The line contains the route, but no path, query, token or body."""
        self.app.extensions["metrics"].count(self, status)
        if writes(logging.INFO):
            milliseconds = round(self.seconds * 1000, 2)
            noted = {"route": self._route, "status": status, "milliseconds": milliseconds}
            self.run(_log.info, "answered", method=self.method, **noted)
        if self.span.is_recording():
            self.span.set_attribute("http.response.status_code", status)
            self.span.set_attribute("dorfplatz.request_id", self._request_id)
        if status >= 500:  # noqa: PLR2004 -- what HTTP calls the server's fault
            self.span.set_status(StatusCode.ERROR)

    @property
    def _policy(self) -> HeaderPolicy:
        found: HeaderPolicy = self.app.extensions[HEADER_POLICY]
        return found

    def _shared(self) -> Shared:
        limits = {}
        if self.standings and self.caller is not None:
            account = self.caller.account
            quotas = self.caller.requests, account.sessions, account.playouts
            standings = ", ".join(each.header for each in self.standings)
            limits = {"RateLimit-Policy": policies(quotas), "RateLimit": standings}
        ids = {"Request-Id": self._request_id, "traceparent": tracing.traceparent(self.span)}
        return Shared(ids, self._language, limits)


@lru_cache(MAX_DESCRIPTIONS)
def _describe(method: str, route: str | None) -> tuple[str, str, str, Mapping[str, str]]:
    shown, label = method.upper(), route or NO_ROUTE
    if shown not in _METHODS:
        shown = "_OTHER"
    return shown, label, f"{shown} {label}", {"http.request.method": shown, "http.route": label}


def _preferred_language(headers: Mapping[str, str]) -> str:
    if "accept-language" not in headers:
        return LANGUAGES[0]
    accepted = parse_accept_header(headers["accept-language"], LanguageAccept)
    liked = (tag.partition("-")[0].lower() for tag, quality in accepted if quality > 0)
    return next((tag for tag in liked if tag in LANGUAGES), LANGUAGES[0])


def this_request() -> FlaskRequest:
    """Return Flask's current request. The proxy object `flask.request` would also give it, but is much slower."""
    found: FlaskRequest = request._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001 -- werkzeug's own way
    return found


def current_call() -> Call:
    found: Call = g._get_current_object().call  # noqa: SLF001 -- as above
    return found


def language() -> str:
    return current_call().language


def set_language(chosen: str | None) -> None:
    """Set the language of the response. Do nothing if `chosen` is None."""
    if chosen is not None:
        current_call().language = chosen


def trace_id() -> str:
    """Return the trace id of the current request.

    The id comes from the header `traceparent`. If the request has no such header, the service creates an id.
    """
    return tracing.trace_id(current_call().span)
