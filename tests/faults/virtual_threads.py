"""Events, futures, threads and a subscription to Redis, as actors of a simulation use them."""

from __future__ import annotations

import gc
import os
import random
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from functools import cache, partial
from types import TracebackType
from typing import Any, Final, Self

import pytest
import redis
from redis import utils
from redis.client import Pipeline, PubSub

from service.store.clients import ShortClient
from service.store.clock import Calendar, StoreClock
from tests.faults.simulation import FOREVER_MS, Actor, Killed, current_actor, here

MESSAGE_LOSS: Final = 0.3
"""Probability that a published message does not reach a reader."""

MESSAGE_LOST: Final = "message lost"

POLL_MS: Final = 4_000
"""Time within which a reader finds a change by polling if it does not get the message."""


class VirtualEvent:
    """An event for which actors wait."""

    def __init__(self) -> None:
        self._is_set = False
        self._waiting: list[Actor] = []

    def set(self) -> None:
        self._is_set = True
        for actor in self._waiting:
            actor.wakes = min(actor.wakes, actor.world.now)

    def clear(self) -> None:
        self._is_set = False

    def is_set(self) -> bool:
        return self._is_set

    def wait(self, timeout: float | None = None) -> bool:
        actor = current_actor()
        assert actor is not None
        world = actor.world
        until = FOREVER_MS if timeout is None else world.now + round(1000 * timeout)
        self._waiting.append(actor)
        try:
            while not self._is_set and world.now < until:
                world.park(until)
        finally:
            self._waiting.remove(actor)
        return self._is_set


class VirtualFuture:
    """A future for which actors wait, as of `concurrent.futures` or of asyncio."""

    def __init__(self, ready_at: int | None = None) -> None:
        """Create a future. It is done at `ready_at`, in milliseconds, or when it gets a result."""
        self.changed = VirtualEvent()
        self._ready_at = ready_at
        self._outcome: Callable[[], Any] | None = None

    def done(self) -> bool:
        return self._outcome is not None and (self._ready_at is None or here().now >= self._ready_at)

    def set_result(self, result: Any) -> None:
        self._outcome = lambda: result
        self.changed.set()

    def set_exception(self, error: BaseException) -> None:
        def fail() -> None:
            raise error

        self._outcome = fail
        self.changed.set()

    def cancel(self) -> None:
        self._ready_at = None
        self.set_exception(CancelledError())

    def result(self) -> Any:
        while not self.done():
            self.changed.clear()
            self.changed.wait(None if self._ready_at is None else (self._ready_at - here().now) / 1000)
        assert self._outcome is not None
        return self._outcome()

    def __await__(self) -> Generator[Self, None, Any]:
        if not self.done():
            yield self
        return self.result()


def await_some(futures: Sequence[VirtualFuture], timeout: float, _when: str) -> None:
    """Wait until one of the futures is done, or until the timeout in seconds."""
    world = here()
    until = world.now + round(1000 * timeout)
    while world.now < until and not any(each.done() for each in futures):
        world.park(min(until, world.now + 50))


def drive(coroutine: Any) -> Any:
    """Run a coroutine that awaits virtual futures, and return its result."""
    try:
        while True:
            coroutine.send(None).result()
    except StopIteration as end:
        return end.value


class VirtualExecutor:
    """A pool of at most `threads` threads, which are actors."""

    def __init__(self, threads: int, thread_name_prefix: str = "thread") -> None:
        self.on_death: Callable[[Actor], object] = lambda _actor: None
        self._most, self._name = threads, thread_name_prefix
        self._tasks: deque[Callable[[], object]] = deque()
        self._news = VirtualEvent()
        self._idle = self._number = 0
        self._is_closed = False

    def submit(self, function: Callable[..., Any], *arguments: object) -> VirtualFuture:
        future = VirtualFuture()
        if current_actor() is None:
            return future  # garbage of an ended schedule
        self._tasks.append(partial(self._carry_out, future, partial(function, *arguments)))
        if self._idle < len(self._tasks) and self._number < self._most:
            self._number += 1
            here().add(f"{self._name} {self._number}", self._live)
        self._news.set()
        return future

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_closed = True
        self._news.set()

    def _carry_out(self, future: VirtualFuture, task: Callable[[], Any]) -> None:
        try:
            future.set_result(task())
        except Exception as error:  # noqa: BLE001 -- it is raised where the result is awaited
            future.set_exception(error)
        except Killed as death:
            future.set_exception(death)

    def _live(self) -> None:
        with suppress(Killed):  # while it was idle
            self._work()

    def _work(self) -> None:
        actor = current_actor()
        assert actor is not None
        while True:
            while not self._tasks:
                if self._is_closed:
                    return
                self._idle += 1
                self._news.clear()
                self._news.wait()
                self._idle -= 1
            self._tasks.popleft()()
            if actor.dead:
                self.on_death(actor)
                return


class VirtualThread:
    """A thread that is an actor of the current actor's process."""

    on_death: Callable[[Actor], object] = staticmethod(lambda _actor: None)

    def __init__(self, target: Callable[[], object], name: str, daemon: bool) -> None:  # noqa: FBT001 -- of threading
        assert daemon
        self._target, self._name = target, name

    def start(self) -> None:
        here().add(self._name, self._run)

    def _run(self) -> None:
        actor = current_actor()
        assert actor is not None
        try:
            self._target()
        except Killed:
            type(self).on_death(actor)


class Messages:
    """A subscription to a channel of Redis. A part of the messages is lost, and all of them with the connection."""

    def __init__(self, client: Any) -> None:
        self._real = PubSub(client.connection_pool, ignore_subscribe_messages=False)
        self._found: deque[bytes] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._real.close()

    def subscribe(self, channel: str) -> None:
        here().exchange("SUBSCRIBE", lambda: self._real.subscribe(channel))
        self._found.append(b"")

    def get_message(self, timeout: float) -> dict[str, bytes] | None:
        """Return the next message, or None if there is none before the timeout in seconds."""
        if not self._found:
            world = here()
            if timeout:
                world.sleep(timeout)
            self._found.extend(message for message in world.exchange("messages", self._read) if not self._is_lost())
        return {"data": self._found.popleft()} if self._found else None

    def _read(self) -> list[bytes]:
        self._real.ping()
        found = list[bytes]()
        while (response := self._real.parse_response(block=True))[0] != b"pong":
            if response[0] == b"message":
                found.append(response[2])
        return found

    def _is_lost(self) -> bool:
        world = here()
        if world.is_calm or world.choice.random() >= MESSAGE_LOSS:
            return False
        world.disturb(MESSAGE_LOST, world.now + POLL_MS)
        return True


_is_collecting: Final[list[None]] = []
"""Not empty while garbage of a schedule is collected, whose generators may want to leave a session."""


def collect_garbage() -> None:
    """Collect what an ended schedule has left. In a later schedule, it would cause exchanges with Redis."""
    _is_collecting.append(None)
    try:
        gc.collect()
    finally:
        _is_collecting.clear()


def _instead(original: Callable[..., Any], virtual: Callable[..., Any]) -> Callable[..., Any]:
    def called(*args: Any, **options: Any) -> Any:
        return virtual(here(), *args) if current_actor() is not None else original(*args, **options)

    return called


@contextmanager
def governed() -> Iterator[None]:
    """Let the world decide on all exchanges with Redis, the time and random bytes of its actors."""

    def exchanged(original: Callable[..., Any], name: Callable[..., str]) -> Callable[..., Any]:
        def exchange(self: Any, *args: Any, **options: Any) -> Any:
            if _is_collecting:
                raise redis.ConnectionError("the schedule has ended")
            if current_actor() is None:
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
        # Each new connection would parse the metadata of the installed package.
        patch.setattr(utils, "get_lib_version", cache(utils.get_lib_version))
        patch.setattr(redis.Redis, "pubsub", _messages(redis.Redis.pubsub))
        patch.setattr(redis.Redis, "scan_iter", _in_order(redis.Redis.scan_iter))
        patch.setattr(StoreClock, "now", lambda _self: here().now)
        patch.setattr(StoreClock, "calendar", lambda _self, _until=0: Calendar())
        yield


def _messages(original: Callable[..., Any]) -> Callable[..., Any]:
    def pubsub(self: Any, **options: Any) -> Any:
        return original(self, **options) if current_actor() is None else Messages(self)

    return pubsub


def _in_order(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a scan with sorted keys, because each Redis has another order."""

    def scan(self: Any, *args: Any, **options: Any) -> Any:
        return iter(sorted(original(self, *args, **options)))

    return scan
