"""Requests to an application without a server: to an operation if one takes them, else to Flask.

Flask's own client for tests costs half as much again as the response.
"""

import json
from collections.abc import Callable, Mapping
from io import BytesIO
from types import TracebackType
from typing import Any, Final, Self

from flask import Flask

from service.http.operation import AnyOperation
from service.http.pipeline import operations
from service.http.request import Request
from service.http.response import Response as Sent
from service.http.streaming import STREAMS

SCOPE: Final = {
    "http_version": "1.1",
    "scheme": "http",
    "server": ("127.0.0.1", 8000),
    "client": ("127.0.0.1", 4000),
}


class Response:
    """A response, whose body is read as it is wanted; the names of headers are in lower case."""

    def __init__(self) -> None:
        self.status, self.headers = 0, dict[str, str]()
        self.parts: Any = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if hasattr(self.parts, "close"):
            self.parts.close()

    def begin(self, status: str, headers: list[tuple[str, str]], _error: object = None) -> None:
        self.status = int(status.partition(" ")[0])
        self.headers = {name.lower(): value for name, value in headers}


Settle = Callable[[AnyOperation, Request], Sent]
"""A function that returns an operation's response to a request."""


def ask(
    app: Flask,
    settle: Settle,
    method: str,
    path: str,
    body: Any,
    headers: Mapping[str, str],
    **more: Any,
) -> Response:
    """Return the response to a request; its environment may have more than that of a server."""
    text = b"" if body is None else json.dumps(body).encode()
    typed = {} if body is None else {"content-type": "application/json", "content-length": str(len(text))}
    address, _, query = path.partition("?")
    sent = {"host": "localhost", **{name.lower(): value for name, value in headers.items()}, **typed}
    request = Request(method, address, query, sent, text, "127.0.0.1")
    operation = next((each for each in operations(app) if each.takes(request)), None)
    response = Response()
    if operation is None:
        scope = {**SCOPE, "path": address, "raw_path": address.encode()}
        environ = {**request.to_environ(scope, BytesIO(text)), **more}
        response.parts = app(environ, response.begin)  # type: ignore[arg-type]  # no application of ours writes
    else:
        found = settle(operation, request)
        response.status, response.headers, response.parts = found.status, dict(found.headers), iter([found.body])
        if found.stream is not None:
            more[STREAMS].append(found.stream)
    return response
