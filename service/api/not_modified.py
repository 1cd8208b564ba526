"""Middleware that answers 304 to a caller who has the current session already, before Flask runs.

Most looks at a session end so, and Flask would be most of their cost. Only what is plainly such an answer is given
here, by the functions that give it there. Everything else is left to Flask, refusals among it, with the session that
was loaded or what went wrong with that, so it is loaded once. `tests/service/sessions/test_unchanged.py` compares both
ways byte by byte. The web server asks for many such answers at once (`service.launch.gathering`).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from http import HTTPStatus
from typing import Any, Final

from flask import Flask, Request
from flask_cors.core import ACL_REQUEST_HEADER_PRIVATE_NETWORK
from werkzeug.datastructures import Headers, MultiDict

from games.core.texts import LANGUAGES
from service.api.auth import LOADED, NO_CACHE, VIEW, allow_onlooker, cache_headers, etag_of, holder_of, matches
from service.api.callers import address_identity, count_open_request, rate_limit_headers, trust_proxies
from service.auth.rate_limits import requests
from service.auth.session_ledger import Account
from service.context import AppContext
from service.http import access_log
from service.http.metrics import Metrics
from service.http.problems import Problem
from service.http.request_context import RequestSpan, language_of, sign
from service.sessions.reading import load_each

ENDPOINT: Final = "sessions.get_session"

_PATH: Final = re.compile(r"/v1/sessions/[0-9a-f]{32}\Z")
CHANGED: Final = "dorfplatz.changed"
"""Where a request's environment says that it was found to have another answer than 304."""

_FOR_FLASK: Final = {"HTTP_API_KEY", "HTTP_IF_MATCH", "HTTP_UPGRADE", CHANGED}
"""Headers, and what else there may be, that force the normal path through Flask."""

_PRIVATE_NETWORK: Final = "HTTP_ACCESS_CONTROL_REQUEST_PRIVATE_NETWORK"

ORIGINS_KEPT: Final = 64
"""For how many origins headers are kept."""

CorsHeaders = Callable[[Headers, str], MultiDict[str, Any]]
"""Returns the headers that tell other origins what they may read, for the headers and the method of a request."""


class NotModifiedMiddleware:
    """A layer of WSGI in front of an application."""

    def __init__(self, app: Flask, cors: CorsHeaders, trusted_proxies: int = 0) -> None:
        self._app = app
        self._trust_proxies = trust_proxies(lambda *_: (), trusted_proxies)
        self._next = app.wsgi_app
        self._cors = cors
        self._shared = lru_cache(ORIGINS_KEPT)(self._shared_headers)
        (self._rule,) = app.url_map.iter_rules(ENDPOINT)

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request, or have Flask answer it."""
        began = time.perf_counter()
        if self.takes(environ):
            if LOADED not in environ:
                self._load([environ])
            headers = self._not_modified(environ, began, together=False)
            if headers is not None:
                start_response("304 NOT MODIFIED", headers)
                return ()
        return self._next(environ, start_response)

    def takes(self, environ: dict[str, Any]) -> bool:
        """Tell whether a request is for a session that the caller may have already, and for nothing else."""
        return (
            "HTTP_IF_NONE_MATCH" in environ
            and environ["REQUEST_METHOD"] == "GET"
            and not environ["QUERY_STRING"]
            and _FOR_FLASK.isdisjoint(environ)
            and _PATH.match(environ["PATH_INFO"]) is not None
        )

    def answer_together(self, environs: Sequence[dict[str, Any]]) -> list[list[tuple[str, str]] | None]:
        """Return the headers of each request's 304, of those that this takes; None where the application has to answer.

        Their sessions are loaded in one exchange with Redis. A request that must be counted there is left over.
        """
        began = time.perf_counter()
        self._load(environs)
        for environ in environs:
            self._trust_proxies(environ, None)
        return [self._not_modified(environ, began, together=True) for environ in environs]

    def _load(self, environs: Sequence[dict[str, Any]]) -> None:
        """Load the sessions of requests."""
        session_ids = [environ["PATH_INFO"].rpartition("/")[2] for environ in environs]
        for environ, loaded in zip(environs, load_each(self._context.sessions, session_ids), strict=True):
            environ[LOADED] = loaded

    def _not_modified(self, environ: dict[str, Any], began: float, *, together: bool) -> list[tuple[str, str]] | None:
        """Return the headers of a request's 304, or None where it has another answer or cannot be counted so."""
        http_request = Request(environ, populate_request=False)
        spoken = language_of(http_request)
        tag = self._tag(environ, spoken)
        if tag is None or not matches(http_request, tag):
            environ[CHANGED] = True
            return None
        counted = self._rate_limits(environ, together=together)
        if counted is None:
            return None
        with RequestSpan(http_request, self._rule.rule, self._app.extensions["tracing"], began) as span:
            return [*self._headers(environ, tag, span), *counted.items()]

    def _tag(self, environ: dict[str, Any], spoken: str) -> str | None:
        """Return the ETag of the requested session, or None where Flask has to answer."""
        session = environ[LOADED]
        if isinstance(session, Exception):
            return None
        try:
            viewer = allow_onlooker(session, holder_of(session, environ.get("HTTP_AUTHORIZATION")))
        except Problem:
            return None
        return etag_of(session, viewer, VIEW, spoken)

    def _rate_limits(self, environ: dict[str, Any], *, together: bool) -> dict[str, str] | None:
        """Count a request, and return the headers of its quota.

        None stands for one too many, which Flask refuses, and together with others for one that the store has to count.
        """
        context = self._context
        quota = requests(None, context.settings.limits)
        if quota is None:
            return {}
        account = Account.of(address_identity(environ.get("REMOTE_ADDR", ""), context), None, context.settings.limits)
        if together:
            standing = context.request_counter.spend_ahead(quota, account.name)
        else:
            standing = count_open_request(context, quota, account.name)
        if standing is None:
            return None if together else {}
        quotas = (quota, account.sessions, account.playouts)
        return rate_limit_headers(quotas, [standing]) if standing.granted else None

    def _headers(self, environ: dict[str, Any], tag: str, span: RequestSpan) -> list[tuple[str, str]]:
        """Return the headers of the answer, which is counted and logged as every answer is."""
        own = {"ETag": tag, **span.ids}
        shared = self._shared(environ.get("HTTP_ORIGIN"), environ.get(_PRIVATE_NETWORK))
        metrics: Metrics = self._app.extensions["metrics"]
        metrics.count(span, HTTPStatus.NOT_MODIFIED)
        access_log.log_request(span, HTTPStatus.NOT_MODIFIED)
        span.record_status(HTTPStatus.NOT_MODIFIED)
        return [(name, own.get(name, text)) for name, text in shared]

    def _shared_headers(self, origin: str | None, private_network: str | None) -> list[tuple[str, str]]:
        """Return the headers of every answer to an origin, without what is an answer's own."""
        given = {"Origin": origin, ACL_REQUEST_HEADER_PRIVATE_NETWORK: private_network}
        headers = Headers(cache_headers("", NO_CACHE))
        headers.extend(self._cors(Headers({name: text for name, text in given.items() if text is not None}), "GET"))
        sign(headers, {"Request-Id": "", "traceparent": ""}, LANGUAGES[0])
        del headers["Content-Language"]  # there is no content
        return headers.to_wsgi_list()

    @property
    def _context(self) -> AppContext:
        """The context of the application."""
        found: AppContext = self._app.extensions["context"]
        return found
