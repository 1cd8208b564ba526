"""The service on three hosts: a store, and two hosts with a web server and workers each."""

import os
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from redis import Redis, RedisError

from service.launch.redis import server
from service.store.session_store import SessionStore
from service.store.sessions import LogEntry
from tests.faults.town import QUEUES, WEB
from tests.hosts.network import Network
from tests.launch.kit import read_log
from tests.workers.processes import until

WEB_HOSTS: Final = ("one", "two")
STORE_HOST: Final = "store"
REPLICA_HOST: Final = "replica"
SENTINEL_HOSTS: Final = (REPLICA_HOST, *WEB_HOSTS)
NAME: Final = "village"
WEB_PORT: Final = 8000
SENTINEL_PORT: Final = 26379
STORE_PORT: Final = 6379
WORKER: Final = "from tests.faults.hall_worker import cli; cli()"
FAKETIME: Final = "/usr/lib/*/faketime/libfaketimeMT.so.1"


class Village:
    """Three hosts. Sessions are created and played through both web hosts."""

    port = WEB_PORT

    def __init__(self, folder: Path, *, clocks: Mapping[str, float] | None = None, has_replica: bool = False) -> None:
        """Start everything; `clocks` are seconds by which the clock of a host is ahead.

        With a replica there is a fourth host for it, and Sentinels on three of them.
        """
        self.folder = folder
        self.network = Network((STORE_HOST, *WEB_HOSTS, *((REPLICA_HOST,) if has_replica else ())))
        self.hosts: tuple[str, ...] = tuple(self.network.addresses[name] for name in WEB_HOSTS)
        self.store = self.network.addresses[STORE_HOST]
        self._clocks = clocks or {}
        self._environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(Path.cwd())])),
            "REDIS_URL": self._watched_url() if has_replica else f"redis://{self.store}:{STORE_PORT}/0",
            "SECRET_KEY": "village",
            "HOST": "0.0.0.0",  # noqa: S104 -- of a namespace with nothing but test hosts
            "PORT": str(WEB_PORT),
            "WEB_PROCESSES": "1",
            "LOG_LEVEL": "error",
            "OPEN_QUOTAS": "false",
        }
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self._start_store(STORE_HOST)
        if has_replica:
            self._start_store(REPLICA_HOST, "--replicaof", self.store, str(STORE_PORT))
            until(self.has_caught_up)
            for host in SENTINEL_HOSTS:
                self._start_sentinel(host)
        for host in WEB_HOSTS:
            self._run(host, "web", [sys.executable, "-P", *WEB])
            for queue in QUEUES:
                self._run(host, queue, [sys.executable, "-P", "-c", WORKER, "worker", queue])

    def await_ready(self) -> None:
        for host in self.hosts:
            until(lambda host=host: is_ready(host))  # type: ignore[misc]

    def lines(self, path: str) -> list[LogEntry]:
        with Redis(self.store, STORE_PORT) as client:
            return [line for _, line in SessionStore(client, 1).log_entries(path.rpartition("/")[2])]

    def kill_host(self, name: str) -> None:
        """Kill every process of a host, as if it lost its power."""
        for process in self._of(name):
            process.kill()
            process.wait()

    def stop(self) -> None:
        for process in self.processes.values():
            process.kill()
            process.wait()
        self.network.close()
        for name in self.processes:
            if not name.endswith(("-redis", "-sentinel")):
                read_log(self.folder / f"{name}.log", kills=True)

    def _of(self, host: str) -> list[subprocess.Popen[bytes]]:
        return [process for name, process in self.processes.items() if name.startswith(f"{host}-")]

    def has_caught_up(self) -> bool:
        with suppress(RedisError), Redis(self.network.addresses[REPLICA_HOST], STORE_PORT) as client:
            state = client.info("replication")
            with Redis(self.store, STORE_PORT) as store:
                written = store.info("replication")["master_repl_offset"]
            return bool(state.get("master_link_status") == "up" and state["slave_repl_offset"] >= written)
        return False

    def _watched_url(self) -> str:
        sentinels = ",".join(f"{self.network.addresses[host]}:{SENTINEL_PORT}" for host in SENTINEL_HOSTS)
        return f"redis+sentinel://{sentinels}/{NAME}/0"

    def _start_store(self, host: str, *options: str) -> None:
        data = self.folder / f"{host}-data"
        data.mkdir()
        place = ["--port", str(STORE_PORT), "--bind", self.network.addresses[host], "--dir", str(data)]
        safe = ["--protected-mode", "no", "--appendonly", "yes", "--appendfsync", "always", "--save", ""]
        self._run(host, "redis", [server(), *place, *safe, "--repl-diskless-sync-delay", "0", *options])

    def _start_sentinel(self, host: str) -> None:
        file = self.folder / f"{host}-sentinel.conf"
        lines = (
            f"port {SENTINEL_PORT}",
            f"bind {self.network.addresses[host]}",
            "protected-mode no",
            f"sentinel monitor {NAME} {self.store} {STORE_PORT} 2",
            f"sentinel down-after-milliseconds {NAME} 1000",
            f"sentinel failover-timeout {NAME} 5000",
        )
        file.write_text("\n".join(lines) + "\n")
        self._run(host, "sentinel", [server(), str(file), "--sentinel"])

    def _run(self, host: str, part: str, command: list[str]) -> None:
        name = f"{host}-{part}"
        environment = self._environment
        ahead = self._clocks.get(host)
        if ahead is not None:
            (library,) = Path("/").glob(FAKETIME[1:])
            environment = {**environment, "LD_PRELOAD": str(library), "FAKETIME": f"{ahead:+}s"}
        self.processes[name] = self.network.run(host, command, environment, self.folder / f"{name}.log")


def is_ready(host: str) -> bool:
    with suppress(OSError), urllib.request.urlopen(f"http://{host}:{WEB_PORT}/readyz", timeout=5):
        return True
    return False


def has_faketime() -> bool:
    """Return whether libfaketime is installed, which makes a wrong clock."""
    return shutil.which("faketime") is not None
