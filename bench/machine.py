"""The machine of the measurements, as far as it matters for them."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from bench.environment import compiler
from bench.rounds import last_line


def facts() -> dict[str, str]:
    """Return the processor, the cores, the system, Python and the compilers."""
    return {
        "processor": processor(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "c compiler": first_line([*compiler().split(), "--version"]),
        "mypyc": version("mypy"),
        "librt": version("librt"),
    }


def running(facts: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the facts that matter at run time, not at compile time."""
    return [(name, value) for name, value in facts.items() if name not in {"c compiler", "mypyc", "librt"}]


def processor() -> str:
    """Return the processor's name as the system gives it."""
    listed = Path("/proc/cpuinfo")
    if listed.exists():
        for line in listed.read_text().splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or "unknown"


def first_line(command: list[str]) -> str:
    """Return the first line a program prints, or "none" if there is no such program."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return "none"
    return last_line(done.stdout.partition("\n")[0]) or "none"
