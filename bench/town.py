"""The whole service in processes of its own, on free ports and an empty Redis, with the costs of each part."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from redis import Redis

from service.launch import redis
from service.launch.lifeline import start
from service.launch.supervisor import answers

READY_SECONDS: Final = 60
STOP_SECONDS: Final = 10
TICKS: Final = os.sysconf("SC_CLK_TCK")

WEB: Final = ("service", "web")
WORKERS: Final = {f"worker {queue}": ("service", "worker", queue) for queue in ("play", "search", "bulk")}
REDIS: Final = "Redis"
WATCHED: Final = "web for streams"
"""The second deployment, if streams are apart."""

CLIENT: Final = "this client"
OTHERS: Final = "others on the machine"


@dataclass(frozen=True)
class Taken:
    """Use of the machine's cores by part over some time, 1 being a whole core."""

    seconds: float
    cores: dict[str, float]


class Town:
    """A Redis, a web server and two workers, started as `dev.py serve` starts them."""

    def __init__(self, folder: Path, web: Sequence[str] = WEB, *, apart: bool = False, **environment: str) -> None:
        """Take an empty folder, the web server's module and arguments, and more environment variables of the processes.

        With `apart` there is a second web server, for streams; it has one core, and all other processes share the rest.
        """
        launched = redis.launch(folder / "redis")
        self._redis = launched
        self.port = redis.free_port()
        self._folder = folder
        self._commands = {"web": web, **WORKERS, **({WATCHED: web} if apart else {})}
        self.watch_port = redis.free_port() if apart else self.port
        self._environment = {
            **os.environ,
            "REDIS_URL": launched.url,
            "PORT": str(self.port),
            "SECRET_KEY": "bench",
            "LOG_LEVEL": "error",
            "OPEN_QUOTAS": "false",
            **environment,
        }
        self.url = launched.url
        self.redis = Redis.from_url(launched.url)
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Self:
        """Start everything, and wait until it is ready."""
        try:
            for name, command in self._commands.items():
                log = self._folder / f"{name}.log"
                python = [sys.executable, "-P", "-m", *command]
                more = {"PORT": str(self.watch_port)} if name == WATCHED else {}
                with on_cores(self._cores_of(name)):
                    self._processes[name] = start(python, env={**self._environment, **more}, output=log)
            self._await_ready()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop everything."""
        self._stop()

    def fsync(self, policy: str) -> None:
        """Let Redis write its file to disk always, everysec, or no."""
        self.redis.config_set("appendfsync", policy)

    def memory(self) -> dict[str, float]:
        """Return the memory of each part in MiB, shared pages in parts."""
        return {name: memory_of(pid) for name, pid in self.roots()}

    def watch(self) -> Watch:
        """Begin to count what each part takes of the cores."""
        return Watch(dict(self.roots()))

    def roots(self) -> Iterator[tuple[str, int]]:
        """Yield each part with its first process."""
        yield REDIS, self._redis.process.pid
        yield from ((name, process.pid) for name, process in self._processes.items())

    def _cores_of(self, name: str) -> set[int]:
        cores = os.sched_getaffinity(0)
        last = {max(cores)}
        if WATCHED not in self._commands or len(cores) == 1:
            return cores
        return last if name == WATCHED else cores - last

    def _stop(self) -> None:
        for process in self._processes.values():
            process.send_signal(signal.SIGTERM)
        for process in self._processes.values():
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.redis.close()
        self._redis.stop()

    def _await_ready(self) -> None:
        until = time.monotonic() + READY_SECONDS
        while not self._is_ready():
            if time.monotonic() > until:
                raise RuntimeError(f"the service is not ready after {READY_SECONDS} s, see {self._folder}")
            time.sleep(0.05)

    def _is_ready(self) -> bool:
        for name, process in self._processes.items():
            if process.poll() is not None:
                raise RuntimeError(f"the {name} ended, see {self._folder}")
        return all(answers(f"http://127.0.0.1:{port}/readyz") for port in {self.port, self.watch_port})


class Watch:
    """Counter of the cores that parts have taken since its creation."""

    def __init__(self, roots: dict[str, int]) -> None:
        """Take the first process of each part."""
        self._roots = {**roots, CLIENT: os.getpid()}
        self._before, self._busy, self._began = self._times(), _busy(), time.monotonic()

    def taken(self) -> Taken:
        """Return the use of cores so far."""
        seconds = time.monotonic() - self._began
        after = self._times()
        cores = {name: (after[name] - self._before[name]) / TICKS / seconds for name in self._roots}
        cores[OTHERS] = max(0.0, (_busy() - self._busy) / TICKS / seconds - sum(cores.values()))
        return Taken(seconds, cores)

    def _times(self) -> dict[str, int]:
        ours = {CLIENT: [os.getpid()]}
        return {name: sum(map(_ticks, ours.get(name) or _tree(pid))) for name, pid in self._roots.items()}


@contextmanager
def on_cores(cores: set[int]) -> Iterator[None]:
    """Let what is started meanwhile have some cores for all its life. Linux only."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def memory_of(pid: int) -> float:
    """Return the memory of a process and its descendants in MiB, shared pages in parts."""
    return sum(map(_pss, _tree(pid))) / 1024


def _tree(pid: int) -> list[int]:
    children = [int(child) for path in Path(f"/proc/{pid}/task").glob("*/children") for child in _read(path).split()]
    return [pid, *(found for child in children for found in _tree(child))]


def _ticks(pid: int) -> int:
    fields = _read(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) if fields else 0


def _pss(pid: int) -> int:
    lines = _read(Path(f"/proc/{pid}/smaps_rollup")).splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


def _busy() -> int:
    user, nice, system, _idle, _wait, irq, softirq, *_ = map(int, _read(Path("/proc/stat")).splitlines()[0].split()[1:])
    return user + nice + system + irq + softirq


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
