"""The job that delivers what waits for a webhook, by the service's use case."""

from __future__ import annotations

from service.settings import Settings
from service.store.clients import commands
from workers.webhooks.deliver import WebhookSender


def deliver(name: str) -> None:
    """Send what waits in a webhook's line."""
    settings = Settings.from_env()
    with commands(settings.redis_url) as client:
        WebhookSender.of(client, settings).deliver(name)
