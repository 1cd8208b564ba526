"""The server of one web process: uvicorn on inherited sockets, and its shutdown."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

import structlog
import uvicorn
import uvloop
from flask import Flask

from games.core.kernel import kernel
from games.core.registry import ours
from service.health import ProcessHealth
from service.http.metrics import Metrics
from service.overload.gate import MAX_DELAY_SECONDS, Gate
from service.server.asgi import Application
from service.telemetry.logs import log_uncaught

DRAIN_SECONDS: Final = 1.0
LAST_SECONDS: Final = 0.25
GRACEFUL_SECONDS: Final = 8
"""Seconds in which current requests must finish during shutdown."""

REPORT_SECONDS: Final = 0.25
BACKLOG: Final = 2_048

COLLECTOR: Final = (10_000, 10, 50)
"""Thresholds of Python's garbage collector. They make full collections rare.

With 10,000 streams, a full collection takes 0.25 s.
"""

_log = structlog.get_logger("service")


def run(app: Flask, descriptors: Sequence[int], tell_keeper: Callable[[], object]) -> None:
    """Serve an application on inherited sockets until a signal stops this process."""
    # Games of packages may not fit the contract; the process must end before it listens. Ours are tested.
    if app.extensions["context"].games != ours():
        app.extensions["openapi"].spec()
    gc.set_threshold(*COLLECTOR)
    log_uncaught()
    sockets = [socket.socket(fileno=number) for number in descriptors]
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(app, sockets, tell_keeper))


class Connection:
    """A protocol of uvicorn. It handles a reset by the client as if the client had closed the connection."""

    __slots__ = ("_protocol",)

    def __init__(self, protocol: asyncio.Protocol) -> None:
        self._protocol = protocol

    def __getattr__(self, name: str) -> Any:
        return getattr(self._protocol, name)

    def connection_lost(self, _error: Exception | None) -> None:
        # After a reset, uvicorn would not stop its keep-alive timer, which keeps the connection in memory.
        self._protocol.connection_lost(None)


def configure(application: Callable[..., Awaitable[None]]) -> uvicorn.Config:
    config = uvicorn.Config(
        application,
        http="httptools",
        ws="none",
        lifespan="off",
        proxy_headers=False,
        server_header=False,
        access_log=False,
        log_config=None,
        log_level="critical",
        backlog=BACKLOG,
        # Longer than most proxies and clients (Go 90 s; nginx, Amazon, .NET 60), so that they close first.
        timeout_keep_alive=int(os.environ.get("WEB_KEEPALIVE", "120")),
        timeout_graceful_shutdown=GRACEFUL_SECONDS,
    )
    config.load()
    protocol: Callable[..., asyncio.Protocol] = config.http_protocol_class
    config.http_protocol_class = lambda **options: Connection(protocol(**options))  # type: ignore[assignment]
    return config


async def serve(app: Flask, sockets: list[socket.socket], tell_keeper: Callable[[], object]) -> None:
    """Serve an application on sockets until a signal stops this process."""
    loop = asyncio.get_running_loop()
    context = app.extensions["context"]
    threads, patience = int(os.environ.get("WEB_THREADS", "64")), float(os.environ.get("WEB_PATIENCE", "20"))
    max_delay = float(os.environ.get("WEB_MAX_DELAY_SECONDS", MAX_DELAY_SECONDS))
    application = Application(app, threads=threads, patience=patience, max_delay=max_delay)
    server = uvicorn.Server(configure(application))

    def drain() -> None:
        application.is_draining = True
        application.hub.end_streams()
        loop.call_later(float(os.environ.get("WEB_DRAIN_SECONDS", DRAIN_SECONDS)), stop_listening)

    def stop_listening() -> None:
        for listener in server.servers:
            listener.close()
        # The last accepted connections may have requests.
        loop.call_later(LAST_SECONDS, setattr, server, "should_exit", True)  # noqa: FBT003 -- of setattr

    context.health.ending = lambda: application.is_draining or server.should_exit
    tasks = [
        loop.create_task(application.hub.watch(context.settings.limits.heartbeat_seconds)),
        loop.create_task(application.turns.watch()),
        loop.create_task(report(server, context.health, app.extensions["metrics"], application.gate, tell_keeper)),
    ]
    loop.add_signal_handler(signal.SIGUSR1, drain)
    await server.serve(sockets=sockets)
    for task in tasks:
        task.cancel()


async def report(
    server: uvicorn.Server, health: ProcessHealth, metrics: Metrics, gate: Gate, tell_keeper: Callable[[], object]
) -> None:
    """Wait until the server listens. Then, at intervals, update the metrics and report to the parent process."""
    while not server.started:  # noqa: ASYNC110 -- the server has no event for it
        await asyncio.sleep(0.01)
    _log.info("web process listens", kernel=kernel())
    while True:
        metrics.set_faults(health.beat())
        metrics.count_admissions(gate.take_counts())
        if not health.lasting_faults():  # otherwise only a restart helps
            tell_keeper()
        metrics.set_process(kernel(), {"loop": 0.0, "broadcaster": health.broadcaster_age()})
        await asyncio.sleep(REPORT_SECONDS)
