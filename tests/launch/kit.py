"""Helpers of tests that start processes: finding and awaiting them, their ports and logs, and requests to them."""

import atexit
import re
import socket
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import httpx

PATIENCE_SECONDS: Final = 300
"""Seconds that a test waits for a certain event, on a busy machine; half of pytest's limit for a whole test."""


def alive(name: str, folder: Path) -> list[int]:
    """Return the running processes that inherited `name` = `folder` in their environment, or that work inside of it.

    Redis writes over its environment to give itself a title, but works in its folder.
    """
    mark = f"{name}={folder}".encode()
    return [
        int(entry.name)
        for entry in Path("/proc").iterdir()
        if entry.name.isdigit() and (mark in _environment(entry) or _workplace(entry).is_relative_to(folder))
    ]


def family(name: str, folder: Path) -> list[int]:
    """Return the processes that `alive` finds, each after its parent."""
    return sorted(alive(name, folder), key=lambda pid: (len(_ancestors(pid)), pid))


def children_of(pid: int) -> list[int]:
    """Return the children of all threads of a process; empty if it has ended."""
    found: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):  # a thread can end while others are read
                found += map(int, (task / "children").read_text().split())
    return found


def command_of(pid: int) -> bytes:
    """Return the command line of a process; empty if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:  # it can also end between opening and reading
        return b""


def within(seconds: float, true: Callable[[], bool]) -> bool:
    """Wait until something is true, and return whether it became so in time."""
    until = time.monotonic() + seconds
    while not true():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def own_port() -> int:
    """Return a port of loopback that nobody else gets while this process runs.

    A socket stays bound to it and never listens. So no connection and no search for a free port takes it. A server that
    sets SO_REUSEADDR, as all of ours do, can listen there.
    """
    held = socket.socket()
    atexit.register(held.close)
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    return int(held.getsockname()[1])


def _ancestors(pid: int) -> list[int]:
    found = [pid]
    while (parent := _parent_of(found[-1])) > 1:
        found.append(parent)
    return found


def _parent_of(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _environment(entry: Path) -> list[bytes]:
    try:
        return (entry / "environ").read_bytes().split(b"\0")
    except OSError:  # it has ended, or is another user's
        return []


def _workplace(entry: Path) -> Path:
    try:
        return (entry / "cwd").readlink()
    except OSError:  # it has ended, or is another user's
        return Path("/")


_CRASHED: Final = re.compile(r".*(?:SIGSEGV|Segmentation fault|was sent SIG(?!KILL|TERM)).*")
_KILLED: Final = re.compile(r".*was sent SIGKILL.*")


def read_log(log: Path, *, kills: bool = False) -> str:
    """Return a log, unless a process in it has ended by a signal; `kills` means that the test itself sends SIGKILL."""
    text = log.read_text("utf-8", errors="replace")
    found = _CRASHED.search(text) or (None if kills else _KILLED.search(text))
    assert found is None, f"{log}: {found.group()}"
    return text


def http_client(**options: Any) -> httpx.Client:
    """Return a patient client that trusts no authority, so that it costs a hundredth of another."""
    return httpx.Client(timeout=PATIENCE_SECONDS, verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), **options)


HTTP: Final = http_client(limits=httpx.Limits(max_keepalive_connections=0))
"""Sends each request over a line of its own, as the functions of httpx do."""
