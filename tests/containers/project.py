"""One running copy of the compose file, with secrets, a port and a project name of its own."""

import os
import re
import secrets
import subprocess
import time
import urllib.request
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import yaml
from redis import Redis

from service.store.session_store import SessionStore
from service.store.sessions import LogEntry
from tests.containers.engine import Engine, run
from tests.faults.kit import LOOPBACK
from tests.launch.kit import own_port

READY_SECONDS: Final = 120
STREAM_SETTINGS: Final = 'LIMIT_STREAMS_PER_CALLER: "1000"'
NAME: Final = re.compile(r"^name:.*\n", re.MULTILINE)


class Project:
    """The compose file as containers; `start` brings it up and `remove` leaves nothing of it behind."""

    hosts: tuple[str, ...] = (LOOPBACK,)

    def __init__(self, engine: Engine, checkout: Path, folder: Path, **settings: str) -> None:
        self.engine, self.checkout, self.folder = engine, checkout, folder
        self.name = f"dorfplatz-test-{secrets.token_hex(4)}"
        self.port = own_port()
        self.password = secrets.token_hex(16)
        self.settings = {
            "SECRET_KEY": secrets.token_hex(32),
            "REDIS_PASSWORD": self.password,
            "PORT": f"127.0.0.1:{self.port}",
            "OPEN_QUOTAS": "false",
            **settings,
        }
        self.file = folder / "docker-compose.yml"
        text = (checkout / "docker-compose.yml").read_text()
        # Compose 1.29 refuses the name at the top; --project-name replaces it in both versions.
        # All callers of a test have one address, so the limit of streams a caller must be higher.
        wide = text.replace("    LOG_LEVEL:", f"    {STREAM_SETTINGS}\n    LOG_LEVEL:")
        self.file.write_text(NAME.sub("", wide))

    def compose(self, *arguments: str, **settings: str) -> str:
        environment = {**os.environ, **self.settings, **settings}
        place = ("--project-name", self.name, "--file", str(self.file), "--project-directory", str(self.checkout))
        command = [*self.engine.compose, *place, *arguments]
        done = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        assert done.returncode == 0, f"{' '.join(command)} failed:\n{done.stdout[-4000:]}\n{self.logs()}"
        return done.stdout

    def start(self, **settings: str) -> None:
        """Bring everything up, and wait until the service is ready behind the proxy."""
        self.settings.update(settings)
        self.compose("up", "--detach", "--no-build")
        self.await_ready()

    def await_ready(self) -> None:
        """Wait until `/readyz` succeeds through the proxy."""
        until = time.monotonic() + READY_SECONDS
        while not self.is_ready():
            assert time.monotonic() < until, self.logs()
            time.sleep(0.1)

    def is_ready(self) -> bool:
        with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=5):
            return True
        return False

    def containers(self, service: str = "") -> list[str]:
        return self._compose_ids(service)

    def kill(self, container: str) -> None:
        """Kill the main process of a container from outside, so that its restart policy applies."""
        pid = self.engine.inspect(container)["State"]["Pid"]
        if pid:
            with suppress(ProcessLookupError):
                os.kill(pid, 9)

    def address(self, container: str) -> str:
        networks = self.engine.inspect(container)["NetworkSettings"]["Networks"]
        return str(next(iter(networks.values()))["IPAddress"])

    def redis(self) -> Redis:
        (container,) = self.containers("redis")
        return Redis(self.address(container), password=self.password, socket_timeout=10)

    def lines(self, path: str) -> list[LogEntry]:
        with self.redis() as client:
            return [line for _, line in SessionStore(client, 1).log_entries(path.rpartition("/")[2])]

    def logs(self) -> str:
        """Return the last lines of every container, for the message of a failure."""
        tails = []
        for container in self._compose_ids(""):
            done = subprocess.run(
                ["docker", "logs", "--tail", "15", container], capture_output=True, text=True, check=False
            )
            tails.append(f"--- {container}\n{done.stdout}{done.stderr}")
        return "\n".join(tails)

    def remove(self) -> None:
        self.compose("down", "--volumes", "--remove-orphans", "--timeout", "2")

    def _compose_ids(self, service: str) -> list[str]:
        filters = [f"label=com.docker.compose.project={self.name}"]
        if service:
            filters.append(f"label=com.docker.compose.service={service}")
        options = [part for each in filters for part in ("--filter", each)]
        return run("docker", "ps", "--all", "--quiet", "--no-trunc", *options).split()


def base_images(checkout: Path) -> frozenset[str]:
    froms = re.findall(r"^FROM (\S+)", (checkout / "Dockerfile").read_text(), re.MULTILINE)
    services = yaml.safe_load((checkout / "docker-compose.yml").read_text())["services"].values()
    named = [service["image"] for service in services]
    return frozenset(name for name in (*froms, *named) if not name.startswith("dorfplatz:"))


def unreachable(checkout: Path) -> str:
    """Return the reason why a container cannot install the packages of the Dockerfile, or an empty string if it can."""
    base = re.findall(r"^FROM (\S+)", (checkout / "Dockerfile").read_text(), re.MULTILINE)[0]
    inside = ["docker", "run", "--rm", "--network", "host", base]
    index = "os.environ.get('PIP_INDEX_URL', 'https://pypi.org/simple')"
    fetch = f"import os, urllib.request; urllib.request.urlopen({index} + '/pip/')"
    for source, command in (("Debian's mirror", ["apt-get", "update"]), ("PyPI", ["python3", "-c", fetch])):
        done = subprocess.run([*inside, *command], capture_output=True, text=True, check=False)
        if done.returncode != 0 or "Failed to fetch" in done.stderr:
            return f"no container reaches {source}: {done.stderr.strip()[-300:]}"
    return ""


def image_of(checkout: Path) -> str:
    return str(yaml.safe_load((checkout / "docker-compose.yml").read_text())["services"]["web"]["image"])


def build(checkout: Path, tag: str, arguments: Sequence[str] = ()) -> str:
    return run("docker", "build", "--network", "host", "--tag", tag, *arguments, str(checkout), timeout=1_200)
