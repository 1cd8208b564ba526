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

from service.api.auth import LOADED, VIEW, allow_seat, holder_of, require_version, seat_token
from service.api.fast_paths import FOR_FLASK, LEFT_TO_FLASK, Counted, Environ, FastPath
from service.api.sessions import headers_of_move, reads_move, serialize_played
from service.auth.rate_limits import answers
from service.http.fast_reply import FastReply
from service.http.idempotency import IdempotencyKey, key_of_request
from service.http.json_body import JSON_TYPE, bounds_of
from service.http.problems import Problem
from service.http.request_context import SPAN, RequestSpan
from service.sessions.change import written
from service.sessions.play import PlannedMove, plan_move
from service.store.operations import FAILED, Begun
from service.store.sessions import Outcome, Session, SessionWrite, Written
from service.validation import strict_json
from service.wire.fields import parse_move

_PATH: Final = re.compile(r"/v1/sessions/[0-9a-f]{32}/moves\Z")

PLAIN_BYTES: Final = 4_096
"""A longer body, with content of the player's own, has a thread to itself."""

PLANNING_SECONDS: Final = 0.05
"""When to plan moves has taken so much processor time, those behind them have threads of their own."""


class _Asked(NamedTuple):
    """A move that is asked for: by which seat in which request, at which version, and its Idempotency-Key if any."""

    environ: Environ
    span: RequestSpan
    session: Session
    seat: int
    version: int
    move: Any
    key: IdempotencyKey | None
    spent: float


class _Move(NamedTuple):
    """A move that is planned, and how its request was counted."""

    asked: _Asked
    counted: Counted
    write: SessionWrite
    planned: PlannedMove
    spent: float


class PlainMovePath(FastPath):
    """Makes moves that nothing is wrong with."""

    endpoint: ClassVar = "sessions.make_move_in_session"
    method: ClassVar = "POST"
    threads = 2  # one plans while the other waits for the disk
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
            and FOR_FLASK.isdisjoint(environ)
            and _PATH.match(environ["PATH_INFO"]) is not None
            and 0 < _length(environ) <= PLAIN_BYTES
        )

    def answer_loaded(self, environs: Sequence[Environ], began: float, *, together: bool) -> list[FastReply | None]:
        """Make moves, and return the answers to those that were made."""
        with self.app.app_context():
            asked = [self._asked(environ, began) for environ in environs]
            marks = self._begin(asked)
            until = thread_time() + PLANNING_SECONDS
            moves = [
                self._plan(each, together=together)
                if each and (each.key is None or place in marks) and thread_time() < until
                else None
                for place, each in enumerate(asked)
            ]
            made = [move for move in moves if move]
            for move in made:
                move.asked.environ[LOADED] = RuntimeError("nobody knows what became of a move")  # until that is known
            found = iter(self.context.sessions.store.write_each([move.write for move in made]))
            replies = [self._made(move, next(found)) if move else None for move in moves]
            if marks:
                self._end(marks, asked, replies)
            return replies

    def _asked(self, environ: Environ, began: float) -> _Asked | None:
        """Return the move that a request asks for, or None where Flask says what is wrong with it."""
        session, cpu_began = environ[LOADED], thread_time()
        environ[LEFT_TO_FLASK] = True
        if isinstance(session, Exception):
            return None
        try:
            seat = allow_seat(session, holder_of(session, environ.get("HTTP_AUTHORIZATION")))
            move, version = self._read(environ), require_version(session, seat, environ)
            key = None
            if "HTTP_IDEMPOTENCY_KEY" in environ:
                key = key_of_request(seat_token(session, seat), Request(environ, populate_request=False))
                environ["wsgi.input"].seek(0)
        except Exception:  # noqa: BLE001 -- Flask says what is wrong
            return None
        span = environ[SPAN] = self.begin_span(environ, began)
        return _Asked(environ, span, session, seat, version, move, key, thread_time() - cpu_began)

    def _begin(self, asked: Sequence[_Asked | None]) -> dict[int, str]:
        """Begin the operations that are named, and return the marks of those that are begun, by their places.

        What came before, or runs, is left to Flask, and so is the second of two that have one name.
        """
        places = {each.key.slot: place for place, each in reversed([*enumerate(asked)]) if each and each.key}
        named = [(place, each.key) for place, each in enumerate(asked) if each and each.key]
        first = [(place, key) for place, key in named if places[key.slot] == place]
        begun = self.context.operations.begin_each([(key.slot, key.fingerprint) for _, key in first])
        marks = dict[int, str]()
        for (place, _), operation in zip(first, begun, strict=True):
            each = asked[place]
            if each and isinstance(operation, Exception):
                each.environ[LOADED] = operation
            elif not isinstance(operation, Exception) and operation.standing is Begun.BEGUN:
                marks[place] = operation.mark
        return marks

    def _end(
        self, marks: Mapping[int, str], asked: Sequence[_Asked | None], replies: Sequence[FastReply | None]
    ) -> None:
        """Keep the answers to operations that were named, as far as quotas allow it; let others be tried again."""
        ends = dict[int, tuple[str, str, bytes]]()
        callers = dict[int, str]()
        for place, mark in marks.items():
            each, reply = asked[place], replies[place]
            if each is None or each.key is None:
                continue
            ends[place] = each.key.slot, mark, FAILED
            if reply is not None:
                ends[place] = each.key.slot, mark, each.key.seal(reply.status, dict(reply.headers), reply.body)
                callers[place] = self.account_of(each.environ).name
        quota = answers(None, self.context.settings.limits)
        if quota:
            costs = [(caller, len(ends[place][2])) for place, caller in callers.items()]
            for place, status in zip(callers, self.context.rate_limiter.spend_each(quota, costs), strict=True):
                if isinstance(status, Exception):
                    del ends[place]  # until its deadline it counts as running
                elif not status.granted:
                    ends[place] = *ends[place][:2], FAILED
        self.context.operations.end_each(list(ends.values()))

    def _plan(self, asked: _Asked, *, together: bool) -> _Move | None:
        """Return a move ready to be written, or None where it has another answer or cannot be counted so."""
        cpu_began, session, seat = thread_time(), asked.session, asked.seat
        g.span, decide = asked.span, reads_move(asked.move, session, seat)
        try:
            planned = self.work(asked.span, plan_move, self.context.sessions, session, seat, asked.version, decide)
        except Exception as problem:  # noqa: BLE001 -- whatever it is, Flask raises it
            if asked.key is None:  # else it may have been made before, and Flask finds that out
                asked.environ[LOADED] = problem
            return None
        counted = self.count(asked.environ, together=together)
        if counted is None:
            return None
        write = SessionWrite(session, planned.planned.change, seat, asked.key.operation if asked.key else "")
        return _Move(asked, counted, write, planned, asked.spent + thread_time() - cpu_began)

    def _read(self, environ: Environ) -> Any:
        """Return the move of a body, which can be read again; whatever is raised is said better by Flask."""
        length, limits = _length(environ), self.context.settings.limits
        text = environ["wsgi.input"].read(length)
        environ["wsgi.input"] = io.BytesIO(text)
        if len(text) != length or length > limits.table_bytes:
            raise Problem("bad-request")
        body = strict_json.parse(text, bounds_of(limits))
        if body.keys() != {"move"}:
            raise Problem("invalid-body")
        return parse_move(body["move"])

    def _made(self, move: _Move, outcome: Outcome | Exception) -> FastReply | None:
        """Return the answer to a move by what became of it; None where Flask makes it anew, or raises what is wrong."""
        environ, span = move.asked.environ, move.asked.span
        if isinstance(outcome, Exception):
            environ[LOADED] = outcome
            return None
        if outcome[0] is not Written.WRITTEN:
            del environ[LOADED]
            return None
        g.span = span
        try:
            reply = self.reply(HTTPStatus.CREATED, environ, span, *self.work(span, self._told, move, outcome[1]))
        except Exception as problem:  # noqa: BLE001 -- it was made; Flask says what is wrong
            environ[LOADED] = problem
            return None
        span.end()
        return reply

    def _told(self, move: _Move, revision: int) -> tuple[Mapping[str, str], Counted, bytes]:
        """Return headers and body of the answer to a move written at a revision, and how the request is counted."""
        began, asked = thread_time(), move.asked
        result = move.planned.result(written(self.context.sessions, move.planned.planned, revision))
        body = msgspec.json.encode(serialize_played(result, asked.seat, VIEW))
        own = {**headers_of_move(result, asked.seat, VIEW), "Content-Length": str(len(body))}
        return own, self.count_work(move.counted, move.spent + thread_time() - began), body


def _length(environ: Environ) -> int:
    """Return how long a body is, as its request says; 0 where it does not."""
    text = environ.get("CONTENT_LENGTH", "")
    return int(text) if text.isdecimal() else 0
