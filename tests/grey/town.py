"""The whole service on three hosts of a test network. Each of its processes can be found by name and disturbed."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from redis import Redis, RedisError

from service.auth.api_keys import KeyStore
from service.launch.lifeline import start
from service.launch.redis import server
from service.store.session_store import SessionStore
from service.store.sessions import LogEntry
from tests.faults.kit import LOOPBACK, Machine, machine
from tests.faults.town import WEB
from tests.hosts.network import DRIVER, Network, missing
from tests.launch.kit import children_of, command_of, own_port, read_log
from tests.service.streams.server import web_processes_of
from tests.workers.processes import alive, group_of, until

QUEUES: Final = ("play", "search", "bulk", "remote", "hooks")
HOSTS: Final = ("store", "web", "work")
WEB_PROCESSES: Final = ("web-1", "web-2")
WORKER: Final = "from tests.faults.hall_worker import cli; cli()"
DISK_BYTES: Final = 256 * 2**20
"""Size of the store's file system."""

RESTART_SECONDS: Final = 1.0
"""Pause before a process that has ended is started again, as a container platform does."""

_REDIS: Final = {
    "protected-mode": "no",
    "appendonly": "yes",
    "appendfsync": "always",
    "save": "",
    "maxmemory-policy": "noeviction",
    "auto-aof-rewrite-min-size": "32mb",
    "loglevel": "warning",
}


class GreyTown:
    """A keeper with two web processes, a worker of each of some queues, and a store with its own file system.

    Build it, and call `tend` and `stop`, from the main thread only: processes die with the thread that started them.
    """

    def __init__(self, folder: Path, queues: Sequence[str] = QUEUES) -> None:
        self.folder, self.queues = folder, queues
        self.network = None if missing() else Network(HOSTS)
        self.hosts: tuple[str, ...] = (self.address("web"),)
        ports = range(8000, 8004) if self.network else [own_port() for _ in range(4)]
        self.port, *own, self.metrics_port = ports
        self.own_ports = dict(zip(WEB_PROCESSES, own, strict=True))
        self.store_port = 6379 if self.network else own_port()
        self.parts = ("redis", "web", *queues)
        self.machines = _machines(folder, self.parts)
        self.store_folder = folder / "store"
        self.store_folder.mkdir()
        self.disk_problem = _mount(self.store_folder)
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.endings: list[tuple[float, str, int]] = []
        self.has_stepped = False
        for part in self.parts:
            self._start(part)
            if part == "redis":
                until(self.has_store)
        with self.redis() as client:
            key = KeyStore(client).add("grey", ["jobs", "webhooks", "play"], requests_per_minute=1_000_000)[1]
        self.key = {"Api-Key": key}

    def address(self, host: str) -> str:
        return LOOPBACK if self.network is None else self.network.addresses[host]

    @property
    def here(self) -> str:
        """Address of this process, for the service's requests."""
        return self.address(DRIVER)

    def redis(self, seconds: float = 5.0) -> Redis:
        return Redis(self.address("store"), self.store_port, socket_timeout=seconds, socket_connect_timeout=seconds)

    def has_store(self) -> bool:
        with suppress(RedisError), self.redis(1.0) as client:
            return bool(client.ping())
        return False

    def lines(self, path: str) -> list[LogEntry]:
        """Return the log of a session."""
        with self.redis() as client:
            return [line for _, line in SessionStore(client, 1).log_entries(path.rpartition("/")[2])]

    def tend(self) -> None:
        """Start processes again that have ended some time ago."""
        now = time.monotonic()
        for part, process in self.processes.items():
            code = process.poll()
            if code is None:
                continue
            ended = next((at for at, name, _ in reversed(self.endings) if name == f"{part} {process.pid}"), None)
            if ended is None:
                self.endings.append((now, f"{part} {process.pid}", code))
            elif now - ended >= RESTART_SECONDS:
                self._start(part)

    def restart(self) -> None:
        """Kill all processes except the store, for a fresh start after a violation."""
        for part, process in self.processes.items():
            if part != "redis":
                process.kill()
                process.wait()
                self._start(part)

    def stop(self) -> None:
        for process in self.processes.values():
            process.kill()
            process.wait()
        if self.network is not None:
            self.network.close()
        for part in self.parts[1:]:
            read_log(self.folder / f"{part}.log", kills=True)
        if not self.disk_problem:
            subprocess.run(["umount", "--lazy", self.store_folder], check=False)

    def pids(self, component: str) -> list[int]:
        """Return the processes of a component, the parent first. `horse play` is a worker's child that runs tasks."""
        kind, _, queue = component.partition(" ")
        if component in WEB_PROCESSES:
            port = self.own_ports[component]
            return [pid for pid in web_processes_of(self.processes["web"].pid) if listens(pid, port)]
        if component == "keeper":
            return [self.processes["web"].pid]
        if component == "metrics":
            children = children_of(self.processes["web"].pid)
            return [child for child in children if b"service.launch.metrics_process" in command_of(child)]
        if kind == "horse":
            leader = self.processes[queue].pid
            return [child for child in children_of(leader) if group_of(child) == child]
        part = queue or component
        return _tree(self.processes[part].pid)

    def schedulers(self) -> list[int]:
        """Return the scheduler of each worker."""
        leaders = [self.processes[queue].pid for queue in self.queues]
        return [child for pid in leaders for child in children_of(pid) if group_of(child) == pid and alive(child)]

    def _start(self, part: str) -> None:
        here = self.machines.get(part)
        environment = {**self._environment, **({} if here is None else here.environment)}
        if part == "redis":
            place = {"port": self.store_port, "bind": self.address("store"), "dir": self.store_folder}
            settings = {**_REDIS, **place}
            options = [text for name, value in settings.items() for text in (f"--{name}", str(value))]
            command, host = [server(), *options], "store"
        elif part == "web":
            command, host = [sys.executable, "-P", *WEB], "web"
        else:
            command, host = [sys.executable, "-P", "-c", WORKER, "worker", part], "work"
        self.processes[part] = self._run(host, command, environment, self.folder / f"{part}.log")

    def _run(
        self, host: str, command: Sequence[str], environment: Mapping[str, str], log: Path
    ) -> subprocess.Popen[bytes]:
        if self.network is not None:
            return self.network.run(host, command, environment, log)
        return start(command, env=environment, output=log, cwd=Path.cwd())

    @property
    def _environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(Path.cwd())])),
            "REDIS_URL": f"redis://{self.address('store')}:{self.store_port}/0",
            "SECRET_KEY": "grey",
            "HOST": LOOPBACK if self.network is None else "0.0.0.0",  # noqa: S104 -- of a namespace of this test
            "PORT": str(self.port),
            "WEB_OWN_PORTS": ",".join(map(str, self.own_ports.values())),
            "METRICS_HOST": LOOPBACK if self.network is None else "0.0.0.0",  # noqa: S104 -- as above
            "METRICS_PORT": str(self.metrics_port),
            "WEBHOOKS_PRIVATE": "true",
            "OPEN_QUOTAS": "false",
            "LIMIT_HEARTBEAT_SECONDS": "2",
            "LIMIT_STREAMS_PER_CALLER": "1000",
            "LIMIT_OPEN_JOBS_PER_CALLER": "1000",
            "LOG_LEVEL": "warning",
        }


def listens(pid: int, port: int) -> bool:
    """Return whether a process has a listening socket at a port."""
    with suppress(OSError):
        tables = [Path(f"/proc/{pid}/net/{name}").read_text() for name in ("tcp", "tcp6")]
        found = re.findall(rf":{port:04X} [0-9A-F]+:0000 0A (?:\S+ +){{5}}(\d+)", "".join(tables))
        held = {str(each.readlink()) for each in Path(f"/proc/{pid}/fd").iterdir()}
        return any(f"socket:[{inode}]" in held for inode in found)
    return False


def _tree(pid: int) -> list[int]:
    return [pid, *(each for child in children_of(pid) for each in _tree(child))]


def _machines(folder: Path, parts: Sequence[str]) -> dict[str, Machine]:
    if shutil.which("cc") is None:
        return {}
    library = machine(folder).library
    made = {part: Machine(folder / f"{part}-ahead", library) for part in parts}
    for each in made.values():
        each.step(0)
    return made


def _mount(folder: Path) -> str:
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "grey", str(folder)]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True)
    except OSError as error:
        return str(error)
    return "" if done.returncode == 0 else done.stderr.strip()
