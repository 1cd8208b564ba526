"""What every request carries besides its content: an id, a span in a trace, and the reader's language."""

from __future__ import annotations

import re
import time
import uuid
from typing import Final

from flask import Flask, Response, current_app, g, request
from opentelemetry.context import attach, detach
from opentelemetry.trace import Span, SpanKind, StatusCode, set_span_in_context
from structlog.contextvars import bind_contextvars, clear_contextvars

from games.core.texts import LANGUAGES
from service.telemetry import tracing
from service.telemetry.tracing import FIELDS, REQUEST_ID, Tracing

_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}\Z")
_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})


def install(app: Flask, traces: Tracing) -> None:
    """Give every request a span, from before anything can fail until its answer is made."""
    app.extensions["tracing"] = traces
    app.url_value_preprocessor(_begin)
    app.after_request(_answered)
    app.teardown_request(_end)


def _begin(_endpoint: str | None, _values: object) -> None:
    g.began = time.perf_counter()
    traces: Tracing = current_app.extensions["tracing"]
    carrier = {name: text for name in FIELDS if (text := request.headers.get(name))}
    attributes = {"http.request.method": method(), "http.route": route()}
    g.span = traces.begin(f"{method()} {route()}", carrier, SpanKind.SERVER, **attributes)
    g.attached = attach(set_span_in_context(g.span))
    clear_contextvars()
    bind_contextvars(**{REQUEST_ID: request_id()})


def _answered(response: Response) -> Response:
    span: Span = g.span
    span.set_attribute("http.response.status_code", response.status_code)
    span.set_attribute("dorfplatz.request_id", request_id())
    if response.status_code >= 500:  # noqa: PLR2004 -- what HTTP calls the server's fault
        span.set_status(StatusCode.ERROR)
    return response


def _end(_error: BaseException | None) -> None:
    if "span" in g:
        clear_contextvars()
        detach(g.attached)
        g.span.end()


def seconds() -> float:
    """Return how long the request has taken so far."""
    return time.perf_counter() - float(g.began)


def method() -> str:
    """Return the request's method as figures and spans tell it, which may not be any that a client thinks of."""
    return request.method if request.method in _METHODS else "_OTHER"


def route() -> str:
    """Return the route of the request, never its path."""
    return request.url_rule.rule if request.url_rule else "none"


def language() -> str:
    """Return the language that Accept-Language likes best (de-AT is de), the first of ours where it names none."""
    if "language" not in g:
        liked = (tag.partition("-")[0].lower() for tag, quality in request.accept_languages if quality > 0)
        g.language = next((tag for tag in liked if tag in LANGUAGES), LANGUAGES[0])
    found: str = g.language
    return found


def speak(chosen: str | None) -> None:
    """Answer in a language that the request names elsewhere, where it does."""
    if chosen is not None:
        g.language = chosen


def request_id() -> str:
    """Return the request's id: the caller's own where it is well-formed, else a new one."""
    if "request_id" not in g:
        given = request.headers.get("Request-Id", "")
        g.request_id = given if _REQUEST_ID.match(given) else uuid.uuid4().hex
    found: str = g.request_id
    return found


def trace_id() -> str:
    """Return the trace the request belongs to: that of a W3C traceparent, else a new one."""
    return tracing.trace_id(g.span)


def traceparent() -> str:
    """Return the trace context of this request, for the answer."""
    return tracing.traceparent(g.span)
