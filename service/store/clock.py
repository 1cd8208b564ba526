"""The service's time, which is the same in all processes.

It follows the Redis clock, but ignores jumps of the Redis clock (docs/decisions/065). While Redis or all processes are
down, the service's time stops, so that players lose no time.
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
"""Interval after which a process reads the Redis clock again, in milliseconds."""

STEP_MS: Final = 1_000
"""Maximum difference in milliseconds between the Redis clock and the time that a process expects.

A larger difference is a jump of the Redis clock.
"""

WATCHED_MS: Final = 2_000
"""Milliseconds for which the service's time continues after a recorded reading of the Redis clock.

If no process records another reading before then, the service's time stops.
"""

NOTE_MS: Final = 500
"""Minimum interval between two recorded readings of the Redis clock, in milliseconds."""

MAX_STOPS: Final = 64
"""Maximum number of stored stops. A stop is a period in which the service's time stood still.

If there are more stops, the oldest stop is deleted. For events before this stop, the displayed times are then wrong by
the length of the stop.
"""

FORGOTTEN_MS: Final = 600_000
"""Maximum age of a clock reading by another process on this machine, in milliseconds. Older ones are ignored."""

MAX_CACHED_TIMES: Final = 256
"""Number of formatted times that are cached, because the same times are sent repeatedly."""


def monotonic() -> int:
    """Return the monotonic time in milliseconds. It continues evenly, even if the system clock is changed."""
    return time.monotonic_ns() // 1_000_000


@cache
def this_machine() -> str:
    """Return an id that this machine keeps until it restarts. Return "" if there is no such id.

    Processes with equal ids share a monotonic clock.
    """
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}/{Path('/proc/self/ns/time').readlink()}"
    except OSError:
        return ""


@lru_cache(MAX_CACHED_TIMES)
def rfc3339(milliseconds: int) -> str:
    """Format a time in UTC as RFC 3339. The time is given in milliseconds since 1970."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class Calendar:
    """Converts between the service's time and displayed time. All numbers are milliseconds."""

    ahead: int = 0  # displayed time minus service time, now
    stops: tuple[tuple[int, int], ...] = ()  # times at which the service's time stopped, with lengths

    def offset(self, at: int) -> int:
        """Return the displayed time minus the service time. This difference is valid at the service time `at`."""
        return self.ahead - sum(length for stop, length in self.stops if at <= stop)

    def shown(self, at: int) -> int:
        """Return the displayed time for the service time `at`.

        Displayed time follows the Redis clock and its jumps. While service time stands still, displayed time continues.
        """
        return at + self.offset(at)

    def as_of(self, at: int) -> Calendar:
        """Return the calendar that was valid at the service time `at`.

        A stop is a period in which the service's time stood still. The returned calendar omits each stop that began at
        the service time `at` or later.
        """
        earlier = tuple(stop for stop in self.stops if stop[0] < at)
        return Calendar(self.offset(at), earlier) if len(earlier) < len(self.stops) else self

    def meant(self, shown: int) -> int:
        """Return the service time for the displayed time `shown`.

        While the service is down, displayed time continues, but service time stops. If `shown` is in such a period,
        return the service time at the beginning of the period.
        """
        ahead = self.ahead
        for stop, length in reversed(self.stops):
            if shown > stop + ahead:
                break
            ahead -= length
            if shown > stop + ahead:
                return stop
        return shown - ahead


class CalendarSource(Protocol):
    """A function that returns a `Calendar`, which converts between service times and displayed times."""

    def __call__(self, until: int = 0) -> Calendar:
        """Return the calendar. It converts service times to displayed times.

        The conversion is correct for all service times up to and including `until`.
        """
        ...


def no_stops(until: int = 0) -> Calendar:  # noqa: ARG001 -- a CalendarSource
    """Return a calendar without stops, so displayed times equal service times. `until` has no effect."""
    return Calendar()


@dataclass(frozen=True, slots=True)
class _Reading:
    """The service's time and calendar, which were read from Redis."""

    time: int
    calendar: Calendar
    at: int  # local monotonic time of the response
    # Times are extrapolated up to this limit. If no process reads Redis before, the service's time stops there.
    limit: int


class StoreClock:
    """The service's time in one process. All numbers are milliseconds."""

    def __init__(self, client: Redis, monotonic: Callable[[], int] = monotonic, machine: str = "") -> None:
        """Create a clock without sending a command. `client` is a client of the Redis for sessions.

        Processes with equal `machine` share a monotonic clock.
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
        """Return the service's time in milliseconds since 1970. Raise RedisError if Redis has never responded."""
        reading = self._read()
        return min(reading.time + self._monotonic() - reading.at, reading.limit)

    def calendar(self, until: int = 0) -> Calendar:
        """Return the calendar. It converts service times to displayed times.

        The conversion is correct for all service times up to and including `until`.
        """
        reading = self._read()
        # Another process may have recorded a stop after the limit. If `until` is far later, Redis has lost data, and a
        # new reading would not contain the stop.
        if 0 < until - reading.limit <= WATCHED_MS:
            with self._lock, suppress(RedisError):
                if self._reading is reading:
                    self._renewed(reading)
            reading = self._reading or reading
        return reading.calendar

    def _read(self) -> _Reading:
        """Return a reading of the service's time. All threads share one stored reading.

        Usually, return the stored reading. If the last request to Redis began at least REFRESH_MS ago, one thread reads
        the time from Redis again. This thread stores and returns the new reading. Meanwhile, other threads return the
        old reading without waiting. They wait only if there is no old reading, or if the old reading has expired. A
        reading expires when the time that is computed from it exceeds its `limit`.
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
            # Another process has stored its time with its monotonic clock, from which the expected time follows.
            before = _anchored(anchor, began)
        count = None if before is None else before.time + began - before.at
        stood_still = not watched and noted and (count is None or count - noted > WATCHED_MS)
        if stood_still:
            with suppress(RedisError):  # a full store also rejects moves
                self._resume(keys=[keys.TIME], args=[WATCHED_MS, MAX_STOPS])
            clock, ahead, watched, noted, stops, _ = self._ask()
        ended = self._monotonic()
        told = clock - ahead
        waits = stood_still and not watched  # until a store accepts the restart of the time
        if waits:
            told = noted + WATCHED_MS
        elif before is not None and count is not None and not stood_still:
            low, high = count, before.time + ended - before.at
            stepped = not low - STEP_MS <= told <= high + STEP_MS
            if ended - began > STEP_MS and not stepped and self._reading is not None:
                return before  # after such a delay the local count is more accurate
            if stepped and not watched:
                told = (low + high) // 2
        calendar = Calendar(clock - told, _stops(stops))
        if waits and clock - told > ahead:  # as `time_resume.lua` will store this stop, so that shown times stay
            calendar = Calendar(clock - told, (*calendar.stops, (told, clock - told - ahead)))
        if not waits and (not watched or told - noted >= NOTE_MS):
            with suppress(RedisError):  # a full store still returns the time
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
    if not anchor:
        return None
    time_then, at = map(int, anchor.split())
    return _Reading(time_then, Calendar(), at, time_then) if 0 <= now - at <= FORGOTTEN_MS else None


@lru_cache(4)
def _stops(row: bytes) -> tuple[tuple[int, int], ...]:
    pairs = (stop.split() for stop in row.split(b";") if stop)
    return tuple((int(at), int(length)) for at, length in pairs)
