"""Starts child processes. A child process ends when its parent ends, so that no process is left running."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Final

TICK: Final = 0.05
"""Interval between two checks of a running process, in seconds."""

_PR_SET_PDEATHSIG: Final = 1
_LIBC: Final = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def tied(parent: int, ending: signal.Signals) -> Callable[[], None]:
    """Return a `preexec_fn` for a child process. When the parent ends, the kernel sends `ending` to the child.

    On other systems than Linux, the returned function does nothing. Only the main thread may start the child.
    """

    def tie() -> None:
        if _LIBC is not None:
            # The kernel sends the signal when the starting thread ends, so only the main thread may start children.
            _LIBC.prctl(_PR_SET_PDEATHSIG, int(ending), 0, 0, 0)
            if os.getppid() != parent:
                os.kill(os.getpid(), ending)

    return tie


def tie_forks() -> None:
    """Register a hook that makes forked processes end when their parent ends.

    RQ does not start its processes with the function `start`, so they need this hook.
    """
    parent = os.getpid()

    def in_child() -> None:
        nonlocal parent
        tied(parent, signal.SIGKILL)()
        parent = os.getpid()

    os.register_at_fork(after_in_child=in_child)


def start(
    command: Sequence[str],
    *,
    ending: signal.Signals = signal.SIGKILL,
    env: Mapping[str, str] | None = None,
    keep: Sequence[int] = (),
    stdin: int | None = subprocess.DEVNULL,
    output: Path | None = None,
    cwd: Path | None = None,
) -> subprocess.Popen[bytes]:
    """Start a child process that ends when this process ends.

    The child runs in a new process group, so Ctrl-C does not reach the child directly. The child inherits the file
    descriptors in `keep`.
    """
    log = None if output is None else output.open("ab")
    try:
        return subprocess.Popen(
            command,
            env=env,
            cwd=cwd,
            stdin=stdin,
            stdout=log,
            stderr=log,
            pass_fds=tuple(keep),
            # Ctrl-C must reach only this process.
            start_new_session=True,
            preexec_fn=tied(os.getpid(), ending),  # noqa: PLW1509 -- one thread, and nothing but a system call in there
        )
    finally:
        if log is not None:
            log.close()


def run(
    command: Sequence[str],
    *,
    ending: signal.Signals = signal.SIGKILL,
    output: Path | None = None,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> int:
    """Run a program and return the exit code.

    On SIGINT or SIGTERM, kill the program and its child processes. Then raise SystemExit.
    """
    asked: list[int] = []

    def ask(number: int, _frame: FrameType | None) -> None:
        asked.append(number)

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        # If this process is killed, the kernel sends `ending` to the program, but not to its child processes.
        process = start(command, ending=ending, output=output, cwd=cwd, env=env)
        while process.poll() is None:
            if asked:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                raise SystemExit(128 + asked[0])
            time.sleep(TICK)
        return process.returncode
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
