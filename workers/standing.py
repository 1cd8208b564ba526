"""A work-horse that stands ready: it does one task after the other, where a fork would take longer than the task.

It hears of a task by a line, does it, and says so. It dies as any work-horse does, by a signal or by what it does; then
the line ends, and the next task has a new one.
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
"""After so many tasks a work-horse makes room for a fresh one."""

HORSE_BYTES: Final = 300_000_000
"""A work-horse that once grew by more makes room for a fresh one; it would not give its memory back."""

STAYS: Final = b"d"
LEAVES: Final = b"l"
"""What a work-horse says of a task: that it is done, or that it is done and the work-horse ends."""

Ended = tuple[int | None, int | None, Any]
"""What `os.wait4` tells of a process: its id, its status, what it has used."""


Do = Callable[[str, str, Mapping[str, str]], None]
"""Does one task in the work-horse: the ids of a job of RQ's and of its execution, and what caused it."""


class StandingHorse:
    """The process, as its worker sees it."""

    def __init__(self, do: Do, prepare: Callable[[], None]) -> None:
        """Fork it, and have it prepare itself. What it cannot do ends it, as a work-horse of RQ's."""
        self._line, theirs = socket.socketpair()
        self._at_work = False
        self.pid = os.fork()
        if not self.pid:
            self._line.close()
            _follow(theirs, do, prepare)
        theirs.close()

    def begin(self, job: str, execution: str, origin: Mapping[str, str]) -> bool:
        """Hand it a task; return False where it is gone, or about to go."""
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
        """Wait until the task is done, or until the process has ended; may be broken off and called again."""
        if self._said(socket.MSG_PEEK):  # a signal's handler may break off here, so `begin` takes the answer
            return self.pid, os.EX_OK, None
        with suppress(ChildProcessError):
            return os.wait4(self.pid, 0)
        return None, None, None

    def end(self) -> None:
        """Let it end, after the task at hand, and wait for that unless there is one; once it has ended, do nothing."""
        if self._line.fileno() < 0:
            return
        busy = self._at_work and not self._has_answered()
        self._line.close()
        with suppress(ChildProcessError):
            os.waitpid(self.pid, os.WNOHANG if busy else 0)

    def _said(self, flags: int = 0) -> bytes:
        """Return what it says of its task, nothing where it has ended, also with a task that it has not read."""
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
    """Do what the line says until it ends, and end this process."""
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
