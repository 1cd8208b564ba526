"""The gate refuses some requests if the web process has more work than it can do.

The delay of a priority is the waiting time of its oldest request. Moves have the highest priority. Their delay is at
least the delay of the event loop.

- Moves are refused if the delay of moves exceeds `max_seconds`.
- Views are refused if the delay of views or moves exceeds half of `max_seconds`.
- Jobs are refused if the delay of jobs or views exceeds half of `max_seconds`, or the delay of moves a quarter.

These rules apply only while the gate is alert: from several ticks with a delay that is too long, until all delays have
been short for some seconds. Meanwhile, a delay is at least the estimated waiting time of a new request.

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

MAX_DELAY_SECONDS: Final = 0.5
"""Default maximum delay of a priority in seconds."""

GATE_TICK_SECONDS: Final = 0.05
"""Interval in seconds between two calls of `tick`."""

MIN_REQUESTS: Final = 32
"""Number of unfinished requests below which nothing is refused. So few of them cannot overload a process."""

STANDING_TICKS: Final = 6
"""Number of consecutive ticks with a delay that is too long before requests are refused."""

CALM_TICKS: Final = 100
"""Number of consecutive ticks without a delay that is too long until the gate is no longer alert."""

MAX_FORESIGHT: Final = 4
"""Maximum ratio of an estimated wait to a wait that has been observed, before requests are refused."""

FADING: Final = 0.95
"""Factor per tick by which earlier requests count less in a rate."""

MAX_LASTING_SECONDS: Final = 9
"""Maximum number of seconds that a lasting overload adds to Retry-After."""


class Line:
    """The waiting requests of one priority: when each of them arrived, and the rate at which they start."""

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
        """Return `estimate`, but at least the age and at most MAX_FORESIGHT times the age."""
        age = self.age(now)
        # The rate is from the recent past, and may have risen since. The estimate alone may therefore be too high.
        return max(age, min(self.estimate, MAX_FORESIGHT * age))

    @property
    def estimate(self) -> float:
        """The seconds that a new request would wait at the recent rate. It is 0 if no rate is known."""
        return len(self.waiting) * self._busy / self._started if self._started else 0.0


class Ticket:
    """An admitted request. It counts as unfinished inside its `with` block."""

    __slots__ = ("_gate", "priority")

    def __init__(self, gate: Gate, priority: Priority) -> None:
        self._gate, self.priority = gate, priority

    def __enter__(self) -> Self:
        self._gate.enter(self)
        return self

    def __exit__(self, *_: object) -> None:
        self._gate.leave(self)

    def start(self) -> None:
        """Note that the request no longer waits."""
        self._gate.start(self)

    @contextmanager
    def asleep(self) -> Iterator[None]:
        """In this block, do not count the request. It waits for an event, such as a change in a long poll."""
        self._gate.leave(self)
        try:
            yield
        finally:
            self._gate.enter(self)


class Gate:
    """Admits and refuses the requests of a web process. `lag` is the latest delay of its event loop in seconds."""

    def __init__(self, max_seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Create a gate. `max_seconds` is the maximum delay of a priority; 0 admits everything."""
        self._max, self._clock = max_seconds, clock
        self._lines = [Line() for _ in Priority]
        self._unfinished = 0
        self._late_ticks = [0 for _ in Priority]
        self._calm_ticks = [0 for _ in Priority]
        self._alert_since: list[float | None] = [None for _ in Priority]
        self._counts = Counter[tuple[Priority, bool]]()
        self.lag = 0.0

    def retry_after(self, priority: Priority) -> int | None:
        """Return None if the gate admits a new request, otherwise the seconds until the client should retry."""
        found = self._refuse(priority)
        self._counts[priority, found is None] += 1
        return found

    def _refuse(self, priority: Priority) -> int | None:
        since = self._alert_since[priority]
        if since is None or self._unfinished < MIN_REQUESTS:
            return None
        now = self._clock()
        if self._pressure(priority, lambda line: max(line.age(now), line.estimate)) < 1:
            return None
        drain = sum(line.estimate for line in self._lines[: priority + 1])
        return max(1, ceil(drain)) + int(min(now - since, MAX_LASTING_SECONDS))

    def admit(self, priority: Priority) -> Ticket:
        return Ticket(self, priority)

    def enter(self, ticket: Ticket) -> None:
        self._unfinished += 1
        self._lines[ticket.priority].add(ticket, self._clock())

    def start(self, ticket: Ticket) -> None:
        self._lines[ticket.priority].remove(ticket, self._clock())

    def leave(self, ticket: Ticket) -> None:
        self.start(ticket)
        self._unfinished -= 1

    def tick(self, lag: float) -> None:
        """Update the rates, and whether the gate is alert. `lag` is the delay of this call in seconds."""
        self.lag, now = lag, self._clock()
        for line in self._lines:
            line.fade(now)
        for priority in Priority:
            is_late = (
                self._max > 0
                and self._unfinished >= MIN_REQUESTS
                and self._pressure(priority, lambda line: line.foreseen(now)) >= 1
            )
            self._late_ticks[priority] = self._late_ticks[priority] + 1 if is_late else 0
            self._calm_ticks[priority] = 0 if is_late else self._calm_ticks[priority] + 1
            if self._late_ticks[priority] >= STANDING_TICKS and self._alert_since[priority] is None:
                self._alert_since[priority] = now
            elif self._calm_ticks[priority] >= CALM_TICKS:
                self._alert_since[priority] = None

    def take_counts(self) -> Counter[tuple[Priority, bool]]:
        """Return the numbers of requests since the last call, by priority and whether they were admitted."""
        found, self._counts = self._counts, Counter()
        return found

    def _pressure(self, priority: Priority, delay_of: Callable[[Line], float]) -> float:
        delays = [delay_of(line) for line in self._lines[: priority + 1]]
        delays[Priority.MOVES] = max(delays[Priority.MOVES], self.lag)
        return max(delay * 2.0 ** max(priority - above, priority > 0) for above, delay in enumerate(delays)) / self._max
