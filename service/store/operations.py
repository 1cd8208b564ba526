"""Operations with an Idempotency-Key. Each is executed once. Its response is stored for repeated requests.

Redis contains only a hash of the key, and the encrypted response.
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
"""Milliseconds after which a repeated request takes over an operation that has not ended.

The process that began the operation has probably died. Even if this process is still running, each move is made only
once, because a session stores the ids of its operations.
"""


SCAN_COUNT: Final = 1_000
"""Number of keys that Redis examines per SCAN command."""

FAILED: Final = b""
"""Argument of `end_each` in place of a response. It deletes the operation, so a repeated request runs again."""


class Begun(Enum):
    """The state of an operation when a request arrives. OTHER means that the key belongs to a different request."""

    BEGUN = "begun"
    RUNNING = "running"
    DONE = "done"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class KeyedOperation:
    """The state of an operation in Redis when a request arrives."""

    standing: Begun  # its state
    # The random id of this request. Only the request whose mark is in Redis can store the response.
    mark: str
    sealed: bytes = b""  # the encrypted response, if the operation is done


class OperationStore:
    """Stores operations with an Idempotency-Key for `life_ms`. `now` returns the service's time in milliseconds."""

    def __init__(self, client: Redis, life_ms: int, now: Callable[[], int]) -> None:
        self._client, self._life_ms, self._now = client, life_ms, now
        self._begin = client.register_script(script("begin"))
        self._end = client.register_script(script("end"))

    def begin_each(self, named: Sequence[tuple[str, str]]) -> list[KeyedOperation | Exception]:
        """Start operations in one exchange with Redis. Return the state of each operation, or an exception.

        Each item of `named` is the id of an operation and the fingerprint of the request.
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
        """Store the responses of operations. Skip operations that another request has taken over.

        Each item of `ends` is the id of an operation, its `KeyedOperation.mark`, the encrypted response, and the ids of
        the sessions that the response concerns. If the response is FAILED, delete the operation.
        """
        run_each(
            self._client,
            self._end,
            [([keys.operation(slot)], [mark, sealed, self._life_ms, about]) for slot, mark, sealed, about in ends],
        )


def forget_responses(client: Redis, session_id: str) -> None:
    """Delete the stored responses that concern a session. The session still recognises repeated operations."""
    for slot in client.scan_iter(keys.operation("*"), count=SCAN_COUNT):
        about = cast("bytes | None", client.hget(slot, "about"))
        if about is not None and session_id in about.decode().split():
            client.delete(slot)
