"""Middleware that answers 304 to a caller who has the current session already, before Flask runs.

Most looks at a session end so, and Flask would be most of their cost. Only what is plainly such an answer is given
here, by the functions that give it there. Everything else is left to Flask, refusals among it, with the session that
was loaded or what went wrong with that, so it is loaded once. `tests/service/sessions/test_unchanged.py` compares both
ways byte by byte.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any, Final

from flask import Flask, Request
from werkzeug.datastructures import Headers, MultiDict

from service.api.auth import LOADED, NO_CACHE, VIEW, allow_onlooker, cache_headers, etag_of, holder_of, matches
from service.api.callers import address_identity, count_open_request, rate_limit_headers
from service.auth.rate_limits import requests
from service.auth.session_ledger import Account
from service.context import AppContext
from service.http import access_log
from service.http.metrics import Metrics
from service.http.problems import Problem
from service.http.request_context import RequestSpan, language_of
from service.sessions.reading import load

ENDPOINT: Final = "sessions.get_session"

_PATH: Final = re.compile(r"/v1/sessions/[0-9a-f]{32}\Z")
_FOR_FLASK: Final = {"HTTP_API_KEY", "HTTP_IF_MATCH", "HTTP_UPGRADE"}
"""Headers that force the normal path through Flask."""

CorsHeaders = Callable[[Headers, str], MultiDict[str, Any]]
"""Returns the headers that tell other origins what they may read, for the headers and the method of a request."""


class NotModifiedMiddleware:
    """A layer of WSGI in front of an application."""

    def __init__(self, app: Flask, cors: CorsHeaders) -> None:
        self._app = app
        self._next = app.wsgi_app
        self._cors = cors
        (self._rule,) = app.url_map.iter_rules(ENDPOINT)

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request, or have Flask answer it."""
        began = time.perf_counter()
        if self._is_plain(environ):
            http_request = Request(environ, populate_request=False)
            spoken = language_of(http_request)
            tag = self._tag(environ, spoken)
            counted = self._rate_limits(environ) if tag is not None and matches(http_request, tag) else None
            if tag is not None and counted is not None:
                with RequestSpan(http_request, self._rule.rule, self._app.extensions["tracing"], began) as span:
                    span.language = spoken
                    headers = self._headers(http_request, tag, span)
                    headers.update(counted)
                    start_response("304 NOT MODIFIED", headers.to_wsgi_list())
                return ()
        return self._next(environ, start_response)

    def _is_plain(self, environ: dict[str, Any]) -> bool:
        """Tell whether a request is for a session that the caller may have already, and for nothing else."""
        return (
            "HTTP_IF_NONE_MATCH" in environ
            and environ["REQUEST_METHOD"] == "GET"
            and not environ["QUERY_STRING"]
            and _FOR_FLASK.isdisjoint(environ)
            and _PATH.match(environ["PATH_INFO"]) is not None
        )

    def _tag(self, environ: dict[str, Any], spoken: str) -> str | None:
        """Return the ETag of the requested session, or None where Flask has to answer."""
        try:
            session = environ[LOADED] = load(self._context.sessions, environ["PATH_INFO"].rpartition("/")[2])
            viewer = allow_onlooker(session, holder_of(session, environ.get("HTTP_AUTHORIZATION")))
        except Problem:
            return None
        except Exception as problem:  # noqa: BLE001 -- whatever it is, Flask raises it again and answers
            environ[LOADED] = problem
            return None
        return etag_of(session, viewer, VIEW, spoken)

    def _rate_limits(self, environ: dict[str, Any]) -> dict[str, str] | None:
        """Count a request, and return the headers of its quota; None for one too many, which Flask refuses."""
        context = self._context
        account = Account.of(address_identity(environ.get("REMOTE_ADDR", ""), context), None, context.settings.limits)
        quota = requests(None, context.settings.limits)
        standing = count_open_request(context, quota, account.name) if quota else None
        if standing is None:
            return {}
        quotas = (quota, account.sessions, account.playouts)
        return rate_limit_headers(quotas, [standing]) if standing.granted else None

    def _headers(self, http_request: Request, tag: str, span: RequestSpan) -> Headers:
        """Return the headers of the answer, which is counted and logged as every answer is."""
        headers = Headers(cache_headers(tag, NO_CACHE))
        headers.extend(self._cors(http_request.headers, http_request.method))
        span.sign(headers)
        del headers["Content-Language"]  # there is no content
        metrics: Metrics = self._app.extensions["metrics"]
        metrics.count(span, HTTPStatus.NOT_MODIFIED)
        access_log.log_request(span, HTTPStatus.NOT_MODIFIED)
        span.record_status(HTTPStatus.NOT_MODIFIED)
        return headers

    @property
    def _context(self) -> AppContext:
        """The context of the application."""
        found: AppContext = self._app.extensions["context"]
        return found
