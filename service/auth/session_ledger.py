"""Charges accounts for new sessions and for the playouts (simulated games) of their bots.

An account is an API key, or the network address of a caller without a key. Unused playouts are refunded.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Self, cast

from redis import Redis
from redis.exceptions import RedisError

from games.core.levels import DECISIONS_PER_GAME
from service.auth.api_keys import KEY_OWNER, ApiKey, KeyStore
from service.auth.rate_limits import CappedSet, Charge, Quota, RateLimiter, playouts, sessions
from service.settings import DAY_MS, HOUR_MS, Limits
from service.store.session_store import SessionStore
from service.store.sessions import OVER

UNFINISHED: Final = "unfinished"
STORED: Final = "stored"

FOUNDING_MS: Final = 60_000
"""Maximum milliseconds between charging for a session and writing it.

A session that is still missing after this time was not created.
"""

Costs = Mapping[str, Mapping[int, int]]
"""The playouts of the bots in new sessions, by session id and seat."""


@dataclass(frozen=True, slots=True)
class Account:
    """The account that is charged for sessions, with its limits. If a limit is None or 0, there is no limit."""

    name: str
    sessions: Quota | None
    playouts: Quota | None
    unfinished: int = 0
    stored: int = 0

    @classmethod
    def of(cls, name: str, key: ApiKey | None, limits: Limits) -> Self:
        """Return the account of an API key. If `key` is None, return the account of a caller without an API key."""
        bounds = (0, 0) if key else (limits.open_unfinished_sessions, limits.open_stored_sessions)
        return cls(name, sessions(key, limits), playouts(key, limits), *bounds)

    @property
    def counted(self) -> bool:
        """True if the account has at least one limit."""
        return bool(self.sessions or self.playouts or self.unfinished or self.stored)


@dataclass(frozen=True, slots=True)
class SessionCharge:
    """The charge for one request that creates sessions.

    `members` contains the ids of the new sessions. The field `sets` lists the Redis sets that count the account's
    sessions. A successful charge has added the ids to each of these Redis sets.
    """

    limiter: RateLimiter
    client: Redis
    account: Account
    charge: Charge
    costs: Sequence[tuple[Quota, int]]
    sets: Sequence[CappedSet]
    members: Sequence[str]
    receipts: Sequence[str]
    made: float

    def give_back(self, *, founded: bool = False) -> None:
        """Refund all costs of this charge, and remove the ids of its sessions from the Redis sets in `sets`.

        Pass `founded=True` if the sessions exist because another request has created them. The ids then stay in the
        sets.

        Do nothing if this charge was rejected. Also do nothing if an earlier request had already paid for the same
        sessions, because this charge then cost nothing.
        """
        if self.charge.repeated or not self.charge.granted:
            return
        with suppress(RedisError):  # unreturned quota is renewed with its window
            for quota, cost in self.costs:
                self.limiter.give_back(quota, self.account.name, cost, self.made)
            for each in () if founded else self.sets:
                self.client.zrem(each.key, *self.members)
            for receipt in self.receipts:
                self.client.delete(receipt)


class SessionLedger:
    """Charges accounts for sessions and refunds unused playouts."""

    def __init__(self, client: Redis, limits: Limits, store: SessionStore) -> None:
        """Create a ledger. `store` stores the sessions.

        `client` must be connected to the Redis that stores API keys and counters.
        """
        self._client, self._limits, self._store = client, limits, store
        self._limiter, self._keys = RateLimiter(client), KeyStore(client)

    def found(self, account: Account, costs: Costs) -> SessionCharge:
        """Charge an account for new sessions. Charge nothing if an earlier request was charged for the same sessions.

        `costs` maps the id of each session to the costs of the session's bots, by seat.
        """
        ids, total = list(costs), sum(sum(seats.values()) for seats in costs.values())
        now = time.time_ns() // 1_000_000
        wanted = [(account.sessions, len(ids)), (account.playouts, total)]
        spent = [(quota, cost) for quota, cost in wanted if quota is not None and cost]
        bounds = [(UNFINISHED, account.unfinished, now), (STORED, account.stored, now + self._unmoved_ms)]
        sets = [
            CappedSet(name, f"q:{name}:{account.name}", most, score, 2 * self._limits.session_days * DAY_MS)
            for name, most, score in bounds
            if most
        ]
        receipts = {f"q:founded:{ids[0]}": len(ids)}
        receipts |= {
            _seat_key(session_id, seat): cost
            for session_id, seats in costs.items()
            for seat, cost in seats.items()
            if account.playouts
        }
        args = (account.name, spent, sets, ids, receipts if spent else {})
        charge = self._limiter.charge(*args)
        if charge.full is not None and self._forget_ended(charge.full, now):
            charge = self._limiter.charge(*args)
        return SessionCharge(self._limiter, self._client, account, charge, spent, sets, ids, list(args[-1]), now / 1000)

    def stand_in(self, name: str, session_id: str, seat: int, cost: int) -> bool:
        """Charge an account for a bot that replaces a person. Return whether the quota was sufficient.

        Usually, charge `cost`. If the account has already paid for a bot in this seat, subtract that payment from
        `cost`. A payment is forgotten when the account's quota is renewed.
        """
        quota = self._account(name).playouts
        if quota is None or not cost:
            return True
        receipt = _seat_key(session_id, seat)
        paid = int(cast("bytes | None", self._client.getdel(receipt)) or 0)
        more, said = [(quota, max(0, cost - paid))], {receipt: max(cost, paid)}
        granted = self._limiter.charge(name, more, receipts=said).granted
        if paid and not granted:
            self._limiter.charge(name, [(quota, 0)], receipts={receipt: paid})
        return granted

    def settle(self, name: str, session_id: str, seats: Sequence[int], moves: Callable[[], Mapping[int, int]]) -> None:
        """Refund the unused playouts of a session's bots after the end of the session.

        `seats` contains the seats of the bots. `moves` is a function that returns the number of moves of each seat.
        Usually, a bot's charge is refunded in part. It is not refunded if the account's quota has been renewed since
        the charge.
        """
        if not name or not seats:
            return
        with self._client.pipeline(transaction=False) as pipe:
            for seat in seats:
                pipe.getdel(_seat_key(session_id, seat))
            found = cast("list[bytes | None]", pipe.execute())
        paid = {seat: int(cost) for seat, cost in zip(seats, found, strict=True) if cost}
        quota = self._account(name).playouts
        if not paid or quota is None:
            return
        made = moves()
        # One more move is charged, because a search may still be running.
        unused = sum(
            cost - cost * min(DECISIONS_PER_GAME, made.get(seat, 0) + 1) // DECISIONS_PER_GAME
            for seat, cost in paid.items()
        )
        if unused:
            self._limiter.give_back(quota, name, unused, time.time())

    @property
    def _unmoved_ms(self) -> int:
        return self._limits.unmoved_session_hours * HOUR_MS

    def _account(self, name: str) -> Account:
        if not name.startswith(KEY_OWNER):
            return Account.of(name, None, self._limits)
        key = self._keys.by_id(name.removeprefix(KEY_OWNER))
        return Account.of(name, key, self._limits) if key else Account(name, None, None)

    def _forget_ended(self, full: CappedSet, now: int) -> bool:
        """Remove the outdated ids of sessions from the set `full`. Return whether any id was removed.

        `full` is the set `unfinished` or the set `stored` of an account. In `unfinished`, the ids of ended and deleted
        sessions are outdated. In `stored`, only the ids of deleted sessions are outdated. Outdated ids stay in a set
        until this method removes them.
        """
        stored = full.name == STORED
        latest = now if stored else "+inf"
        found = cast(
            "list[tuple[bytes, float]]", self._client.zrange(full.key, "-inf", latest, byscore=True, withscores=True)
        )
        # Scores are expiry times of stored sessions, and charge times of unfinished sessions.
        scores = {member.decode(): score for member, score in found}
        states = dict(zip(scores, self._store.lives(list(scores)), strict=True))
        # A missing session counts as deleted only after FOUNDING_MS, because it may not have been written yet.
        old = now if stored else now - FOUNDING_MS
        gone = [
            each
            for each, (status, _) in states.items()
            if (status is None and scores[each] <= old) or (not stored and status in OVER)
        ]
        if stored and len(gone) < len(states):
            self._client.zadd(
                full.key, {each: now + life for each, (status, life) in states.items() if status}, xx=True
            )
        return bool(gone) and bool(self._client.zrem(full.key, *gone))


def _seat_key(session_id: str, seat: int) -> str:
    return f"q:bot:{session_id}/{seat}"
