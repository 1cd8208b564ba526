"""Writers of streams. Each open stream has one; it needs no thread, and no asyncio task of its own.

The task of the HTTP request waits until the client disconnects. When chunks arrive, a short-lived task sends them. If
the client does not read them in time, it is disconnected.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import Executor
from functools import partial

from service.http.streaming import Stream
from service.server.loop import LoopPause, Receive, Send, call_on
from service.subscription import Subscription

BEATS_PER_TURN = 50
"""Number of heartbeats to send before other tasks may run."""

TICKS_PER_BEAT = 20
"""Number of times per heartbeat interval at which silent streams are looked up."""


class StreamHub:
    """The stream writers of a process, the threads that read session logs for them, and the heartbeats."""

    def __init__(self, threads: Executor, patience: float) -> None:
        self.loop = asyncio.get_running_loop()
        self.patience = patience
        self.followed: dict[StreamWriter, Subscription] = {}
        self.threads = threads

    async def send_heartbeats(self, seconds: float) -> None:
        """Send heartbeats to silent streams, forever. `seconds` is the heartbeat interval of a stream."""
        while True:
            await asyncio.sleep(seconds / TICKS_PER_BEAT)
            now = self.loop.time()
            silent = [each for writer, each in self.followed.items() if writer.is_silent(now, each.heartbeat.seconds)]
            for start in range(0, len(silent), BEATS_PER_TURN):
                for subscription in silent[start : start + BEATS_PER_TURN]:
                    subscription.beat()
                await asyncio.sleep(0)

    def end_streams(self) -> None:
        """End all streams. Clients reconnect to another process and continue from their cursors."""
        for subscription in list(self.followed.values()):
            subscription.end()


class StreamWriter:
    """Sends one stream until it ends or its client disconnects."""

    __slots__ = ("_hub", "_is_deaf", "_pause", "_send", "_sent_at", "_stream", "_task")

    def __init__(self, hub: StreamHub, stream: Stream, send: Send) -> None:
        self._hub, self._stream, self._send = hub, stream, send
        self._pause: LoopPause | None = None
        self._task: asyncio.Task[None] | None = None
        self._sent_at = hub.loop.time()
        self._is_deaf = False

    async def run(self, receive: Receive) -> None:
        try:
            text, subscription, is_last = self._stream.read()  # `begin` has read it
            while True:
                if text or is_last:
                    await self._write(text, more=not is_last)
                    text = b""  # a silent stream keeps none of the sent text
                if is_last or (subscription is not None and not await self._follow(subscription, receive)):
                    return
                text, subscription, is_last = await self._hub.loop.run_in_executor(self._hub.threads, self._stream.read)
        finally:
            self._hub.threads.submit(self._stream.close)

    async def _follow(self, subscription: Subscription, receive: Receive) -> bool:
        self._pause = LoopPause()
        self._hub.followed[self] = subscription
        subscription.notify(partial(call_on, self._hub.loop, self._wake))
        self._wake()
        try:
            return await self._pause.take(receive) and not self._is_deaf
        finally:
            subscription.notify(None)
            del self._hub.followed[self]
            self._pause = None
            if self._task is not None:
                self._task.cancel()

    def _wake(self) -> None:
        subscription = self._hub.followed.get(self)
        if self._task is None and subscription is not None:
            self._task = self._hub.loop.create_task(self._send_chunks(subscription))

    async def _send_chunks(self, subscription: Subscription) -> None:
        try:
            over = False
            while not over:
                chunks, over = subscription.take()
                if chunks:
                    over = False
                    await self._write(b"".join(chunks))
                elif not over:
                    return
        except TimeoutError:
            self._is_deaf = True
        finally:
            self._task = None
        if self._pause is not None:
            self._pause.end()

    async def _write(self, chunk: bytes, *, more: bool = True) -> None:
        self._sent_at = self._hub.loop.time()
        async with asyncio.timeout(self._hub.patience):
            await self._send({"type": "http.response.body", "body": chunk, "more_body": more})

    def is_silent(self, now: float, seconds: float) -> bool:
        """Return whether the stream has sent nothing for `seconds` and is not sending now."""
        return self._task is None and now - self._sent_at >= seconds
