"""Stores pending push messages in Redis, at most one per seat.

Seats with a pending message are in a due set, ordered by the time of the next attempt. When a task is queued, the seat
is only postponed. So a worker that dies causes a delay but no loss. A message is kept for a day after it was sent, so
that a repeated notification of the same decision has no effect. All keys share one hash tag.
"""

from __future__ import annotations

from typing import Final, cast

from redis import Redis

from service.settings import DAY_MS
from service.store.due import DueNames
from service.store.scripts import script

_TAG: Final = "{p}"
_DUE: Final = f"{_TAG}:due"

MESSAGE_MS: Final = DAY_MS
"""Lifetime of a message in milliseconds."""


def seat_name(session_id: str, seat: int) -> str:
    return f"{session_id}/{seat}"


class PushStore(DueNames):
    """Reads and writes pending push messages."""

    def __init__(self, client: Redis) -> None:
        super().__init__(client, _DUE)
        self._add = client.register_script(script("push_add"))
        self._note = client.register_script(script("push_note"))

    def add(self, name: str, decision: str, now: int) -> bool:
        """Store a message about a seat's decision. It is due at once. It replaces an older message of the seat.

        Return False if there already is a message about this decision.
        """
        return bool(self._add(keys=[_message(name), _DUE], args=[name, decision, now, MESSAGE_MS]))

    def find(self, name: str) -> tuple[str, int] | None:
        """Return the decision of a seat's message and the number of attempts, or None if there is no message."""
        found = cast("list[bytes | None]", self.client.hmget(_message(name), "decision", "tries"))
        return None if found[0] is None else (found[0].decode(), int(found[1] or 0))

    def note(self, name: str, decision: str, again: int | None) -> None:
        """Count an attempt at a message, unless a newer message replaced it. `again` is the next attempt's time."""
        self._note(keys=[_message(name), _DUE], args=[name, decision, "" if again is None else again])


def lease_key(name: str) -> str:
    """Return the key of the lease that a worker takes while it sends a seat's message."""
    return f"{_TAG}:{name}:held"


def _message(name: str) -> str:
    return f"{_TAG}:{name}"
