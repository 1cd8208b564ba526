"""The service's time: one for all processes, whatever the clocks of their machines show.

It is the clock of the store that has the sessions. Each process asks the store about once a second and counts on by its
own monotonic clock, so a request asks for nothing. Where the store's clock is stepped (set by hand or by NTP, another
machine's after a fail-over, a machine that was halted), the service's time goes on as if nothing had happened
(docs/decisions/065). It stands still while nobody watches the store's clock: while the store or all processes are down.
So a stop of the whole service costs nobody time; whoever asks first afterwards lets the time go on (`time_resume.lua`).
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
from typing import Final, Protocol

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

STOPS_KEPT: Final = 64
"""How many stops are kept, so that times before them are shown as they were."""

FORGOTTEN_MS: Final = 600_000
"""For how long a process counts on from what another on its machine has noted."""

TIMES_KEPT: Final = 256
"""How many times are kept as text; the same ones are told again and again."""


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
class Calendar:
    """What people are shown for a time of the service.

    `ahead` is how far the store's clock is ahead of the service's time. `stops` are the times at which the service
    stood still, each with the length of that stop.
    """

    ahead: int = 0
    stops: tuple[tuple[int, int], ...] = ()

    def offset(self, at: int) -> int:
        """Return how far what is shown is ahead of a time; before a stop, as far as it was then."""
        return self.ahead - sum(length for stop, length in self.stops if at <= stop)

    def shown(self, at: int) -> int:
        """Return a time of the service by the store's clock."""
        return at + self.offset(at)

    def as_of(self, at: int) -> Calendar:
        """Return the calendar that was right at a time: without the later stops."""
        earlier = tuple(stop for stop in self.stops if stop[0] < at)
        return Calendar(self.offset(at), earlier) if len(earlier) < len(self.stops) else self

    def meant(self, shown: int) -> int:
        """Return the time of the service at which the store's clock showed a time; during a stop, its beginning."""
        ahead = self.ahead
        for stop, length in reversed(self.stops):
            if shown > stop + ahead:
                break
            ahead -= length
            if shown > stop + ahead:
                return stop
        return shown - ahead


class CalendarSource(Protocol):
    """A function that returns a calendar."""

    def __call__(self, until: int = 0) -> Calendar:
        """Return a calendar that has every stop before a time of the service."""
        ...


def no_stops(until: int = 0) -> Calendar:  # noqa: ARG001 -- a CalendarSource
    """Return the calendar of a clock that is never stepped and never stops."""
    return Calendar()


@dataclass(frozen=True, slots=True)
class _Reading:
    """The service's time that follows from an answer of the store, what people are shown, and when that was.

    A process may count on up to `limit`. If nobody notes a later time, the service's time stops there.
    """

    time: int
    calendar: Calendar
    at: int
    limit: int


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
        self._resume = client.register_script(script("time_resume"))
        self._monotonic = monotonic
        self._lock = Lock()
        self._reading: _Reading | None = None
        self._asked = 0

    def now(self) -> int:
        """Return the service's time since 1970; raise RedisError where the store never answered.

        Without an answer of the store it stands still soon: nobody knows whether it goes on.
        """
        reading = self._read()
        return min(reading.time + self._monotonic() - reading.at, reading.limit)

    def calendar(self, until: int = 0) -> Calendar:
        """Return what people are shown for a time of the service; asks the store if the time is one of a later reading.

        A time shortly beyond this process's limit was stamped by a process that may know of a stop. Later times were
        stamped before the store lost its notes.
        """
        reading = self._read()
        if 0 < until - reading.limit <= WATCHED_MS:
            with self._lock, suppress(RedisError):
                if self._reading is reading:
                    self._renewed(reading)
            reading = self._reading or reading
        return reading.calendar

    def _read(self) -> _Reading:
        """Return the last reading, or a new one where that is old.

        While another thread asks, an old reading serves as long as its time may still go on.
        """
        reading = self._reading
        if reading is None:
            with self._lock:
                return self._reading or self._renewed(None)
        now = self._monotonic()
        stands = reading.time + now - reading.at > reading.limit
        if now - self._asked < REFRESH_MS and not (stands and self._lock.locked()):
            return reading
        if not self._lock.acquire(blocking=stands):
            return reading
        try:
            if self._reading is not reading or self._monotonic() - self._asked < REFRESH_MS:
                return self._reading or reading
            return self._renewed(reading)
        except RedisError:
            return reading
        finally:
            self._lock.release()

    def _renewed(self, before: _Reading | None) -> _Reading:
        began = self._asked = self._monotonic()
        clock, ahead, watched, noted, stops, anchor = self._ask()
        if self._reading is None:
            before = _anchored(anchor, began)
        count = None if before is None else before.time + began - before.at
        stood_still = not watched and noted and (count is None or count - noted > WATCHED_MS)
        if stood_still:
            with suppress(RedisError):  # a store that is full lets nobody play, either
                self._resume(keys=[keys.TIME], args=[WATCHED_MS, STOPS_KEPT])
            clock, ahead, watched, noted, stops, _ = self._ask()
        ended = self._monotonic()
        told = clock - ahead
        waits = stood_still and not watched  # for a store that lets the time go on
        if waits:
            told = noted + WATCHED_MS
        elif before is not None and count is not None and not stood_still:
            low, high = count, before.time + ended - before.at
            stepped = not low - STEP_MS <= told <= high + STEP_MS
            if ended - began > STEP_MS and not stepped and self._reading is not None:
                return before  # it took so long that the own count says more
            if stepped and not watched:
                told = (low + high) // 2
        calendar = Calendar(clock - told, _stops(stops))
        if not waits and (not watched or told - noted >= NOTE_MS):
            with suppress(RedisError):  # a store that is full answers with the time all the same
                at = (self._machine, (began + ended) // 2) if self._machine else ()
                if self._note(keys=[keys.TIME], args=[clock, ahead, calendar.ahead, WATCHED_MS, *at]):
                    noted = told
        reading = _Reading(told + (ended - began) // 2, calendar, ended, (noted or told) + WATCHED_MS)
        self._reading = reading
        return reading

    def _ask(self) -> tuple[int, int, int, int, bytes, bytes]:
        clock, ahead, watched, noted, stops, anchor = self._tell(keys=[keys.TIME], args=[WATCHED_MS, self._machine])
        return clock, ahead, watched, noted, stops, anchor


def _anchored(anchor: bytes, now: int) -> _Reading | None:
    """Return what another process on this machine has noted, unless that is too long ago."""
    if not anchor:
        return None
    time_then, at = map(int, anchor.split())
    return _Reading(time_then, Calendar(), at, time_then) if 0 <= now - at <= FORGOTTEN_MS else None


@lru_cache(4)
def _stops(row: bytes) -> tuple[tuple[int, int], ...]:
    """Read the stops as `time_resume.lua` writes them."""
    pairs = (stop.split() for stop in row.split(b";") if stop)
    return tuple((int(at), int(length)) for at, length in pairs)
