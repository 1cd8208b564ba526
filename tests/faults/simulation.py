"""Simulation of clients, web processes, schedulers and workers in one process, in an order that a seed decides.

Each actor is a thread, and only one of them runs at a time. At every exchange with Redis it gives its turn back, and
the world decides the next turn and the fate of the exchange. It may be dropped, its response may be lost, and the actor
may be killed before or after it, or sleep for seconds. The process of the actor may stop, become slow, or lose its
requests to Redis or the responses for some time. A sleeping actor may wake late. Time is the world's, for Python and
for Redis alike. So a schedule happens again, to the last exchange, from its seed (FoundationDB calls this deterministic
simulation).

From `calm_at` on there are no further faults. So the time until everything has settled is bounded, and `lateness`
measures delays from the end of the last fault.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from traceback import format_stack
from typing import Any, Final

import redis

from tests.faults.virtual_redis import BEGIN_MS
from tests.launch.kit import PATIENCE_SECONDS

MAX_STEPS: Final = 8_000
"""More turns than a schedule has that is not stuck: of 1,500 the longest had 3,162."""

FOREVER_MS: Final = 2**60

FATES: Final = {
    "dropped": 0.006,
    "lost": 0.012,
    "killed before": 0.004,
    "killed after": 0.008,
    "slept": 0.004,
    "stopped": 0.002,
    "slowed": 0.002,
    "requests cut": 0.002,
    "responses cut": 0.002,
}
"""Probabilities of the faults of an exchange."""

WOKE_LATE: Final = "woke late"
LATE_RATE: Final = 0.004
"""Probability that a sleeping actor wakes late."""

STALLED: Final = "stalled"
STALL_RATE: Final = 0.004
"""Probability that the process of an actor without exchanges stops, such as an event loop."""

SLEEPS_MS: Final = (50, 12_000)
"""Minimum and maximum time for which an actor sleeps, or its process stops: longer than any lease."""

SLOW_MS: Final = (1_000, 8_000)
"""Minimum and maximum time for which a process is slow, or cut off from Redis."""

SLOW_EXCHANGE_MS: Final = (20, 500)
CUT_MS: Final = (50, 1_500)
"""Minimum and maximum duration of an exchange of a slow process, and of a process without Redis."""

REVIVAL_MS: Final = 1_000
"""Time in which a killed process starts again."""

LOCK_SECONDS: Final = 0.1

_here: Final = threading.local()
"""The actor whose thread this is, as `actor`."""


class Killed(BaseException):
    """The process of an actor was killed; its further actions while it unwinds do not reach Redis."""


class Over(BaseException):
    """The schedule is over for an actor that would go on for ever."""


class Stuck(AssertionError):
    """Nothing more comes of a schedule."""


@dataclass(slots=True)
class Condition:
    """The condition of a process: the times until which it is stopped, slow, or cut off from Redis."""

    stopped: int = 0
    slow: int = 0
    drops: int = 0
    loses: int = 0


class Actor:
    """A thread that runs only in its turn."""

    def __init__(self, world: World, name: str, live: Callable[[], object], condition: Condition) -> None:
        self.name, self.wakes, self.dead, self.over = name, 0, False, False
        self.condition = condition
        self.error: BaseException | None = None
        self.turn = threading.Lock()
        self.turn.acquire()
        self.world, self._live = world, live
        self.thread = threading.Thread(target=self._run, name=name, daemon=True)
        self.thread.start()

    @property
    def due(self) -> int:
        return max(self.wakes, self.condition.stopped)

    def _run(self) -> None:
        _here.actor = self
        self.turn.acquire()
        try:
            self.world.check()
            self._live()
        except Over:
            pass
        except BaseException as error:  # noqa: BLE001 -- the world raises it
            self.error = error
        self.over = True
        self.world.finish(self)


class World:
    """Decides the next turn, and the fate of exchanges; `now` is the time in milliseconds."""

    def __init__(self, seed: int, redis_clock: Callable[[int], None]) -> None:
        """Take the seed of the schedule, and a function that sets the time of Redis.

        `timers` counts processed timers, and `faulty_games` are the games that a bot at a URL has lost by a fault.
        """
        self.choice, self.chance = Random(f"schedule {seed}"), Random(f"chance {seed}")
        self.now, self.steps, self.moments, self.peace = BEGIN_MS, 0, 0, False
        self.calm_at = self.deadline = FOREVER_MS
        self.quiet_until = 0
        self.timers, self.faulty_games = 0, set[int]()
        self._back = threading.Lock()
        self._back.acquire()
        self.trace: list[str] = []
        self.fates: set[str] = set()
        self._conditions: dict[str, Condition] = {}
        self._disturbances: list[tuple[int, int]] = []
        self._actors: list[Actor] = []
        self._living: list[Actor] = []
        self._awaited: list[Actor] = []
        self._problem: BaseException | None = None
        self._redis_clock, self._over = redis_clock, False
        redis_clock(self.now)

    def add(self, name: str, live: Callable[[], object], process: str | None = None) -> Actor:
        """Add an actor in a process. Without one it belongs to the process of the current actor, or has its own."""
        if process is None and hasattr(_here, "actor"):
            condition = _here.actor.condition
        else:
            condition = self.condition(process or name)
        actor = Actor(self, name, live, condition)
        self._actors.append(actor)
        self._living.append(actor)
        return actor

    def finish(self, actor: Actor) -> None:
        """Note that an actor is over, and let the next one have its turn."""
        self._living.remove(actor)
        if self._problem is None:
            self._problem = actor.error
        self.go_on()

    def condition(self, process: str) -> Condition:
        return self._conditions.setdefault(process, Condition())

    @contextmanager
    def inside(self, process: str) -> Iterator[None]:
        """Let the current actor belong to a process."""
        actor: Actor = _here.actor
        before, actor.condition = actor.condition, self.condition(process)
        try:
            yield
        finally:
            actor.condition = before

    def run(self, awaited: list[Actor]) -> None:
        """Go on until these are done; raise what any actor raised, and Stuck where nothing comes of it."""
        self._awaited = awaited
        self.go_on()
        steps = -1
        while not self._back.acquire(timeout=PATIENCE_SECONDS):
            if steps == self.steps:
                frames = sys._current_frames().values()
                raise Stuck("an actor waits for another:\n" + "\n".join(map("".join, map(format_stack, frames))))
            steps = self.steps
        if self._problem is not None:
            raise self._problem

    def go_on(self) -> None:
        """Let the next actor have its turn, or `run` if there is none; not where the schedule has ended."""
        if not self._over:
            following = self._next()
            (following.turn if following else self._back).release()

    def _next(self) -> Actor | None:
        if self._problem is not None or all(actor.over for actor in self._awaited):
            return None
        self.steps += 1
        waiting, now = self._living, self.now
        ready = [actor for actor in waiting if actor.wakes <= now and actor.condition.stopped <= now]
        if not ready:
            first = min(actor.due for actor in waiting)
            if first < FOREVER_MS:
                self._set_time(first)
            ready = [actor for actor in waiting if actor.due <= self.now]
        if not ready or self.steps > MAX_STEPS or self.now > self.deadline:
            actors = ", ".join(f"{actor.name} at {actor.due - self.now} ms" for actor in waiting)
            self._problem = Stuck("\n".join([*self.trace[-100:], actors]))
            return None
        return self.choice.choice(ready)

    def end(self) -> None:
        self._over = True
        for actor in self._actors:
            if actor.turn.locked():
                actor.turn.release()
        for actor in self._actors:
            actor.thread.join(PATIENCE_SECONDS)
            assert not actor.thread.is_alive(), actor.name

    def check(self) -> None:
        if self._over:
            raise Over

    def moment(self) -> int:
        """Return a number that grows with each call: the order of the clients' observations."""
        self.moments += 1
        return self.moments

    @property
    def has_calmed(self) -> bool:
        return self.peace or self.now >= self.calm_at

    @property
    def is_calm(self) -> bool:
        return self.has_calmed or self.now < self.quiet_until

    def disturb(self, fate: str, until: int) -> None:
        """Note a fault whose direct effect ends at a time."""
        self.fates.add(fate)
        self.trace.append(f"{self.now - BEGIN_MS} {_here.actor.name} {fate} until {until - BEGIN_MS}")
        self._disturbances.append((self.now, until))

    def lateness(self, since: int, until: int) -> int:
        """Return the milliseconds between two times, or from the end of the last fault between them to the second."""
        ends = (end for begin, end in self._disturbances if begin <= until)
        return until - max(since, max(ends, default=0))

    def was_disturbed(self, since: int, until: int) -> bool:
        """Return whether a fault had an effect between two times."""
        return any(begin <= until and since <= end for begin, end in self._disturbances)

    def sleep(self, seconds: float) -> None:
        wakes = self.now + round(1000 * seconds)
        if not self.is_calm and self.choice.random() < LATE_RATE:
            wakes += self.choice.randint(*SLOW_MS)
            self.disturb(WOKE_LATE, wakes)
        self.park(wakes)

    def park(self, wakes: int) -> None:
        """Let the current actor wait until a time, or until another actor brings its waking forward."""
        actor: Actor = _here.actor
        if actor.dead:
            raise Killed
        actor.wakes = wakes
        self._wait(actor)

    def stall(self) -> None:
        """Stop the process of the current actor now and then."""
        actor: Actor = _here.actor
        if not self.is_calm and self.choice.random() < STALL_RATE:
            actor.condition.stopped = self.now + self.choice.randint(*SLEEPS_MS)
            self.disturb(STALLED, actor.condition.stopped)
            self._wait(actor)

    def revive(self) -> None:
        """Let the current actor go on after its death, unless the schedule has ended."""
        self.check()
        _here.actor.dead = False

    def replace(self, process: str) -> None:
        """Start a process again. All its actors are killed, and later ones belong to the new process."""
        self.check()
        old, self._conditions[process] = self.condition(process), Condition()
        for actor in self._actors:
            if actor.condition is old and actor is not _here.actor:
                actor.dead, actor.wakes = True, min(actor.wakes, self.now)

    def exchange(self, what: str, send: Callable[[], Any]) -> Any:
        """Return the answer to an exchange of the actor of this thread, as far as it goes well."""
        actor: Actor = _here.actor
        if actor.dead:
            raise Killed
        self._wait(actor)
        fate = self._suffer(actor, self._fate())
        self.trace.append(f"{self.now - BEGIN_MS} {actor.name} {what} {fate}")
        self._set_time(self.now + self.choice.randrange(3))
        if fate == "killed before":
            actor.dead = True
            raise Killed
        if fate == "dropped":
            raise redis.ConnectionError(fate)
        answer = send()
        if fate == "killed after":
            actor.dead = True
            raise Killed
        if fate == "lost":
            raise redis.ConnectionError(fate)
        return answer

    def _fate(self) -> str:
        point = self.choice.random()
        for fate, rate in FATES.items():
            point -= rate
            if point < 0 and not self.is_calm:
                return fate
        return ""

    def _suffer(self, actor: Actor, fate: str) -> str:
        now, condition = self.now, actor.condition
        if fate in {"dropped", "lost"}:
            self.disturb(fate, now)
        elif fate in {"killed before", "killed after"}:
            self.disturb(fate, now + REVIVAL_MS)
        elif fate == "slept":
            actor.wakes = now + self.choice.randint(*SLEEPS_MS)
            self.disturb(fate, actor.wakes)
        elif fate:
            field = {"stopped": "stopped", "slowed": "slow", "requests cut": "drops", "responses cut": "loses"}[fate]
            until = now + self.choice.randint(*(SLEEPS_MS if fate == "stopped" else SLOW_MS))
            setattr(condition, field, until)
            self.disturb(fate, until + max(CUT_MS))
        if condition.slow > now:
            actor.wakes = now + self.choice.randint(*SLOW_EXCHANGE_MS)
        is_cut = max(condition.drops, condition.loses) > now
        if is_cut:
            actor.wakes = now + self.choice.randint(*CUT_MS)
        if actor.due > self.now:
            self._wait(actor)
        if is_cut:
            return "dropped" if condition.drops > now else "lost"
        return fate

    def _wait(self, actor: Actor) -> None:
        if not self._over:
            following = self._next()
            if following is not actor:
                (following.turn if following else self._back).release()
                actor.turn.acquire()
        if self._over:
            actor.dead = True
        self.check()
        if actor.dead:
            raise Killed

    def _set_time(self, now: int) -> None:
        self.now = now
        self._redis_clock(now)


class TurnLock:
    """A lock that an actor may hold over exchanges; another one waits for another turn.

    The collector of garbage takes it, too, after a schedule.
    """

    def __init__(self) -> None:
        self._owner: Actor | None = None
        self._times = 0

    def __enter__(self) -> None:
        actor = current_actor()
        while actor is not None and self._owner not in {None, actor}:
            actor.world.park(actor.world.now + round(1000 * LOCK_SECONDS))
        self._owner = actor
        self._times += 1

    def __exit__(self, *_: object) -> None:
        self._times -= 1
        if not self._times:
            self._owner = None


def here() -> World:
    world: World = _here.actor.world
    return world


def current_actor() -> Actor | None:
    """Return the actor of this thread, or None in another thread."""
    return getattr(_here, "actor", None)
