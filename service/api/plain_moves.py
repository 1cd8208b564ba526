"""The fast path of moves: one that a seat makes in a plain request, and that succeeds.

Moves that come together are planned one by one on what one exchange with Redis has loaded, and written in another; so
one fsync of Redis serves all of them, and each is on the disk before it is told. What a plan is refused for is raised
by Flask. A move that was overtaken has changed nothing, and Flask makes it from the beginning.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from time import thread_time
from typing import Any, ClassVar, Final, NamedTuple

import msgspec
from flask import Request, g

from service.api.auth import LOADED, VIEW, allow_seat, holder_of, require_version
from service.api.fast_paths import FOR_FLASK, LEFT_TO_FLASK, Counted, Environ, FastPath
from service.api.sessions import headers_of_move, reads_move, serialize_played
from service.http.fast_reply import FastReply
from service.http.json_body import JSON_TYPE, bounds_of
from service.http.problems import Problem
from service.http.request_context import SPAN, RequestSpan
from service.sessions.change import written
from service.sessions.play import MoveResult, PlannedMove, plan_move
from service.store.sessions import Outcome, SessionWrite, Written
from service.validation import strict_json
from service.wire.fields import parse_move

_PATH: Final = re.compile(r"/v1/sessions/[0-9a-f]{32}/moves\Z")
_FOR_FLASK: Final = FOR_FLASK | {"HTTP_IDEMPOTENCY_KEY"}

PLAIN_BYTES: Final = 4_096
"""A longer body, with content of the player's own, has a thread to itself."""

PLANNING_SECONDS: Final = 0.05
"""When to plan moves has taken so much processor time, those behind them have threads of their own."""


class _Move(NamedTuple):
    """A move that is planned: of which seat in which request, and how that was counted."""

    environ: Environ
    span: RequestSpan
    seat: int
    counted: Counted
    write: SessionWrite
    planned: PlannedMove
    spent: float


class PlainMovePath(FastPath):
    """Makes moves that nothing is wrong with."""

    endpoint: ClassVar = "sessions.make_move_in_session"
    method: ClassVar = "POST"
    headers: ClassVar[Mapping[HTTPStatus, Mapping[str, str]]] = {
        HTTPStatus.CREATED: {
            "ETag": "",
            "Cache-Control": "no-store",
            "Content-Language": "",
            "Content-Type": JSON_TYPE,
            "Content-Length": "",
        }
    }

    @property
    def gathers(self) -> bool:
        """Tell whether the store takes moves together."""
        return self.context.sessions.store.writes_together

    def takes(self, environ: Environ) -> bool:
        """Tell whether a request is for a move of a seat, and for nothing else."""
        return (
            environ["REQUEST_METHOD"] == self.method
            and environ["PATH_INFO"].endswith("/moves")
            and environ.get("CONTENT_TYPE") == JSON_TYPE
            and not environ["QUERY_STRING"]
            and _FOR_FLASK.isdisjoint(environ)
            and _PATH.match(environ["PATH_INFO"]) is not None
            and 0 < _length(environ) <= PLAIN_BYTES
        )

    def answer_loaded(self, environs: Sequence[Environ], began: float, *, together: bool) -> list[FastReply | None]:
        """Make moves, and return the answers to those that were made."""
        with self.app.app_context():
            until = thread_time() + PLANNING_SECONDS
            moves = [
                self._plan(environ, began, together=together) if thread_time() < until else None for environ in environs
            ]
            made = [move for move in moves if move]
            for move in made:
                move.environ[LOADED] = RuntimeError("nobody knows what became of a move")  # until that is known
            found = iter(self.context.sessions.store.write_each([move.write for move in made]))
            return [self._made(move, next(found)) if move else None for move in moves]

    def _plan(self, environ: Environ, began: float, *, together: bool) -> _Move | None:
        """Return a request's move ready to be written, or None where it has another answer or cannot be counted so."""
        session, http_request = environ[LOADED], Request(environ, populate_request=False)
        environ[LEFT_TO_FLASK], cpu_began = True, thread_time()
        try:
            if isinstance(session, Exception):
                return None
            seat = allow_seat(session, holder_of(session, environ.get("HTTP_AUTHORIZATION")))
            move, version = self._read(environ), require_version(session, seat, http_request)
        except Exception:  # noqa: BLE001 -- Flask says what is wrong
            return None
        span = environ[SPAN] = g.span = self.begin_span(http_request, began)
        with self.at_work(span):
            try:
                planned = plan_move(self.context.sessions, session, seat, version, reads_move(move, session, seat))
            except Exception as problem:  # noqa: BLE001 -- whatever it is, Flask raises it
                environ[LOADED] = problem
                return None
        counted = self.count(environ, together=together)
        if counted is None:
            return None
        write = SessionWrite(session, planned.planned.change, seat, "")
        return _Move(environ, span, seat, counted, write, planned, thread_time() - cpu_began)

    def _read(self, environ: Environ) -> Any:
        """Return the move of a body, which can be read again; whatever is raised is said better by Flask."""
        text = environ["wsgi.input"].read(_length(environ))
        environ["wsgi.input"] = io.BytesIO(text)
        if len(text) != _length(environ):
            raise Problem("bad-request")
        limits = self.context.settings.limits
        body = strict_json.parse(text, bounds_of(limits))
        if body.keys() != {"move"}:
            raise Problem("invalid-body")
        return parse_move(body["move"])

    def _made(self, move: _Move, outcome: Outcome | Exception) -> FastReply | None:
        """Return the answer to a move by what became of it; None where Flask makes it anew, or raises what is wrong."""
        environ, span = move.environ, move.span
        if isinstance(outcome, Exception):
            environ[LOADED] = outcome
            return None
        if outcome[0] is not Written.WRITTEN:
            del environ[LOADED]
            return None
        began, g.span = thread_time(), span
        with self.at_work(span):
            try:
                session = written(self.context.sessions, move.planned.planned, outcome[1])
                reply = self._answer(move, move.planned.result(session), began)
            except Exception as problem:  # noqa: BLE001 -- it was made; Flask says what is wrong
                environ[LOADED] = problem
                return None
        span.span.end()
        return reply

    def _answer(self, move: _Move, result: MoveResult, began: float) -> FastReply:
        """Return the answer to a move that was made."""
        body = msgspec.json.encode(serialize_played(result, move.seat, VIEW))
        own = {**headers_of_move(result, move.seat, VIEW), "Content-Length": str(len(body))}
        counted = self.count_work(move.counted, move.spent + thread_time() - began)
        return self.reply(HTTPStatus.CREATED, move.environ, move.span, own, counted, body)


def _length(environ: Environ) -> int:
    """Return how long a body is, as its request says; 0 where it does not."""
    text = environ.get("CONTENT_LENGTH", "")
    return int(text) if text.isdecimal() else 0
