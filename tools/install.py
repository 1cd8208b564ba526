"""Installs selections of `uv.lock` by hash, from the index configured for pip. Standard library alone.

uv resolves nothing here: it installs the lines that it exports from the lock. pip installs uv. It also installs the
packages if its configuration has settings that uv lacks.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import importlib.util
import os
import re
import sys
import urllib.request
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from urllib.parse import urljoin

from service.launch.lifeline import run
from tools import locks
from tools.uv import configured, provide_uv

WHEELS: Final = ("--only-binary", ":all:", "--no-binary", "yattag")
"""The kinds of packages: wheels, except for one of pure Python that cosmic-ray needs."""


def provide(tools: Path, selection: locks.Selection, *, into: Path | None = None) -> bool:
    """Install a selection into the environment `into`, or `tools`, and return whether it worked.

    The installers go into `tools`.
    """
    pip = installer(tools)
    uv = provide_uv(pip, tools)
    if uv is None:
        return False
    file = tools / f"{selection.name}.txt"
    file.write_text(locks.export(uv, selection), "utf-8")
    return install(pip, uv, ("--require-hashes", *WHEELS, "-r", str(file)), into or tools)


def install(pip: Sequence[str], uv: Path, wanted: Sequence[str], folder: Path) -> bool:
    """Install with the common arguments of uv and pip; pip handles the failures of uv, and also prints the errors."""
    told = configured(pip)
    if told is not None:
        # The hashes decide what may be installed, whichever index has it.
        command = [str(uv), "pip", "install", "--python", str(folder), "--index-strategy", "unsafe-best-match"]
        if run([*command, *wanted], output=Path(os.devnull), env={**os.environ, **told}) == 0:
            return True
    return run([*pip, "--python", str(folder), "install", "-qq", "--no-compile", *wanted]) == 0


def make(folder: Path) -> None:
    """Create an empty environment of the current Python, with a pip if this Python has no suitable one."""
    brings_pip = not has_pip() and importlib.util.find_spec("ensurepip") is not None
    venv.create(folder, with_pip=brings_pip, clear=True, symlinks=True)


def has_pip() -> bool:
    """Return whether the current Python has a pip that can install into another: 22.3 or later."""
    try:
        version = importlib.metadata.version("pip")
    except importlib.metadata.PackageNotFoundError:
        return False
    found = re.match(r"(\d+)\.(\d+)", version)
    return found is not None and (int(found[1]), int(found[2])) >= (22, 3)


def installer(folder: Path) -> list[str]:
    """Create an environment if there is none, and return the command of a pip that installs into it."""
    python = folder / "bin" / "python"
    if not python.exists():
        make(folder)
    if next(folder.glob("lib/python*/site-packages/pip/__main__.py"), None):
        return [str(python), "-m", "pip"]
    if has_pip():
        return [sys.executable, "-m", "pip", "--python", str(python)]
    return [str(python), str(fetched_pip(folder) / "pip")]


def fetched_pip(folder: Path) -> Path:
    """Download the pip of the lock, for an environment of a Python without any; its hash is checked."""
    version, hashes = locks.entry("pip")
    name = f"pip-{version}-py3-none-any.whl"
    index = os.environ.get("PIP_INDEX_URL", locks.INDEX).rstrip("/") + "/pip/"
    link = re.search(rf'href="([^"]*/{re.escape(name)})[#"]', fetched(index).decode())
    if link is None:
        sys.exit(f"dorfplatz: {index} has no {name}; install pip for this Python")
    wheel = fetched(urljoin(index, link[1]))
    if f"sha256:{hashlib.sha256(wheel).hexdigest()}" not in hashes:
        sys.exit("dorfplatz: the downloaded pip is not the one that uv.lock names")
    place = folder / name
    place.write_bytes(wheel)
    return place


def fetched(address: str) -> bytes:
    """Return the content at an address."""
    with urllib.request.urlopen(address, timeout=60) as answer:
        body: bytes = answer.read()
        return body


def main(arguments: Sequence[str]) -> None:
    """Install a selection, or only wheels, into an environment."""
    parser = argparse.ArgumentParser(prog="python -m tools.install")
    parser.add_argument("tools", type=Path, help="the environment of the installers")
    parser.add_argument("into", type=Path, help="the environment to install into")
    parser.add_argument("wanted", nargs="+", help="a selection of uv.lock, or the paths of wheels")
    told = parser.parse_args(arguments)
    if told.wanted[0] in locks.SELECTIONS:
        works = provide(told.tools, locks.SELECTIONS[told.wanted[0]], into=told.into)
    else:
        pip = installer(told.tools)
        uv = provide_uv(pip, told.tools)
        works = uv is not None and install(pip, uv, ("--no-deps", "--no-index", *told.wanted), told.into)
    sys.exit(not works)


if __name__ == "__main__":
    main(sys.argv[1:])
