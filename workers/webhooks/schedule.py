"""The clock's part in webhooks: ended jobs are dealt with, and workers called to webhooks at which something is due."""

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
"""After how long another worker is called to a webhook whose worker said nothing; longer than one stays with it."""

DELIVERY_SECONDS: Final = 60
"""When RQ ends a delivery by force."""

HOOKS_AT_ONCE: Final = 100
"""How many webhooks one look deals with."""


def schedule_deliveries(client: Redis, store: HookStore, now: int, limits: Limits) -> None:
    """Deal with jobs that have ended, and call workers to webhooks."""
    settle(client, store, limits)
    for hook in store.due(now, HOOKS_AT_ONCE):
        with suppress(DuplicateJobError):
            queues.enqueue(client, queues.DELIVERY, f"hook-{hook}-{now}", [hook], DELIVERY_SECONDS)
        store.put_off(hook, now + REVISIT_MS)
