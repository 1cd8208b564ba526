"""The event loop of a simulated web process: a loop of asyncio whose time and pauses are the world's."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Generator
from contextlib import suppress
from types import SimpleNamespace
from typing import Any, Final

from service.http.streaming import Stream
from service.server.loop import Message
from service.server.streams import StreamHub, StreamWriter
from tests.faults.simulation import Killed, World, here
from tests.faults.virtual_threads import VirtualEvent, VirtualExecutor, VirtualFuture

SLOW_TURN_RATE: Final = 0.1
SLOW_TURN_MS: Final = (1, 40)
"""Probability and duration of a pause of an event loop, in which requests for the next batch arrive."""

SLOW_READ_RATE: Final = 0.1
SLOW_READ_SECONDS: Final = 1.0
"""Probability that a client reads a chunk slowly, so that the server must wait, and the maximum duration."""

STREAM_THREADS: Final = 4

WATCH_SECONDS: Final = 60.0
"""Heartbeat interval of the search for silent streams: longer than elsewhere, as each search takes a turn."""


class VirtualLoop(asyncio.BaseEventLoop):
    """An event loop that is an actor. It waits for other actors instead of files."""

    def __init__(self, world: World, name: str, process: str) -> None:
        super().__init__()
        self._selector = SimpleNamespace(select=self._pause)
        self.set_exception_handler(lambda *_: None)  # for tasks that the end of a schedule or process leaves
        self._news, self._world = VirtualEvent(), world
        world.add(name, self._live, process)

    def __del__(self, *_: object) -> None:
        """Close nothing: the loop of a dead process still takes calls, which nobody makes."""

    def _process_events(self, _events: object) -> None:
        pass

    def _write_to_self(self) -> None:
        self._news.set()

    def time(self) -> float:
        return self._world.now / 1000

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> Any:  # type: ignore[override]
        """Run a function in a thread of a `VirtualExecutor`."""
        future: asyncio.Future[Any] = self.create_future()

        def end(result: Any, error: Exception | None) -> None:
            if future.cancelled():
                return
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(error)

        def run() -> None:
            try:
                self.call_soon_threadsafe(end, func(*args), None)
            except Exception as error:  # noqa: BLE001 -- it is raised where the result is awaited
                self.call_soon_threadsafe(end, None, error)

        executor.submit(run)
        return future

    @property
    def for_batches(self) -> SimpleNamespace:
        """A loop for batches, whose callers are other actors and wait for `VirtualFuture`."""
        soon = self.call_soon_threadsafe
        return SimpleNamespace(
            create_future=VirtualFuture, call_soon=soon, call_soon_threadsafe=soon, call_later=self.call_later
        )

    def _live(self) -> None:
        with suppress(Killed):
            self.run_forever()

    def _pause(self, timeout: float | None) -> tuple[()]:
        world = self._world
        if timeout is None or timeout > 0:
            self._news.clear()
            self._news.wait(None if timeout is None else max(0.001, timeout))
        world.stall()
        if world.choice.random() < SLOW_TURN_RATE:
            world.park(world.now + world.choice.randint(*SLOW_TURN_MS))
        return ()


class Line:
    """The connection of a client that reads a stream, and is sometimes slow."""

    def __init__(self, loop: VirtualLoop) -> None:
        self._loop, self._news, self._chunks = loop, VirtualEvent(), deque[tuple[bytes, float]]()
        self._is_over = False
        self._left, self._was_read = loop.create_future(), loop.create_future()

    async def send(self, message: Message) -> None:
        if not message["body"] or self._left.done():
            return
        world = here()
        seconds = world.choice.random() * SLOW_READ_SECONDS if world.choice.random() < SLOW_READ_RATE else 0.0
        self._was_read = self._loop.create_future()
        self._chunks.append((message["body"], seconds))
        self._news.set()
        if seconds:
            await self._was_read

    async def receive(self) -> Message:
        await self._left
        return {"type": "http.disconnect"}

    def end(self) -> None:
        """End the stream, in the loop."""
        self._is_over = True
        self._news.set()

    def chunks(self) -> Generator[bytes]:
        """Yield the chunks that the client receives, and disconnect the client at the end."""
        try:
            while self._chunks or not self._is_over:
                self._news.clear()
                while self._chunks:
                    chunk, seconds = self._chunks.popleft()
                    if seconds:
                        here().sleep(seconds)
                        self._loop.call_soon_threadsafe(_end, self._was_read)
                    yield chunk
                if not self._is_over:
                    self._news.wait()
        finally:
            self._loop.call_soon_threadsafe(self._leave)

    def _leave(self) -> None:
        _end(self._left)
        _end(self._was_read)


def _end(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


class Streams:
    """The streams of a web process."""

    def __init__(self, loop: VirtualLoop, threads: VirtualExecutor, patience: float) -> None:
        self._loop, self._threads, self._patience = loop, threads, patience
        self._hub: StreamHub | None = None
        self._tasks: list[asyncio.Task[None]] = []

    def open(self, stream: Stream) -> Line:
        """Send a stream to a client, and return the client's connection."""
        line = Line(self._loop)
        self._loop.call_soon_threadsafe(lambda: self._tasks.append(self._loop.create_task(self._write(stream, line))))
        return line

    def close(self) -> None:
        """Drop all streams after the end of the schedule, even if they have not begun."""
        for task in self._tasks:
            task.get_coro().close()

    async def _write(self, stream: Stream, line: Line) -> None:
        if self._hub is None:
            self._hub = StreamHub(self._threads, self._patience)  # type: ignore[arg-type]
            self._tasks.append(self._loop.create_task(self._hub.watch(WATCH_SECONDS)))
        try:
            await StreamWriter(self._hub, stream, line.send).run(line.receive)
        finally:
            line.end()
