"""Stores the chosen moves of bots until the service makes them, and counts the attempts to choose each move.

Each decision has an id (`service.sessions.turns.decision`), which is the same in all processes. The id is also
the operation id of the decision's move, which identifies retries of the move.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast

from redis import Redis

from service.store import keys

LIFE_MS: Final = 3_600_000
"""Lifetime of the stored decisions of a session after the last one was added, in milliseconds."""


@dataclass(frozen=True, slots=True)
class BotDecision:
    """The move that a bot has chosen.

    `began` and `ended` are the times of its search in milliseconds. They are 0 if an earlier release stored the move.
    """

    code: int
    began: int
    ended: int


class BotDecisionCache:
    """Stores the moves that bots have chosen, for all sessions.

    A worker that makes the moves of a session's bots holds a lease. `is_leased` checks this lease.
    """

    def __init__(self, client: Redis) -> None:
        self._client = client

    def is_leased(self, session_id: str) -> bool:
        """Return whether a worker currently chooses and makes the moves of a session's bots."""
        return bool(self._client.exists(keys.bots(session_id)))

    def attempt(self, session_id: str, decision: str) -> int:
        """Count an attempt to choose the move of a decision. Return the number of attempts, including this one."""
        with self._client.pipeline(transaction=True) as pipe:
            pipe.hincrby(keys.decisions(session_id), _attempts(decision), 1)
            pipe.pexpire(keys.decisions(session_id), LIFE_MS)
            return int(pipe.execute()[0])

    def begin(self, session_id: str, decisions: Sequence[str], now: int) -> None:
        """Record `now` as the start of the search for each of these simultaneous decisions.

        If a decision already has a recorded start, keep that start.
        """
        with self._client.pipeline(transaction=True) as pipe:
            for decision in decisions:
                pipe.hsetnx(keys.decisions(session_id), _began(decision), str(now))
            pipe.pexpire(keys.decisions(session_id), LIFE_MS)
            pipe.execute()

    def remember(self, session_id: str, decision: str, code: int, now: int) -> None:
        """Store the move that a bot has chosen for a decision. The service makes this move later.

        `code` is the code of the move. `now` is stored as the time at which the bot's search ended.
        """
        with self._client.pipeline(transaction=True) as pipe:
            pipe.hset(keys.decisions(session_id), decision, f"{code} {now}")
            pipe.pexpire(keys.decisions(session_id), LIFE_MS)
            pipe.execute()

    def recall(self, session_id: str, decisions: Sequence[str]) -> list[BotDecision | None]:
        """For each decision, return the chosen move, or None if no move has been chosen yet."""
        fields = [*decisions, *map(_began, decisions)]
        found = cast("list[bytes | None]", self._client.hmget(keys.decisions(session_id), fields))
        pairs = zip(found[: len(decisions)], found[len(decisions) :], strict=True)
        return [None if code is None else _read(code, began) for code, began in pairs]

    def discard(self, session_id: str, decision: str) -> None:
        """Delete the chosen move of a decision. Keep the number of attempts."""
        self._client.hdel(keys.decisions(session_id), decision)

    def forget(self, session_id: str, decision: str) -> None:
        """Delete the chosen move of a decision, the start time of the search, and the number of attempts.

        The service calls this method after the move was made or has become impossible.
        """
        self._client.hdel(keys.decisions(session_id), decision, _attempts(decision), _began(decision))


def _read(text: bytes, began: bytes | None) -> BotDecision:
    code, _, ended = text.partition(b" ")
    return BotDecision(int(code), int(began or 0), int(ended or 0))


def _began(decision: str) -> str:
    return f"{decision}/began"


def _attempts(decision: str) -> str:
    return f"{decision}/attempts"
