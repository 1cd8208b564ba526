"""The health of a web process. `/readyz` fails if the process cannot serve requests now.

`/healthz` fails if a lasting fault requires a restart by the keeper (`service.server.keeper`) or the container
platform.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Final

MAX_LATE_SECONDS: Final = 2.0
"""Seconds without a sign of life after which the event loop or the broadcaster thread counts as late."""

MAX_QUEUED_SECONDS: Final = 4.0
"""Seconds after which the threads count as stuck if no thread takes up new work.

It is longer than `MAX_LATE_SECONDS`, because threads also wait for Redis.
"""

MEMORY_SECONDS: Final = 10.0
"""Seconds for which `/readyz` fails after a blocked event loop runs again.

While the loop is blocked, the process cannot respond to `/readyz`.
"""

IDLE_TASK_SECONDS: Final = 0.2
"""Minimum number of seconds between two test tasks. A test task is empty and shows whether a thread is free."""

MIN_FREE_FILES: Final = 16
"""Minimum number of files that a process must be able to open, for connections to Redis and for temporary files."""

STUCK_SECONDS: Final = 30.0
"""Default number of seconds after which a fault requires a restart of the process."""

LOOP_LATE: Final = "loop late"
BROADCASTER_LATE: Final = "broadcaster late"
THREADS_STUCK: Final = "threads stuck"
NO_FREE_FILES: Final = "no free files"
FAULTS: Final = (LOOP_LATE, BROADCASTER_LATE, THREADS_STUCK, NO_FREE_FILES)
"""Faults of a web process, as `/readyz` logs them."""


class ProcessHealth:
    """The health of a web process.

    The server replaces the functions `ending` and `threads_age`. `ending` returns whether the process is shutting down.
    `threads_age` returns the number of seconds that the oldest waiting task has waited for a thread.
    """

    def __init__(self, broadcaster_age: Callable[[], float]) -> None:
        self.ending: Callable[[], bool] = lambda: False
        self.threads_age: Callable[[], float] = lambda: 0.0
        self.broadcaster_age = broadcaster_age
        self.stuck_seconds = float(os.environ.get("WEB_STUCK_SECONDS", STUCK_SECONDS))
        self._beat_at: float | None = None
        self._late_until = 0.0
        self._began: dict[str, float] = {}

    def is_ending(self) -> bool:
        """Return whether the process is shutting down."""
        return self.ending()

    @property
    def loop_age(self) -> float:
        """The seconds since the event loop last called `beat`. It is 0 if the loop has never called `beat`."""
        return 0.0 if self._beat_at is None else time.monotonic() - self._beat_at

    def beat(self) -> list[str]:
        """Record that the event loop runs, and return the current faults."""
        now = time.monotonic()
        if self.loop_age > MAX_LATE_SECONDS:
            self._late_until = now + MEMORY_SECONDS
        self._beat_at = now
        faults = self.faults()
        self._began = {fault: self._began.get(fault, now) for fault in faults}
        return faults

    def faults(self) -> list[str]:
        """Return the faults in `FAULTS` that the process has now."""
        found = {
            LOOP_LATE: self.loop_age > MAX_LATE_SECONDS or time.monotonic() < self._late_until,
            BROADCASTER_LATE: self.broadcaster_age() > MAX_LATE_SECONDS,
            THREADS_STUCK: self.threads_age() > MAX_QUEUED_SECONDS,
            NO_FREE_FILES: not has_free_files(),
        }
        return [name for name, is_so in found.items() if is_so]

    def complaints(self) -> list[str]:
        """Return the reasons why this process cannot serve requests now.

        The list is empty if the process can serve requests.
        """
        return [*(["draining"] if self.is_ending() else []), *self.faults()]

    def lasting_faults(self) -> list[str]:
        """Return the faults that have lasted longer than `stuck_seconds`. They require a restart of the process.

        LOOP_LATE (a late event loop) is never among these faults.
        """
        now = time.monotonic()
        # A blocked event loop cannot report that it is late. When it runs again, the fault is over.
        began = [(fault, at) for fault, at in self._began.items() if fault != LOOP_LATE]
        return [fault for fault, at in began if now - at > self.stuck_seconds]


class FreeThread:
    """Checks whether a thread pool has a free thread.

    To do so, it submits one empty test task at a time to the pool.
    """

    def __init__(self, pool: Executor) -> None:
        self._pool, self._at = pool, 0.0
        self._task: Future[None] | None = None

    def age(self) -> float:
        """Return the number of seconds that a test task has waited for a thread. Return 0 if no test task waits.

        A test task is an empty task that shows whether the thread pool has a free thread. If no test task waits, this
        method submits a new one. It does so at most once in IDLE_TASK_SECONDS.
        """
        now = time.monotonic()
        if self._task is not None and not self._task.done():
            return now - self._at
        if now - self._at >= IDLE_TASK_SECONDS:
            self._task, self._at = self._pool.submit(lambda: None), now
        return 0.0


def has_free_files() -> bool:
    """Return whether this process can open MIN_FREE_FILES additional files."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        number = os.open(os.devnull, os.O_RDONLY)
    except OSError:
        return False
    os.close(number)
    # The operating system gives a new file the lowest free number.
    return number < most - MIN_FREE_FILES
