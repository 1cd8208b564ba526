"""A client of the service that may lose its answers, and how it insists."""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from typing import Any, Final, Self

from tests.launch.processes import PATIENCE_SECONDS

PAUSE_SECONDS: Final = 0.05
LOOPBACK: Final = "127.0.0.1"


class Lost(Exception):
    """No answer came, so nobody knows what was done."""


@dataclass(frozen=True)
class Answer:
    """An answer: its status, its headers by lower-case name, and its body as JSON."""

    status: int
    headers: dict[str, str]
    body: Any

    @property
    def vague(self) -> bool:
        """Return whether to send the request again: the service or its response is lost, or it is still at work."""
        return self.status in {502, 503} or (self.status == 409 and self.body["code"] == "operation-running")


@dataclass
class Exchange:
    """A request and its answer, if one came: by the monotonic clock, when it was sent and when it was answered."""

    method: str
    path: str
    body: Any
    headers: dict[str, str]
    began: float = field(default_factory=time.monotonic)
    ended: float = math.inf
    answer: Answer | None = None


class Caller:
    """Sends requests to a port, one at a time, over one connection as long as it holds, and remembers them all."""

    def __init__(self, port: int, token: str | None = None, host: str = LOOPBACK) -> None:
        """Take the port, and the token that goes with every request."""
        self.host, self.port = host, port
        self.bearer = {} if token is None else {"Authorization": f"Bearer {token}"}
        self.exchanges: list[Exchange] = []
        self._line: HTTPConnection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.hang_up()

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        try:
            response = self.send(method, path, body, **headers).getresponse()
            text = response.read()
        except (OSError, HTTPException) as error:
            self.hang_up()
            raise Lost(str(error)) from error
        told = {name.lower(): value for name, value in response.getheaders()}
        answer = Answer(response.status, told, json.loads(text) if text else None)
        self.exchanges[-1].answer, self.exchanges[-1].ended = answer, time.monotonic()
        return answer

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> HTTPConnection:
        """Send a request and wait for nothing; underscores in the names of headers become dashes."""
        if self._line is None:
            self._line = HTTPConnection(self.host, self.port, timeout=PATIENCE_SECONDS)
        sent = {**self.bearer, **{name.replace("_", "-"): text for name, text in headers.items()}}
        self.exchanges.append(Exchange(method, path, body, sent))
        if body is not None:
            sent["Content-Type"] = "application/json"
        self._line.request(method, path, None if body is None else json.dumps(body), sent)
        return self._line

    def hang_up(self) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None

    def insist(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Send a request again and again until it is answered by yes or no."""
        return insist(lambda: self.ask(method, path, body, **headers))


def insist(ask: Callable[[], Answer]) -> Answer:
    """Ask until the answer is yes or no, and fail where that takes too long."""
    until = time.monotonic() + PATIENCE_SECONDS
    last = "nothing"
    while time.monotonic() < until:
        try:
            answer = ask()
        except Lost as lost:
            last = str(lost)
        else:
            assert answer.status < 500 or answer.status == 503, answer
            if not answer.vague:
                return answer
            last = str(answer.body)
        threading.Event().wait(PAUSE_SECONDS)
    raise AssertionError(f"no answer in {PATIENCE_SECONDS} s, last: {last}")
