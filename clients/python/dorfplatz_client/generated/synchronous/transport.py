# Written by `python3 dev.py clients` from ../../asynchronous; changes belong there.
"""Requests with safe retries, and streams that resume where they broke."""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import Any
from uuid import uuid4

import httpx

from dorfplatz_client.retries import ATTEMPTS, Message, Reader, pause_after, pause_asked


class Transport:
    """An HTTP client of one service. A POST carries an Idempotency-Key, so a retried one acts once."""

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
        """Return a successful response or a 304; raise ProblemError, or at last httpx.TransportError."""
        sent = self._headers(token, headers)
        if method == "POST":
            sent["Idempotency-Key"] = str(uuid4())
        failed = 0
        while True:
            failed += 1
            try:
                answer = self.client.request(method, path, json=body, headers=sent, params=params)
            except httpx.TransportError:
                if failed >= ATTEMPTS:
                    raise
                pause = pause_after(failed)
            else:
                if answer.is_success or answer.status_code == httpx.codes.NOT_MODIFIED:
                    return answer
                pause = pause_asked(answer, failed)
            time.sleep(pause)

    def stream(self, path: str, *, token: str | None = None) -> Generator[Message]:
        """Yield the messages up to `end`; reconnect with the last cursor if the stream breaks."""
        last: str | None = None
        failed = 0
        while True:
            headers = self._headers(token, {"Accept": "text/event-stream"})
            if last is not None:
                headers["Last-Event-ID"] = last
            failed += 1
            try:
                with self.client.stream("GET", path, headers=headers) as answer:
                    if answer.is_success:
                        reader = Reader()
                        for line in answer.iter_lines():
                            failed = 1
                            if (message := reader.read(line)) is not None:
                                last = message.id or last
                                yield message
                                if message.event == "end":
                                    return
                        pause = pause_after(failed)
                    else:
                        answer.read()
                        pause = pause_asked(answer, failed)
            except httpx.TransportError:
                if failed >= ATTEMPTS:
                    raise
                pause = pause_after(failed)
            time.sleep(pause)

    def _headers(self, token: str | None, more: dict[str, str] | None) -> dict[str, str]:
        headers = {"Accept-Language": self._language, **(more or {})}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        return headers
