"""The whole service in processes of its own, each of which can be killed and started again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from redis import Redis

from service.launch.lifeline import start
from service.store.session_store import SessionStore
from service.store.sessions import LogEntry
from tests.faults.caller import LOOPBACK
from tests.faults.line import Line, Mortal
from tests.launch.logs import read_log
from tests.launch.processes import PATIENCE_SECONDS, own_port
from tests.workers.fork_server import fork_server
from tests.workers.processes import Worker, clock_of, horse_of, kill, until

ROOT: Final = Path(__file__).resolve().parents[2]
WEB: Final = ["-m", "service", "web", "--app", "tests.faults.hall:create_app"]
WORKER: Final = "tests.faults.hall_worker:cli"
QUEUES: Final = ("play", "search")
"""The queues of what people wait for at a table: bots' moves and advice."""

SOON_SECONDS: Final = 2


class Town:
    """A web server of two processes, a worker for bots and one for searches, and a Redis; one folder has their files.

    Build it and start its processes from the main thread, since they die with the thread that started them.
    """

    hosts: tuple[str, ...] = (LOOPBACK,)

    def __init__(self, folder: Path, *, lossy: bool = False, queues: Sequence[str] = QUEUES) -> None:
        """Start everything; a lossy town has a line to Redis that can lose its answers."""
        self.folder, self._queues = folder, queues
        self.redis = Mortal(folder)
        self.line = Line(self.redis.port)
        self.port = own_port()
        path = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(ROOT)]))
        self._environment = {
            **os.environ,
            "PYTHONPATH": path,
            "REDIS_URL": self.line.url if lossy else self.redis.url,
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
        """End everything by force."""
        for process in (self.web, *self.workers.values(), self.redis.process):
            process.send_signal(signal.SIGKILL)
            process.wait()
        self.line.close()
        for name in ("web", *self.workers):
            self.log(name)  # of no process that has died by itself

    def kill_web_server(self) -> None:
        self.web.kill()
        self.web.wait()

    def kill_web_process(self, which: int) -> None:
        """Kill one of the processes that answer; the server starts another."""
        found = Path(f"/proc/{self.web.pid}/task/{self.web.pid}/children").read_text().split()
        if found:
            with suppress(ProcessLookupError):
                kill(int(found[which % len(found)]))

    def kill_worker(self) -> None:
        """Kill the workers and the work-horses that they may have."""
        for worker in self.workers.values():
            worker.kill()
            worker.wait()

    def kill_horse(self) -> bool:
        """Kill a worker's work-horse as soon as one has one, and tell whether it came to that."""
        return self._kill_soon(horse_of)

    def kill_clock(self) -> bool:
        """Kill the clock beside a worker, which starts another, and tell whether it came to that."""
        return self._kill_soon(clock_of)

    def start_web_server(self) -> None:
        self.web = self._start(WEB, "web")

    def start_worker(self) -> None:
        self.workers = {f"worker-{queue}": self._start_at(queue) for queue in self._queues}

    def lines(self, path: str) -> list[LogEntry]:
        with Redis.from_url(self.redis.url) as client:
            return [line for _, line in SessionStore(client, 1).log_entries(path.rpartition("/")[2])]

    def scripts(self) -> int:
        """Return how often Redis was asked to run a script."""
        with Redis.from_url(self.redis.url) as client:
            counted: dict[str, dict[str, int]] = client.info("commandstats")
        return counted.get("cmdstat_evalsha", {"calls": 0})["calls"]

    def log(self, name: str) -> str:
        """Return what `web`, `worker-play` or `worker-search` wrote."""
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

    def _kill_soon(self, find: Callable[[Worker], int | None]) -> bool:
        until = time.monotonic() + SOON_SECONDS
        while time.monotonic() < until:
            found = next((pid for pid in map(find, self.workers.values()) if pid is not None), None)
            if found is not None:
                with suppress(ProcessLookupError):
                    kill(found)
                    return True
            time.sleep(0.001)
        return False
