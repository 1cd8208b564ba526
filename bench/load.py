"""A load of requests over kept connections, by a client that costs little: requests are bytes made before."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final, Self

BODILESS: Final = (b" 304 ", b" 204 ")


def request(method: str, path: str, body: Any = None, token: str | None = None, **headers: str) -> bytes:
    """Return a request as it goes over the line; underscores in the names of headers become dashes."""
    text = b"" if body is None else json.dumps(body).encode()
    named = {"Host": "bench", **{name.replace("_", "-"): value for name, value in headers.items()}}
    if token is not None:
        named["Authorization"] = f"Bearer {token}"
    if text:
        named |= {"Content-Type": "application/json", "Content-Length": str(len(text))}
    head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + text


@dataclass(frozen=True)
class Answer:
    """An answer: its status, its head, and its body."""

    status: int
    head: bytes
    text: bytes

    @property
    def body(self) -> Any:
        """The body as JSON."""
        return json.loads(self.text)


class Line:
    """A kept connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take both ways."""
        self._reader, self._writer = reader, writer

    @classmethod
    async def to(cls, port: int) -> Self:
        """Open one."""
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    async def __aenter__(self) -> Self:
        """Be open for a while."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self._writer.close()

    async def ask(self, sent: bytes) -> Answer:
        """Send a request and return its answer."""
        self._writer.write(sent)
        head = await self._reader.readuntil(b"\r\n\r\n")
        first = head[: head.index(b"\r\n")] + b" "
        bare = any(status in first for status in BODILESS)
        text = b"" if bare else await self._reader.readexactly(body_length(head))
        return Answer(int(first.split(b" ", 2)[1]), head, text)


def body_length(head: bytes) -> int:
    """Return the length of the body that a response's head declares."""
    lower = head.lower()
    at = lower.index(b"content-length:") + len(b"content-length:")
    return int(lower[at : lower.index(b"\r\n", at)])


@dataclass
class Tally:
    """The result of a load: the duration of each request, and the total duration."""

    took: list[float] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Requests per second."""
        return len(self.took) / self.seconds

    def percentile(self, part: float) -> float:
        """Return within how many milliseconds so large a part was answered."""
        return sorted(self.took)[min(len(self.took) - 1, int(part * len(self.took)))] * 1000


Worker = Callable[[Callable[[], bool], list[float]], Awaitable[None]]
"""A client: it continues while the first argument returns True, and adds the duration of each request to the second."""


async def press(workers: list[Worker], seconds: float) -> Tally:
    """Let all work at once for some seconds, and until one request has been answered."""
    tally, began = Tally(), time.monotonic()

    def goes_on() -> bool:
        return not tally.took or time.monotonic() - began < seconds

    await asyncio.gather(*(worker(goes_on, tally.took) for worker in workers))
    tally.seconds = time.monotonic() - began
    return tally


async def timed(line: Line, sent: bytes, expected: int, took: list[float]) -> Answer:
    """Send a request, add how long it took, and return the answer; raise RuntimeError for another status."""
    began = time.perf_counter()
    answer = await line.ask(sent)
    took.append(time.perf_counter() - began)
    if answer.status != expected:
        raise RuntimeError(f"{answer.status} instead of {expected}: {answer.text[:500]!r}")
    return answer
