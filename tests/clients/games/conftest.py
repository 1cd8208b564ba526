"""The wheel of the library, built once in a run, and an environment with it and its dependencies, nothing else."""

import fcntl
import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

import pytest

DEPENDENCY = re.compile(r"^Requires-Dist: ([\w.-]+)", re.MULTILINE)


@dataclass(frozen=True)
class Installed:
    """An environment with the wheel, and a folder to work in."""

    python: Path
    folder: Path

    def run(self, *arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        """Run its Python, which sees nothing of ours, with lines typed at it."""
        return subprocess.run(
            [str(self.python), "-I", *arguments],
            input=typed,
            cwd=self.folder,
            env={"PATH": "/usr/bin:/bin"},
            encoding="utf-8",
            capture_output=True,
            check=False,
        )


@contextmanager
def once(name: str, factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield a folder that all processes of a run share, to one at a time."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    with folder.with_suffix(".lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        folder.mkdir(exist_ok=True)
        yield folder


def call_backend(sources: Path, hook: str, target: Path, *, before: str = "", pure: bool = False) -> str:
    """Call a hook of the build backend as a build front end does, and return its result."""
    script = f"{before}\nimport sys; sys.path.insert(0, '.'); import backend; backend.{hook}({str(target)!r})"
    known = {"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": str(target)}
    done = subprocess.run(
        [sys.executable, "-P", "-c", script],
        cwd=sources,
        env=known | ({"DORFPLATZ_GAMES_PURE": "1"} if pure else {}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def install(wheel: Path, folder: Path) -> Installed:
    """Make an environment with a wheel and its dependencies, which lie beside us already."""
    venv.create(folder, symlinks=True)
    packages = next(folder.glob("lib/python3*/site-packages"))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(packages)  # noqa: S202 -- a wheel of our own
        metadata = archive.read(next(name for name in archive.namelist() if name.endswith("/METADATA")))
    for name in sorted(set(DEPENDENCY.findall(metadata.decode()))):  # two extras may have one in common
        ours = distribution(name)
        for top in {Path(str(file)).parts[0] for file in ours.files or ()} - {"..", "__pycache__"}:
            (packages / top).symlink_to(Path(str(ours.locate_file(top))))
    return Installed(folder / "bin" / "python", folder)


@pytest.fixture(scope="session")
def sources(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    with once("games-sources", tmp_path_factory) as folder:
        if not (found := next(folder.glob("dorfplatz_games-*/"), None)):
            call_backend(checkout / "clients" / "games", "build_sdist", folder)
            with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
                archive.extractall(folder, filter="data")
            found = next(folder.glob("dorfplatz_games-*/"))
    return found


@pytest.fixture(scope="session")
def installed(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Return an environment with the wheel of plain Python, as `clients/games` makes it."""
    with once("games-wheel", tmp_path_factory) as folder:
        if not (folder / "env").exists():
            call_backend(checkout / "clients" / "games", "build_wheel", folder, pure=True)
            return install(next(folder.glob("*-py3-none-any.whl")), folder / "env")
    return Installed(folder / "env" / "bin" / "python", folder / "env")
