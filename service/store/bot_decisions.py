"""The decisions of bots: attempts at them, and the moves they have led to, until these are published.

The cache key of a decision is the name of its operation, which is the same for everybody who may make it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from redis import Redis

from service.store import keys

LIFE_MS: Final = 3_600_000
"""How long a session's decisions are kept after the last of them."""


class BotDecisionCache:
    """The decisions of the bots of all sessions, and whether a worker plays them."""

    def __init__(self, client: Redis) -> None:
        self._client = client

    def is_leased(self, session_id: str) -> bool:
        """Return whether anybody has the lease to play a session's bots."""
        return bool(self._client.exists(keys.bots(session_id)))

    def attempt(self, session_id: str, decision: str) -> int:
        """Count an attempt at a decision, and return its number, from 1."""
        with self._client.pipeline(transaction=True) as pipe:
            pipe.hincrby(keys.decisions(session_id), _attempts(decision), 1)
            pipe.pexpire(keys.decisions(session_id), LIFE_MS)
            return int(pipe.execute()[0])

    def remember(self, session_id: str, decision: str, code: int) -> None:
        """Keep the move that a decision has led to, until it may be published."""
        with self._client.pipeline(transaction=True) as pipe:
            pipe.hset(keys.decisions(session_id), decision, str(code))
            pipe.pexpire(keys.decisions(session_id), LIFE_MS)
            pipe.execute()

    def recall(self, session_id: str, decisions: Sequence[str]) -> list[int | None]:
        """Return the moves that decisions have led to, None where that is still open."""
        found = cast("list[bytes | None]", self._client.hmget(keys.decisions(session_id), list(decisions)))
        return [None if code is None else int(code) for code in found]

    def discard(self, session_id: str, decision: str) -> None:
        """Forget the move that a decision has led to, but not the attempts at it."""
        self._client.hdel(keys.decisions(session_id), decision)

    def forget(self, session_id: str, decision: str) -> None:
        """Forget a decision that is made."""
        self._client.hdel(keys.decisions(session_id), decision, _attempts(decision))


def _attempts(decision: str) -> str:
    return f"{decision}/attempts"
