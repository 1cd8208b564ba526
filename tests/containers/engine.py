"""The container engine of the tests: found, or installed by apt, and started if it does not run."""

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

START_SECONDS: Final = 30
PULL_SECONDS: Final = 60

PACKAGES: Final = ("docker.io", "iptables")
COMPOSE_PACKAGES: Final = ("docker-compose",)
BASE_PACKAGES: Final = ("debootstrap",)


class NoEngineError(RuntimeError):
    """No container can run here: an engine or an image is missing. The message gives the reason."""


def run(*command: str, stdin: bytes | None = None, timeout: float = 600) -> str:
    """Run a command and return its output; raise AssertionError with everything it printed if it fails."""
    done = subprocess.run(
        command, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=timeout
    )
    output = done.stdout.decode(errors="replace")
    assert done.returncode == 0, f"{' '.join(command)} failed:\n{output[-4000:]}"
    return output


def install(*packages: str) -> None:
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise NoEngineError(f"install {' '.join(packages)}: this needs root and apt-get")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update", "-qq"], ["install", "-qq", "-y", "--no-install-recommends", *packages]):
        apt = ["apt-get", "-o", "DPkg::Lock::Timeout=300", *command]
        done = subprocess.run(apt, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise NoEngineError(f"apt-get {' '.join(command)} failed: {done.stderr[-1000:]}")


class Engine:
    """A running Docker engine and the Compose that goes with it."""

    def __init__(self) -> None:
        """Find, install and start what is needed; raise NoEngineError if something is missing."""
        self._daemon: subprocess.Popen[bytes] | None = None
        if not self._is_running():
            if shutil.which("dockerd") is None:
                install(*PACKAGES)
            self._start()
        self.compose = self._find_compose()

    def stop(self) -> None:
        if self._daemon is not None:
            self._daemon.terminate()
            self._daemon.wait()

    def has_image(self, name: str) -> bool:
        return bool(run("docker", "images", "--quiet", name).strip())

    def can_pull(self, name: str) -> bool:
        """Try to fetch an image from its registry, and return whether that worked."""
        command = ["docker", "pull", "--quiet", name]
        try:
            done = subprocess.run(command, capture_output=True, check=False, timeout=PULL_SECONDS)
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0

    def inspect(self, container: str) -> Any:
        return json.loads(run("docker", "inspect", container))[0]

    def version(self) -> str:
        return run("docker", "version", "--format", "docker {{.Server.Version}}").strip()

    def _find_compose(self) -> Sequence[str]:
        done = subprocess.run(["docker", "compose", "version"], capture_output=True, check=False)
        if done.returncode == 0:
            return ("docker", "compose")
        if shutil.which("docker-compose") is None:
            install(*COMPOSE_PACKAGES)
        return ("docker-compose",)

    def _start(self) -> None:
        if os.geteuid() != 0:
            raise NoEngineError("no Docker engine runs, and starting one needs root")
        log = Path(tempfile.gettempdir()) / "dorfplatz-dockerd.log"
        with log.open("wb") as output:
            self._daemon = subprocess.Popen(["dockerd"], stdout=output, stderr=output, start_new_session=True)
        until = time.monotonic() + START_SECONDS
        while not self._is_running():
            if self._daemon.poll() is not None or time.monotonic() > until:
                raise NoEngineError(f"dockerd does not start:\n{log.read_text()[-2000:]}")
            time.sleep(0.2)

    def _is_running(self) -> bool:
        if shutil.which("docker") is None:
            return False
        return subprocess.run(["docker", "info"], capture_output=True, check=False).returncode == 0
