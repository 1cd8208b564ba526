"""One web process without a process: its reports to the keeper, and its shutdown."""

from __future__ import annotations

import asyncio
import http.client
import os
import signal
import socket
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import nullcontext, suppress
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask

from service.http.metrics import Metrics
from service.server import process, serving
from service.server.serving import report, serve
from tests.launch.kit import PATIENCE_SECONDS
from tests.server.lines import until
from tests.service.kit import application as application_of


class Health:
    """Prepared faults of a process; the last ones stay."""

    def __init__(self, *lasting: list[str]) -> None:
        self._lasting = list(lasting)
        self.beats = 0

    def beat(self) -> list[str]:
        self.beats += 1
        return self.lasting_faults()

    def lasting_faults(self) -> list[str]:
        return self._lasting[min(self.beats, len(self._lasting)) - 1]

    def broadcaster_age(self) -> float:
        return 0.5


def test_a_process_reports_once_it_listens_and_while_no_fault_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "REPORT_SECONDS", 0.0)
    server: Any = SimpleNamespace(started=False)
    health: Any = Health([], [], ["threads stuck"], ["threads stuck"], [])
    gate: Any = SimpleNamespace(take_counts=Counter)
    metrics, told = Metrics(), list[int]()

    async def scenario() -> None:
        task = asyncio.create_task(report(server, health, metrics, gate, lambda: told.append(health.beats)))
        await asyncio.sleep(0.05)
        assert (health.beats, told) == (0, [])
        server.started = True
        await until(lambda: health.beats >= 6)
        task.cancel()

    asyncio.run(scenario())
    assert told[:4] == [1, 2, 5, 6]
    for name in ("loop", "broadcaster"):
        assert metrics.registry.get_sample_value("dorfplatz_last_turn_seconds", {"part": name})


def test_a_process_reports_soon_after_it_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    server: Any = SimpleNamespace(started=False)
    health: Any = Health([])
    gate: Any = SimpleNamespace(take_counts=Counter)
    listens_at, now, told = 0.05, 0.0, list[float]()

    async def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds
        server.started = now >= listens_at
        if told:
            raise asyncio.CancelledError

    monkeypatch.setattr(serving, "asyncio", SimpleNamespace(sleep=sleep))
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(report(server, health, Metrics(), gate, lambda: told.append(now)))
    assert listens_at <= told[0] < listens_at + 0.1


def test_a_process_whose_server_has_ended_ends_without_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    reads, writes = os.pipe()
    monkeypatch.setattr(sys, "argv", ["", "builtins:dict", "0", str(writes)])
    monkeypatch.setattr(process, "loading", nullcontext)
    monkeypatch.setattr(serving, "run", lambda *_: None)
    monkeypatch.setattr(os, "_exit", sys.exit)
    with pytest.raises(SystemExit) as ended:
        process.main()
    assert ended.value.code == 0
    for each in (reads, writes):
        os.close(each)


def status_of(port: int, path: str) -> tuple[int, str | None]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    try:
        connection.request("GET", path)
        found = connection.getresponse()
        found.read()
        return found.status, found.getheader("connection")
    finally:
        connection.close()


@pytest.fixture
def app(redis_url: str) -> Flask:
    return application_of(redis_url=redis_url)


@pytest.fixture
def run(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[int], Awaitable[None]]], None]:
    """Return a function that serves on a free port beside a scenario, and ends with the server."""
    monkeypatch.setattr(signal, "raise_signal", lambda _: None)  # the last step of uvicorn after a signal

    def run(scenario: Callable[[int], Awaitable[None]]) -> None:
        listener = socket.create_server(("127.0.0.1", 0))
        port, ready = listener.getsockname()[1], asyncio.Event()

        async def both() -> None:
            async with asyncio.timeout(PATIENCE_SECONDS), asyncio.TaskGroup() as group:
                group.create_task(serve(app, [listener], ready.set))
                await ready.wait()
                await scenario(port)

        asyncio.run(both())

    return run


def test_a_drain_is_announced_before_the_process_stops_listening(
    run: Callable[..., None], app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEB_DRAIN_SECONDS", "3600")
    health = app.extensions["context"].health

    async def scenario(port: int) -> None:
        assert not health.ending()
        assert await asyncio.to_thread(status_of, port, "/readyz") == (200, None)
        os.kill(os.getpid(), signal.SIGUSR1)
        await until(health.ending)
        assert await asyncio.to_thread(status_of, port, "/readyz") == (503, "close")
        assert await asyncio.to_thread(status_of, port, "/healthz") == (200, "close")
        os.kill(os.getpid(), signal.SIGTERM)

    run(scenario)


def test_a_process_that_has_drained_listens_no_more_and_ends(
    run: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEB_DRAIN_SECONDS", "0")
    monkeypatch.setattr(serving, "LAST_SECONDS", 3_600.0)

    async def scenario(port: int) -> None:
        os.kill(os.getpid(), signal.SIGUSR1)
        with pytest.raises(ConnectionRefusedError):  # noqa: PT012 -- some time later
            while True:
                with suppress(ConnectionResetError, BrokenPipeError):  # of a connection that nobody has accepted
                    await asyncio.to_thread(status_of, port, "/healthz")
        os.kill(os.getpid(), signal.SIGTERM)

    run(scenario)
    monkeypatch.setattr(serving, "LAST_SECONDS", 0.0)

    async def drain(_: int) -> None:
        os.kill(os.getpid(), signal.SIGUSR1)

    run(drain)
