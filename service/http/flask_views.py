"""Connects Flask to the request pipeline.

This module contains the hooks for requests, the views for operations, and the responses that are built after a wait.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from http import HTTPStatus
from time import thread_time
from typing import Any, Final

from flask import Flask, Response, current_app, g

from games.core.checkpoint import check_with
from service.http.admission import admit, charge_work
from service.http.error_handlers import CLIENT_CLOSED_REQUEST, reply_to, to_flask
from service.http.operation import AnyOperation
from service.http.pipeline import Batch, Pending, operations
from service.http.problems import Problem
from service.http.request import Request, flask_body
from service.http.request_context import Call, current_call, this_request
from service.http.streaming import carry
from service.waiting import Wait
from service.work_clock import WorkClock

WAITS: Final = "dorfplatz.waits"
"""WSGI environment key. A server sets this key if it accepts a `Wait` in a response body.

The server then waits without a thread. The response body calls `start_response` only after its last `Wait`.
"""

GONE: Final = "dorfplatz.gone"
"""WSGI environment key. The value is a function that returns whether the client has disconnected."""


def install(app: Flask) -> None:
    """Register Flask hooks that run the first and last steps of the pipeline for each request."""

    @app.url_value_preprocessor
    def begin(_endpoint: str | None, _values: object) -> None:
        http_request = this_request()
        rule = http_request.url_rule
        settings = app.extensions["context"].settings
        asked = Request.from_flask(http_request, trusted_proxies=settings.trusted_proxies)
        g.call = call = Call(app, asked, http_request.endpoint or "", rule.rule if rule else None)
        g.cpu_began = thread_time()
        call.gone = http_request.environ.get(GONE, call.gone)  # type: ignore[method-assign]
        call.enter()
        check_with(WorkClock(settings.limits.request_cpu_milliseconds, call.gone).check)
        if asked.is_odd:
            raise Problem("invalid-path")
        if asked.method in {"GET", "HEAD"}:
            # werkzeug would respond with 412 and the whole body, also for `*`.
            http_request.environ.pop("HTTP_IF_MATCH", None)

    @app.before_request
    def count() -> None:
        call = current_call()
        admit(app.extensions["context"], [call])
        if call.refusal is not None:
            raise call.refusal

    @app.after_request
    def end(response: Response) -> Response:
        call = current_call()
        if isinstance(response, WaitingResponse):
            call.waits = True
        else:
            response = _refuse_failed_precondition(call, response)
            call.spent = thread_time() - g.cpu_began
            _complete(call, response)
        return response

    @app.teardown_request
    def leave(_error: BaseException | None) -> None:
        check_with(None)
        if "call" in g:
            current_call().leave()
            if not current_call().waits:
                current_call().end()


def as_view(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a Flask view that runs the `Operation` of the view's endpoint.

    `function` is never called. The view only takes over the name and the docstring of `function`.
    """

    @wraps(function)
    def view(**_: Any) -> Response:
        call = current_call()
        operation = next(each for each in operations(call.app) if each.endpoint == call.endpoint)
        call.request = call.request.replace(body=flask_body(this_request(), operation.max_body))
        return _run(operation, Pending(call, is_new=False))

    return view


class WaitingResponse(Response):
    """A response that is built after a wait. If the server accepts no `Wait` objects, the wait blocks the thread."""

    def __init__(self, wait: Wait, go_on: Callable[[], Response], end: Callable[[], object] = lambda: None) -> None:
        """Respond to the current request with the content that `go_on` returns after the wait.

        If the client disconnects before the end of the wait, `end` is called instead of `go_on`.
        """
        super().__init__()
        self._wait, self._go_on, self._end, self._call = wait, go_on, end, current_call()
        self._app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001
        self._asked = this_request().headers

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[Any]:
        self._call.spent = thread_time() - g.cpu_began
        return self._answer(environ, start_response)

    def _answer(self, environ: dict[str, Any], start_response: Any) -> Iterator[Any]:
        call = self._call
        try:
            if WAITS in environ:
                yield self._wait
            else:
                self._wait.block()
        except GeneratorExit:
            self._end()
            call.record(CLIENT_CLOSED_REQUEST)
            call.end()
            raise
        with self._app.app_context() as pushed:
            pushed.g.call = call
            before = thread_time()
            call.enter()
            try:
                try:
                    response = self._go_on()
                except Exception as error:  # noqa: BLE001 -- answered as Flask would
                    response = to_flask(reply_to(error))
                call.spent += thread_time() - before
                _complete(call, response, self._asked)
            finally:
                call.leave()
                call.end()
        yield from response(environ, start_response)


def _run(operation: AnyOperation, turn: Pending) -> Response:
    with operation.app.app_context() as pushed:
        Batch(operation, pushed.g).run([turn])
    if turn.reply is not None:
        response = to_flask(turn.reply)
        return response if turn.reply.stream is None else carry(turn.reply.stream, response)
    if turn.wait is None:
        raise RuntimeError("a batch of one has left its request over")
    return WaitingResponse(turn.wait, lambda: _run(operation, turn), lambda: operation.forget(turn.asked))


def _refuse_failed_precondition(call: Call, response: Response) -> Response:
    tag = response.headers.get("ETag")
    if tag is not None and response.status_code in {HTTPStatus.OK, HTTPStatus.NOT_MODIFIED}:
        try:
            call.request.check_if_match(tag)
        except Problem as problem:
            response.close()
            return to_flask(reply_to(problem))
    return response


def _complete(call: Call, response: Response, asked: Any = None) -> None:
    charge_work(call.app.extensions["context"], [call])
    call.add_headers(response.headers, asked or this_request().headers)
    call.record(response.status_code)
