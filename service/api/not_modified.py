"""The fast path of looks: 304 to a caller who has the current session already, as most looks at a session end."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import ClassVar, Final

from flask import Request

from service.api.auth import LOADED, NO_CACHE, VIEW, allow_onlooker, cache_headers, etag_of, holder_of, matches
from service.api.fast_paths import FOR_FLASK, LEFT_TO_FLASK, Environ, FastPath
from service.http.fast_reply import FastReply
from service.http.problems import Problem
from service.http.request_context import language_of

_PATH: Final = re.compile(r"/v1/sessions/[0-9a-f]{32}\Z")
_FOR_FLASK: Final = FOR_FLASK | {"HTTP_IF_MATCH"}


class NotModifiedPath(FastPath):
    """Answers looks at a session that the caller has already."""

    endpoint: ClassVar = "sessions.get_session"
    method: ClassVar = "GET"
    status: ClassVar = HTTPStatus.NOT_MODIFIED
    headers: ClassVar[Mapping[str, str]] = cache_headers("", NO_CACHE)

    def takes(self, environ: Environ) -> bool:
        """Tell whether a request is for a session that the caller may have already, and for nothing else."""
        return (
            "HTTP_IF_NONE_MATCH" in environ
            and environ["REQUEST_METHOD"] == self.method
            and not environ["QUERY_STRING"]
            and _FOR_FLASK.isdisjoint(environ)
            and _PATH.match(environ["PATH_INFO"]) is not None
        )

    def answer_loaded(self, environs: Sequence[Environ], began: float, *, together: bool) -> list[FastReply | None]:
        """Return the 304 to each request that has it; a session that was loaded is left to Flask with the others."""
        return [self._not_modified(environ, began, together=together) for environ in environs]

    def _not_modified(self, environ: Environ, began: float, *, together: bool) -> FastReply | None:
        """Return a request's 304, or None where it has another answer or cannot be counted so."""
        http_request = Request(environ, populate_request=False)
        tag = self._tag(environ, language_of(http_request))
        if tag is None or not matches(http_request, tag):
            environ[LEFT_TO_FLASK] = True
            return None
        counted = self.count(environ, together=together)
        if counted is None:
            return None
        with self.begin_span(http_request, began) as span:
            return FastReply(self.status, self.finish(environ, span, {"ETag": tag}, counted))

    def _tag(self, environ: Environ, spoken: str) -> str | None:
        """Return the ETag of the requested session, or None where Flask has to answer."""
        session = environ[LOADED]
        if isinstance(session, Exception):
            return None
        try:
            viewer = allow_onlooker(session, holder_of(session, environ.get("HTTP_AUTHORIZATION")))
        except Problem:
            return None
        return etag_of(session, viewer, VIEW, spoken)
