"""Reader of `uv.lock`: the packages of its groups by `uv export`, and the entries to install uv and pip themselves.

Standard library alone.
"""

from __future__ import annotations

import hashlib
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
LOCK: Final = ROOT / "uv.lock"
INDEX: Final = "https://pypi.org/simple"
"""The registry of all packages in the lock; a mirror may provide them, with the same hashes."""


MACHINES: Final = ("x86_64", "aarch64", "arm64")
"""The processors of `tool.uv.environments`."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Some groups of the lock, with or without the service's own requirements."""

    name: str
    groups: tuple[str, ...]
    project: bool = False

    @property
    def options(self) -> list[str]:
        """The options of `uv export`."""
        kind = "--group" if self.project else "--only-group"
        return [option for group in self.groups for option in (kind, group)]


_NEEDED: Final = ("install", "embedded", "build")
SERVE: Final = Selection("serve", _NEEDED, project=True)
BUILD: Final = Selection("build", ("build",))
"""Packages to compile the kernel."""

DEV: Final = Selection("dev", (*_NEEDED, "dev"), project=True)
IMAGE: Final = Selection("image", (), project=True)
TOOLS: Final = {name: Selection(name, (name,)) for name in ("fuzz", "mutate", "sbom")}
"""Packages that only single commands need."""

SELECTIONS: Final = {selection.name: selection for selection in (SERVE, BUILD, DEV, IMAGE, *TOOLS.values())}


def export(uv: Path, selection: Selection, root: Path = ROOT) -> str:
    """Return the packages of a selection with their hashes, as the lines of a requirements file."""
    options = ["--quiet", "--frozen", "--offline", "--no-emit-local", "--no-header", "--no-annotate"]
    command = [str(uv), "export", *options, *selection.options]
    return subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE, text=True).stdout


def entry(name: str, lock: Path = LOCK) -> tuple[str, list[str]]:
    """Return the version of a package and the hashes of its wheels."""
    packages: list[dict[str, Any]] = tomllib.loads(lock.read_text("utf-8"))["package"]
    found = next(package for package in packages if package["name"] == name)
    return found["version"], [wheel["hash"] for wheel in found["wheels"]]


def requirement(name: str, lock: Path = LOCK) -> str:
    """Return the line of a requirements file for a package of the lock."""
    version, hashes = entry(name, lock)
    return " ".join([f"{name}=={version}", *(f"--hash={wheel}" for wheel in hashes)]) + "\n"


def digest(lock: Path = LOCK) -> str:
    """Return the fingerprint of the lock."""
    return hashlib.sha256(lock.read_bytes()).hexdigest()
