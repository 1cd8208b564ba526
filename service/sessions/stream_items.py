"""Items of a session's event stream, and the interface of the writers that serialize them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from service.sessions.presence import Presence
from service.sessions.states import TableState
from service.store.phrases import Phrase
from service.store.sessions import LogEntry

EXPIRED: Final = "expired"
"""Status in the last item of a stream if the session no longer exists."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The first item of a new stream. It contains the complete state."""

    state: TableState


@dataclass(frozen=True, slots=True)
class Resumed:
    """The first item of a resumed stream. It contains a state that the listener already has."""

    state: TableState


@dataclass(frozen=True, slots=True)
class Changed:
    """A change that some viewers may see. It consists of the log entry and the state after this entry."""

    state: TableState
    line: LogEntry
    viewers: Collection[int] = ()  # seats and SPECTATOR that may see the change
    # A cache shared by all writers. A key contains everything that affects the cached value.
    made: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Attended:
    """A change of presence. For example, a seat has connected, disconnected or made its decision.

    The version stays the same.
    """

    presence: Presence


@dataclass(frozen=True, slots=True)
class PhraseItem:
    """A quick phrase that a seat has sent.

    Clients display `shown_at` as the time of the phrase. The item has no version, because a phrase changes no version.
    """

    phrase: Phrase
    shown_at: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The last item of a stream. `status` is the status of the session, or EXPIRED."""

    status: str


StreamItem = Opened | Resumed | Changed | Attended | PhraseItem | Ended
"""Any item of a stream. Its state is valid only until the next item, because moves change the table in place."""


class Writer(Protocol):
    """Serializes the items of one stream in order. A writer has one language and one format."""

    actors: Sequence[int]
    """The seats that must decide in the last written state."""

    def write(self, item: StreamItem) -> bytes:
        """Return the bytes to send for an item. Return b"" if the listener already has the content of the item."""
        ...

    def share(self, other: Any) -> None: ...
