"""Subscriptions. One thread adds chunks of a stream to a buffer, and the stream's writer sends them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from threading import Event, Lock
from typing import Final, NamedTuple

from service.waiting import notify

MAX_UNREAD_BYTES: Final = 65_536
"""Maximum number of buffered bytes. If a chunk does not fit, the subscription ends. The stream continues from the log.

An empty buffer accepts a chunk of any length.
"""

_lock: Final = Lock()
"""Shared by all subscriptions, because 10,000 locks would take memory. It is held for only a few instructions."""


class StreamHeartbeat(NamedTuple):
    """The heartbeat of a stream. The bytes `chunk` are sent after `seconds` without data."""

    chunk: bytes
    seconds: float


class Subscription:
    """A bounded buffer of chunks for one stream. Any thread may add chunks, and one writer takes them.

    `missed` is true if a chunk did not fit.
    """

    __slots__ = ("_chunks", "_on_news", "_over", "_unread", "heartbeat", "missed", "position")

    def __init__(self, heartbeat: StreamHeartbeat) -> None:
        self.heartbeat = heartbeat
        self._chunks: list[bytes] = []
        self._unread = 0
        self._over = False
        self._on_news: Callable[[], object] | None = None
        self.missed = False
        # Log position of the last buffered chunk. After a missed chunk, the stream continues from here.
        self.position = 0

    @property
    def is_done(self) -> bool:
        """True if the subscription has ended and its buffer is empty."""
        with _lock:
            return self._over and not self._chunks

    def push(self, chunk: bytes, position: int = 0) -> bool:
        """Add a chunk. Return whether it was accepted. If the chunk does not fit, the subscription ends."""
        with _lock:
            if self._over:
                return False
            self.missed = self._over = bool(self._unread) and self._unread + len(chunk) > MAX_UNREAD_BYTES
            if not self.missed:
                self._chunks.append(chunk)
                self._unread += len(chunk)
                self.position = position
        self._notify()
        return not self.missed

    def miss(self, position: int) -> None:
        """Mark all chunks after the log position `position` as missed. After this call, `push` accepts no chunks."""
        with _lock:
            self.missed = self._over = True
            self.position = position

    def end(self) -> None:
        """End the subscription. After this call, `push` accepts no chunks."""
        with _lock:
            self._over = True
        self._notify()

    def beat(self) -> None:
        """Add the heartbeat if the buffer is empty. `position` does not change."""
        with _lock:
            is_due = not (self._over or self._chunks)
            if is_due:
                self._chunks.append(self.heartbeat.chunk)
        if is_due:
            self._notify()

    def take(self) -> tuple[list[bytes], bool]:
        """Remove the buffered chunks. Return them, and whether the subscription has ended."""
        with _lock:
            found, self._chunks, self._unread = self._chunks, [], 0
            return found, self._over

    def notify(self, on_news: Callable[[], object] | None) -> None:
        """Set the function `on_news`. The methods `push`, `beat` and `end` call it.

        Each of these methods calls the function after it has changed the subscription. The function runs in the same
        thread as the method. If `on_news` is None, the methods call no function.
        """
        self._on_news = on_news

    def __iter__(self) -> Iterator[bytes]:
        """Yield chunks and heartbeats. Block the thread while there are none.

        This method is for servers without an event loop.
        """
        news = Event()
        self.notify(partial(notify, news.set))
        over = False
        while not over:
            news.clear()
            chunks, over = self.take()
            yield from chunks
            if not (chunks or over or news.wait(self.heartbeat.seconds)):
                yield self.heartbeat.chunk

    def _notify(self) -> None:
        if (on_news := self._on_news) is not None:
            on_news()
