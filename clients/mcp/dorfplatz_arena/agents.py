"""Who takes part besides our own levels, and how each is asked for a move: a command, or an MCP client.

An agent at a URL is asked as a tournament asks a bot at a URL (`workers.simulate.remote`).
"""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, Final, Protocol

from service.jobs.players import BOT_ANSWER_BYTES
from workers.simulate.remote import question_body
from workers.simulate.tally import Forfeit

END_SECONDS: Final = 5.0
"""How long a command may take to end once its input has ended."""


class GoneError(Exception):
    """An agent cannot be asked any more; the message says why."""


@dataclass(frozen=True, slots=True)
class Question:
    """One decision that an agent is asked for.

    `data` is what a bot at a URL would be asked. `explain` returns why a move in plain JSON would lose the game, None
    for a legal one. `last` says that no other try follows.
    """

    data: dict[str, Any]
    seconds: float
    explain: Callable[[Any], Forfeit | None]
    last: bool


class Agent(Protocol):
    """An entrant that is none of ours."""

    def ask(self, question: Question) -> bytes:
        """Return an answer as JSON; raise TimeoutError, or GoneError."""

    def settle(self, question: Question, refused: Forfeit | None) -> None:
        """Take note of what became of the answer."""

    def close(self) -> None:
        """End."""


class CommandAgent:
    """A command that reads a question a line from its input and writes an answer a line to its output.

    A question is the message that a bot at a URL gets. An agent that answers too late is ended and started anew for the
    next question, since what it then writes would be taken for an answer to that.
    """

    def __init__(self, command: str, environment: dict[str, str] | None = None) -> None:
        self._command: Final = shlex.split(command)
        self._environment = environment
        self._process: subprocess.Popen[bytes] | None = None
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        self._lock = Lock()

    def ask(self, question: Question) -> bytes:
        """Write a question and return the line that answers it."""
        with self._lock:
            process = self._running()
            if process.stdin is None:
                raise GoneError("no input")
            try:
                process.stdin.write(question_body(question.data) + b"\n")
                process.stdin.flush()
                line = self._lines.get(timeout=question.seconds)
            except Empty:
                process.kill()
                self._end(process)
                raise TimeoutError from None
            except OSError as error:
                self._end(process)
                raise GoneError(type(error).__name__) from None
            if not line.endswith(b"\n"):
                self._end(process)
                raise GoneError(f"ended with {process.returncode}" if not line else "the answer is too long")
            return line

    def settle(self, question: Question, refused: Forfeit | None) -> None:
        """Do nothing: the next question tells of a refused move."""

    def close(self) -> None:
        """End the command."""
        with self._lock:
            if self._process is not None:
                self._end(self._process)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            try:
                self._process = subprocess.Popen(  # noqa: S603 -- the command is the caller's own
                    self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self._environment
                )
            except OSError as error:
                raise GoneError(f"cannot be started: {type(error).__name__}") from None
            self._lines = SimpleQueue()
            Thread(target=_read_lines, args=(self._process, self._lines), daemon=True).start()
        return self._process

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """End the process, which is given its chance to end by itself where it still listens."""
        self._process = None
        if process.stdin is not None:
            try:
                process.stdin.close()
            except OSError:
                process.kill()
        try:
            process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _read_lines(process: subprocess.Popen[bytes], lines: SimpleQueue[bytes]) -> None:
    """Pass on each line of a process, an empty one at the end."""
    if process.stdout is None:
        return
    with process.stdout as output:
        while line := output.readline(BOT_ANSWER_BYTES + 1):
            lines.put(line)
    lines.put(b"")
