"""Operations that clients name by an Idempotency-Key: done once, and their answers kept for a repetition.

The store never sees the key, nor an answer in clear: the slot is a hash, and the answer is sealed by the caller.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Final

from redis import Redis

from service.store import keys
from service.store.scripts import script

TAKES_MS: Final = 5_000
"""How long an operation may run before a repetition takes it over, as after a crash; few requests take a tenth of it.

A move that was taken over while it still ran is made once all the same, since the session knows its operation.
"""


class Begun(Enum):
    """What is known of an operation that a client names."""

    BEGUN = "begun"
    RUNNING = "running"
    DONE = "done"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation as found: how it stands, the mark of the one who does it now, and the sealed answer if done."""

    standing: Begun
    mark: str
    sealed: bytes = b""


class OperationStore:
    """Remembers operations for `life_ms`; `now` returns the service's time in milliseconds."""

    def __init__(self, client: Redis, life_ms: int, now: Callable[[], int]) -> None:
        self._life_ms, self._now = life_ms, now
        self._begin = client.register_script(script("begin"))
        self._end = client.register_script(script("end"))

    def begin(self, slot: str, fingerprint: str) -> Operation:
        """Begin an operation, or return how it stands; `fingerprint` is that of the request."""
        mark = secrets.token_hex(8)
        args: list[str | int] = [fingerprint, mark, self._now(), TAKES_MS, self._life_ms]
        answer = self._begin(keys=[keys.operation(slot)], args=args)
        return Operation(Begun(answer[0].decode()), mark, *answer[1:])

    def done(self, slot: str, mark: str, sealed: bytes) -> None:
        """Keep the sealed answer, unless a repetition has taken the operation over."""
        self._end(keys=[keys.operation(slot)], args=[mark, sealed, self._life_ms])

    def failed(self, slot: str, mark: str) -> None:
        """Let the operation be tried again under the same name."""
        self._end(keys=[keys.operation(slot)], args=[mark, "", self._life_ms])
