"""Health of a web process. `/readyz` fails during shutdown, or if the event loop or the broadcaster thread is late."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

MAX_LATE_SECONDS: Final = 2.0
"""Seconds without a sign of life after which the event loop or the broadcaster thread counts as late."""

MEMORY_SECONDS: Final = 10.0
"""Seconds for which `/readyz` fails after the event loop was late. While the loop is blocked, it cannot respond."""


class ProcessHealth:
    """The health of a web process. The server sets `ending`, and its event loop calls `beat` at intervals."""

    def __init__(self, broadcaster_age: Callable[[], float]) -> None:
        self.ending: Callable[[], bool] = lambda: False
        self.broadcaster_age = broadcaster_age
        self._beat_at: float | None = None
        self._late_until = 0.0

    def is_ending(self) -> bool:
        """Return whether the process is shutting down."""
        return self.ending()

    @property
    def loop_age(self) -> float:
        """Seconds since the event loop last called `beat`; 0 if it never did."""
        return 0.0 if self._beat_at is None else time.monotonic() - self._beat_at

    def beat(self) -> None:
        now = time.monotonic()
        if self.loop_age > MAX_LATE_SECONDS:
            self._late_until = now + MEMORY_SECONDS
        self._beat_at = now

    def complaints(self) -> list[str]:
        """Return the reasons why this process is not ready. The list is empty if it is ready."""
        found = {
            "draining": self.is_ending(),
            "loop late": self.loop_age > MAX_LATE_SECONDS or time.monotonic() < self._late_until,
            "broadcaster late": self.broadcaster_age() > MAX_LATE_SECONDS,
        }
        return [name for name, is_so in found.items() if is_so]
