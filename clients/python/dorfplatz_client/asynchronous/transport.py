"""Requests with safe retries, and streams that resume where they broke."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any
from uuid import uuid4

import anyio
import httpx

from dorfplatz_client.retries import ATTEMPTS, Message, Reader, pause_after, pause_asked


class AsyncTransport:
    """An HTTP client of one service. A POST carries an Idempotency-Key, so a retried one acts once."""

    def __init__(self, client: httpx.AsyncClient, language: str) -> None:
        self.client = client
        self._language = language

    async def send(
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
                answer = await self.client.request(method, path, json=body, headers=sent, params=params)
            except httpx.TransportError:
                if failed >= ATTEMPTS:
                    raise
                pause = pause_after(failed)
            else:
                if answer.is_success or answer.status_code == httpx.codes.NOT_MODIFIED:
                    return answer
                pause = pause_asked(answer, failed)
            await anyio.sleep(pause)

    async def stream(self, path: str, *, token: str | None = None) -> AsyncGenerator[Message]:
        """Yield the messages up to `end`; reconnect with the last cursor if the stream breaks."""
        last: str | None = None
        failed = 0
        while True:
            headers = self._headers(token, {"Accept": "text/event-stream"})
            if last is not None:
                headers["Last-Event-ID"] = last
            failed += 1
            try:
                async with self.client.stream("GET", path, headers=headers) as answer:
                    if answer.is_success:
                        reader = Reader()
                        async for line in answer.aiter_lines():
                            failed = 1
                            if (message := reader.read(line)) is not None:
                                last = message.id or last
                                yield message
                                if message.event == "end":
                                    return
                        pause = pause_after(failed)
                    else:
                        await answer.aread()
                        pause = pause_asked(answer, failed)
            except httpx.TransportError:
                if failed >= ATTEMPTS:
                    raise
                pause = pause_after(failed)
            await anyio.sleep(pause)

    def _headers(self, token: str | None, more: dict[str, str] | None) -> dict[str, str]:
        headers = {"Accept-Language": self._language, **(more or {})}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        return headers
