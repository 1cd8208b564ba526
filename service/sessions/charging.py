"""Charges for bots. An account pays when a bot replaces a person. When a session ends, unused playouts are refunded."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import Final

from redis.exceptions import RedisError

from service.jobs.cost import bot_cost
from service.sessions.reading import game_of
from service.sessions.services import SessionServices
from service.sessions.states import undone_revisions
from service.store.sessions import Session

FREE_LEVEL: Final = "greedy"
"""Level of a replacement bot if the account has too few playouts left. Such a bot looks one move ahead."""


def affordable_level(services: SessionServices, session: Session, seat: int, level: str) -> str:
    """Charge the session's account for a bot that replaces a person.

    Return `level`, or FREE_LEVEL if the account has too few playouts left.
    """
    if services.ledger is None or not session.charter.account:
        return level
    cost = bot_cost(game_of(services, session), level)
    paid = services.ledger.stand_in(session.charter.account, session.id, seat, cost)
    return level if paid else FREE_LEVEL


def settle_bots(services: SessionServices, session: Session) -> None:
    """Refund the unused playouts of an ended session's bots. A second call refunds nothing.

    Ignore errors of Redis, because the end of the session is already stored.
    """

    def moves() -> Counter[int]:
        entries = services.store.log_entries(session.id)
        undone = undone_revisions(entries)
        return Counter(
            line.entry.seat for revision, line in entries if line.entry is not None and revision not in undone
        )

    if services.ledger is None:
        return
    seats = [number for number, seat in enumerate(session.seats) if seat.level is not None]
    with suppress(RedisError):
        services.ledger.settle(session.charter.account, session.id, seats, moves)
