"""Long-lived child processes (work-horses) for short tasks, because a fork takes longer than a short task.

A socket connects the worker and its child process. If the child process is killed, this socket closes. The worker then
forks a new child process.
"""

from __future__ import annotations

import json
import os
import resource
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

HORSE_TASKS: Final = 1_000
"""Number of tasks after which the child process is replaced."""

HORSE_BYTES: Final = 300_000_000
"""Growth in memory after which the child process is replaced, because Python does not release the memory."""

STAYS: Final = b"d"
"""Report of a child process that has done a task and waits for the next task."""

LEAVES: Final = b"l"
"""Report of a child process that has done a task and ends now."""

Ended = tuple[int | None, int | None, Any]
"""The result of `os.wait4`: process id, status and resource usage."""


Do = Callable[[str, str, Mapping[str, str]], None]
"""A function that runs a task in the child process. It takes the job's id, the execution's id and the trace context."""


class StandingHorse:
    """The worker's handle for a long-lived child process."""

    def __init__(self, do: Do, prepare: Callable[[], None]) -> None:
        """Fork the child process. It calls `prepare` once, and then `do` for each task.

        If `prepare` or `do` raises an exception, the child process ends.
        """
        self._line, theirs = socket.socketpair()
        self._at_work = False
        self.pid = os.fork()
        if not self.pid:
            self._line.close()
            _follow(theirs, do, prepare)
        theirs.close()

    def begin(self, job: str, execution: str, origin: Mapping[str, str]) -> bool:
        """Send a task. Return False if the child process has ended or is about to end."""
        if self._at_work:
            self._at_work = False
            if self._said() != STAYS:
                self.end()
                return False
        self._at_work = True
        try:
            self._line.sendall(json.dumps([job, execution, origin]).encode() + b"\n")
        except OSError:
            self.end()
            return False
        return True

    def wait(self) -> Ended:
        """Wait until the task is done or the child process has ended.

        After an interruption, call this method again to continue the wait.
        """
        if self._said(socket.MSG_PEEK):  # a signal handler may interrupt here, so `begin` takes the report
            return self.pid, os.EX_OK, None
        with suppress(ChildProcessError):
            return os.wait4(self.pid, 0)
        return None, None, None

    def end(self) -> None:
        """End the child process, and wait until it has ended.

        If it still runs a task, do not wait. The child process then ends after this task.
        """
        if self._line.fileno() < 0:
            return
        busy = self._at_work and not self._has_answered()
        self._line.close()
        with suppress(ChildProcessError):
            os.waitpid(self.pid, os.WNOHANG if busy else 0)

    def _said(self, flags: int = 0) -> bytes:
        try:
            return self._line.recv(1, flags)
        except ConnectionError:
            return b""

    def _has_answered(self) -> bool:
        try:
            self._said(socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return False
        return True


def _follow(line: socket.socket, do: Do, prepare: Callable[[], None]) -> None:
    code = 1
    try:
        os.setpgrp()
        prepare()
        began = _largest()
        with line, line.makefile("rb") as orders:
            for number, order in enumerate(orders, 1):
                do(*json.loads(order))
                leaves = number >= HORSE_TASKS or _largest() - began > HORSE_BYTES
                line.sendall(LEAVES if leaves else STAYS)
                if leaves:
                    break
        code = 0
    finally:
        os._exit(code)


def _largest() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
