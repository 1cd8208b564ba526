"""A fork server: workers begin in a process with all modules loaded, which takes most of their first second.

After that a worker does the same as an operator's worker. The fork server of `multiprocessing` loads the
main module of the tests into each, and leaves them alive if the tests are killed.
"""

from __future__ import annotations

import atexit
import functools
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Final

from service.launch.lifeline import start, tied
from service.launch.prepare import prepare_process

ROOT: Final = Path(__file__).resolve().parents[2]
LOADED: Final = (
    "rq",
    "workers.positions",
    "workers.review",
    "workers.scheduler",
    "workers.sessions.bot_turns",
    "workers.simulate.turns",
    "workers.standing",
    "workers.task_telemetry",
)
"""Modules of a worker, without `workers.main` and `workers.tasks`: they read the environment."""

TICK: Final = 0.01
"""Seconds between two looks at a worker whose end is waited for."""


class ForkedWorker:
    """A worker, which is used as a process of `subprocess` is."""

    def __init__(self, fork_server: ForkServer, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._server = fork_server

    def poll(self) -> int | None:
        if self.returncode is None:
            self.returncode = self._server.ask({"ended": self.pid})
        return self.returncode

    def wait(self, seconds: float = float("inf")) -> int:
        until = time.monotonic() + seconds
        while (ended := self.poll()) is None:
            if time.monotonic() > until:
                raise subprocess.TimeoutExpired("worker", seconds)
            time.sleep(TICK)
        return ended

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)


class ForkServer:
    def __init__(self) -> None:
        ours, its = socket.socketpair()
        command = [sys.executable, "-c", f"from tests.workers.fork_server import serve; serve({its.fileno()})"]
        path = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(ROOT)]))
        self._process = start(command, keep=[its.fileno()], env={**os.environ, "PYTHONPATH": path})
        its.close()
        self._line = ours.makefile("rwb")
        ours.close()
        self._turn = threading.Lock()
        atexit.register(self._end)

    def start(
        self, function: str, *arguments: Any, environment: Mapping[str, str], output: Path | None = None
    ) -> ForkedWorker:
        """Return a process that has just begun and calls a function, `module:name`; it may have a file to write to."""
        order = {"function": function, "arguments": arguments, "environment": {**environment}}
        return ForkedWorker(self, self.ask({**order, "output": None if output is None else str(output)}))

    def ask(self, order: Mapping[str, Any]) -> Any:
        with self._turn:
            self._line.write(json.dumps(order).encode() + b"\n")
            self._line.flush()
            return json.loads(self._line.readline())

    def _end(self) -> None:
        self._line.close()
        self._process.wait()


@functools.cache
def fork_server() -> ForkServer:
    return ForkServer()


def serve(descriptor: int) -> None:
    tie = tied(os.getpid(), signal.SIGKILL)
    for module in LOADED:
        import_module(module)
    prepare_process()
    gc.freeze()
    with socket.socket(fileno=descriptor) as line, line.makefile("rwb") as orders:
        for order in orders:
            asked = json.loads(order)
            if "ended" in asked:
                answer = _ended(asked["ended"])
            elif not (answer := os.fork()):
                break
            orders.write(json.dumps(answer).encode() + b"\n")
            orders.flush()
        else:
            return
    tie()
    _call(**asked)


def _ended(pid: int) -> int | None:
    found, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if found else None


def _call(function: str, arguments: Sequence[Any], environment: Mapping[str, str], output: str | None) -> None:
    os.setsid()
    os.environ.clear()
    os.environ.update(environment)
    if output is not None:
        with Path(output).open("ab") as log:
            os.dup2(log.fileno(), sys.stdout.fileno())
            os.dup2(log.fileno(), sys.stderr.fileno())
    resolve_name(function)(*arguments)
