"""Worker processes for tests, which work as those do that an operator starts, and are gone when the test ends."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from service.launch.lifeline import start
from tests.launch.kit import PATIENCE_SECONDS, children_of
from tests.workers.fork_server import ROOT, ForkedWorker, fork_server

Worker = subprocess.Popen[bytes] | ForkedWorker


@contextmanager
def worker(redis_url: str, queue: str, **environment: str) -> Iterator[Worker]:
    """Run a worker on a queue; it is a new process only if the loader of programs has something to do."""
    whole = {**os.environ, "REDIS_URL": redis_url, **environment}
    command = [sys.executable, "-c", f"from workers.main import run; run({queue!r})"]
    workplace = ROOT if "build/compiled" not in os.environ.get("PYTHONPATH", "") else None
    process: Worker = (
        start(command, env=whole, cwd=workplace)
        if "LD_PRELOAD" in environment
        else fork_server().start("workers.main:run", queue, environment=whole)
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(PATIENCE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def horse_of(process: Worker) -> int | None:
    """Return the process id of a worker's work-horse, or None while it has none; it leads a group of its own."""
    return next((child for child in children_of(process.pid) if group_of(child) == child), None)


def clock_of(process: Worker) -> int | None:
    return next((child for child in children_of(process.pid) if group_of(child) == process.pid and alive(child)), None)


def group_of(pid: int) -> int | None:
    """Return the process group of a process, or None if the process has ended."""
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return None


def kill(pid: int) -> None:
    """End a process as a lack of memory would."""
    assert pid > 0, "no process, but a whole group"
    os.kill(pid, signal.SIGKILL)


@contextmanager
def frozen(process: Worker) -> Iterator[int | None]:
    """Hold a worker and its work-horse still, which is given or None while there is none; running ones go on."""
    os.kill(process.pid, signal.SIGSTOP)
    until(lambda: _state(process.pid) == "T")
    horse = horse_of(process)
    held = [process.pid] if horse is None else [process.pid, horse]
    if horse is not None:
        os.kill(horse, signal.SIGSTOP)
        until(lambda: _state(horse) in {"T", "Z"})
    try:
        yield horse if horse is not None and alive(horse) else None
    finally:
        for pid in held:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def alive(pid: int) -> bool:
    return _state(pid) not in {"Z", None}


def _state(pid: int) -> str | None:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return None


def until(condition: Callable[[], object], seconds: float = PATIENCE_SECONDS) -> float:
    """Wait for a condition and return the duration; fail if it takes longer than `seconds`."""
    began = time.monotonic()
    while not condition():
        took = time.monotonic() - began
        assert took < seconds, f"still not so after {took:.1f} s"
        time.sleep(0.02)
    return time.monotonic() - began
