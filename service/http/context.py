"""The shared objects of an application. `create_app` builds them, and requests get them from `current_context()`."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from flask import Flask, current_app
from redis import Redis

from games.core.game import Game, Move, View
from service.auth.api_keys import KeyStore
from service.auth.rate_limits import RateLimiter
from service.auth.request_counter import RequestCounter
from service.health import ProcessHealth
from service.http.problems import Problem, invalid_body
from service.http.wait_slots import WaitSlots
from service.pictures.drawing_slots import DrawingSlots
from service.pictures.recent_pictures import RecentPictures
from service.sessions.broadcasts import Broadcasts
from service.sessions.services import SessionServices
from service.sessions.tickets import Tickets
from service.settings import DAY_MS, HOUR_MS, Settings
from service.snapshots.sealing import Sealer
from service.store.clients import commands
from service.store.feed import NEWS, Feed
from service.store.fresh_tables import FreshTables
from service.store.operations import OperationStore
from service.webhooks.push import Vapid
from service.webhooks.signing import Secrets

UNCOUNTED_SECONDS: Final = 2
"""Seconds for which requests without an API key go uncounted after Redis failed to count one."""


class Pause:
    """A flag that clears itself some seconds after it was set."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._until = seconds, 0.0

    def set(self) -> None:
        self._until = time.monotonic() + self._seconds

    @property
    def is_set(self) -> bool:
        return time.monotonic() < self._until


@dataclass(frozen=True, slots=True)
class AppContext:
    """The shared objects of an application: settings, games, Redis clients, and the services that use them.

    The keys of `games` and `views` are slugs of games; the keys of `moves` are tags of moves. `redis` stores jobs,
    queues and callers. `sessions_redis` stores sessions and idempotency keys. They are the same client if the settings
    name only one Redis server.
    """

    settings: Settings
    games: Mapping[str, Game]
    moves: Mapping[str, type[Move]]
    views: Mapping[str, type[View]]
    redis: Redis
    sessions_redis: Redis
    keys: KeyStore
    rate_limiter: RateLimiter
    request_counter: RequestCounter
    sessions: SessionServices
    operations: OperationStore
    broadcasts: Broadcasts
    job_feed: Feed
    tickets: Tickets
    sealer: Sealer
    fresh_tables: FreshTables
    wait_slots: WaitSlots
    health: ProcessHealth
    drawing_slots: DrawingSlots
    recent_pictures: RecentPictures
    webhook_secrets: Secrets
    vapid: Vapid | None
    address_secret: bytes
    uncounted: Pause

    @classmethod
    def of(cls, settings: Settings, games: Mapping[str, Game]) -> AppContext:
        """Build the context without connecting to Redis."""
        moves = {str(kind.__struct_config__.tag): kind for game in games.values() for kind in game.moves}
        views = {slug: game.view_type for slug, game in games.items()}
        client = commands(settings.redis_url)
        services = SessionServices.of(client, settings, games)
        limiter = RateLimiter(client)
        limits = settings.limits
        wait_slots = WaitSlots(limits.streams, limits.streams_per_caller, limits.open_streams_per_address)

        health = ProcessHealth(lambda: feed.age)
        feed = Feed(services.store.client, NEWS, health.is_ending)
        tickets = Tickets(settings.secret_key, settings.limits.ticket_seconds)
        snapshot_ms = settings.limits.snapshot_days * DAY_MS
        sealer = Sealer.of(settings.snapshot_keys or (settings.secret_key,), snapshot_ms)
        return cls(
            settings=settings,
            games=games,
            moves=moves,
            views=views,
            redis=client,
            sessions_redis=services.store.client,
            keys=KeyStore(client),
            rate_limiter=limiter,
            request_counter=RequestCounter(limiter),
            sessions=services,
            operations=OperationStore(services.store.client, limits.idempotency_hours * HOUR_MS, services.now),
            broadcasts=Broadcasts(feed),
            job_feed=Feed(client, None, health.is_ending),
            tickets=tickets,
            sealer=sealer,
            fresh_tables=FreshTables(services.store.client, snapshot_ms),
            wait_slots=wait_slots,
            health=health,
            drawing_slots=DrawingSlots(settings.limits.drawings),
            recent_pictures=RecentPictures(),
            webhook_secrets=Secrets(settings.secret_key),
            vapid=Vapid.of(settings.vapid_private_key, settings.vapid_subject),
            address_secret=hmac.new(settings.secret_key.encode(), b"addresses", hashlib.sha256).digest(),
            uncounted=Pause(UNCOUNTED_SECONDS),
        )

    def game_in_body(self, slug: str) -> Game:
        """Return the game that a request body names. Raise Problem (422) if it does not exist."""
        if slug not in self.games:
            raise invalid_body("/game", "choice", choices=", ".join(self.games))
        return self.games[slug]

    def game(self, slug: str) -> Game:
        """Return a game by its slug. Raise Problem (404) if it does not exist."""
        if slug not in self.games:
            raise Problem("unknown-game", game=slug)
        return self.games[slug]


def current_context() -> AppContext:
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001 -- the proxy costs more
    found: AppContext = app.extensions["context"]
    return found
