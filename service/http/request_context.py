"""What every request carries besides its content: an id, a span in a trace, and the reader's language."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping
from contextvars import Context, Token, copy_context
from types import TracebackType
from typing import Any, Final, ParamSpec, Self, TypeVar

from flask import Flask, Request, Response, g, request
from opentelemetry.context import Context as OtelContext
from opentelemetry.context import attach, detach
from opentelemetry.trace import Span, SpanKind, StatusCode, set_span_in_context
from structlog.contextvars import bind_contextvars, reset_contextvars
from werkzeug.datastructures import Headers, LanguageAccept
from werkzeug.http import parse_accept_header

from games.core.texts import LANGUAGES
from service.http.handover import HandOver
from service.http.response_headers import DEFAULTS
from service.telemetry import tracing
from service.telemetry.tracing import TRACE_HEADERS, Tracing
from service.trace_context import REQUEST_ID

_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}\Z")
REQUEST_ID_BYTES: Final = 16
_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})

_FIELDS: Final = [(name, f"HTTP_{name.upper()}") for name in TRACE_HEADERS]

SPAN: Final = "dorfplatz.span"
"""Where a request's environment has its span, if it was begun before Flask."""

BEGAN: Final = "dorfplatz.began"
"""Where a request's environment has when it was begun before Flask, by `time.perf_counter`."""

GAME: Final = "dorfplatz.game"
"""Where a request's environment has the slug of the game that the moves in its body belong to."""


Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")


class RequestSpan:
    """One request on its way; while it is entered, log lines and whatever is set off belong to it.

    `method` and `route` label metrics and spans, so they hold no invented method and never a path. The route is None
    for an unknown address.
    """

    __slots__ = (
        *("_attached", "_began", "_bound", "_context", "_environ", "_language", "_own"),
        *("method", "request_id", "route", "span"),
    )

    def __init__(self, environ: Mapping[str, Any], route: str | None, traces: Tracing, began: float) -> None:
        self._began = began
        self._environ = environ
        self._language: str | None = None
        self._own: Context | None = None
        method = environ["REQUEST_METHOD"].upper()
        self.method = method if method in _METHODS else "_OTHER"
        self.route = route
        given = environ.get("HTTP_REQUEST_ID", "")
        self.request_id = given if _REQUEST_ID.match(given) else os.urandom(REQUEST_ID_BYTES).hex()
        carrier = {name: environ[field] for name, field in _FIELDS if field in environ}
        attributes = {"http.request.method": self.method, "http.route": self.label}
        self.span: Span = traces.begin(f"{self.method} {self.label}", carrier, SpanKind.SERVER, **attributes)
        self._context = set_span_in_context(self.span)

    def __enter__(self) -> Self:
        """Let log lines and whatever is set off belong to it."""
        self.enter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it."""
        self.leave()
        self.end()

    def enter(self) -> None:
        """Let log lines and whatever is set off in this thread belong to it, from now on."""
        self._attached, self._bound = self._bind()

    def _bind(self) -> tuple[Token[OtelContext], Mapping[str, Token[Any]]]:
        """Let what happens in this context belong to it; return what undoes that."""
        return attach(self._context), bind_contextvars(**{REQUEST_ID: self.request_id})

    def leave(self) -> None:
        """Let nothing that is set off in this thread belong to it any more."""
        reset_contextvars(**self._bound)
        detach(self._attached)

    def run(
        self, function: Callable[Arguments, Result], *arguments: Arguments.args, **named: Arguments.kwargs
    ) -> Result:
        """Return what a function returns, called in a context in which this is entered, the same one each time."""
        if self._own is None:
            self._own = copy_context()
            self._own.run(self._bind)
        return self._own.run(function, *arguments, **named)

    def end(self) -> None:
        """End it."""
        self._own = None  # it knows what knows this, and only the collector would find them
        self.span.end()

    @property
    def label(self) -> str:
        """The route, or that there is none."""
        return self.route or "none"

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return time.perf_counter() - self._began

    @property
    def language(self) -> str:
        """The language that Accept-Language likes best (de-AT is de), the first of ours where it names none."""
        if self._language is None:
            self._language = language_of(self._environ)
        return self._language

    @language.setter
    def language(self, chosen: str) -> None:
        """Answer in another one."""
        self._language = chosen

    @property
    def ids(self) -> dict[str, str]:
        """The headers with its ids."""
        return {"Request-Id": self.request_id, "traceparent": tracing.traceparent(self.span)}

    def sign(self, headers: Headers) -> None:
        """Give an answer its ids, its language where it has one, and what browsers and caches keep to."""
        sign(headers, self.ids, self._language)

    def record_status(self, status: int) -> None:
        """Note in the span how it was answered."""
        if self.span.is_recording():
            self.span.set_attribute("http.response.status_code", status)
            self.span.set_attribute("dorfplatz.request_id", self.request_id)
        if status >= 500:  # noqa: PLR2004 -- what HTTP calls the server's fault
            self.span.set_status(StatusCode.ERROR)


def sign(headers: Headers, ids: Mapping[str, str], language: str | None) -> None:
    """Give an answer ids, its language where it has one, and what browsers and caches keep to."""
    for name, value in DEFAULTS.items():
        if name not in headers:
            headers.add(name, value)
    for name, value in ids.items():
        headers.add(name, value)
    if language is not None:
        headers["Content-Language"] = language
        others = headers.get("Vary")
        headers["Vary"] = f"{others}, Accept-Language" if others else "Accept-Language"


def install(app: Flask, traces: Tracing) -> None:
    """Give every request a span, from before anything can fail until its answer is made."""
    app.extensions["tracing"] = traces

    @app.url_value_preprocessor
    def begin(_endpoint: str | None, _values: object) -> None:
        http_request = this_request()
        rule = http_request.url_rule
        found: RequestSpan | None = http_request.environ.pop(SPAN, None)
        if found is None:
            began = http_request.environ.pop(BEGAN, 0.0) or time.perf_counter()
            found = RequestSpan(http_request.environ, rule.rule if rule else None, app.extensions["tracing"], began)
        g.span = found.__enter__()

    @app.after_request
    def answered(response: Response) -> Response:
        current_span().record_status(response.status_code)
        return response

    @app.teardown_request
    def end(error: BaseException | None) -> None:
        if isinstance(error, HandOver):
            current_span().leave()  # it has another turn
        elif "span" in g:
            current_span().__exit__(None, error, None)


def language_of(environ: Mapping[str, Any]) -> str:
    """Return the language that a request likes best of ours."""
    if "HTTP_ACCEPT_LANGUAGE" not in environ:
        return LANGUAGES[0]
    accepted = parse_accept_header(environ["HTTP_ACCEPT_LANGUAGE"], LanguageAccept)
    liked = (tag.partition("-")[0].lower() for tag, quality in accepted if quality > 0)
    return next((tag for tag in liked if tag in LANGUAGES), LANGUAGES[0])


def this_request() -> Request:
    """Return the request that is answered now, without the proxy, which costs more than most that is asked of it."""
    found: Request = request._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001 -- werkzeug's own way
    return found


def current_span() -> RequestSpan:
    """Return the span of the request that is answered now."""
    found: RequestSpan = g._get_current_object().span  # noqa: SLF001 -- as above
    return found


def language() -> str:
    """Return the language to answer in."""
    return current_span().language


def set_language(chosen: str | None) -> None:
    """Answer in a language that the request names elsewhere, where it does."""
    if chosen is not None:
        current_span().language = chosen


def trace_id() -> str:
    """Return the trace the request belongs to: that of a W3C traceparent, else a new one."""
    return tracing.trace_id(current_span().span)
