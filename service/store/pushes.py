"""Pending push messages in Redis, at most one per seat.

A seat with a pending message is in the due set by the time of the next attempt. A queued task postpones it instead of
removing it, so a worker that dies causes only a delay. A message stays for a day after it was sent, so a repeated
notification of its decision adds nothing. All keys share one hash tag, as those of webhooks do.
"""

from __future__ import annotations

from typing import Final, cast

from redis import Redis

from service.settings import DAY_MS
from service.store.scripts import script

_TAG: Final = "{p}"
_DUE: Final = f"{_TAG}:due"

MESSAGE_MS: Final = DAY_MS
"""Lifetime of a message."""


def seat_name(session_id: str, seat: int) -> str:
    return f"{session_id}/{seat}"


class PushStore:
    """Reads and writes pending push messages."""

    def __init__(self, client: Redis) -> None:
        self.client = client
        self._add = client.register_script(script("push_add"))
        self._note = client.register_script(script("push_note"))

    def add(self, name: str, decision: str, now: int) -> bool:
        """Make a message about a seat's decision due, in place of an older one; return False if it is known."""
        return bool(self._add(keys=[_message(name), _DUE], args=[name, decision, now, MESSAGE_MS]))

    def find(self, name: str) -> tuple[str, int] | None:
        """Return the decision of a seat's message and the number of attempts, or None."""
        found = cast("list[bytes | None]", self.client.hmget(_message(name), "decision", "tries"))
        return None if found[0] is None else (found[0].decode(), int(found[1] or 0))

    def note(self, name: str, decision: str, again: int | None) -> None:
        """Count an attempt at a message, and set the time of the next one, unless a newer message took its place."""
        self._note(keys=[_message(name), _DUE], args=[name, decision, "" if again is None else again])

    def due(self, now: int, most: int) -> list[str]:
        found = cast("list[bytes]", self.client.zrange(_DUE, "-inf", now, byscore=True, offset=0, num=most))
        return [name.decode() for name in found]

    def put_off(self, name: str, until: int) -> None:
        """Postpone a seat, because a task was queued for it."""
        self.client.zadd(_DUE, {name: until}, xx=True)

    def forget(self, name: str) -> None:
        """Remove a seat without a message from the due set."""
        self.client.zrem(_DUE, name)


def lease_key(name: str) -> str:
    """Return the key of the lease to send a seat's message."""
    return f"{_TAG}:{name}:held"


def _message(name: str) -> str:
    return f"{_TAG}:{name}"
