"""The tables at which agents have seats, by handles that expire when unused."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final

from dorfplatz_client import Seat

IDLE_SECONDS: Final = 24 * 3600.0
MAX_TABLES: Final = 1_000


@dataclass(slots=True)
class Table:
    """An agent's seat at a table.

    `heard` is the number of lines of history sent to the agent. `own` contains the versions of its own moves since, and
    `view` is the compact view that it saw last.
    """

    seat: Seat
    number: int
    looked: bool = False
    heard: int = 0
    own: set[int] = field(default_factory=set)
    view: dict[str, Any] | None = None
    used: float = 0.0


class Tables:
    """Tables by their handles, removed after a day without use; at the maximum the least recently used goes."""

    def __init__(
        self,
        idle_seconds: float = IDLE_SECONDS,
        max_tables: int = MAX_TABLES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._idle_seconds, self._max_tables, self._clock = idle_seconds, max_tables, clock
        self._tables: OrderedDict[str, Table] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        """Return the number of tables."""
        return len(self._tables)

    def add(self, table: Table) -> str:
        """Store a table and return its handle, which is random and not a token of the service."""
        handle = f"t-{secrets.token_urlsafe(12)}"
        with self._lock:
            table.used = self._clock()
            self._tables[handle] = table
            self._forget()
        return handle

    def get(self, handle: str) -> Table | None:
        """Return the table of a handle, and count this as use."""
        with self._lock:
            self._forget()
            if (table := self._tables.get(handle)) is not None:
                table.used = self._clock()
                self._tables.move_to_end(handle)
            return table

    def _forget(self) -> None:
        unused_since = self._clock() - self._idle_seconds
        while self._tables:
            oldest = next(iter(self._tables.values()))
            if len(self._tables) <= self._max_tables and oldest.used >= unused_since:
                return
            self._tables.popitem(last=False)
