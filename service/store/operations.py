"""Operations that clients name by an Idempotency-Key: done once, and their answers kept for a repetition.

The store never sees the key, nor an answer in clear: the slot is a hash, and the answer is sealed by the caller.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from redis import Redis

from service.store import keys
from service.store.scripts import run_each, script

TAKES_MS: Final = 5_000
"""How long an operation may run before a repetition takes it over, as after a crash; few requests take a tenth of it.

A move that was taken over while it still ran is made once all the same, since the session knows its operation.
"""


FAILED: Final = b""
"""Stands for the sealed answer of an operation that may be tried again."""


class Begun(Enum):
    """What is known of an operation that a client names."""

    BEGUN = "begun"
    RUNNING = "running"
    DONE = "done"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class KeyedOperation:
    """An operation as found: how it stands, the mark of the one who does it now, and the sealed answer if done."""

    standing: Begun
    mark: str
    sealed: bytes = b""


class OperationStore:
    """Remembers operations for `life_ms`; `now` returns the service's time in milliseconds."""

    def __init__(self, client: Redis, life_ms: int, now: Callable[[], int]) -> None:
        self._client, self._life_ms, self._now = client, life_ms, now
        self._begin = client.register_script(script("begin"))
        self._end = client.register_script(script("end"))

    def begin(self, slot: str, fingerprint: str) -> KeyedOperation:
        """Begin an operation, or return how it stands; `fingerprint` is that of the request."""
        (found,) = self.begin_each([(slot, fingerprint)])
        if isinstance(found, Exception):
            raise found
        return found

    def begin_each(self, named: Sequence[tuple[str, str]]) -> list[KeyedOperation | Exception]:
        """Begin operations by slots and fingerprints as `begin` does, or return what it raises for each.

        The store is asked once for all of them.
        """
        marks = [secrets.token_hex(8) for _ in named]
        calls = [
            ([keys.operation(slot)], [fingerprint, mark, self._now(), TAKES_MS, self._life_ms])
            for (slot, fingerprint), mark in zip(named, marks, strict=True)
        ]
        return [
            answer if isinstance(answer, Exception) else KeyedOperation(Begun(answer[0].decode()), mark, *answer[1:])
            for mark, answer in zip(marks, run_each(self._client, self._begin, calls), strict=True)
        ]

    def done(self, slot: str, mark: str, sealed: bytes) -> None:
        """Keep the sealed answer, unless a repetition has taken the operation over."""
        self._end(*self._ending(slot, mark, sealed))

    def failed(self, slot: str, mark: str) -> None:
        """Let the operation be tried again under the same name."""
        self._end(*self._ending(slot, mark, FAILED))

    def end_each(self, ends: Sequence[tuple[str, str, bytes]]) -> None:
        """End operations by slots and marks as `done` does by the sealed answer, or as `failed` where that is FAILED.

        The store is asked once for all of them, and none the less it may fail to.
        """
        run_each(self._client, self._end, [self._ending(*each) for each in ends])

    def _ending(self, slot: str, mark: str, sealed: bytes) -> tuple[list[str], list[Any]]:
        return [keys.operation(slot)], [mark, sealed, self._life_ms]
