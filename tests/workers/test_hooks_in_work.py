"""Workers deliver messages while games against bots at URLs wait for theirs."""

from typing import Any

import pytest
from redis import Redis

from service.app import create_app
from service.auth.api_keys import KeyStore
from service.http.context import AppContext
from service.jobs import queues
from service.settings import Settings
from tests.service.webhooks.receiver import receiver
from tests.workers import jobs
from tests.workers.bots import stranger
from workers.webhooks.schedule import schedule_deliveries

SETTINGS = {"SECRET_KEY": "of the tests", "WEBHOOKS_PRIVATE": "true", "LOG_LEVEL": "warning"}


@pytest.fixture
def house(redis_url: str) -> AppContext:
    settings = Settings(redis_url=redis_url, secret_key=SETTINGS["SECRET_KEY"], webhooks_private=True)
    found: AppContext = create_app(settings).extensions["context"]
    return found


class BackEnd:
    """An owner's back end: it sends requests with a key, and has the workers of this process deliver due messages."""

    def __init__(self, house: AppContext, redis_client: Redis) -> None:
        self._house, self._redis = house, redis_client
        self._client = create_app(house.settings).test_client()
        self._key = {"Api-Key": KeyStore(redis_client).add("back end", ["jobs", "webhooks"])[1]}

    def ask(self, method: str, path: str, **body: Any) -> Any:
        return self._client.open(f"/v1/{path}", method=method, json=body or None, headers=self._key).json

    def deliver(self, hook: str) -> None:
        now = self._house.sessions.now()
        self._house.sessions.hooks.hasten(hook, now)
        schedule_deliveries(self._redis, self._house.sessions.hooks, now, self._house.settings.limits)
        jobs.work(self._redis, queues.HOOKS)


@pytest.fixture
def back_end(house: AppContext, redis_client: Redis, redis_url: str, monkeypatch: pytest.MonkeyPatch) -> BackEnd:
    """Return an owner's back end; the workers of this process have the service's settings."""
    for name, text in {**SETTINGS, "REDIS_URL": redis_url}.items():
        monkeypatch.setenv(name, text)
    return BackEnd(house, redis_client)


def test_a_message_waits_for_no_game_against_a_bot_at_a_url(back_end: BackEnd, redis_client: Redis) -> None:
    with receiver() as server, stranger() as bot:
        seats = [{"bot": {"url": bot.url}}, {"bot": {"level": "random"}}]
        job = back_end.ask("POST", "jobs/simulations", game="gartenzwerge", seats=seats, games=2)["id"]
        hook = back_end.ask("POST", "webhooks", url=server.url)["id"]
        back_end.ask("POST", f"webhooks/{hook}/ping")
        back_end.deliver(hook)
        assert (len(server.heard), bot.heard) == (1, [])
        assert back_end.ask("GET", f"jobs/{job}")["state"] == "queued"
        jobs.work(redis_client, queues.REMOTE)
        assert back_end.ask("GET", f"jobs/{job}")["state"] == "succeeded"
