"""The stores, games and functions on which the use cases depend."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Self

from redis import Redis

from games.core.game import Game
from service.auth.session_ledger import SessionLedger
from service.sessions.bot_tasks import enqueuer
from service.settings import DAY_MS, HOUR_MS, Settings
from service.store.clients import commands
from service.store.clock import StoreClock, this_machine
from service.store.hooks import HookStore
from service.store.session_store import SessionStore


def milliseconds() -> int:
    """Return the machine's time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def session_client(client: Redis, settings: Settings) -> Redis:
    """Return the Redis client for sessions. It is `client`, unless the settings name a separate Redis for sessions."""
    return commands(settings.sessions_url) if settings.sessions_url else client


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionServices:
    """The stores, games and functions on which the use cases of sessions depend."""

    store: SessionStore
    hooks: HookStore
    games: Mapping[str, Game]
    # Arguments: a session's id and revision. It must not raise. A timer retries turns that could not be enqueued.
    enqueue_bot_turn: Callable[[str, int], None]
    ledger: SessionLedger | None = None  # without a ledger, nothing is charged
    now: Callable[[], int] = milliseconds  # the service's time in milliseconds
    entropy: Callable[[int], bytes] = secrets.token_bytes

    @classmethod
    def of(cls, client: Redis, settings: Settings, games: Mapping[str, Game]) -> Self:
        """Create the services with a Redis client.

        If the settings name a separate Redis for sessions, connect to it.
        """
        sessions = session_client(client, settings)
        clock = StoreClock(sessions, machine=this_machine())
        limits = settings.limits
        store = SessionStore(
            sessions, limits.session_days * DAY_MS, clock.calendar, limits.unmoved_session_hours * HOUR_MS
        )
        ledger = SessionLedger(client, limits, store)
        hooks = HookStore(client, settings.limits.webhook_messages)
        enqueue = enqueuer(client)
        return cls(store=store, hooks=hooks, games=games, ledger=ledger, enqueue_bot_turn=enqueue, now=clock.now)
