"""Waits that block no thread, and notifications that are deferred and sent together."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, local


class _Deferred(local):
    functions: dict[Callable[[], object], None] | None = None


_deferred = _Deferred()


@contextmanager
def deferred_notifications() -> Iterator[None]:
    """Delay the calls of all functions that this thread passes to `notify`. Call them at the end of the block.

    Otherwise, the notified threads would wake up during the block and compete with this thread for the GIL.
    """
    functions = _deferred.functions = {}
    try:
        yield
    finally:
        _deferred.functions = None
        for function in functions:
            function()


def notify(function: Callable[[], object]) -> None:
    """Call a function at once, or at the end of the current block of `deferred_notifications`.

    Outside such a block, the function is called at once. Inside such a block, the function is called when the block
    ends. If `notify` gets the same function several times in a block, the function is still called only once.
    """
    if (functions := _deferred.functions) is None:
        function()
    else:
        functions[function] = None


class Wait:
    """A wait with a timeout in seconds. Any thread may end it."""

    __slots__ = ("_on_end", "_until", "is_done")

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds
        self._on_end: Callable[[], object] | None = None
        self.is_done = False

    @property
    def left(self) -> float:
        return self._until - time.monotonic()

    def end(self) -> None:
        """End the wait. A second call does nothing."""
        if not self.is_done:
            self.is_done = True
            if self._on_end is not None:
                notify(self._on_end)

    def notify(self, on_end: Callable[[], object]) -> None:
        """Set a function to call when the wait ends. If the wait has already ended, call the function now."""
        self._on_end = on_end
        if self.is_done:
            on_end()

    def block(self) -> None:
        """Block this thread until the wait ends or times out. This method is for servers without an event loop."""
        ended = Event()
        self.notify(ended.set)
        ended.wait(max(0, self.left))
