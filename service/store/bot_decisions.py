"""What the bots of a session are at: who plays them, and what they have made up their minds to do.

The cache key of a decision is the name of its operation, which is the same for everybody who may make it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from redis import Redis

from service.store import keys
from service.store.scripts import script

LIFE_MS: Final = 3_600_000
"""How long a mind is kept after the last thought."""


class BotDecisionCache:
    """The bots of all sessions."""

    def __init__(self, client: Redis) -> None:
        """Take a client that does not retry writes."""
        self._client = client
        self._hold = client.register_script(script("lease"))
        self._release = client.register_script(script("release"))

    def lease(self, session_id: str, lease_id: str, milliseconds: int) -> bool:
        """Take or renew the lease to play a session's bots, and return whether it is ours."""
        return bool(self._hold(keys=[keys.bots(session_id)], args=[lease_id, milliseconds]))

    def is_leased(self, session_id: str) -> bool:
        """Tell whether anybody has the lease to play a session's bots."""
        return bool(self._client.exists(keys.bots(session_id)))

    def release(self, session_id: str, lease_id: str) -> None:
        """Give the lease to play a session's bots back."""
        self._release(keys=[keys.bots(session_id)], args=[lease_id])

    def attempt(self, session_id: str, decision: str) -> int:
        """Note that somebody begins to think about a decision, and return for which time."""
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
    """Return the field that counts attempts at a decision."""
    return f"{decision}/attempts"
