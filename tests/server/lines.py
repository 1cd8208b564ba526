"""A client of an ASGI application: it sends a request in pieces and reads the response as slowly as a test wants."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, Final

from flask import Flask

from service.server.asgi import Application
from tests.launch.kit import PATIENCE_SECONDS

THREADS: Final = 2


async def until(holds: Callable[[], object]) -> None:
    """Wait until a condition without an event holds."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not holds():  # noqa: ASYNC110 -- there is no event for it
            await asyncio.sleep(0.001)


class Client:
    """One request with its result; a client that `stalls` reads only the headers."""

    def __init__(
        self, method: str, path: str, headers: dict[str, str] | None = None, pieces: Iterable[bytes] = (), **more: Any
    ) -> None:
        address, _, query = path.partition("?")
        sent = {"host": "x", **(headers or {})}
        self.scope = {
            "type": "http",
            "method": method,
            "path": address,
            "raw_path": address.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "http_version": "1.1",
            "scheme": "http",
            "server": ("x", 80),
            "client": ("y", 1),
            "headers": [(name.encode(), text.encode()) for name, text in sent.items()],
            **more,
        }
        self._pieces = iter(pieces)
        self._left = asyncio.Event()
        self.stalls = self.stalls_at_once = False
        self.news = asyncio.Event()
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""
        self.is_whole = False

    def leave(self) -> None:
        self._left.set()

    async def receive(self) -> dict[str, Any]:
        """Return the next piece of the body, and wait for the client to leave after the last."""
        for piece in self._pieces:
            return {"type": "http.request", "body": piece, "more_body": True}
        if not self._left.is_set():
            await self._left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: dict[str, Any]) -> None:
        if self.stalls_at_once:
            await asyncio.Event().wait()
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): text.decode() for name, text in message["headers"]}
            return
        if self.stalls:
            await asyncio.Event().wait()
        self.body += message["body"]
        self.is_whole = not message.get("more_body", False)
        self.news.set()

    async def until(self, mark: bytes) -> None:
        async with asyncio.timeout(60):
            while mark not in self.body:
                self.news.clear()
                await self.news.wait()


class Messages:
    """The receive function of a server: prepared pieces of a body, and no end after them."""

    def __init__(self, *pieces: bytes | None, ends: bool = True) -> None:
        """Prepare the pieces; None is a client that leaves. If `ends` is true, the last one ends the body."""
        self.left: list[dict[str, Any]] = [
            {"type": "http.disconnect"}
            if piece is None
            else {"type": "http.request", "body": piece, "more_body": not ends or place < len(pieces)}
            for place, piece in enumerate(pieces, 1)
        ]

    async def __call__(self) -> dict[str, Any]:
        if not self.left:
            await asyncio.Event().wait()
        return self.left.pop(0)


def application(app: Flask, patience: float = 60.0) -> Application:
    """Return the server's application around an app; call it on a loop."""
    return Application(app, threads=THREADS, patience=patience)


def ask(app: Flask, method: str, path: str, headers: dict[str, str], pieces: Iterable[bytes] = ()) -> Client:
    async def call() -> Client:
        client = Client(method, path, headers, pieces)
        if pieces != ():
            client.leave()  # after the last piece
        await application(app)(client.scope, client.receive, client.send)
        return client

    return asyncio.run(call())
