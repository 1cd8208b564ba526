"""The decisions of bots: attempts at them, and the moves they have led to, until these are published.

The cache key of a decision is the name of its operation, which is the same for everybody who may make it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast

from redis import Redis

from service.store import keys

LIFE_MS: Final = 3_600_000
"""How long a session's decisions are kept after the last of them."""


@dataclass(frozen=True, slots=True)
class BotDecision:
    """The move that a bot has decided on, and when its thought began and ended, in milliseconds of the service's time.

    Both are 0 where an earlier service has written it.
    """

    code: int
    began: int
    ended: int


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

    def begin(self, session_id: str, decisions: Sequence[str], now: int) -> None:
        """Note when the thought about decisions that are open at once begins, unless it has begun before."""
        with self._client.pipeline(transaction=True) as pipe:
            for decision in decisions:
                pipe.hsetnx(keys.decisions(session_id), _began(decision), str(now))
            pipe.pexpire(keys.decisions(session_id), LIFE_MS)
            pipe.execute()

    def remember(self, session_id: str, decision: str, code: int, now: int) -> None:
        """Keep the move that a decision has led to now, until it may be published."""
        with self._client.pipeline(transaction=True) as pipe:
            pipe.hset(keys.decisions(session_id), decision, f"{code} {now}")
            pipe.pexpire(keys.decisions(session_id), LIFE_MS)
            pipe.execute()

    def recall(self, session_id: str, decisions: Sequence[str]) -> list[BotDecision | None]:
        """Return what decisions have led to, None where that is still open."""
        fields = [*decisions, *map(_began, decisions)]
        found = cast("list[bytes | None]", self._client.hmget(keys.decisions(session_id), fields))
        pairs = zip(found[: len(decisions)], found[len(decisions) :], strict=True)
        return [None if code is None else _read(code, began) for code, began in pairs]

    def discard(self, session_id: str, decision: str) -> None:
        """Forget the move that a decision has led to, but not the attempts at it."""
        self._client.hdel(keys.decisions(session_id), decision)

    def forget(self, session_id: str, decision: str) -> None:
        """Forget a decision that is made."""
        self._client.hdel(keys.decisions(session_id), decision, _attempts(decision), _began(decision))


def _read(text: bytes, began: bytes | None) -> BotDecision:
    code, _, ended = text.partition(b" ")
    return BotDecision(int(code), int(began or 0), int(ended or 0))


def _began(decision: str) -> str:
    return f"{decision}/began"


def _attempts(decision: str) -> str:
    return f"{decision}/attempts"
