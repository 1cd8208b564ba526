"""Entrants besides our own levels, and the ways to request a move from them: a command, or an MCP client.

An agent at a URL gets the same requests as a remote bot in a tournament (`workers.simulate.remote`).
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
"""Time for a command to exit after its input has ended."""


class GoneError(Exception):
    """An agent is no longer reachable; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Question:
    """A decision requested from an agent.

    `data` is the request to a bot at a URL. `explain` returns why a move in plain JSON would lose the game, or None for
    a legal one. `last` is true if no other attempt follows.
    """

    data: dict[str, Any]
    seconds: float
    explain: Callable[[Any], Forfeit | None]
    last: bool


class Agent(Protocol):
    """An entrant other than our levels."""

    def ask(self, question: Question) -> bytes:
        """Return an answer as JSON; raise TimeoutError or GoneError."""

    def settle(self, question: Question, refused: Forfeit | None) -> None:
        """Process the outcome of the answer."""

    def close(self) -> None:
        """Stop the agent."""


class CommandAgent:
    """A command that reads one question per line from its input and writes one answer per line to its output.

    A question is the message for a bot at a URL. An agent that answers too late is restarted for the next question,
    because its late answer would be taken for the answer to that question.
    """

    def __init__(self, command: str, environment: dict[str, str] | None = None) -> None:
        self._command: Final = shlex.split(command)
        self._environment = environment
        self._process: subprocess.Popen[bytes] | None = None
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        self._lock = Lock()

    def ask(self, question: Question) -> bytes:
        """Write a question and return the line with its answer."""
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
        """Do nothing, because the next question contains the rejection of a move."""

    def close(self) -> None:
        """Stop the command."""
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
    if process.stdout is None:
        return
    with process.stdout as output:
        while line := output.readline(BOT_ANSWER_BYTES + 1):
            lines.put(line)
    lines.put(b"")
