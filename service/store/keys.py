"""The names of keys; those of one session share a hash tag. docs/architecture-sessions.md says what they hold."""

from __future__ import annotations

from typing import Final

DUE: Final = "s:due"
"""The sorted set of sessions that wait for a bot, by the time its move may be published."""


def session(name: str) -> str:
    """Return the key of a session's hash."""
    return f"{{s:{name}}}"


def log(name: str) -> str:
    """Return the key of a session's log, a stream with one line for each revision."""
    return f"{{s:{name}}}:log"


def bots(name: str) -> str:
    """Return the key that exists while a worker plays the bots of a session."""
    return f"{{s:{name}}}:bots"


def here(name: str) -> str:
    """Return the key of the connections to a session, each with the time until which it counts."""
    return f"{{s:{name}}}:here"


def operation(slot: str) -> str:
    """Return the key of an operation that a client named by an Idempotency-Key."""
    return f"o:{{{slot}}}"
