"""Requests to an application without a server: in batches of one if an operation takes them, else to Flask.

Flask's own client for tests costs half as much again as the response.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import SimpleNamespace, TracebackType
from typing import Any, Final, Self

from flask import Flask

from service.http.operation import AnyOperation
from service.http.pipeline import Pending, answer, operations
from service.http.request import Request
from service.launch.environ import environ_of_line, environ_of_request

LINE: Final = environ_of_line(("127.0.0.1", 8000), ("127.0.0.1", 4000))


class Response:
    """A response, whose body is read as it is wanted; the names of headers are in lower case."""

    def __init__(self) -> None:
        self.status, self.headers = 0, dict[str, str]()
        self.parts: Any = ()

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Want no more of the body."""
        if hasattr(self.parts, "close"):
            self.parts.close()

    def begin(self, status: str, headers: list[tuple[str, str]], _error: object = None) -> None:
        """Take status and headers."""
        self.status = int(status.partition(" ")[0])
        self.headers = {name.lower(): value for name, value in headers}


def ask(app: Flask, method: str, path: str, body: Any, headers: Mapping[str, str], **more: Any) -> Response:
    """Return the response to a request; its environment may have more than that of a server."""
    text = b"" if body is None else json.dumps(body).encode()
    typed = {} if body is None else {"content-type": "application/json", "content-length": str(len(text))}
    address, _, query = path.partition("?")
    sent = {"host": "localhost", **{name.lower(): value for name, value in headers.items()}, **typed}
    request = Request(method, address, query, sent, text, "127.0.0.1")
    operation = next((each for each in operations(app) if each.takes(request)), None)
    response = Response()
    if operation is None:
        given: Any = SimpleNamespace(
            method=method,
            path=address,
            uri=path,
            query=query,
            version=(1, 1),
            scheme="http",
            headers_bytes=[(name.encode(), value.encode()) for name, value in sent.items()],
        )
        response.parts = app({**environ_of_request(LINE, given, text), **more}, response.begin)  # type: ignore[arg-type]  # no application of ours writes
    else:
        _settle(response, operation, request)
    return response


def _settle(response: Response, operation: AnyOperation, request: Request) -> None:
    """Answer a request, after all that it waits for."""
    (found,) = answer(operation, [request])
    while isinstance(found, Pending):
        if found.wait is not None:
            list(found.wait)
        (found,) = answer(operation, [found])
    response.status, response.headers, response.parts = found.status, dict(found.headers), iter([found.body])
