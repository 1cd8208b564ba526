"""A wait: how an answer says what it waits for, so that whoever sends it need not hold a thread meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock, local
from typing import Final, Protocol

MOST_UNREAD: Final = 65_536
"""So many bytes may wait for a reader; one more chunk, and the wait is over."""

_lock: Final = Lock()
"""One for all, since it is held for a few instructions only; a lock for each would take memory ten thousand times."""


class _Held(local):
    """The functions that a thread will call for news, each once; None where it calls at once."""

    functions: dict[Callable[[], object], None] | None = None


_held: Final = _Held()


class Sink(Protocol):
    """Where chunks go that somebody waits for."""

    def push(self, chunk: bytes, position: int) -> bool:
        """Add a chunk, with which whoever reads has come to a position; return whether there was room."""
        ...

    def end(self) -> None:
        """Let nothing more come."""
        ...


@contextmanager
def told_together() -> Iterator[None]:
    """At the end tell those for whom this thread had news, each once: who is told at once wants the processor, too."""
    functions = _held.functions = {}
    try:
        yield
    finally:
        _held.functions = None
        for function in functions:
            function()


def tell(function: Callable[[], object]) -> None:
    """Call a function now, or once at the end of `told_together`."""
    if (functions := _held.functions) is None:
        function()
    else:
        functions[function] = None


class Wait:
    """What an answer waits for: its end, or its time; chunks that come before are sent as they come.

    Any thread may push and end; one reader takes. `missed` says that a chunk was refused because too much was unread;
    `position` is that of the last chunk that was not, where the reader goes on then.
    """

    __slots__ = ("_chunks", "_on_news", "_over", "_unread", "_until", "missed", "position")

    def __init__(self, seconds: float | None = None) -> None:
        """Take after how many seconds it is over by itself, if ever."""
        self._until = None if seconds is None else time.monotonic() + seconds
        self._chunks: list[bytes] = []
        self._unread = 0
        self._over = False
        self._on_news: Callable[[], object] | None = None
        self.missed = False
        self.position = 0

    @property
    def is_done(self) -> bool:
        """Tell whether nothing is there to take, and nothing will come."""
        with _lock:
            return self._over and not self._chunks

    @property
    def left(self) -> float | None:
        """The seconds until it is over by itself, None where it never is."""
        return None if self._until is None else self._until - time.monotonic()

    def push(self, chunk: bytes, position: int = 0) -> bool:
        """Add a chunk, and tell whether there was room; where there was none the wait is over."""
        with _lock:
            if self._over:
                return False
            self.missed = self._over = bool(self._unread) and self._unread + len(chunk) > MOST_UNREAD
            if not self.missed:
                self._chunks.append(chunk)
                self._unread += len(chunk)
                self.position = position
        self._tell()
        return not self.missed

    def end(self) -> None:
        """Let nothing more come."""
        with _lock:
            self._over = True
        self._tell()

    def take(self) -> tuple[list[bytes], bool]:
        """Return what has come since the last time, and whether that was all."""
        with _lock:
            found, self._chunks, self._unread = self._chunks, [], 0
            return found, self._over

    def notify(self, on_news: Callable[[], object]) -> None:
        """Call a function whenever something has come, in whichever thread that was."""
        self._on_news = on_news

    def __iter__(self) -> Iterator[bytes]:
        """Yield what comes, and hold the thread until it is over: for servers that cannot wait otherwise."""
        news = Event()
        self.notify(news.set)
        over = False
        while not over:
            news.clear()
            chunks, over = self.take()
            yield from chunks
            if not chunks and not over:
                over = not news.wait(self.left)

    def _tell(self) -> None:
        if self._on_news is not None:
            tell(self._on_news)
