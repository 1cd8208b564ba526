"""The whole service in processes of its own, each with its log."""

import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from redis import Redis

from service.launch.lifeline import start
from service.store.session_store import SessionStore
from service.store.sessions import LogEntry
from tests.faults.kit import LOOPBACK, Mortal
from tests.launch.kit import PATIENCE_SECONDS, own_port, read_log
from tests.workers.fork_server import fork_server
from tests.workers.processes import Worker, until

ROOT: Final = Path(__file__).resolve().parents[2]
WEB: Final = ["-m", "service", "web", "--app", "tests.faults.hall:create_app"]
WORKER: Final = "tests.faults.hall_worker:cli"
QUEUES: Final = ("play", "search")
"""Queues with waiting people at a table: bots' moves and advice."""

PROMPT_SECONDS: Final = 2


class Town:
    """A web server of two processes, a worker for bots and one for searches, and a Redis; one folder has their files.

    Build it and start its processes from the main thread, since they die with the thread that started them.
    """

    hosts: tuple[str, ...] = (LOOPBACK,)

    def __init__(self, folder: Path, *, queues: Sequence[str] = QUEUES) -> None:
        self.folder, self._queues = folder, queues
        self.redis = Mortal(folder)
        self.port = own_port()
        path = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(ROOT)]))
        self._environment = {
            **os.environ,
            "PYTHONPATH": path,
            "REDIS_URL": self.redis.url,
            "SECRET_KEY": "town",
            "PORT": str(self.port),
            "LOG_LEVEL": "error",
            "OPEN_QUOTAS": "false",
        }
        self.web = self._start(WEB, "web")
        self.start_worker()

    def await_ready(self) -> None:
        """Wait until the web server finds everything in order."""
        until(self._is_ready)

    def stop(self) -> None:
        for process in (self.web, *self.workers.values(), self.redis.process):
            process.send_signal(signal.SIGKILL)
            process.wait()
        for name in ("web", *self.workers):
            self.log(name)  # of no process that has died by itself

    def start_worker(self) -> None:
        self.workers = {f"worker-{queue}": self._start_at(queue) for queue in self._queues}

    def lines(self, path: str) -> list[LogEntry]:
        with Redis.from_url(self.redis.url) as client:
            return [line for _, line in SessionStore(client, 1).log_entries(path.rpartition("/")[2])]

    def log(self, name: str) -> str:
        """Return the output of `web`, `worker-play` or `worker-search`."""
        return read_log(self.folder / f"{name}.log", kills=True)

    def _start(self, command: list[str], name: str) -> subprocess.Popen[bytes]:
        log = self.folder / f"{name}.log"
        return start([sys.executable, "-P", *command], env=self._environment, output=log, cwd=ROOT)

    def _start_at(self, queue: str) -> Worker:
        log = self.folder / f"worker-{queue}.log"
        return fork_server().start(WORKER, ["worker", queue], environment=self._environment, output=log)

    def _is_ready(self) -> bool:
        assert self.web.poll() is None, self.log("web")
        for name, worker in self.workers.items():
            assert worker.poll() is None, self.log(name)
        with (
            suppress(OSError),
            urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=PATIENCE_SECONDS),
        ):
            return True
        return False
