"""The service on three hosts: a store, and two hosts with a web server and workers each."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from redis import Redis

from service.launch.redis import server
from service.store import sessions
from tests.faults.town import QUEUES, WEB
from tests.hosts.network import Network
from tests.launch.logs import read_log
from tests.workers.processes import until

WEB_HOSTS: Final = ("one", "two")
STORE_HOST: Final = "store"
WEB_PORT: Final = 8000
STORE_PORT: Final = 6379
WORKER: Final = "from tests.faults.hall_worker import cli; cli()"
FAKETIME: Final = "/usr/lib/*/faketime/libfaketimeMT.so.1"


class Village:
    """Three hosts. Sessions are created and played through both web hosts."""

    port = WEB_PORT

    def __init__(self, folder: Path, *, clocks: Mapping[str, float] | None = None) -> None:
        """Start everything; `clocks` are seconds by which the clock of a host is ahead."""
        self.folder = folder
        self.network = Network((STORE_HOST, *WEB_HOSTS))
        self.hosts: tuple[str, ...] = tuple(self.network.addresses[name] for name in WEB_HOSTS)
        self.store = self.network.addresses[STORE_HOST]
        self._clocks = clocks or {}
        self._environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(Path.cwd())])),
            "REDIS_URL": f"redis://{self.store}:{STORE_PORT}/0",
            "SECRET_KEY": "village",
            "HOST": "0.0.0.0",  # noqa: S104 -- of a namespace with nothing but test hosts
            "PORT": str(WEB_PORT),
            "WEB_PROCESSES": "1",
            "LOG_LEVEL": "error",
            "OPEN_QUOTAS": "false",
        }
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self._start_store()
        for host in WEB_HOSTS:
            self._run(host, "web", [sys.executable, "-P", *WEB])
            for queue in QUEUES:
                self._run(host, queue, [sys.executable, "-P", "-c", WORKER, "worker", queue])

    def await_ready(self) -> None:
        """Wait until both web hosts are ready."""
        for host in self.hosts:
            until(lambda host=host: is_ready(host))  # type: ignore[misc]

    def lines(self, path: str) -> list[sessions.LogEntry]:
        """Return the log of the session at a path."""
        with Redis(self.store, STORE_PORT) as client:
            return [line for _, line in sessions.SessionStore(client, 1).log_entries(path.rpartition("/")[2])]

    def kill_host(self, name: str) -> None:
        """Kill every process of a host, as if it lost its power."""
        for process in self._of(name):
            process.kill()
            process.wait()

    def stop(self) -> None:
        """End everything and remove the network."""
        for process in self.processes.values():
            process.kill()
            process.wait()
        self.network.close()
        for name in self.processes:
            if not name.startswith(STORE_HOST):
                read_log(self.folder / f"{name}.log", kills=True)

    def _of(self, host: str) -> list[subprocess.Popen[bytes]]:
        return [process for name, process in self.processes.items() if name.startswith(f"{host}-")]

    def _start_store(self) -> None:
        data = self.folder / "data"
        data.mkdir()
        binary = server()
        options = ["--port", str(STORE_PORT), "--bind", self.store, "--protected-mode", "no", "--dir", str(data)]
        options += ["--appendonly", "yes", "--appendfsync", "always", "--save", ""]
        self._run(STORE_HOST, "redis", [str(binary), *options])

    def _run(self, host: str, part: str, command: list[str]) -> None:
        name = f"{host}-{part}"
        environment = self._environment
        ahead = self._clocks.get(host)
        if ahead is not None:
            (library,) = Path("/").glob(FAKETIME[1:])
            environment = {**environment, "LD_PRELOAD": str(library), "FAKETIME": f"{ahead:+}s"}
        self.processes[name] = self.network.run(host, command, environment, self.folder / f"{name}.log")


def is_ready(host: str) -> bool:
    """Tell whether the web server of a host is ready."""
    with suppress(OSError), urllib.request.urlopen(f"http://{host}:{WEB_PORT}/readyz", timeout=5):
        return True
    return False


def has_faketime() -> bool:
    """Tell whether libfaketime is installed, which makes a wrong clock."""
    return shutil.which("faketime") is not None
