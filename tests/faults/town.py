"""The whole service in processes of its own, each of which can be killed and started again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Final

from service.launch.lifeline import start
from service.launch.redis import free_port
from tests.faults.line import Mortal
from tests.workers.processes import kill, until

ROOT: Final = Path(__file__).resolve().parents[2]
WEB: Final = ["-m", "gunicorn", "-c", "python:service.launch.gunicorn", "tests.faults.hall:create_app()"]
PLAY: Final = ["-m", "tests.faults.hall", "worker", "play"]
READY_SECONDS: Final = 60


class Town:
    """A web server of two processes, a worker that plays, and a Redis; every file of theirs is in one folder.

    Build it and start its processes from the main thread, since they die with the thread that started them.
    """

    def __init__(self, folder: Path, **environment: str) -> None:
        """Start everything; the environment overrides what the processes are told."""
        self.folder = folder
        self.redis = Mortal(folder)
        self.port = free_port()
        figures = folder / "figures"
        figures.mkdir()
        path = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(ROOT)]))
        self._environment = {
            **os.environ,
            "PYTHONPATH": path,
            "REDIS_URL": self.redis.url,
            "SECRET_KEY": "town",
            "PORT": str(self.port),
            "LOG_LEVEL": "error",
            "PROMETHEUS_MULTIPROC_DIR": str(figures),
            **environment,
        }
        self.web = self._start(WEB, "web")
        self.worker = self._start(PLAY, "worker")

    def await_ready(self) -> None:
        """Wait until the web server finds everything in order."""
        until(self._is_ready, READY_SECONDS)

    def stop(self) -> None:
        """End everything by force."""
        for process in (self.web, self.worker, self.redis.process):
            process.send_signal(signal.SIGKILL)
            process.wait()

    def kill_web_server(self) -> None:
        """Kill the web server with all its processes."""
        self.web.kill()
        self.web.wait()

    def kill_web_process(self, which: int) -> None:
        """Kill one of the processes that answer; gunicorn starts another."""
        self._kill_child(self.web, which)

    def kill_worker(self) -> None:
        """Kill the worker and the work-horse that it may have."""
        self.worker.kill()
        self.worker.wait()

    def kill_horse(self) -> None:
        """Kill the worker's work-horse, if it has one."""
        self._kill_child(self.worker, 0)

    def start_web_server(self) -> None:
        """Start the web server again, on its port."""
        self.web = self._start(WEB, "web")

    def start_worker(self) -> None:
        """Start the worker again."""
        self.worker = self._start(PLAY, "worker")

    def log(self, name: str) -> str:
        """Return what `web` or `worker` wrote."""
        return (self.folder / f"{name}.log").read_text("utf-8", errors="replace")

    def _start(self, command: list[str], name: str) -> subprocess.Popen[bytes]:
        log = self.folder / f"{name}.log"
        return start([sys.executable, "-P", *command], env=self._environment, output=log, cwd=ROOT)

    def _is_ready(self) -> bool:
        assert self.web.poll() is None, self.log("web")
        assert self.worker.poll() is None, self.log("worker")
        with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=2):
            return True
        return False

    @staticmethod
    def _kill_child(process: subprocess.Popen[bytes], which: int) -> None:
        found = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        if found:
            with suppress(ProcessLookupError):
                kill(int(found[which % len(found)]))
