"""The gate refuses some requests if the web process has more work than it can do.

Each request has a priority. Moves have the highest priority, then come views, then jobs. Each request waits in the line
of its priority. The delay of a line is the sum of two times:

- the expected wait of a new request in this line, which is at least the time that the oldest request has waited
- the delay of the event loop, because a request enters its line only after the loop has read the request

A line is too slow in these cases:

- The line of moves is too slow if its delay exceeds `max_seconds`.
- The line of views is too slow if its delay, or the delay of the line of moves, exceeds half of `max_seconds`.
- The line of jobs is too slow if its delay, or the delay of the line of views, exceeds half of `max_seconds`. It is
  also too slow if the delay of the line of moves exceeds a quarter of `max_seconds`.

When a line has been too slow for STANDING_SECONDS, the gate becomes alert for this line. The alert ends after
CALM_SECONDS in which the line was never too slow. During the alert, the gate refuses these requests:

- new requests for the line, while the line is too slow
- requests that have already waited in the line for `max_seconds`

    with gate.admit(priority) as ticket:  # the request has arrived completely, and waits
        ticket.start()                    # it no longer waits
        with ticket.asleep():             # it takes no time of the processor until an event
            ...

Only one thread may use a gate.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import ceil
from typing import Final, Self

from service.overload.priorities import Priority

MAX_DELAY_SECONDS: Final = 0.4
"""Default value of `max_seconds`, the delay above which the gate refuses moves. Views and jobs have lower limits."""

GATE_TICK_SECONDS: Final = 0.05
"""Interval in seconds between two calls of `tick`."""

MIN_REQUESTS: Final = 32
"""Number of unfinished requests below which nothing is refused. Fewer requests cannot overload a process."""

STANDING_SECONDS: Final = 0.25
"""If a line of requests is too slow for this number of seconds without a break, the gate becomes alert for the line."""

CALM_SECONDS: Final = 5.0
"""Seconds after which the gate ends the alert for a line of requests, if the line was never too slow in this time.

The module's docstring lists the cases in which a line is too slow.
"""

MAX_FORESIGHT: Final = 4
"""Upper limit of the result of `Line.foreseen`, as a multiple of the time for which the oldest request has waited."""

FADING: Final = 0.95
"""Factor by which each tick multiplies the values that determine the rate of a `Line`.

Recent requests then have more weight in the rate.
"""

MAX_LASTING_SECONDS: Final = 9
"""Maximum number of seconds that a lasting overload adds to Retry-After."""


class Line:
    """The line of one priority. It contains the waiting requests with their arrival times.

    The line also measures the rate at which its requests start.
    """

    def __init__(self) -> None:
        self.waiting: dict[Ticket, float] = {}
        self._started = self._busy = 0.0
        self._busy_since = 0.0

    def add(self, ticket: Ticket, now: float) -> None:
        if not self.waiting:
            self._busy_since = now
        self.waiting[ticket] = now

    def remove(self, ticket: Ticket, now: float) -> None:
        if self.waiting.pop(ticket, None) is not None:
            self._started += 1
            if not self.waiting:
                self._busy += now - self._busy_since

    def fade(self, now: float) -> None:
        if self.waiting:
            self._busy += now - self._busy_since
            self._busy_since = now
        self._started *= FADING
        self._busy *= FADING

    def age(self, now: float) -> float:
        """Return the seconds for which the oldest request has waited."""
        return now - next(iter(self.waiting.values())) if self.waiting else 0.0

    def foreseen(self, now: float) -> float:
        """Return the expected wait of a new request in seconds.

        Let `age` be the time for which the oldest request has waited. Return `self.estimate`, limited to the range from
        `age` to MAX_FORESIGHT times `age`.
        """
        age = self.age(now)
        # The rate is from the recent past, and may have risen since. The estimate alone may therefore be too high.
        return max(age, min(self.estimate, MAX_FORESIGHT * age))

    @property
    def estimate(self) -> float:
        """The expected wait of a new request in seconds. It is 0 if no rate is known.

        The estimate assumes that requests start at the recent rate.
        """
        return len(self.waiting) * self._busy / self._started if self._started else 0.0


class OverdueError(Exception):
    """An admitted request has waited too long. The client should retry after `seconds`."""

    def __init__(self, seconds: int) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class Ticket:
    """An admitted request. It counts as unfinished inside its `with` block."""

    __slots__ = ("_arrived", "_gate", "_has_started", "priority")

    def __init__(self, gate: Gate, priority: Priority) -> None:
        self._gate, self.priority = gate, priority
        self._arrived, self._has_started = 0.0, False

    def __enter__(self) -> Self:
        self._arrived = self._gate.now()
        self._gate.enter(self)
        return self

    def __exit__(self, *_: object) -> None:
        self._gate.leave(self)

    def check(self) -> None:
        """Raise OverdueError if the request has waited too long and has not started."""
        if not self._has_started and (seconds := self._gate.give_up(self.priority, self._arrived)):
            raise OverdueError(seconds)

    def start(self) -> None:
        """Record that the request has started. It then no longer counts as waiting."""
        self._has_started = True
        self._gate.start(self)

    @contextmanager
    def asleep(self) -> Iterator[None]:
        """Pause the request: the gate does not count it inside the `with` block.

        Inside the block, the request waits for an event. For example, a long poll waits for a change.
        """
        self._gate.leave(self)
        try:
            yield
        finally:
            self._gate.enter(self)


class Gate:
    """Admits and refuses the requests of a web process."""

    def __init__(self, max_seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Create a gate. `max_seconds` is the maximum delay of the line in which move requests wait.

        If `max_seconds` is 0, the gate admits all requests.
        """
        self._max, self.now = max_seconds, clock
        self._lines = [Line() for _ in Priority]
        self._unfinished = 0
        self._late_since: list[float | None] = [None for _ in Priority]
        self._calm_since: list[float | None] = [None for _ in Priority]
        self._alert_since: list[float | None] = [None for _ in Priority]
        self._counts = Counter[tuple[Priority, bool]]()
        self._lag, self._ticked_at = 0.0, self.now()
        self._updated_at = self._ticked_at

    @property
    def lag(self) -> float:
        """The delay of the event loop in seconds. It is the greater of two values.

        The first value is the delay of the latest call of `tick`. The second value is the time since this call, minus
        twice GATE_TICK_SECONDS.
        """
        return max(self._lag, self.now() - self._ticked_at - 2 * GATE_TICK_SECONDS)

    def retry_after(self, priority: Priority) -> int | None:
        """Return None if the gate admits a request. Otherwise, return the seconds until the client should retry."""
        found, now = None, self.now()
        if now - self._updated_at >= GATE_TICK_SECONDS:  # the loop is late
            self._update(now)
        if self._is_alert(priority) and self._pressure(priority, lambda line: max(line.age(now), line.estimate)) >= 1:
            found = self._pause(priority, now)
        self._counts[priority, found is None] += 1
        return found

    def give_up(self, priority: Priority, arrived: float) -> int | None:
        """Return None if an admitted request may start. Otherwise, return the seconds until the client should retry."""
        now = self.now()
        if now - arrived < self._max or not self._is_alert(priority):
            return None
        self._counts[priority, True] -= 1
        self._counts[priority, False] += 1
        return self._pause(priority, now)

    def _is_alert(self, priority: Priority) -> bool:
        return self._alert_since[priority] is not None and self._unfinished >= MIN_REQUESTS

    def _pause(self, priority: Priority, now: float) -> int:
        drain = sum(line.estimate for line in self._lines[: priority + 1])
        since = self._alert_since[priority] or now
        return max(1, ceil(drain)) + int(min(now - since, MAX_LASTING_SECONDS))

    def admit(self, priority: Priority) -> Ticket:
        return Ticket(self, priority)

    def enter(self, ticket: Ticket) -> None:
        self._unfinished += 1
        self._lines[ticket.priority].add(ticket, self.now())

    def start(self, ticket: Ticket) -> None:
        self._lines[ticket.priority].remove(ticket, self.now())

    def leave(self, ticket: Ticket) -> None:
        self.start(ticket)
        self._unfinished -= 1

    def tick(self, lag: float) -> None:
        """Update the rates at which requests start, and decide whether the gate may refuse requests.

        `lag` is the delay of this call in seconds.
        """
        self._lag, self._ticked_at = lag, self.now()
        for line in self._lines:
            line.fade(self._ticked_at)
        self._update(self._ticked_at)

    def _update(self, now: float) -> None:
        self._updated_at = now
        for priority in Priority:
            is_late = (
                self._max > 0
                and self._unfinished >= MIN_REQUESTS
                and self._pressure(priority, lambda line: line.foreseen(now)) >= 1
            )
            begun, other = (self._late_since, self._calm_since) if is_late else (self._calm_since, self._late_since)
            other[priority] = None
            since = begun[priority] = now if (earlier := begun[priority]) is None else earlier
            if is_late and now - since >= STANDING_SECONDS and self._alert_since[priority] is None:
                self._alert_since[priority] = now
            elif not is_late and now - since >= CALM_SECONDS:
                self._alert_since[priority] = None

    def take_counts(self) -> Counter[tuple[Priority, bool]]:
        """Return the numbers of requests since the last call of this method.

        Each key is a priority and a flag. The flag is true if the requests were admitted.
        """
        found, self._counts = self._counts, -self._counts
        self._counts = Counter({each: -number for each, number in self._counts.items()})
        return +found

    def _pressure(self, priority: Priority, delay_of: Callable[[Line], float]) -> float:
        delays = [delay_of(line) + self.lag for line in self._lines[: priority + 1]]
        return max(delay * 2.0 ** max(priority - above, priority > 0) for above, delay in enumerate(delays)) / self._max
