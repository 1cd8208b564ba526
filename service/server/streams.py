"""Stream writers. Each open stream has a writer. A waiting writer has neither a thread nor a task of its own."""

from __future__ import annotations

import asyncio
from collections import deque
from concurrent.futures import Executor
from functools import partial

from service.http.streaming import Stream
from service.server.loop import LoopPause, Receive, Send, call_on
from service.subscription import Subscription
from service.waiting import deferred_notifications, notify

STREAMS_PER_TURN = 50
"""Maximum number of streams that receive chunks or heartbeats before the event loop runs other tasks."""

TICKS_PER_BEAT = 20
"""Number of checks per heartbeat interval. Each check finds silent streams, and clients that read too slowly."""


class StreamHub:
    """Manages the stream writers of a process, and the threads that read the log for them."""

    def __init__(self, threads: Executor, patience: float) -> None:
        self.loop = asyncio.get_running_loop()
        self.patience = patience
        self.followed: dict[StreamWriter, Subscription] = {}
        self.threads = threads
        self._ready = deque[StreamWriter]()
        self._latest: asyncio.Task[None] | None = None  # writers refer to earlier tasks that wait
        self._wake_loop = partial(call_on, self.loop, self._send_ready)

    def wake(self, writer: StreamWriter) -> None:
        """Schedule a writer whose subscription has changed. Any thread may call this."""
        self._ready.append(writer)
        notify(self._wake_loop)

    def _send_ready(self) -> None:
        if self._ready:
            self._latest = self.loop.create_task(self._send_some())
            self.loop.call_soon(self._send_ready)  # for the rest, even if a client holds the task up

    async def _send_some(self) -> None:
        sender = asyncio.current_task()
        for _ in range(STREAMS_PER_TURN):
            if not self._ready:
                return
            await self._ready.popleft().send_chunks(sender)

    async def watch(self, heartbeat_seconds: float) -> None:
        """Send heartbeats to silent streams, and disconnect clients that do not read. This method never returns."""
        while True:
            await asyncio.sleep(heartbeat_seconds / TICKS_PER_BEAT)
            now = self.loop.time()
            silent = [each for writer, each in self.followed.items() if writer.needs_beat(now, each.heartbeat.seconds)]
            for start in range(0, len(silent), STREAMS_PER_TURN):
                with deferred_notifications():
                    for subscription in silent[start : start + STREAMS_PER_TURN]:
                        subscription.beat()
                await asyncio.sleep(0)

    def end_streams(self) -> None:
        """End all streams. Clients reconnect to another process and continue from their cursors."""
        with deferred_notifications():
            for subscription in self.followed.values():
                subscription.end()


class StreamWriter:
    """Sends one stream to its client, until the stream ends or the client disconnects."""

    __slots__ = ("_hub", "_is_deaf", "_pause", "_send", "_sender", "_sent_at", "_stream", "_subscription")

    def __init__(self, hub: StreamHub, stream: Stream, send: Send) -> None:
        self._hub, self._stream, self._send = hub, stream, send
        self._pause: LoopPause | None = None
        self._subscription: Subscription | None = None
        self._sender: asyncio.Task[None] | None = None
        self._sent_at = hub.loop.time()
        self._is_deaf = False

    async def run(self, receive: Receive) -> None:
        try:
            text, subscription, is_last = self._stream.read()  # `begin` has read it
            while True:
                if text or is_last:
                    async with asyncio.timeout(self._hub.patience):
                        await self._write(text, more=not is_last)
                    text = b""  # a silent stream keeps none of the sent text
                if is_last or (subscription is not None and not await self._follow(subscription, receive)):
                    return
                text, subscription, is_last = await self._hub.loop.run_in_executor(self._hub.threads, self._stream.read)
        finally:
            self._hub.threads.submit(self._stream.close)

    async def _follow(self, subscription: Subscription, receive: Receive) -> bool:
        self._pause, self._subscription = LoopPause(), subscription
        self._hub.followed[self] = subscription
        subscription.notify(partial(self._hub.wake, self))
        try:
            await self.send_chunks(asyncio.current_task())  # those from before
            return await self._pause.take(receive) and not self._is_deaf
        finally:
            subscription.notify(None)
            del self._hub.followed[self]
            self._pause = self._subscription = None
            if self._sender is not None:
                self._sender.cancel()

    async def send_chunks(self, sender: asyncio.Task[None] | None) -> None:
        """Send the unread chunks, unless another task already sends them. `sender` is the task of the caller."""
        subscription = self._subscription
        if subscription is None or self._sender is not None:
            return
        self._sender = sender
        try:
            chunks, over = subscription.take()
            while chunks:
                await self._write(b"".join(chunks))
                chunks, over = subscription.take()
            if not over:
                return
        except asyncio.CancelledError:
            self._is_deaf = True
        finally:
            self._sender = None
        if self._pause is not None:
            self._pause.end()

    async def _write(self, chunk: bytes, *, more: bool = True) -> None:
        self._sent_at = self._hub.loop.time()
        await self._send({"type": "http.response.body", "body": chunk, "more_body": more})

    def needs_beat(self, now: float, seconds: float) -> bool:
        """Return whether the stream needs a heartbeat, because it has sent nothing for `seconds`.

        If a chunk is still being sent, return False. If the client reads this chunk too slowly, disconnect the client.
        """
        if self._sender is None:
            return now - self._sent_at >= seconds
        if now - self._sent_at >= self._hub.patience:
            self._sender.cancel()  # a timer per chunk would cost more than the chunk
        return False
