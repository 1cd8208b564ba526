"""Items of a session's stream, and the writers that serialize them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from service.sessions.presence import Presence
from service.sessions.states import TableState
from service.store.sessions import LogEntry

EXPIRED: Final = "expired"
"""Status in the last item of a session that no longer exists."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The complete state: the first item of a new stream."""

    state: TableState


@dataclass(frozen=True, slots=True)
class Resumed:
    """The state that a listener already has: the first item of a resumed stream."""

    state: TableState


@dataclass(frozen=True, slots=True)
class Changed:
    """A change of the audience's version: the log entry, and the state after it.

    `viewers` are all audiences for which the change is written. `made` is a cache that their writers share; each key
    contains everything on which its value depends.
    """

    state: TableState
    line: LogEntry
    viewers: Collection[int] = ()
    made: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Attended:
    """A change of presence: seats have answered, connected or disconnected. It has no version."""

    presence: Presence


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of the stream. `status` is the status of the session, or EXPIRED."""

    status: str


StreamItem = Opened | Resumed | Changed | Attended | Ended
"""The state in an item is valid until the next item, because moves are applied to the same table."""


class Writer(Protocol):
    """Serializes the items of one audience's stream, in order, in one language and one format."""

    actors: Sequence[int]
    """The seats with the current decision, in the last written state."""

    def write(self, item: StreamItem) -> bytes:
        """Return the bytes to send for an item; b"" if the listener already has it."""
        ...

    def share(self, other: Any) -> None: ...
