"""The context of every request: an id, a span in a trace, and the reader's language."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping
from contextvars import Context, Token, copy_context
from functools import lru_cache
from typing import Any, Final, ParamSpec, TypeVar

from flask import Request as FlaskRequest
from flask import g, request
from opentelemetry.context import Context as OtelContext
from opentelemetry.context import attach, detach
from opentelemetry.trace import Span, SpanKind, StatusCode, set_span_in_context
from structlog.contextvars import bind_contextvars, reset_contextvars
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

from games.core.texts import LANGUAGES
from service.http.request import Request
from service.telemetry import tracing
from service.telemetry.tracing import TRACE_HEADERS, Tracing
from service.trace_context import REQUEST_ID

_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}\Z")
REQUEST_ID_BYTES: Final = 16
MAX_DESCRIPTIONS: Final = 512
_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})

Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")


class RequestSpan:
    """One request; while it is entered, log lines and jobs of this thread belong to it.

    `method` and `label` label metrics and spans, so they never contain invented methods or paths. The route is None,
    and the label "none", for an unknown address.
    """

    __slots__ = (
        *("_attached", "_began", "_bound", "_headers", "_language", "_own"),
        *("label", "method", "request_id", "route", "span"),
    )

    def __init__(self, asked: Request, route: str | None, traces: Tracing, began: float) -> None:
        self._began = began
        self._headers = asked.headers
        self._language: str | None = None
        self._own: Context | None = None
        self.route = route
        given = asked.headers.get("request-id")
        self.request_id = given if given and _REQUEST_ID.match(given) else os.urandom(REQUEST_ID_BYTES).hex()
        carrier = {name: asked.headers[name] for name in TRACE_HEADERS if name in asked.headers}
        self.method, self.label, name, attributes = _describe(asked.method, route)
        self.span: Span = traces.begin(name, carrier, SpanKind.SERVER, **attributes)

    def enter(self) -> None:
        """Assign later log lines and jobs of this thread to the request."""
        self._attached, self._bound = self._bind()

    def _bind(self) -> tuple[Token[OtelContext], Mapping[str, Token[Any]]]:
        return attach(set_span_in_context(self.span)), bind_contextvars(**{REQUEST_ID: self.request_id})

    def leave(self) -> None:
        """Stop the assignment of log lines and jobs of this thread to the request."""
        reset_contextvars(**self._bound)
        detach(self._attached)

    def run(
        self, function: Callable[Arguments, Result], *arguments: Arguments.args, **named: Arguments.kwargs
    ) -> Result:
        """Call a function in the request's context, which is the same each time, and return its result."""
        if self._own is None:
            self._own = copy_context()
            self._own.run(self._bind)
        return self._own.run(function, *arguments, **named)

    def pause(self) -> None:
        """Drop the context of `run`: it refers to this span, and only the cycle collector would free the two."""
        self._own = None

    def end(self) -> None:
        """End the span."""
        self.pause()
        self.span.end()

    @property
    def seconds(self) -> float:
        """The duration so far in seconds."""
        return time.perf_counter() - self._began

    @property
    def language(self) -> str:
        """The language that Accept-Language prefers (de-AT matches de), or the first of ours if none matches."""
        if self._language is None:
            self._language = language_of(self._headers)
        return self._language

    @language.setter
    def language(self, chosen: str) -> None:
        """Set another language for the response."""
        self._language = chosen

    @property
    def ids(self) -> dict[str, str]:
        """The headers with the request's ids."""
        return {"Request-Id": self.request_id, "traceparent": tracing.traceparent(self.span)}

    @property
    def chosen_language(self) -> str | None:
        """The language of the response, None if no language was requested or needed."""
        return self._language

    def record_status(self, status: int) -> None:
        """Record the status of the response in the span."""
        if self.span.is_recording():
            self.span.set_attribute("http.response.status_code", status)
            self.span.set_attribute("dorfplatz.request_id", self.request_id)
        if status >= 500:  # noqa: PLR2004 -- what HTTP calls the server's fault
            self.span.set_status(StatusCode.ERROR)


@lru_cache(MAX_DESCRIPTIONS)
def _describe(method: str, route: str | None) -> tuple[str, str, str, Mapping[str, str]]:
    shown, label = method.upper(), route or "none"
    if shown not in _METHODS:
        shown = "_OTHER"
    return shown, label, f"{shown} {label}", {"http.request.method": shown, "http.route": label}


def language_of(headers: Mapping[str, str]) -> str:
    """Return our language that a request prefers."""
    if "accept-language" not in headers:
        return LANGUAGES[0]
    accepted = parse_accept_header(headers["accept-language"], LanguageAccept)
    liked = (tag.partition("-")[0].lower() for tag, quality in accepted if quality > 0)
    return next((tag for tag in liked if tag in LANGUAGES), LANGUAGES[0])


def this_request() -> FlaskRequest:
    """Return the current request without the proxy, which costs more than most of its attributes."""
    found: FlaskRequest = request._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001 -- werkzeug's own way
    return found


def current_span() -> RequestSpan:
    """Return the span of the current request."""
    found: RequestSpan = g._get_current_object().call.span  # noqa: SLF001 -- as above
    return found


def language() -> str:
    """Return the language of the response."""
    return current_span().language


def set_language(chosen: str | None) -> None:
    """Set the language that the request names outside of its headers, if any."""
    if chosen is not None:
        current_span().language = chosen


def trace_id() -> str:
    """Return the trace id of the request: that of a W3C traceparent, else a new one."""
    return tracing.trace_id(current_span().span)
