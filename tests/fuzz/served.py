"""The service as `dev.py serve` runs it, with small limits of work, and its visible state from outside."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import httpx

from service.auth.api_keys import SCOPES, KeyStore
from service.launch.lifeline import start
from service.launch.redis import reach
from service.store.clients import commands
from tests.faults.test_lines import memory
from tests.launch.kit import HTTP, children_of, command_of, own_port

START_SECONDS: Final = 120
SETTINGS: Final = {
    "WEB_PROCESSES": "1",
    "LOG_LEVEL": "warning",
    "LIMIT_WAIT_SECONDS": "1",
    "LIMIT_HEARTBEAT_SECONDS": "1",
    "LIMIT_SEARCH_SECONDS": "2",
    "LIMIT_SEARCH_MILLISECONDS": "100",
    "LIMIT_SEARCH_ITERATIONS": "500",
    "LIMIT_SIMULATION_SECONDS": "2",
    "LIMIT_SIMULATION_GAMES": "100",
    "LIMIT_BATCH_SECONDS": "2",
    "LIMIT_BATCH_POSITIONS": "20",
    "LIMIT_BATCH_SESSIONS": "5",
    "OPEN_QUOTAS": "false",
    "LIMIT_WEBHOOKS_PER_KEY": "1000000",
    "LIMIT_KEY_REQUESTS_PER_MINUTE": "1000000000",
}
"""Limits of the workers' part in a request, because the web server is under test; quotas are off."""


class Served:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = f"http://127.0.0.1:{own_port()}"
        settings = {"DORFPLATZ_VAR": str(folder), "PORT": self.url.rpartition(":")[2], **SETTINGS}
        known = {name: value for name, value in os.environ.items() if not name.startswith(("LIMIT_", "REDIS_URL"))}
        command = [sys.executable, "-P", "-m", "service", "serve"]
        self._process = start(command, ending=signal.SIGTERM, env=known | settings, output=folder / "serve.log")
        until = time.monotonic() + START_SECONDS
        while not self._is_ready():
            if time.monotonic() > until or self._process.poll() is not None:
                raise RuntimeError((folder / "serve.log").read_text())
            time.sleep(0.1)
        self.pids = self.web_pids()

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()

    def runs(self) -> bool:
        return self._process.poll() is None and self.web_pids() == self.pids

    def key(self) -> str:
        with reach(self.folder / "redis") as url, commands(url) as client:
            return KeyStore(client).add("the fuzzer", SCOPES)[1]

    def web_pids(self) -> list[int]:
        found = [pid for child in children_of(self._process.pid) for pid in children_of(child)]
        return sorted(pid for pid in found if b"service.server.process" in command_of(pid))

    def memory(self) -> int:
        return sum(map(memory, self.web_pids()))

    def faults(self) -> list[str]:
        """Return the logged errors and unintended output of the web server and the workers."""
        return [
            f"{log.name}: {line[:1000]}"
            for log in sorted((self.folder / "log").glob("*.log"))
            for line in log.read_text("utf-8", errors="replace").splitlines()
            if _tells_of_a_fault(line)
        ]

    def _is_ready(self) -> bool:
        try:
            return HTTP.get(f"{self.url}/readyz").is_success
        except httpx.TransportError:
            return False


def _tells_of_a_fault(line: str) -> bool:
    return "Traceback" in line or (line.startswith("{") and json.loads(line).get("level") in {"error", "critical"})


@contextmanager
def served(folder: Path) -> Iterator[Served]:
    running = Served(folder)
    try:
        yield running
    except subprocess.SubprocessError as error:
        raise RuntimeError from error
    finally:
        running.stop()
