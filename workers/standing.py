"""Standing work-horses: child processes of a worker that run many short tasks, one after the other.

A fork for each of these tasks would take longer than the task. A work-horse receives tasks over a socket and reports
their end. Like any work-horse, it may be killed by a signal or by its task. Then the socket closes, and the next task
gets a new work-horse.
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
"""Number of tasks after which a work-horse is replaced."""

HORSE_BYTES: Final = 300_000_000
"""Growth in memory after which a work-horse is replaced, since it would not give the memory back."""

STAYS: Final = b"d"
LEAVES: Final = b"l"
"""Reports of a work-horse: the task is done, or the task is done and the work-horse ends."""

Ended = tuple[int | None, int | None, Any]
"""The result of `os.wait4`: process id, status and resource usage."""


Do = Callable[[str, str, Mapping[str, str]], None]
"""A function that runs one task in the work-horse: the ids of an RQ job and its execution, and the task's origin."""


class StandingHorse:
    """The worker's handle on a standing work-horse."""

    def __init__(self, do: Do, prepare: Callable[[], None]) -> None:
        """Fork the work-horse. It calls `prepare` once, and then `do` for each task.

        An error in either function ends the work-horse, as in RQ.
        """
        self._line, theirs = socket.socketpair()
        self._at_work = False
        self.pid = os.fork()
        if not self.pid:
            self._line.close()
            _follow(theirs, do, prepare)
        theirs.close()

    def begin(self, job: str, execution: str, origin: Mapping[str, str]) -> bool:
        """Send a task; return False if the work-horse has ended or is about to end."""
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
        """Wait until the task is done or the process has ended. An interrupted call may be repeated."""
        if self._said(socket.MSG_PEEK):  # a signal handler may interrupt here, so `begin` takes the report
            return self.pid, os.EX_OK, None
        with suppress(ChildProcessError):
            return os.wait4(self.pid, 0)
        return None, None, None

    def end(self) -> None:
        """End the work-horse. Do nothing if it has ended.

        It finishes a running task first, and this call does not wait for that. An idle work-horse has ended on return.
        """
        if self._line.fileno() < 0:
            return
        busy = self._at_work and not self._has_answered()
        self._line.close()
        with suppress(ChildProcessError):
            os.waitpid(self.pid, os.WNOHANG if busy else 0)

    def _said(self, flags: int = 0) -> bytes:
        """Return the work-horse's report on the task, or b"" if the process has ended.

        If the process left the task unread, the socket raises an error instead of the end, so that case is caught.
        """
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
