"""Retry policy and parsing of event streams, without I/O."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Final

import httpx

from dorfplatz_client.problems import problem_of

ATTEMPTS: Final = 6
PAUSE_SECONDS: Final = 0.25
MAX_PAUSE_SECONDS: Final = 30.0
RETRIED_STATUSES: Final = frozenset({429, 502, 503, 504})
RUNNING: Final = "operation-running"
LOG: Final = logging.getLogger("dorfplatz_client")


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a stream: its kind, its data as JSON text, and its cursor, if any."""

    event: str
    data: str
    id: str | None


@dataclass(slots=True)
class Reader:
    """Joins the lines of an event stream to messages; comments, which keep it alive, are skipped."""

    event: str = "message"
    data: list[str] = field(default_factory=list)
    cursor: str | None = None

    def read(self, line: str) -> Message | None:
        """Process the next line; return the message that it completes, if any."""
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line:
            found = Message(self.event, "\n".join(self.data), self.cursor) if self.data else None
            self.event, self.data, self.cursor = "message", [], None
            return found
        if name == "event":
            self.event = value
        elif name == "data":
            self.data.append(value)
        elif name == "id":
            self.cursor = value
        return None


def pause_after(failed: int) -> float:
    """Return the pause in seconds after a number of consecutive failures."""
    return min(PAUSE_SECONDS * float(1 << min(failed - 1, ATTEMPTS)), MAX_PAUSE_SECONDS)


def pause_asked(answer: httpx.Response, failed: int) -> float:
    """Return the pause in seconds before a request is retried; raise ProblemError if it must not be.

    The body of the response was read. The pause is the requested one, at most half a minute. It is logged to
    `dorfplatz_client`.
    """
    problem = problem_of(answer)
    if failed >= ATTEMPTS or (answer.status_code not in RETRIED_STATUSES and problem.code != RUNNING):
        raise problem
    asked: str = answer.headers.get("Retry-After", "")
    pause = min(float(asked), MAX_PAUSE_SECONDS) if asked.isdecimal() else pause_after(failed)
    LOG.info("asked again in %.2f s: %d %s", pause, answer.status_code, problem.code)
    return pause
