"""Requests to an application without a server, each in the environment that the web server makes for it.

Flask's own client for tests costs half as much again as the answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import SimpleNamespace, TracebackType
from typing import Any, Final, Self

from flask import Flask

from service.launch.environ import environ_of_line, environ_of_request

LINE: Final = environ_of_line(("127.0.0.1", 8000), ("127.0.0.1", 4000))


class Response:
    """An answer, whose body is read as it is wanted; the names of headers are in lower case."""

    def __init__(self, app: Flask, environ: dict[str, Any]) -> None:
        """Have an application answer."""
        self.status, self.headers = 0, dict[str, str]()
        self.parts: Any = app(environ, self._begin)  # type: ignore[arg-type]  # no application of ours writes

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Want no more of the body."""
        if hasattr(self.parts, "close"):
            self.parts.close()

    def _begin(self, status: str, headers: list[tuple[str, str]], _error: object = None) -> None:
        self.status = int(status.partition(" ")[0])
        self.headers = {name.lower(): value for name, value in headers}


def ask(app: Flask, method: str, path: str, body: Any, headers: Mapping[str, str], **more: Any) -> Response:
    """Return the answer to a request; its environment may have more than that of a server."""
    text = b"" if body is None else json.dumps(body).encode()
    typed = {} if body is None else {"content-type": "application/json", "content-length": str(len(text))}
    address, _, query = path.partition("?")
    sent = {"host": "localhost", **{name.lower(): value for name, value in headers.items()}, **typed}
    request: Any = SimpleNamespace(
        method=method,
        path=address,
        uri=path,
        query=query,
        version=(1, 1),
        scheme="http",
        headers_bytes=[(name.encode(), value.encode()) for name, value in sent.items()],
    )
    return Response(app, {**environ_of_request(LINE, request, text), **more})
