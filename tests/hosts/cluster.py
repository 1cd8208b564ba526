"""Three hosts for simulations: one with the store, the web server and workers, and two with workers alone."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Final

import msgspec
from redis import Redis, RedisError

from service.jobs import queues
from service.jobs.store import ENDED, Job, JobStore
from service.launch.redis import server
from tests.faults.town import WEB
from tests.hosts.network import Network
from tests.hosts.village import STORE_PORT, WEB_PORT, is_ready
from tests.workers.processes import until

CLUSTER_HOSTS: Final = ("one", "two", "three")
USUAL_LEASE_MS: Final = 8_000
POLL_SECONDS: Final = 0.02


@dataclass(frozen=True)
class Shard:
    """A range of items, leased or counted by a worker on a host."""

    host: str
    first: int
    end: int


class Cluster:
    """Workers for simulations on three hosts. `workers` has their number on each host."""

    def __init__(
        self, folder: Path, workers: Sequence[int], *, portion_ms: int = 1_500, lease_ms: int = USUAL_LEASE_MS
    ) -> None:
        self.folder = folder
        self.network = Network(CLUSTER_HOSTS)
        self.address = self.network.addresses[CLUSTER_HOSTS[0]]
        self._environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(Path.cwd())])),
            "REDIS_URL": f"redis://{self.address}:{STORE_PORT}/0",
            "SECRET_KEY": "cluster",
            "HOST": "0.0.0.0",  # noqa: S104 -- of a namespace with nothing but test hosts
            "PORT": str(WEB_PORT),
            "WEB_PROCESSES": "1",
            "LOG_LEVEL": "error",
            "PORTION_MS": str(portion_ms),
            "OPEN_QUOTAS": "true",
        }
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        data = folder / "data"
        data.mkdir()
        place = ["--port", str(STORE_PORT), "--bind", self.address, "--dir", str(data), "--protected-mode", "no"]
        self._run(CLUSTER_HOSTS[0], "redis", [server(), *place, "--appendonly", "yes", "--save", ""])
        self.client = Redis(self.address, STORE_PORT)
        until(self._store_answers)
        self._run(CLUSTER_HOSTS[0], "web", [sys.executable, "-P", *WEB])
        for host, number in zip(CLUSTER_HOSTS, workers, strict=True):
            for index in range(number):
                noting = [str(folder / f"{host}.leases"), str(lease_ms)]
                command = [sys.executable, "-P", "-m", "tests.hosts.cluster_worker", *noting]
                self._run(host, f"worker-{index}", command)
        until(lambda: is_ready(self.address))
        until(lambda: self.client.scard(f"rq:workers:{queues.BULK}") == sum(workers))

    def start(self, body: dict[str, Any]) -> str:
        """Request a simulation through the web server and return its id."""
        with closing(HTTPConnection(self.address, WEB_PORT, timeout=60)) as connection:
            headers = {"Content-Type": "application/json"}
            connection.request("POST", "/v1/jobs/simulations", msgspec.json.encode(body), headers)
            made: dict[str, Any] = msgspec.json.decode(connection.getresponse().read())
        return str(made["id"])

    def wait_for(self, job: str) -> Job:
        """Return a job when it has ended."""
        store = JobStore(self.client)
        while store.state(job) not in ENDED:
            time.sleep(POLL_SECONDS)
        found = store.load(job)
        assert found is not None
        return found

    def done(self, job: str) -> int:
        found = JobStore(self.client).load(job)
        return found.done if found else 0

    def lose_host_within_shard(self, name: str) -> None:
        """Cut the cable of a host with one worker while it plays a shard, and kill all of the host's processes."""
        file = self.folder / f"{name}.leases"
        until(file.exists)
        while True:
            self._signal(name, signal.SIGSTOP)
            word, first, end = file.read_text().splitlines()[-1].split()
            if word == "took" and first != end:
                break
            self._signal(name, signal.SIGCONT)
            time.sleep(POLL_SECONDS / 10)
        self.network.cables[name].is_cut = True
        self._signal(name, signal.SIGKILL)

    def _signal(self, host: str, number: int) -> None:
        for process in self.network.processes(host):
            with suppress(ProcessLookupError):
                os.kill(process, number)

    def worker_cpu(self) -> float:
        """Return the CPU seconds of all workers, with those of their ended work-horses."""
        pids = [process.pid for name, process in self.processes.items() if "-worker-" in name]
        stats = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15] for pid in pids]
        return sum(int(ticks) for row in stats for ticks in row) / os.sysconf("SC_CLK_TCK")

    def shards(self, word: str) -> list[Shard]:
        """Return the ranges of items that workers `took` or `counted`."""
        found = []
        for host in CLUSTER_HOSTS:
            file = self.folder / f"{host}.leases"
            for line in file.read_text().splitlines() if file.exists() else ():
                kind, first, end = line.split()
                if kind == word and first != end:
                    found.append(Shard(host, int(first), int(end)))
        return found

    def lost_shards(self) -> list[Shard]:
        """Return the leases whose items another worker had to repeat."""
        begun = {(shard.host, shard.first) for shard in self.shards("counted")}
        return [shard for shard in self.shards("took") if (shard.host, shard.first) not in begun]

    def stop(self) -> None:
        self.client.close()
        for process in self.processes.values():
            process.kill()
            process.wait()
        for host in CLUSTER_HOSTS:
            self._signal(host, signal.SIGKILL)
        self.network.close()

    def _store_answers(self) -> bool:
        with suppress(RedisError):
            return bool(self.client.ping())
        return False

    def _run(self, host: str, part: str, command: list[str]) -> None:
        name = f"{host}-{part}"
        self.processes[name] = self.network.run(host, command, self._environment, self.folder / f"{name}.log")
