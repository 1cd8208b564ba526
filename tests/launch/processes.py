"""Finds processes by a variable in their environment, which children inherit whatever becomes of their parents."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path


def alive(mark: str) -> list[int]:
    """Return the running processes that have `mark` (NAME=value) in their environment."""
    return [
        int(entry.name)
        for entry in Path("/proc").iterdir()
        if entry.name.isdigit() and mark.encode() in _read(entry / "environ").split(b"\0")
    ]


def within(seconds: float, true: Callable[[], bool]) -> bool:
    """Wait until something is true, and tell whether it became so in time."""
    until = time.monotonic() + seconds
    while not true():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:  # it ended, or is another user's
        return b""
