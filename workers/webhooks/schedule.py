"""The scheduler's part in webhooks: settles ended jobs, and queues deliveries of what is due."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from redis import Redis
from rq.exceptions import DuplicateJobError

from service.jobs import queues
from service.jobs.ended import settle
from service.settings import Limits
from service.store.hooks import HookStore

REVISIT_MS: Final = 45_000
"""After how long another delivery is queued for a webhook; longer than one delivery takes."""

DELIVERY_SECONDS: Final = 60
"""When RQ ends a delivery by force."""

HOOKS_AT_ONCE: Final = 100
"""How many webhooks one sweep deals with."""


def schedule_deliveries(client: Redis, store: HookStore, now: int, limits: Limits) -> None:
    """Settle jobs that have ended, and queue deliveries for webhooks that are due."""
    settle(client, store, limits, now)
    for hook in store.due(now, HOOKS_AT_ONCE):
        with suppress(DuplicateJobError):
            queues.enqueue(client, queues.DELIVERY, f"hook-{hook}-{now}", [hook], DELIVERY_SECONDS)
        store.put_off(hook, now + REVISIT_MS)
