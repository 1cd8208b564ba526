"""A stream process as a thread of the test's, with the same application, and the relay to it on a loop of its own."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from flask import Flask

from service.launch.stream_line import Wakeups
from service.launch.stream_process import serve
from service.launch.stream_relay import Relay
from tests.launch.processes import PATIENCE_SECONDS


@contextmanager
def relayed(app: Flask) -> Iterator[Relay]:
    """Have an application's streams relayed."""
    context = app.extensions["context"]
    control, other = socket.socketpair()
    ours, theirs = socket.socketpair()
    loop = asyncio.new_event_loop()
    relay = Relay(control, lambda: None)
    loop.call_soon(relay.begin, loop, Wakeups(loop))
    with ThreadPoolExecutor(2) as threads, theirs, other:
        threads.submit(loop.run_forever)
        serving = threads.submit(serve, context, ours)
        socket.send_fds(other, [b"1"], [theirs.fileno()])
        context.broadcasts.relayed = relay.attend
        try:
            yield relay
        finally:
            context.broadcasts.relayed = None
            loop.call_soon_threadsafe(relay.close)
            asyncio.run_coroutine_threadsafe(relay.end(PATIENCE_SECONDS), loop).result()
            serving.result()
            loop.call_soon_threadsafe(loop.stop)
    loop.close()
