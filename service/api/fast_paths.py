"""Middleware with fast paths: what is asked most is answered before Flask runs, which would be most of its cost.

A path takes only requests that are plainly of its kind, and answers them by the functions that Flask's operations
answer by. Whatever has another answer is left to Flask, every refusal among it, with the session
that was loaded or what went wrong; so nothing is asked of the store, logged or counted twice. Tests compare both ways
byte by byte. The web server has many requests of a path answered together (`service.launch.gathering`).
"""

from __future__ import annotations

import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from functools import lru_cache
from http import HTTPStatus
from typing import Any, ClassVar, Final, NamedTuple

from flask import Flask
from flask_cors.core import ACL_REQUEST_HEADER_PRIVATE_NETWORK
from werkzeug.datastructures import Headers, MultiDict

from games.core.checkpoint import check_with
from games.core.texts import LANGUAGES
from service.api.auth import LOADED
from service.api.callers import address_identity, count_open_request, count_work, rate_limit_headers
from service.auth.rate_limits import RateLimitStatus, requests
from service.auth.session_ledger import Account
from service.context import AppContext
from service.http import access_log
from service.http.fast_reply import Answer, FastReply, SharedHeaders
from service.http.metrics import Metrics
from service.http.request_context import BEGAN, SPAN, RequestSpan, Result, sign
from service.http.targets import ODD_PATH
from service.http.work_clock import WorkClock
from service.sessions.reading import load_each

LEFT_TO_FLASK: Final = "dorfplatz.left"
"""Where a request's environment says that a fast path has left it to Flask."""

FOR_FLASK: Final = {"HTTP_API_KEY", "HTTP_UPGRADE", LEFT_TO_FLASK, ODD_PATH}
"""Headers, and what else there may be, that force the normal path through Flask."""

ORIGINS_KEPT: Final = 64
"""For how many origins headers are kept."""

_PRIVATE_NETWORK: Final = "HTTP_ACCESS_CONTROL_REQUEST_PRIVATE_NETWORK"
_SESSION_ID: Final = re.compile(r"/v1/sessions/([0-9a-f]{32})(?:/|\Z)")

Environ = dict[str, Any]
CorsHeaders = Callable[[Headers, str], MultiDict[str, Any]]
"""Returns the headers that tell other origins what they may read, for the headers and the method of a request."""

TrustProxies = Callable[[Environ, Any], object]
"""Takes the address that a proxy heard for the caller's, in a request's environment."""


class Counted(NamedTuple):
    """For whom a request was counted, and how the quota stands; nothing where there is none."""

    account: Account | None = None
    status: RateLimitStatus | None = None


NOT_COUNTED: Final = Counted()
"""Stands for a request that has no quota, or could not be counted."""


class FastPath(ABC):
    """One kind of requests with few kinds of answers."""

    endpoint: ClassVar[str]
    method: ClassVar[str]
    threads: int = 1
    """So many threads answer requests of this kind, each of them many; more would take turns without need."""

    headers: ClassVar[Mapping[HTTPStatus, Mapping[str, str]]]
    """By the status of an answer the headers with which it begins, in order; `reply` is told the values of its own."""

    def __init__(self, app: Flask, cors: CorsHeaders, trust_proxies: TrustProxies) -> None:
        self.app = app
        self._trust_proxies = trust_proxies
        self._cors = cors
        self._shared = lru_cache(ORIGINS_KEPT)(self._shared_headers)
        (self._rule,) = app.url_map.iter_rules(self.endpoint)

    @property
    def gathers(self) -> bool:
        """Tell whether requests are answered together where the server can have that."""
        return True

    @abstractmethod
    def takes(self, environ: Environ) -> bool:
        """Tell whether a request may have the answer of this path."""

    @abstractmethod
    def answer_loaded(self, environs: Sequence[Environ], began: float, *, together: bool) -> list[FastReply | None]:
        """Return the answers to requests whose sessions are loaded; None where Flask has to answer.

        Where others are answered `together` with it, a request that must be counted in the store is left to Flask.
        """

    def answer_together(self, environs: Sequence[Environ]) -> Sequence[Answer]:
        """Return the answers to requests.

        Their sessions are loaded in one exchange with Redis.
        """
        began = time.perf_counter()
        self._load(environs, began)
        for environ in environs:
            self._trust_proxies(environ, None)
        return self.answer_loaded(environs, began, together=True)

    def answer(self, environ: Environ) -> FastReply | None:
        """Return the answer to one request, or None where Flask has to answer."""
        began = time.perf_counter()
        if LOADED not in environ:
            self._load([environ], began)
        return self.answer_loaded([environ], began, together=False)[0]

    def _load(self, environs: Sequence[Environ], began: float) -> None:
        """Load the sessions of requests, each once, and note when that began: Flask counts the time that it is left."""
        named = [_SESSION_ID.match(environ["PATH_INFO"]) for environ in environs]
        session_ids = [found[1] if found else "" for found in named]
        unique = [*dict.fromkeys(session_ids)]
        loaded = dict(zip(unique, load_each(self.context.sessions, unique), strict=True))
        for environ, session_id in zip(environs, session_ids, strict=True):
            found = loaded[session_id]
            environ[LOADED] = copy(found) if isinstance(found, Exception) else found  # it is raised for each
            environ[BEGAN] = began

    def begin_span(self, environ: Environ, began: float) -> RequestSpan:
        """Return the span of a request that this path answers."""
        return RequestSpan(environ, self._rule.rule, self.app.extensions["tracing"], began)

    def account_of(self, environ: Environ) -> Account:
        """Return whom a request is counted for."""
        context = self.context
        name = address_identity(environ.get("REMOTE_ADDR", ""), context)
        return Account.of(name, None, context.settings.limits)

    def count(self, environ: Environ, *, together: bool) -> Counted | None:
        """Count a request.

        None stands for one too many, which Flask refuses, and together with others for one that the store has to count.
        """
        context = self.context
        quota = requests(None, context.settings.limits)
        if quota is None:
            return NOT_COUNTED
        account = self.account_of(environ)
        if together:
            status = context.request_counter.spend_ahead(quota, account.name)
        else:
            status = count_open_request(context, quota, account.name)
            if status is None:
                return NOT_COUNTED
        return Counted(account, status) if status is not None and status.granted else None

    def count_work(self, counted: Counted, seconds: float) -> Counted:
        """Count a request as several where it took much processor time."""
        if counted.account is None or counted.status is None:
            return counted
        return Counted(counted.account, count_work(self.context, counted.status, counted.account.name, seconds))

    def work(self, span: RequestSpan, function: Callable[..., Result], *arguments: Any) -> Result:
        """Return what a function returns; what it logs and sets off belongs to a request, and so does its time.

        Checkpoints look at the processor time.
        """
        milliseconds = self.context.settings.limits.request_cpu_milliseconds
        return span.run(_work, milliseconds, function, *arguments)

    def reply(
        self,
        status: HTTPStatus,
        environ: Environ,
        span: RequestSpan,
        own: Mapping[str, str],
        counted: Counted,
        body: bytes = b"",
    ) -> FastReply:
        """Return an answer, which is counted and logged as every answer is; `own` are headers of its own."""
        own = {**own, **span.ids}
        shared = self._shared(status, environ.get("HTTP_ORIGIN"), environ.get(_PRIVATE_NETWORK))
        metrics: Metrics = self.app.extensions["metrics"]
        metrics.count(span, status)
        access_log.log_request(span, status)
        span.record_status(status)
        environ.pop(SPAN, None)  # it knows the environment, and only the collector would find the two
        limits: Mapping[str, str] = {}
        if counted.account is not None and counted.status is not None:
            quotas = (counted.status.quota, counted.account.sessions, counted.account.playouts)
            limits = rate_limit_headers(quotas, [counted.status])
        return shared.reply(status, own, limits, body)

    def _shared_headers(self, status: HTTPStatus, origin: str | None, private_network: str | None) -> SharedHeaders:
        """Return the headers of every answer with a status to an origin, without what is an answer's own."""
        given = {"Origin": origin, ACL_REQUEST_HEADER_PRIVATE_NETWORK: private_network}
        asked = Headers({name: text for name, text in given.items() if text is not None})
        headers = Headers(self.headers[status])
        headers.extend(self._cors(asked, self.method))
        sign(headers, {"Request-Id": "", "traceparent": ""}, LANGUAGES[0])
        if status is HTTPStatus.NOT_MODIFIED:
            del headers["Content-Language"]  # there is no content
        else:
            headers["Content-Language"] = ""
        return SharedHeaders.of(headers.to_wsgi_list())

    @property
    def context(self) -> AppContext:
        """The context of the application."""
        found: AppContext = self.app.extensions["context"]
        return found


def _work(milliseconds: int, function: Callable[..., Result], *arguments: Any) -> Result:
    """Return what a function returns that may take so much processor time, in a context of its own."""
    check_with(WorkClock(milliseconds, _stays).check)
    return function(*arguments)


def _stays() -> bool:
    """Tell that a client has not gone: where many are answered together nobody looks after each."""
    return False


class FastPaths:
    """A layer of WSGI in front of an application."""

    def __init__(self, app: Flask, paths: Sequence[FastPath]) -> None:
        self._next, self._paths = app.wsgi_app, paths

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request, or have Flask answer it."""
        for path in self._paths:
            if path.takes(environ):
                reply = path.answer(environ)
                if reply is not None:
                    start_response(reply.status_line, reply.headers)
                    return (reply.body,) if reply.body else ()
                break
        return self._next(environ, start_response)
