"""The fast path of looks: a session as its caller sees it, or 304 to one who has it already.

Who waits for another's move looks again and again. What is listed besides (`expand`) is long, so Flask answers that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from time import thread_time
from typing import ClassVar, Final, NamedTuple

import msgspec
from flask import g

from service.api.auth import LOADED, NO_CACHE, VIEW, allow_onlooker, cache_headers, etag_of, holder_of, matches
from service.api.fast_paths import FOR_FLASK, LEFT_TO_FLASK, Counted, Environ, FastPath
from service.api.sessions import serialize_shown
from service.http.fast_reply import FastReply
from service.http.json_body import JSON_TYPE
from service.http.problems import Problem
from service.http.request_context import SPAN, RequestSpan, language_of
from service.sessions.reading import game_of
from service.sessions.states import TableState, current_state
from service.store.sessions import Session
from service.wire.session_responses import SessionShown

_PATH: Final = re.compile(r"/v1/sessions/[0-9a-f]{32}\Z")
_FOR_FLASK: Final = FOR_FLASK | {"HTTP_IF_MATCH"}
_TAGGED: Final = cache_headers("", NO_CACHE)

SHOWING_SECONDS: Final = 0.05
"""When to show sessions has taken so much processor time, looks behind those have threads of their own."""


class Look(NamedTuple):
    """A look that may be answered: by which viewer, with which ETag, and whether the caller has that already.

    One that has waited has its span, and how it was counted.
    """

    environ: Environ
    viewer: int
    tag: str
    is_known: bool
    span: RequestSpan | None = None
    counted: Counted | None = None


class LookPath(FastPath):
    """Answers looks at sessions."""

    endpoint: ClassVar = "sessions.get_session"
    method: ClassVar = "GET"
    headers: ClassVar[Mapping[HTTPStatus, Mapping[str, str]]] = {
        HTTPStatus.NOT_MODIFIED: _TAGGED,
        HTTPStatus.OK: {**_TAGGED, "Content-Type": JSON_TYPE, "Content-Length": ""},
    }

    def takes(self, environ: Environ) -> bool:
        """Tell whether a request is for a session, and for nothing else."""
        return (
            environ["REQUEST_METHOD"] == self.method
            and self.takes_query(environ["QUERY_STRING"])
            and _FOR_FLASK.isdisjoint(environ)
            and _PATH.match(environ["PATH_INFO"]) is not None
        )

    def takes_query(self, query: str) -> bool:
        """Tell whether a request may have a query."""
        return not query

    def answer_loaded(self, environs: Sequence[Environ], began: float, *, together: bool) -> list[FastReply | None]:
        """Return the answer to each request that has one."""
        return self.answer_looks([self.look(environ) for environ in environs], began, together=together)

    def answer_looks(self, looks: Sequence[Look | None], began: float, *, together: bool) -> list[FastReply | None]:
        """Return the answer to each look that has one."""
        found = [self._not_modified(look, began, together) if look and look.is_known else None for look in looks]
        if any(look and not look.is_known for look in looks):
            until, states = thread_time() + SHOWING_SECONDS, dict[str, TableState]()
            with self.app.app_context():
                for number, look in enumerate(looks):
                    if look and not look.is_known and thread_time() < until:
                        found[number] = self._shown(look, began, together, states)
        return found

    def look(self, environ: Environ) -> Look | None:
        """Return a request's look, or None where Flask has to answer."""
        session = environ[LOADED]
        environ[LEFT_TO_FLASK] = True
        if isinstance(session, Exception):
            return None
        try:
            viewer = allow_onlooker(session, holder_of(session, environ.get("HTTP_AUTHORIZATION")))
        except Problem:
            return None
        tag = etag_of(session, viewer, VIEW, language_of(environ))
        known = "HTTP_IF_NONE_MATCH" in environ and matches(environ, tag)
        return Look(environ, viewer, tag, known)

    def _not_modified(self, look: Look, began: float, together: bool) -> FastReply | None:  # noqa: FBT001 -- as above
        """Return the 304 to a look, or None where it cannot be counted so."""
        counted = look.counted or self.count(look.environ, together=together)
        if counted is None:
            return None
        span = look.span or self.begin_span(look.environ, began)
        reply = self.reply(HTTPStatus.NOT_MODIFIED, look.environ, span, {"ETag": look.tag}, counted)
        span.end()
        return reply

    def _shown(
        self,
        look: Look,
        began: float,
        together: bool,  # noqa: FBT001 -- as above
        states: dict[str, TableState],
    ) -> FastReply | None:
        """Return the answer that shows a session, or None where it has another or cannot be counted so.

        The states of sessions are read once for all who look at them together.
        """
        environ, cpu_began = look.environ, thread_time()
        environ[SPAN] = g.span = span = look.span or self.begin_span(environ, began)
        try:
            body = msgspec.json.encode(self.work(span, self._serialize, environ[LOADED], look.viewer, states))
        except Exception as problem:  # noqa: BLE001 -- whatever it is, Flask raises it
            environ[LOADED] = problem
            return None
        counted = look.counted or self.count(environ, together=together)
        if counted is None:
            return None
        own = {"ETag": look.tag, "Content-Language": span.language, "Content-Length": str(len(body))}
        counted = self.count_work(counted, thread_time() - cpu_began)
        reply = self.reply(HTTPStatus.OK, environ, span, own, counted, body)
        span.end()
        return reply

    def _serialize(self, session: Session, viewer: int, states: dict[str, TableState]) -> SessionShown:
        """Return a session as a viewer sees it."""
        state = states.get(session.id)
        if state is None:
            state = states[session.id] = current_state(game_of(self.context.sessions, session), session)
        return serialize_shown(session, viewer, VIEW, state)
