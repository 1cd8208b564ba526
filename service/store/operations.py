"""Operations with an Idempotency-Key. Each is done once, and its response is stored for repetitions.

The store contains neither the key nor a readable response: the operation's slot is a hash, and the caller seals the
response.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, cast

from redis import Redis

from service.store import keys
from service.store.scripts import run_each, script

TAKES_MS: Final = 5_000
"""Time after which a repetition takes an operation over, as after a crash; few requests take a tenth of it.

A move that is taken over while it still runs is made only once, since the session records its operation.
"""


SCAN_COUNT: Final = 1_000
"""Number of keys per exchange of a scan."""

FAILED: Final = b""
"""Stands for the sealed response of an operation that may be retried."""


class Begun(Enum):
    """The status of an operation with an Idempotency-Key."""

    BEGUN = "begun"
    RUNNING = "running"
    DONE = "done"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class KeyedOperation:
    """The state in which a request found an operation.

    `mark` identifies the request, so that only the request that runs the operation can end it. `sealed` is the
    response, if the operation is done.
    """

    standing: Begun
    mark: str
    sealed: bytes = b""


class OperationStore:
    """Stores operations for `life_ms`. `now` returns the service's time in milliseconds."""

    def __init__(self, client: Redis, life_ms: int, now: Callable[[], int]) -> None:
        self._client, self._life_ms, self._now = client, life_ms, now
        self._begin = client.register_script(script("begin"))
        self._end = client.register_script(script("end"))

    def begin_each(self, named: Sequence[tuple[str, str]]) -> list[KeyedOperation | Exception]:
        """Begin operations, each given by its slot and the request's fingerprint, in one exchange.

        Return the state of each operation, or an error.
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

    def end_each(self, ends: Sequence[tuple[str, str, bytes, str]]) -> None:
        """Store the responses of operations in one exchange.

        Each operation is given by its slot, its mark, the sealed response, and the ids of the sessions in the response.
        An operation is skipped if another request has taken it over. If the response is FAILED, the operation may be
        retried.
        """
        run_each(
            self._client,
            self._end,
            [([keys.operation(slot)], [mark, sealed, self._life_ms, about]) for slot, mark, sealed, about in ends],
        )


def forget_responses(client: Redis, session_id: str) -> None:
    """Delete the stored responses that are about a session. Repetitions find their operation in the session itself."""
    for slot in client.scan_iter(keys.operation("*"), count=SCAN_COUNT):
        about = cast("bytes | None", client.hget(slot, "about"))
        if about is not None and session_id in about.decode().split():
            client.delete(slot)
