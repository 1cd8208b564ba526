"""Receives request bodies from an ASGI server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import IO, Any, Final

from service.http.request import Request

MAX_BODY_PIECES: Final = 16_384
"""Maximum number of ASGI messages per request body. A body of many short messages would take too much time."""

MAX_DISCARDED_BYTES: Final = 67_108_864
DISCARD_SECONDS: Final = 10
DISCARD_PAUSE_SECONDS: Final = 0.5
"""Maximum number of seconds without data while the server discards the rest of an oversized body.

If the server closed the connection without reading the rest, the client could lose the response.
"""

Receive = Callable[[], Awaitable[dict[str, Any]]]


async def receive_body(request: Request, receive: Receive, body: IO[bytes], limit: int, patience: float) -> bool:
    """Receive a request body of at most `limit` bytes within `patience` seconds.

    Return whether the body is complete.
    """
    # The request will be rejected.
    if request.length > limit:
        return False
    with suppress(TimeoutError):
        async with asyncio.timeout(patience):
            for _ in range(MAX_BODY_PIECES):
                if body.tell() > limit:
                    break
                message = await receive()
                body.write(message.get("body", b""))
                if not message.get("more_body"):
                    return bool(message["type"] == "http.request")
    return False


async def discard_body(receive: Receive) -> None:
    """Read and drop the rest of a body that is too long."""
    left = MAX_DISCARDED_BYTES
    with suppress(TimeoutError):
        async with asyncio.timeout(DISCARD_SECONDS):
            while left > 0:
                async with asyncio.timeout(DISCARD_PAUSE_SECONDS):
                    message = await receive()
                left -= len(message.get("body", b""))
                if not message.get("more_body"):
                    return
