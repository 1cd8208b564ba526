"""Stores pending push messages in Redis. A seat has at most one message.

When a message is due, the scheduler queues a task that sends it. The scheduler also sets the message's due time to a
later time. If the worker dies before it sends the message, the scheduler queues another task at this later time. So the
message is late but not lost.
"""

from __future__ import annotations

from typing import Final, NamedTuple, cast

from redis import Redis

from service.settings import DAY_MS
from service.store.due import DueNames
from service.store.scripts import script

_TAG: Final = "{p}"
_DUE: Final = f"{_TAG}:due"

# During this time, a second notification of the same decision has no effect.
MESSAGE_MS: Final = DAY_MS
"""Lifetime of a message in milliseconds."""


def seat_name(session_id: str, seat: int) -> str:
    return f"{session_id}/{seat}"


class PendingPush(NamedTuple):
    """A pending push message. It notifies a seat of a decision that the seat must make.

    If the seat must already make a later decision when the message is sent, the message is about the later decision.
    """

    decision: str  # the decision that caused the message
    tries: int  # number of attempts
    told: str  # the decision that was last described, which is not described again


class PushStore(DueNames):
    """Reads and writes pending push messages."""

    def __init__(self, client: Redis) -> None:
        super().__init__(client, _DUE)
        self._add = client.register_script(script("push_add"))
        self._note = client.register_script(script("push_note"))
        self._forget = client.register_script(script("push_forget"))

    def add(self, name: str, decision: str, now: int) -> bool:
        """Store a message about a seat's decision. The message is due at once, and replaces an older message.

        Return False if a message about this decision already exists.
        """
        return bool(self._add(keys=[_message(name), _DUE], args=[name, decision, now, MESSAGE_MS]))

    def find(self, name: str) -> PendingPush | None:
        """Return the message of a seat, or None if there is none."""
        found = cast("list[bytes | None]", self.client.hmget(_message(name), "decision", "tries", "told"))
        if found[0] is None:
            return None
        return PendingPush(found[0].decode(), int(found[1] or 0), (found[2] or b"").decode())

    def note(self, name: str, pending: PendingPush, told: str, again: int | None) -> None:
        """Record that this worker has tried to send the message `pending` to the seat `name`.

        `told` is the decision that was last described to the seat. `again` is the next due time, or None for no further
        attempt. Another worker may have changed the stored message since `pending` was read. Therefore:

        - If no message is stored for the seat, do nothing.
        - If the stored value of `told` is still `pending.told`, replace this value with `told`.
        - If the stored decision and the stored number of attempts are still the values in `pending`, increase the
          number by 1. Then also set the due time to `again`, or remove the due time if `again` is None.
        """
        following = "" if again is None else again
        args: list[str | int] = [name, pending.decision, pending.tries, pending.told, following, told]
        self._note(keys=[_message(name), _DUE], args=args)

    def forget(self, name: str) -> None:
        """Remove a seat from the due set if Redis contains no message for the seat."""
        self._forget(keys=[_message(name), _DUE], args=[name])


def lease_key(name: str) -> str:
    """Return the key of the lease that a worker takes while it sends a seat's message."""
    return f"{_TAG}:{name}:held"


def _message(name: str) -> str:
    return f"{_TAG}:{name}"
