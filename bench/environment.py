"""The environment of the peers: their packages in `bench/env`, and a compiled C program."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bench.rounds import last_line

HERE: Final = Path(__file__).resolve().parent
LOCKS: Final = HERE / "peers" / "locks"
WITHOUT_WHEEL: Final = ("rlcard",)
"""Packages without wheels: they are pure Python, so installing them compiles nothing."""

SOURCE: Final = HERE / "peers" / "simple_council.c"
KINDS: Final = ("--only-binary", ":all:", *(part for name in WITHOUT_WHEEL for part in ("--no-binary", name)))
OPTIMISED: Final = ("-std=c11", "-O3")


class Missing(Exception):
    """A peer cannot be had on this machine, and why."""


def provide(peer: str) -> Path:
    """Install one peer, exactly as locked, and return the Python that has it; raise Missing."""
    folder = HERE / "env" / peer
    python = folder / "bin" / "python"
    lock = LOCKS / f"{peer}.lock"
    stamp = folder / "installed"
    wanted = hashlib.sha256(f"{sys.version}\n{lock.read_text()}".encode()).hexdigest()
    with turn(folder.parent, peer):
        if stamp.exists() and stamp.read_text() == wanted:
            return python
        shutil.rmtree(folder, ignore_errors=True)
        uv = str(Path(sys.executable).parent / "uv")
        run([uv, "venv", "--quiet", "--python", sys.executable, str(folder)])
        checked = ("--require-hashes", *KINDS, "--default-index", "https://pypi.org/simple")
        run([uv, "pip", "install", "--quiet", "--python", str(python), *checked, "-r", str(lock)])
        stamp.write_text(wanted)
    return python


def provide_node(peer: str, build: Path) -> Path:
    """Install a peer that is a package of Node.js, exactly as locked, into a folder; return it; raise Missing."""
    source = HERE / "peers" / peer
    files = sorted(path for path in source.iterdir() if path.is_file())
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]
    folder = build / f"{peer}-{digest}"
    with turn(build, peer):
        if not folder.exists():
            fresh = build / f"{peer}-fresh"
            shutil.rmtree(fresh, ignore_errors=True)
            shutil.copytree(source, fresh)
            run(["npm", "ci", "--ignore-scripts", "--prefix", str(fresh)])
            fresh.rename(folder)
    return folder


@contextmanager
def turn(folder: Path, peer: str) -> Iterator[None]:
    """Wait until nobody else installs a peer into a folder: whoever comes meanwhile finds it installed."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{peer}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def compiler() -> str:
    """Return the C compiler of Python's configuration, or cc."""
    return os.environ.get("CC") or str(sysconfig.get_config_var("CC") or "cc")


def simple_council(folder: Path) -> Path:
    """Compile the simplified game in plain C into a folder and return the program; raise Missing."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "simple_council"
    run([*compiler().split(), *OPTIMISED, "-o", str(program), str(SOURCE)])
    return program


def run(command: list[str]) -> None:
    """Run a program; raise Missing with its last words where it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as problem:
        raise Missing(f"{command[0]}: {problem.strerror}") from None
    if done.returncode != 0:
        raise Missing(last_line(done.stderr) or f"{command[0]} ended with {done.returncode}")
