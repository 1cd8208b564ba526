"""Chunks on their way from a broadcaster's thread to the writer of one stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Event, Lock
from typing import Final, NamedTuple

from service.waiting import notify

MAX_UNREAD_BYTES: Final = 65_536
"""Maximum of unread bytes; a subscription that exceeds it ends, and its reader continues from the log."""

_lock: Final = Lock()
"""Shared by all subscriptions: it is held for a few instructions, and 10,000 separate locks would cost memory."""


class StreamHeartbeat(NamedTuple):
    """The bytes that keep an idle stream open, and the idle seconds before they are sent."""

    chunk: bytes
    seconds: float


class Subscription:
    """A bounded buffer that any thread may fill and one writer empties.

    `missed` is true if a chunk was refused because too much was unread. `position` is that of the last accepted chunk,
    from which the reader continues then.
    """

    __slots__ = ("_chunks", "_on_news", "_over", "_unread", "heartbeat", "missed", "position")

    def __init__(self, heartbeat: StreamHeartbeat) -> None:
        self.heartbeat = heartbeat
        self._chunks: list[bytes] = []
        self._unread = 0
        self._over = False
        self._on_news: Callable[[], object] | None = None
        self.missed = False
        self.position = 0

    @property
    def is_done(self) -> bool:
        """True if nothing is left to take and nothing will come."""
        with _lock:
            return self._over and not self._chunks

    def push(self, chunk: bytes, position: int = 0) -> bool:
        """Add a chunk and return whether it fitted; if it did not, the subscription ends."""
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

    def end(self) -> None:
        """Accept no more chunks."""
        with _lock:
            self._over = True
        self._notify()

    def beat(self) -> None:
        """Add the heartbeat, which has no position, if nothing is unread."""
        with _lock:
            is_due = not (self._over or self._chunks)
            if is_due:
                self._chunks.append(self.heartbeat.chunk)
        if is_due:
            self._notify()

    def take(self) -> tuple[list[bytes], bool]:
        """Return the unread chunks, and whether no more will come."""
        with _lock:
            found, self._chunks, self._unread = self._chunks, [], 0
            return found, self._over

    def notify(self, on_news: Callable[[], object] | None) -> None:
        """Call a function in the pushing thread after every change."""
        self._on_news = on_news

    def __iter__(self) -> Iterator[bytes]:
        """Yield chunks and heartbeats, blocking the thread meanwhile, for callers without an event loop."""
        news = Event()
        self.notify(news.set)
        over = False
        while not over:
            news.clear()
            chunks, over = self.take()
            yield from chunks
            if not (chunks or over or news.wait(self.heartbeat.seconds)):
                yield self.heartbeat.chunk

    def _notify(self) -> None:
        if self._on_news is not None:
            notify(self._on_news)
