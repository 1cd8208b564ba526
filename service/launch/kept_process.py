"""Command lines and heartbeats of the processes that the web server's keeper starts."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

PIPE_BYTES: Final = 65_536


def command_of(module: str, arguments: Sequence[str], sockets: Sequence[int], pipe: int) -> list[str]:
    """Return the command that runs a module with inherited sockets and a pipe for its heartbeats."""
    return [sys.executable, "-P", "-m", module, *arguments, ",".join(map(str, sockets)), str(pipe)]


def read_command() -> tuple[list[str], list[int], Callable[[], None]]:
    """Parse this process's command line. Return its arguments, its sockets and a function that sends a heartbeat."""
    # There is nothing to drain until a loop runs, and never in a process without one.
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)
    *arguments, sockets, pipe = sys.argv[1:]
    os.set_blocking(int(pipe), False)

    def give_sign() -> None:
        with suppress(BlockingIOError):  # the pipe is full of unread signs
            os.write(int(pipe), b"1")

    return arguments, [int(number) for number in sockets.split(",")], give_sign


@dataclass(slots=True, eq=False)
class KeptProcess:
    """A child process, and the pipe for its heartbeats.

    The child sends its first heartbeat when it is ready to accept connections. `late_checks` is the number of
    consecutive checks that found the pipe empty.
    """

    popen: subprocess.Popen[bytes]
    pipe: int
    is_ready: bool = False
    is_draining: bool = False
    # Not a number of seconds, because the keeper itself may have been suspended.
    late_checks: int = 0

    def gave_sign(self) -> bool:
        """Return whether the process has sent a heartbeat through its pipe since the last call of this method."""
        try:
            return bool(os.read(self.pipe, PIPE_BYTES))
        except BlockingIOError:
            return False


@dataclass(slots=True, eq=False)
class ProcessSlot:
    """The command and the sockets for one process that the keeper keeps running.

    `processes` contains the running processes of this command, the newest last. During a replacement, there are
    several.
    """

    name: str
    module: str
    sockets: Sequence[socket.socket]
    arguments: Sequence[str] = ()
    is_web: bool = True
    processes: list[KeptProcess] = field(default_factory=list)
