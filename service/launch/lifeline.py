"""Ties the life of a child process to its parent's, so that nothing is ever left behind."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Final

_PR_SET_PDEATHSIG: Final = 1
_LIBC: Final = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def tied(parent: int, ending: signal.Signals) -> Callable[[], None]:
    """Return what a child calls before it becomes its program: `ending` reaches it when `parent` dies, however.

    The kernel watches the thread that started the child, so start it from the main thread. Linux only.
    """

    def tie() -> None:
        if _LIBC is not None:
            _LIBC.prctl(_PR_SET_PDEATHSIG, int(ending), 0, 0, 0)
            if os.getppid() != parent:
                os.kill(os.getpid(), ending)

    return tie


def tie_forks() -> None:
    """Make every process that this one forks from now on die with it, and theirs with them: RQ's and gunicorn's."""
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
) -> subprocess.Popen[bytes]:
    """Start a child tied to our life, in its own session so that Ctrl-C reaches only us; `keep` stays open in it."""
    log = None if output is None else output.open("ab")
    try:
        return subprocess.Popen(
            command,
            env=env,
            stdin=stdin,
            stdout=log,
            stderr=log,
            pass_fds=tuple(keep),
            start_new_session=True,
            preexec_fn=tied(os.getpid(), ending),  # noqa: PLW1509 -- one thread, and nothing but a system call in there
        )
    finally:
        if log is not None:
            log.close()


def run(command: Sequence[str], *, env: Mapping[str, str] | None = None, output: Path | None = None) -> int:
    """Run a program to its end and return its exit code; if we are stopped meanwhile, all that it started stops."""
    before = signal.signal(signal.SIGTERM, _leave)
    process = start(command, env=env, output=output)
    try:
        return process.wait()
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    finally:
        signal.signal(signal.SIGTERM, before)


def _leave(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
