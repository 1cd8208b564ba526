"""What every request carries besides its content: an id, a span in a trace, and the reader's language."""

from __future__ import annotations

import re
import time
import uuid
from typing import Final

from flask import Flask, Response, current_app, g, request
from opentelemetry.context import attach, detach
from opentelemetry.trace import Span, SpanKind, StatusCode, set_span_in_context
from structlog.contextvars import bind_contextvars, reset_contextvars

from games.core.texts import LANGUAGES
from service.telemetry import tracing
from service.telemetry.tracing import FIELDS, REQUEST_ID, Tracing

_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}\Z")
_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})

_FIELDS: Final = [(name, f"HTTP_{name.upper()}") for name in FIELDS]


def install(app: Flask, traces: Tracing) -> None:
    """Give every request a span, from before anything can fail until its answer is made."""
    app.extensions["tracing"] = traces
    app.url_value_preprocessor(_begin)
    app.after_request(_answered)
    app.teardown_request(_end)


def _begin(_endpoint: str | None, _values: object) -> None:
    here, asked = g._get_current_object(), request._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001 -- werkzeug's way past a proxy that costs more than what is done here
    here.began = time.perf_counter()
    here.method = asked.method if asked.method in _METHODS else "_OTHER"
    here.route = asked.url_rule.rule if asked.url_rule else "none"
    traces: Tracing = current_app.extensions["tracing"]
    carrier = {name: asked.environ[field] for name, field in _FIELDS if field in asked.environ}
    attributes = {"http.request.method": here.method, "http.route": here.route}
    here.span = traces.begin(f"{here.method} {here.route}", carrier, SpanKind.SERVER, **attributes)
    here.attached = attach(set_span_in_context(here.span))
    here.bound = bind_contextvars(**{REQUEST_ID: request_id()})


def _answered(response: Response) -> Response:
    span: Span = g.span
    if span.is_recording():
        span.set_attribute("http.response.status_code", response.status_code)
        span.set_attribute("dorfplatz.request_id", request_id())
    if response.status_code >= 500:  # noqa: PLR2004 -- what HTTP calls the server's fault
        span.set_status(StatusCode.ERROR)
    return response


def _end(_error: BaseException | None) -> None:
    if "span" in g:
        reset_contextvars(**g.bound)
        detach(g.attached)
        g.span.end()


def seconds() -> float:
    """Return how long the request has taken so far."""
    return time.perf_counter() - float(g.began)


def method() -> str:
    """Return the request's method as figures and spans tell it, which may not be any that a client thinks of."""
    found: str = g.method
    return found


def route() -> str:
    """Return the route of the request, never its path."""
    found: str = g.route
    return found


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
