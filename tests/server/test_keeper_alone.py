"""The keeper with child processes that a test plays: when it starts, watches, replaces and ends them."""

from __future__ import annotations

import asyncio
import os
import resource
import shutil
import signal
import socket
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import pytest

from service.launch.kept_process import KeptProcess
from service.server import keeper
from service.server.keeper import Keeper
from service.telemetry.metrics_folder import VARIABLE
from tests.server.lines import until

WEB: Final = "service.server.process"
METRICS: Final = "service.launch.metrics_process"


class Child:
    """A fake child process that records its signals."""

    def __init__(self, number: int, command: Sequence[str], keep: Sequence[int]) -> None:
        self.pid = 9_000_000 + number  # above every process id
        self.module = command[3]
        self.returncode: int | None = None
        self.signals: list[int] = []
        self.ports = [port_of(each) for each in keep[:-1]]
        self._pipe = os.dup(keep[-1])

    def poll(self) -> int | None:
        return self.returncode

    def send_signal(self, number: int) -> None:
        self.signals.append(number)

    def kill(self) -> None:
        self.signals.append(signal.SIGKILL)

    def beat(self) -> None:
        os.write(self._pipe, b"1")

    def end(self, code: int) -> None:
        self.returncode = code
        self.close()
        os.kill(os.getpid(), signal.SIGCHLD)

    def close(self) -> None:
        """Close the pipe of its signs, at most once."""
        pipe, self._pipe = self._pipe, -1
        with suppress(OSError):
            os.close(pipe)


def port_of(descriptor: int) -> int:
    with socket.socket(fileno=os.dup(descriptor)) as found:
        port: int = found.getsockname()[1]
        return port


class Stage:
    """The children of a keeper; `play` runs it beside a scenario and returns its exit code."""

    def __init__(self) -> None:
        self.children: list[Child] = []
        self.delays: list[float] = []
        self.metrics_folder = ""
        self._call_later: Callable[..., Any] = bool
        self._scenario: Callable[[], Awaitable[None]] | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self, command: Sequence[str], *, env: Mapping[str, str], keep: Sequence[int]) -> Child:
        assert env["SECRET_KEY"]
        self.metrics_folder = env[VARIABLE]
        child = Child(len(self.children), command, keep)
        self.children.append(child)
        if self._task is None:
            loop: Any = asyncio.get_running_loop()
            self._call_later = loop.call_later
            loop.call_later = self._note_delay
            self._task = loop.create_task(self._act())
        return child

    def _note_delay(self, delay: float, callback: Callable[..., object], *arguments: Any, **more: Any) -> Any:
        if getattr(callback, "__name__", "") == "_start":
            self.delays.append(delay)
            delay = 0
        return self._call_later(delay, callback, *arguments, **more)

    async def _act(self) -> None:
        assert self._scenario is not None
        try:
            await self._scenario()
        finally:
            for child in self.children:
                child.returncode = child.returncode or 0
            os.kill(os.getpid(), signal.SIGTERM)

    def play(self, scenario: Callable[[], Awaitable[None]], **settings: str) -> int:
        self._scenario = scenario
        code = Keeper("app", {"PORT": "0", "WEB_PROCESSES": "1", **settings}).run()
        assert self._task is not None
        self._task.result()
        return code

    async def comes(self, count: int) -> Child:
        """Wait until the keeper has started `count` children, and return the last one."""
        await until(lambda: len(self.children) >= count)
        assert len(self.children) == count
        return self.children[-1]

    async def settle(self) -> None:
        """Let the keeper handle everything that has happened."""
        for _ in range(20):
            await asyncio.sleep(0)
        await asyncio.sleep(0.01)

    async def ready(self, count: int) -> Child:
        child = await self.comes(count)
        child.beat()
        return child


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    made = Stage()
    monkeypatch.setattr(keeper, "start", made.start)
    monkeypatch.setattr(resource, "setrlimit", lambda *_: None)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGHUP, signal.SIGCHLD)}
    yield made
    for child in made.children:
        child.close()
    for number, handler in handlers.items():
        signal.signal(number, handler)


def modules(stage: Stage) -> list[str]:
    return [each.module for each in stage.children]


@pytest.mark.parametrize("processes", [1, 2, 4])
def test_all_others_start_after_the_first_sign_of_the_first(stage: Stage, processes: int) -> None:
    async def scenario() -> None:
        first = await stage.comes(1)
        await stage.settle()
        assert modules(stage) == [WEB]
        first.beat()
        await stage.comes(processes + 1)
        for child in stage.children[1:]:
            child.beat()
        await stage.settle()
        assert modules(stage) == [*[WEB] * processes, METRICS]
        assert not any(each.signals for each in stage.children)

    assert stage.play(scenario, WEB_PROCESSES=str(processes)) == 0


def test_each_process_has_the_shared_port_and_its_own(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = dict[int, int]()

    def open_free_port(host: str, port: int, _: int) -> socket.socket:
        """Listen on a free port in place of the configured one, which another process may have."""
        found = socket.create_server((host, 0))
        opened[port] = found.getsockname()[1]
        return found

    monkeypatch.setattr(keeper, "listen", open_free_port)

    async def scenario() -> None:
        await stage.ready(1)
        await stage.comes(4)
        web = [[opened[9], opened[1]], [opened[9], opened[2]], [opened[9]]]
        assert [each.ports for each in stage.children] == [*web, [opened[8]]]

    settings = {"PORT": "9", "METRICS_PORT": "8", "WEB_PROCESSES": "3", "WEB_OWN_PORTS": "1,2"}
    assert stage.play(scenario, **settings) == 0


@pytest.mark.parametrize("code", [0, 1, 3, -signal.SIGTERM, -signal.SIGSEGV, -signal.SIGINT])
def test_a_first_process_that_ends_before_its_sign_ends_the_keeper(
    stage: Stage, capsys: pytest.CaptureFixture[str], code: int
) -> None:
    async def scenario() -> None:
        first = await stage.comes(1)
        first.end(code)

    assert stage.play(scenario) == 1
    assert len(stage.children) == 1
    end = f"ended with {code}" if code >= 0 else f"was sent {signal.Signals(-code).name}"
    assert f"a web process {end}\n" in "".join(capsys.readouterr())


@pytest.mark.parametrize(
    ("is_ready", "code"),
    [(False, -signal.SIGKILL), (True, 1), (True, 0), (True, -signal.SIGKILL), (True, -signal.SIGSEGV)],
)
def test_another_dead_process_is_replaced(stage: Stage, code: int, *, is_ready: bool) -> None:
    async def scenario() -> None:
        first = await stage.comes(1)
        if is_ready:
            first.beat()
            await stage.comes(2)
        before = len(stage.children)
        first.end(code)
        again = await stage.comes(before + 1)
        assert again.module == WEB
        assert stage.delays == [0 if is_ready else keeper.RESTART_SECONDS]

    assert stage.play(scenario) == 0


def test_a_later_process_that_ends_before_its_sign_is_replaced(stage: Stage) -> None:
    async def scenario() -> None:
        await stage.ready(1)
        await stage.comes(3)
        stage.children[1].end(1)
        assert (await stage.comes(4)).module == WEB
        stage.children[2].end(1)
        assert (await stage.comes(5)).module == METRICS
        assert stage.delays == [keeper.RESTART_SECONDS] * 2

    assert stage.play(scenario, WEB_PROCESSES="2") == 0


def test_a_late_process_is_reported_and_then_replaced(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each number is the late checks before the next sign; the keeper reports from the third on."""
    late = [0, 1, 2, 3, 4, 6, 0, 9]
    signs = [True, *(sign for count in late for sign in [*[False] * count, True])]
    monkeypatch.setattr(keeper, "LIVENESS_SECONDS", 0.0)

    def gave_sign(process: KeptProcess) -> bool:
        return signs.pop(0) if signs and process.popen.pid == stage.children[0].pid else True

    monkeypatch.setattr(KeptProcess, "gave_sign", gave_sign)

    async def scenario() -> None:
        first = await stage.ready(1)
        second = await stage.comes(2)
        second.beat()
        await until(lambda: not signs)
        new = await stage.comes(3)
        assert new.module == WEB
        assert first.signals == []
        new.beat()
        await until(lambda: first.signals)
        assert first.signals == [signal.SIGUSR1]

    assert stage.play(scenario, WEB_STALL_SECONDS="7") == 0
    name = f"web process {stage.children[0].pid}"
    told = [line.partition(name)[2] for line in "".join(capsys.readouterr()).splitlines() if name in line]
    still, on = " stands still", " goes on"
    assert told == [still, on, still, on, still, on, still, f"{still}; replacing it", on]


def test_sighup_replaces_the_web_processes_one_after_the_other(stage: Stage) -> None:
    async def scenario() -> None:
        await stage.ready(1)
        await stage.comes(3)
        for child in stage.children[1:]:
            child.beat()
        await stage.settle()
        one, two, metrics = stage.children
        os.kill(os.getpid(), signal.SIGHUP)
        new = await stage.comes(4)
        await stage.settle()
        assert (len(stage.children), one.signals, two.signals) == (4, [], [])
        new.beat()
        await until(lambda: one.signals)
        one.end(0)
        newer = await stage.comes(5)
        assert two.signals == []
        newer.beat()
        await until(lambda: two.signals)
        two.end(0)
        await stage.settle()
        assert modules(stage)[3:] == [WEB, WEB]
        assert (one.signals, two.signals, metrics.signals) == ([signal.SIGUSR1], [signal.SIGUSR1], [])
        assert new.signals == newer.signals == []

    assert stage.play(scenario, WEB_PROCESSES="2") == 0


def test_a_signal_drains_every_process_and_a_second_one_kills_them(stage: Stage) -> None:
    async def scenario() -> None:
        await stage.ready(1)
        await stage.comes(2)
        os.kill(os.getpid(), signal.SIGINT)
        await until(lambda: all(each.signals for each in stage.children))
        assert [each.signals for each in stage.children] == [[signal.SIGUSR1], [signal.SIGTERM]]
        stage.children[0].end(0)
        await stage.settle()
        assert len(stage.children) == 2
        os.kill(os.getpid(), signal.SIGTERM)
        await until(lambda: len(stage.children[1].signals) == 2)
        assert stage.children[1].signals[1] == signal.SIGKILL

    assert stage.play(scenario) == 0


def test_two_signals_before_the_first_sign_are_a_failure(stage: Stage) -> None:
    async def scenario() -> None:
        first = await stage.comes(1)
        os.kill(os.getpid(), signal.SIGTERM)
        await until(lambda: first.signals)

    assert stage.play(scenario) == 1


def test_a_process_that_does_not_drain_in_time_is_killed(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeper, "MAX_DRAIN_SECONDS", 0.0)

    async def scenario() -> None:
        first = await stage.ready(1)
        await stage.comes(2)
        os.kill(os.getpid(), signal.SIGTERM)
        await until(lambda: len(first.signals) == 2)
        assert first.signals == [signal.SIGUSR1, signal.SIGKILL]

    assert stage.play(scenario) == 0


def test_a_metrics_folder_that_somebody_has_removed_is_no_failure(stage: Stage) -> None:
    async def scenario() -> None:
        await stage.ready(1)
        await stage.comes(2)
        shutil.rmtree(stage.metrics_folder)

    assert stage.play(scenario) == 0
