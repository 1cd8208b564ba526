"""The shared objects of an application. `create_app` builds them, and requests get them from `current_context()`."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping

from flask import Flask, current_app

from games.core.game import Game
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
from service.store.clients import PROBE_SECONDS, commands
from service.store.feed import NEWS, Feed
from service.store.fresh_tables import FreshTables
from service.store.operations import OperationStore
from service.webhooks.push import Vapid
from service.webhooks.signing import Secrets


class AppContext:
    """The shared objects of an application.

    The keys of `games` and `views` are slugs of games. The keys of `moves` are tags of moves. `redis` is the client for
    jobs, queues, API keys and quotas. `sessions_redis` is the client for sessions and idempotency keys.
    """

    def __init__(self, settings: Settings, games: Mapping[str, Game]) -> None:
        """Build the context. Do not connect to Redis yet."""
        limits, secret, snapshot_ms = settings.limits, settings.secret_key, settings.limits.snapshot_days * DAY_MS
        self.settings, self.games = settings, games
        self.moves = {str(kind.__struct_config__.tag): kind for game in games.values() for kind in game.moves}
        self.views = {slug: game.view_type for slug, game in games.items()}
        self.redis = commands(settings.redis_url)
        urls = dict.fromkeys(filter(None, (settings.redis_url, settings.sessions_url)))
        # These clients have a short timeout. Readiness checks use them.
        self.probed_stores = [commands(url, PROBE_SECONDS) for url in urls]
        self.keys = KeyStore(self.redis)
        self.rate_limiter = RateLimiter(self.redis)
        self.request_counter = RequestCounter(self.rate_limiter)
        self.sessions = SessionServices.of(self.redis, settings, games)
        self.sessions_redis = self.sessions.store.client
        self.operations = OperationStore(self.sessions_redis, limits.idempotency_hours * HOUR_MS, self.sessions.now)
        self.health = ProcessHealth(lambda: feed.age)
        feed = Feed(self.sessions_redis, NEWS, self.health.is_ending)
        self.broadcasts = Broadcasts(feed)
        self.job_feed = Feed(self.redis, None, self.health.is_ending)
        self.tickets = Tickets(secret, limits.ticket_seconds)
        self.sealer = Sealer.of(settings.snapshot_keys or (secret,), snapshot_ms)
        self.fresh_tables = FreshTables(self.sessions_redis, snapshot_ms)
        self.wait_slots = WaitSlots(limits.streams, limits.streams_per_caller, limits.open_streams_per_address)
        self.drawing_slots = DrawingSlots(limits.drawings)
        self.recent_pictures = RecentPictures()
        self.webhook_secrets = Secrets(secret)
        self.vapid = Vapid.of(settings.vapid_private_key, settings.vapid_subject)
        self.address_secret = hmac.new(secret.encode(), b"addresses", hashlib.sha256).digest()
        self.uncounted_until = 0.0

    def game_in_body(self, slug: str) -> Game:
        """Return the game with the slug that a request body contains. Raise Problem (422) if there is no such game."""
        if slug not in self.games:
            raise invalid_body("/game", "choice", choices=", ".join(self.games))
        return self.games[slug]

    def game(self, slug: str) -> Game:
        """Return the game with the slug `slug`. Raise Problem (404) if there is no such game."""
        if slug not in self.games:
            raise Problem("unknown-game", game=slug)
        return self.games[slug]


def current_context() -> AppContext:
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001 -- the proxy costs more
    found: AppContext = app.extensions["context"]
    return found
