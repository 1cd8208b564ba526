"""Requests that are sent again safely, and streams that go on where they broke."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final
from uuid import uuid4

import httpx

from dorfplatz_client.problems import problem_of

ATTEMPTS: Final = 6
PAUSE_SECONDS: Final = 0.25
LONGEST_PAUSE_SECONDS: Final = 30.0
AGAIN: Final = frozenset({429, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a stream: its kind, what it tells as JSON text, and its cursor if it has one."""

    event: str
    data: str
    id: str | None


class Transport:
    """An HTTP client of one service. A POST carries an Idempotency-Key, so sent twice it acts once."""

    def __init__(self, client: httpx.Client, language: str) -> None:
        self.client = client
        self._language = language

    def send(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        token: str | None = None,
        headers: dict[str, str] | None = None,
        params: dict[str, str] | None = None,
    ) -> httpx.Response:
        """Return an answer that is a success, or 304; raise ProblemError, or httpx.TransportError at last."""
        sent = self._headers(token, headers)
        if method == "POST":
            sent["Idempotency-Key"] = str(uuid4())
        for left in reversed(range(ATTEMPTS)):
            pause = PAUSE_SECONDS * 2 ** (ATTEMPTS - 1 - left)
            try:
                answer = self.client.request(method, path, json=body, headers=sent, params=params)
            except httpx.TransportError:
                if not left:
                    raise
            else:
                if answer.is_success or answer.status_code == httpx.codes.NOT_MODIFIED:
                    return answer
                problem = problem_of(answer)
                if not left or (answer.status_code not in AGAIN and problem.code != "operation-running"):
                    raise problem
                pause = waited(answer, pause)
            time.sleep(pause)
        raise AssertionError  # the last attempt returns or raises

    def stream(self, path: str, *, token: str | None = None, ends: Iterable[str] = ("end",)) -> Iterator[Message]:
        """Yield the messages up to one that ends the stream, connected again with the last cursor where it breaks."""
        last: str | None = None
        lost = 0
        while True:
            headers = self._headers(token, {"Accept": "text/event-stream"})
            if last is not None:
                headers["Last-Event-ID"] = last
            pause = PAUSE_SECONDS * 2**lost
            try:
                with self.client.stream("GET", path, headers=headers) as answer:
                    if answer.is_success:
                        for message in messages(answer.iter_lines()):
                            lost, last = 0, message.id or last
                            yield message
                            if message.event in ends:
                                return
                    else:
                        answer.read()
                        if answer.status_code not in AGAIN or lost + 1 >= ATTEMPTS:
                            raise problem_of(answer)
                        pause = waited(answer, pause)
            except httpx.TransportError:
                if lost + 1 >= ATTEMPTS:
                    raise
            lost = min(lost + 1, ATTEMPTS)
            time.sleep(min(pause, LONGEST_PAUSE_SECONDS))

    def _headers(self, token: str | None, more: dict[str, str] | None) -> dict[str, str]:
        headers = {"Accept-Language": self._language, **(more or {})}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        return headers


def waited(answer: httpx.Response, otherwise: float) -> float:
    """Return for how many seconds an answer asks, at most half a minute."""
    asked = answer.headers.get("Retry-After", "")
    return min(float(asked) if asked.isdecimal() else otherwise, LONGEST_PAUSE_SECONDS)


def messages(lines: Iterable[str]) -> Iterator[Message]:
    """Yield the messages of an event stream; comments, which keep it alive, are left out."""
    event, data, cursor = "message", list[str](), None
    for line in lines:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line:
            if data:
                yield Message(event, "\n".join(data), cursor)
            event, data, cursor = "message", [], None
        elif name == "event":
            event = value
        elif name == "data":
            data.append(value)
        elif name == "id":
            cursor = value
