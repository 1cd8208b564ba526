"""Queues due deliveries of webhook and push messages, and processes ended jobs."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from redis import Redis
from rq.exceptions import DuplicateJobError

from service.jobs import queues
from service.jobs.ended import settle
from service.settings import Limits
from service.store.hooks import HookStore
from service.store.pushes import PushStore

REVISIT_MS: Final = 45_000
"""Milliseconds after which an unfinished delivery is queued again.

A worker needs less time for a delivery. If a delivery is unfinished, its worker has probably died.
"""

DELIVERY_SECONDS: Final = 60
"""Seconds after which RQ aborts a delivery."""

MAX_SWEPT_HOOKS: Final = 100
"""Maximum number of deliveries that one call of `schedule_deliveries` or `schedule_pushes` queues."""


def schedule_deliveries(client: Redis, store: HookStore, now: int, limits: Limits) -> None:
    """Process ended jobs, and then queue the deliveries of webhook messages.

    For each ended job, refund the unused part of its cost, and notify the owner. A delivery is a task that sends all
    due messages of one webhook. Each webhook with due messages gets one such task.
    """
    settle(client, store, limits, now)
    for hook, found in store.due(now, MAX_SWEPT_HOOKS):
        with suppress(DuplicateJobError):
            queues.enqueue(client, queues.DELIVERY, f"hook-{hook}-{now}", [hook], DELIVERY_SECONDS)
        store.put_off(hook, found, now + REVISIT_MS)


def schedule_pushes(client: Redis, now: int) -> None:
    """Queue a delivery for each seat whose push message is due."""
    store = PushStore(client)
    for seat, found in store.due(now, MAX_SWEPT_HOOKS):
        with suppress(DuplicateJobError):
            ticket = f"push-{seat.replace('/', '-')}-{now}"
            queues.enqueue(client, queues.PUSH_DELIVERY, ticket, [seat], DELIVERY_SECONDS)
        store.put_off(seat, found, now + REVISIT_MS)
