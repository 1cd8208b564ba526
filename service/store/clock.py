"""The service's time: one for all processes, whatever the clocks of their machines show.

It is the clock of the store that has the sessions. Each process asks the store about once a second and counts on by its
own monotonic clock, so a request asks for nothing. Where the store's clock is stepped (set by hand or by NTP, another
machine's after a fail-over, a machine that was halted), the service's time goes on as if nothing had happened
(docs/decisions/065).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, lru_cache
from pathlib import Path
from threading import Lock
from typing import Final

from redis import Redis
from redis.exceptions import RedisError

from service.store import keys
from service.store.scripts import script

REFRESH_MS: Final = 1_000
"""How long a process counts on by itself before it asks the store again."""

STEP_MS: Final = 1_000
"""By how much the store's clock may differ from a process' before it counts as stepped; what is less is followed."""

WATCHED_MS: Final = 2_000
"""For how long nobody doubts the store's clock after a process has watched it go on."""

NOTE_MS: Final = 500
"""How long after one process has watched the store's clock another one notes that it has, too."""

SETTLED_MS: Final = 5_000
"""How long a process follows the store's clock before it may say that it goes on, or was stepped."""

TIMES_KEPT: Final = 256
"""How many times are kept as text; the same ones are told again and again."""

FORGOTTEN_MS: Final = 600_000
"""After how long without an answer a process does not trust its own count any more."""


def monotonic() -> int:
    """Return milliseconds that only ever go on, whatever becomes of the machine's clock."""
    return time.monotonic_ns() // 1_000_000


@cache
def this_machine() -> str:
    """Return the name of the monotonic clock of this machine since it booted; "" where the system has none."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}/{Path('/proc/self/ns/time').readlink()}"
    except OSError:
        return ""


@lru_cache(TIMES_KEPT)
def rfc3339(milliseconds: int) -> str:
    """Return a time since 1970 as RFC 3339 writes it, in UTC."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class _Reading:
    """What follows from an answer of the store: the service's time, how far its clock is ahead of that, and when."""

    time: int
    ahead: int
    at: int


class StoreClock:
    """The service's time for one process; all numbers are milliseconds."""

    def __init__(self, client: Redis, monotonic: Callable[[], int] = monotonic, machine: str = "") -> None:
        """Take a client of the store that has the sessions, which is asked for nothing yet.

        Processes on one `machine` share the monotonic clock. A fresh one counts on from what another has noted, so it
        recognises a step that nobody has noted yet.
        """
        self._machine = machine
        self._tell = client.register_script(script("time"))
        self._note = client.register_script(script("time_note"))
        self._monotonic = monotonic
        self._lock = Lock()
        self._reading: _Reading | None = None
        self._first = self._asked = 0

    def now(self) -> int:
        """Return the service's time since 1970; raise RedisError where the store never answered."""
        reading = self._read()
        return reading.time + self._monotonic() - reading.at

    def ahead(self) -> int:
        """Return how far the store's clock is ahead of the service's time: 0 until it was stepped."""
        return self._read().ahead

    def _read(self) -> _Reading:
        """Return the last reading, or a new one where that is old and nobody else is asking."""
        reading = self._reading
        if reading is None:
            with self._lock:
                return self._reading or self._renewed(None)
        if self._monotonic() - self._asked >= REFRESH_MS and self._lock.acquire(blocking=False):
            try:
                return self._renewed(reading)
            except RedisError:
                return reading
            finally:
                self._lock.release()
        return reading

    def _renewed(self, before: _Reading | None) -> _Reading:
        """Ask the store, and return what follows from its answer."""
        began = self._asked = self._monotonic()
        clock, ahead, watched, noted, anchor = self._tell(keys=[keys.TIME], args=[WATCHED_MS, self._machine])
        ended = self._monotonic()
        told = clock - ahead
        if self._reading is None:
            self._first, before = began, _anchored(anchor, ended)
        if before is None or ended - before.at > FORGOTTEN_MS:
            self._first = began
            told = told if watched else max(told, noted)  # it may have been set back while nobody watched
        else:
            low, high = (before.time + at - before.at for at in (began, ended))
            stepped = not low - STEP_MS <= told <= high + STEP_MS
            if ended - began > STEP_MS and not stepped:
                return before  # it took so long that the own count says more
            if stepped and not watched:
                told = (low + high) // 2
        reading = self._reading = _Reading(told + (ended - began) // 2, clock - told, ended)
        if ended - self._first >= SETTLED_MS and (not watched or told - noted >= NOTE_MS):
            with suppress(RedisError):  # a store that is full answers with the time all the same
                at = (self._machine, (began + ended) // 2) if self._machine else ()
                self._note(keys=[keys.TIME], args=[clock, ahead, reading.ahead, WATCHED_MS, *at])
        return reading


def _anchored(anchor: bytes, now: int) -> _Reading | None:
    """Return what another process on this machine has noted, unless that is too long ago."""
    if not anchor:
        return None
    time_then, at = map(int, anchor.split())
    return _Reading(time_then, 0, at) if 0 <= now - at <= FORGOTTEN_MS else None
