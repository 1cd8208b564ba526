"""Simulation of clients, bots, timers and workers in one process, in an order that a seed decides.

Each actor is a thread, and only one of them runs at a time. At every exchange with Redis it gives its turn back, and
the world decides the next turn and the fate of the exchange. It may be dropped, its response may be lost, and the actor
may be killed before or after it, or sleep for seconds. Time is the world's, for Python and for Redis alike. So a
schedule happens again, to the last exchange, from its seed (FoundationDB calls this deterministic simulation).
"""

from __future__ import annotations

import mmap
import os
import random
import shutil
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from traceback import format_stack
from typing import Any, Final

import pytest
import redis
from redis.client import Pipeline

from service.launch.lifeline import start
from service.launch.redis import server
from service.store.clients import ShortClient
from service.store.clock import Calendar, StoreClock
from tests.faults.kit import answers
from tests.launch.kit import PATIENCE_SECONDS, within

MAX_STEPS: Final = 4_000
"""More exchanges than a schedule has that is not stuck: of 1,200 the longest had 2,747."""

HOUR_MS: Final = 3_600_000
BEGIN_MS: Final = time.time_ns() // 1_000_000 // HOUR_MS * HOUR_MS
"""When schedules begin: at the last full hour, so that what counts by minutes turns at the same moments of every run.

It is near to now, as keys that expire after days do so by this machine's time.
"""

FATES: Final = {"dropped": 0.006, "lost": 0.012, "killed before": 0.004, "killed after": 0.008, "slept": 0.006}
"""Probabilities of the faults of an exchange."""

SLEEPS_MS: Final = (50, 12_000)
"""Maximum time that a sleeping actor is halted: longer than any lease."""

LOCK_SECONDS: Final = 0.1

CLOCK: Final = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static volatile long *now_ms;

__attribute__((constructor)) static void begin(void) {
  int file = open(getenv("VIRTUAL_CLOCK"), O_RDONLY);
  now_ms = mmap(0, sizeof(long), PROT_READ, MAP_SHARED, file, 0);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  static int (*real)(clockid_t, struct timespec *);
  if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) {
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    return real(clock, now);
  }
  now->tv_sec = *now_ms / 1000;
  now->tv_nsec = *now_ms % 1000 * 1000000;
  return 0;
}

// Without it the server has the system's clock for the time between two commands, not the processor's, which is real.
FILE *fopen64(const char *restrict path, const char *restrict mode) {
  static FILE *(*real)(const char *restrict, const char *restrict);
  if (!strcmp(path, "/proc/cpuinfo")) return NULL;
  if (!real) real = dlsym(RTLD_NEXT, "fopen64");
  return real(path, mode);
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  now->tv_sec = *now_ms / 1000;
  now->tv_usec = *now_ms % 1000 * 1000;
  return 0;
}

time_t time(time_t *now) {
  if (now) *now = *now_ms / 1000;
  return *now_ms / 1000;
}
"""
"""A library that a process loads first; it takes the time from the file."""

_here: Final = threading.local()
"""The actor whose thread this is, as `actor`."""


class Killed(BaseException):
    """The process of an actor was killed; its further actions while it unwinds do not reach Redis."""


class Over(BaseException):
    """The schedule is over for an actor that would go on for ever."""


class Stuck(AssertionError):
    """Nothing more comes of a schedule."""


class Actor:
    """A thread that runs only in its turn."""

    def __init__(self, world: World, name: str, live: Callable[[], object]) -> None:
        self.name, self.wakes, self.dead, self.over = name, 0, False, False
        self.error: BaseException | None = None
        self.turn = threading.Lock()
        self.turn.acquire()
        self.world, self._live = world, live
        self.thread = threading.Thread(target=self._run, name=name, daemon=True)
        self.thread.start()

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
        self.world.go_on()


class World:
    """Decides the next turn, and the fate of exchanges; `now` is the time in milliseconds."""

    def __init__(self, seed: int, redis_clock: Callable[[int], None]) -> None:
        """Take the seed of the schedule, and a function that sets the time of Redis."""
        self.choice, self.chance = Random(f"schedule {seed}"), Random(f"chance {seed}")
        self.now, self.steps, self.moments, self.peace = BEGIN_MS, 0, 0, False
        self._back = threading.Lock()
        self._back.acquire()
        self.trace: list[str] = []
        self.fates: set[str] = set()
        self._actors: list[Actor] = []
        self._awaited: list[Actor] = []
        self._problem: BaseException | None = None
        self._redis_clock, self._over = redis_clock, False
        redis_clock(self.now)

    def add(self, name: str, live: Callable[[], object]) -> Actor:
        self._actors.append(Actor(self, name, live))
        return self._actors[-1]

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
        waiting = [actor for actor in self._actors if not actor.over]
        self._problem = next((actor.error for actor in self._actors if actor.error is not None), None)
        if self._problem is not None or all(actor.over for actor in self._awaited):
            return None
        self.steps += 1
        if self.steps > MAX_STEPS:
            actors = ", ".join(f"{actor.name} at {actor.wakes - self.now} ms" for actor in waiting)
            self._problem = Stuck("\n".join([*self.trace[-100:], actors]))
            return None
        ready = [actor for actor in waiting if actor.wakes <= self.now]
        if not ready:
            self._set_time(min(actor.wakes for actor in waiting))
            ready = [actor for actor in waiting if actor.wakes <= self.now]
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

    def sleep(self, seconds: float) -> None:
        actor: Actor = _here.actor
        if actor.dead:
            raise Killed
        actor.wakes = self.now + round(1000 * seconds)
        self._wait(actor)

    def revive(self) -> None:
        """Start the process of this thread's actor again, unless the schedule has ended."""
        self.check()
        _here.actor.dead = False

    def exchange(self, what: str, send: Callable[[], Any]) -> Any:
        """Return the answer to an exchange of the actor of this thread, as far as it goes well."""
        actor: Actor = _here.actor
        if actor.dead:
            raise Killed
        self._wait(actor)
        fate = self._fate()
        if fate == "slept":
            self.trace.append(f"{self.now - BEGIN_MS} {actor.name} sleeps")
            actor.wakes = self.now + self.choice.randint(*SLEEPS_MS)
            self._wait(actor)
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
            if point < 0 and not self.peace:
                self.fates.add(fate)
                return fate
        return ""

    def _wait(self, actor: Actor) -> None:
        if not self._over:
            following = self._next()
            if following is not actor:
                (following.turn if following else self._back).release()
                actor.turn.acquire()
        if self._over:
            actor.dead = True
        self.check()

    def _set_time(self, now: int) -> None:
        self.now = now
        self._redis_clock(now)


class TurnLock:
    """A lock that an actor may hold over exchanges; who wants it meanwhile waits for another turn."""

    def __init__(self) -> None:
        self._owner: Actor | None = None
        self._times = 0

    def __enter__(self) -> None:
        actor: Actor = _here.actor
        while self._owner not in {None, actor}:
            actor.world.sleep(LOCK_SECONDS)
        self._owner = actor
        self._times += 1

    def __exit__(self, *_: object) -> None:
        self._times -= 1
        if not self._times:
            self._owner = None


class VirtualRedis:
    def __init__(self, folder: Path) -> None:
        compiler = shutil.which("cc")
        if compiler is None:
            pytest.skip("no C compiler, which makes a library that tells Redis another time")
        source, library, clock = folder / "clock.c", folder / "clock.so", folder / "clock"
        source.write_text(CLOCK)
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        clock.write_bytes(struct.pack("l", BEGIN_MS))
        with clock.open("r+b") as file:
            self._clock = mmap.mmap(file.fileno(), 0)
        self._socket = folder / "redis.sock"
        command = [server(), "--port", "0", "--unixsocket", str(self._socket), "--save", "", "--appendonly", "no"]
        environment = {"LD_PRELOAD": str(library), "VIRTUAL_CLOCK": str(clock)}
        self.process = start(command, output=folder / "redis.log", env=environment)
        with redis.Redis.from_url(self.url) as client:
            assert within(PATIENCE_SECONDS, lambda: answers(client)), (folder / "redis.log").read_text()

    @property
    def url(self) -> str:
        return f"unix://{self._socket}?db=0"

    def tell(self, now: int) -> None:
        self._clock[:8] = struct.pack("l", now)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self._clock.close()


@contextmanager
def virtual_redis(folder: Path) -> Iterator[VirtualRedis]:
    """Yield a Redis whose time can be set, with its files in a folder."""
    running = VirtualRedis(folder)
    try:
        yield running
    finally:
        running.close()


def here() -> World:
    world: World = _here.actor.world
    return world


def _instead(original: Callable[..., Any], virtual: Callable[..., Any]) -> Callable[..., Any]:
    def called(*args: Any) -> Any:
        return virtual(here(), *args) if hasattr(_here, "actor") else original(*args)

    return called


@contextmanager
def governed() -> Iterator[None]:
    def exchanged(original: Callable[..., Any], name: Callable[..., str]) -> Callable[..., Any]:
        def exchange(self: Any, *args: Any, **options: Any) -> Any:
            if not hasattr(_here, "actor"):
                return original(self, *args, **options)
            return here().exchange(name(self, *args), lambda: original(self, *args, **options))

        return exchange

    def by_command(_self: object, *args: object) -> str:
        return str(args[0])

    with pytest.MonkeyPatch.context() as patch:
        for owner, method, name in (
            (redis.Redis, "execute_command", by_command),
            (ShortClient, "execute_command", by_command),
            (Pipeline, "immediate_execute_command", by_command),
            (Pipeline, "execute", lambda self, *_: f"pipeline of {len(self)}"),
            (ShortClient, "exchange", lambda _self, commands: f"pipeline of {len(commands)}"),
        ):
            patch.setattr(owner, method, exchanged(getattr(owner, method), name))
        for module, function, virtual in (
            (time, "time", lambda world: world.now / 1000),
            (time, "time_ns", lambda world: world.now * 1_000_000),
            (time, "monotonic", lambda world: world.now / 1000),
            (time, "monotonic_ns", lambda world: world.now * 1_000_000),
            (time, "process_time", lambda world: world.now / 1000),
            (time, "sleep", lambda world, seconds: world.sleep(seconds)),
            (os, "urandom", lambda world, size: world.chance.randbytes(size)),
            (random, "_urandom", lambda world, size: world.chance.randbytes(size)),
        ):
            patch.setattr(module, function, _instead(getattr(module, function), virtual))
        patch.setattr(StoreClock, "now", lambda _self: here().now)
        patch.setattr(StoreClock, "calendar", lambda _self, _until=0: Calendar())
        yield
