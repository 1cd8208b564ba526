"""Runs the whole service on one machine: Redis, the workers and the web server.

If one of these processes ends, the supervisor stops all others.
"""

from __future__ import annotations

import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Final

from games.core.kernel import kernel
from service.launch import redis
from service.launch.address import Address, WrongAddressError
from service.launch.lifeline import TICK, start
from service.launch.terminal import BEGAN, ProgressBar, say
from service.telemetry.metrics_folder import METRICS_PATH, VARIABLE

WORKER_QUEUES: Final = ("play", "search", "bulk", "remote", "hooks")
LAST_LINES: Final = 20
PATIENCE_SECONDS: Final = 10
"""Seconds that running requests and jobs have to finish when the service stops."""


class NotServedError(RuntimeError):
    """The service cannot start, or must stop. The message gives the reason."""


@dataclass(frozen=True, slots=True)
class Child:
    """A child process of the supervisor."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path
    command: Sequence[str] = ()


class Supervisor:
    """Starts all processes in order, watches them, and stops them in reverse order."""

    def __init__(self, environment: Mapping[str, str], folder: Path) -> None:
        """Set up the supervisor. `folder` stores the data that is kept between runs.

        Raise WrongAddressError if PORT is invalid.
        """
        self.environment = dict(environment)
        self.folder = folder
        self.address = Address.from_env(environment)
        self.environment |= {"HOST": self.address.host, "PORT": str(self.address.port)}
        self.environment.setdefault("METRICS_PORT", str(redis.free_port()))
        self.children: list[Child] = []
        self.redis: redis.EmbeddedRedis | None = None
        self.asked = False
        self.began = time.time()

    def run(self) -> int:
        """Serve until Ctrl-C, SIGTERM or SIGHUP, and return the exit code."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            # nohup ignores SIGHUP, which we keep; a shell's & also ignores SIGINT, but Ctrl-C must stop us.
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self._ask)
        try:
            self._start()
            self._watch()
        except (NotServedError, WrongAddressError, redis.NoRedisError) as reason:
            say(f"stopping: {reason}".rstrip())
            return 1
        else:
            say("stopping")
            return 0
        finally:
            self._stop()
            say("stopped")

    def _ask(self, _number: int, _frame: FrameType | None) -> None:
        if self.asked:
            for child in self._running():
                child.process.kill()
        self.asked = True

    def _start(self) -> None:
        self.address.ensure_free()
        self.folder.mkdir(parents=True, exist_ok=True)
        self._prepare()
        place = self._start_redis_and_web()
        if self._await_ready():
            self._begin_work(place)

    def _prepare(self) -> None:
        self.environment.setdefault("SECRET_KEY", kept_secret(self.folder / "secret_key"))
        self._provide_metrics_folder()

    def _begin_work(self, place: str) -> None:
        taken = time.time() - float(self.environment.get(BEGAN, self.began))
        for queue in WORKER_QUEUES:
            self._child(f"worker {queue}", ["worker", queue])
        say(f"kernel {kernel()} · redis {place} · workers {', '.join(WORKER_QUEUES)} · logs {self.folder / 'log'}")
        figures = f"http://127.0.0.1:{self.environment['METRICS_PORT']}{METRICS_PATH}"
        shown = self.address.shown
        say(f"ready: {shown} · after {taken:.0f} s · contract {shown}/docs · figures {figures}")

    def _start_redis_and_web(self) -> str:
        """Start Redis and the web server. Return a text about where Redis runs, which the start message shows.

        If REDIS_URL is set, start only the web server. Otherwise, start the web server before Redis is ready, because
        the web server needs some time to load its modules.
        """
        if self.environment.get("REDIS_URL"):
            self._child("web server", ["web"])
            return "of REDIS_URL"
        folder = self.folder / "redis"
        for _ in range(redis.START_TRIES):
            self.redis = redis.begin(folder)
            self.environment["REDIS_URL"] = self.redis.url
            self._child("web server", ["web"])
            if redis.wait_for(self.redis, folder, wanted=lambda: not self.asked) or self.asked:
                return self.redis.place
            # Another program took the port, so the address has changed.
            for child in self.children:
                child.process.terminate()
                child.process.wait()
            self.children.clear()
        raise redis.does_not_start(folder)

    def _provide_metrics_folder(self) -> None:
        if VARIABLE not in self.environment:
            metrics = self.folder / "metrics"
            shutil.rmtree(metrics, ignore_errors=True)
            metrics.mkdir()
            self.environment[VARIABLE] = str(metrics)

    def _child(self, name: str, command: Sequence[str], *, mark: str = "") -> None:
        if not self.asked:
            log = self.folder / "log" / f"{'-'.join(command)}{mark}.log"
            log.parent.mkdir(exist_ok=True)
            log.unlink(missing_ok=True)
            process = start([sys.executable, "-P", "-m", "service", *command], env=self.environment, output=log)
            self.children.append(Child(name, process, log, command))

    def _await_ready(self) -> bool:
        progress = ProgressBar("the web server is not ready yet")
        while not self.asked:
            self._notice_deaths()
            if answers(f"{self.address.shown}/readyz"):
                return True
            progress.tell()
            time.sleep(TICK)
        return False

    def _watch(self) -> None:
        while not self.asked:
            self._notice_deaths()
            time.sleep(TICK)

    def _notice_deaths(self) -> None:
        for child in self.children:
            code = child.process.poll()
            if code is not None:
                raise NotServedError(f"the {child.name} ended with {code}, see {child.log}\n{ending(child.log)}")
        if self.redis is not None and self.redis.process.poll() is not None:
            log = self.folder / "redis" / "redis.log"
            raise NotServedError(f"Redis ended, see {log}\n{ending(log)}")

    def _stop(self) -> None:
        """Stop all processes. Redis stops last, because all other processes need it to finish their current work."""
        lost = self.redis is not None and self.redis.process.poll() is not None
        steps = ((signal.SIGTERM, 1 if lost else PATIENCE_SECONDS), (signal.SIGTERM, 1), (signal.SIGKILL, 3))
        for ask, seconds in steps:
            until = time.monotonic() + seconds
            for child in self._running():
                child.process.send_signal(ask)
            while self._running() and time.monotonic() < until:
                time.sleep(TICK)
        if self.redis is not None:
            self.redis.stop()

    def _running(self) -> list[Child]:
        return [child for child in self._known() if child.process.poll() is None]

    def _known(self) -> list[Child]:
        return self.children


def answers(address: str) -> bool:
    """Return whether the service at an address responds and reports that it is healthy.

    The request ignores the proxy settings of the environment.
    """
    from urllib.request import ProxyHandler, build_opener  # noqa: PLC0415 -- the web server starts before it is loaded

    try:
        with build_opener(ProxyHandler({})).open(address, timeout=2):
            return True
    except OSError:
        return False


def kept_secret(file: Path) -> str:
    """Return the secret stored in a file. If the file does not exist, create a secret and store it in this file."""
    if not file.exists():
        redis.private(file, secrets.token_hex(32))
    return file.read_text()


def ending(log: Path) -> str:
    return "\n".join(log.read_text("utf-8", errors="replace").splitlines()[-LAST_LINES:])
