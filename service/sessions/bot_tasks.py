"""Enqueues bot turns for the workers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Final

import structlog
from redis import Redis
from redis.exceptions import RedisError
from rq.exceptions import DuplicateJobError

from service.jobs import queues

TASK_SECONDS: Final = 150
"""Limit after which RQ kills a task; a slow decision without a compiler takes a minute."""

log = structlog.get_logger("service")


def enqueuer(connection: Redis) -> Callable[[str, int], None]:
    """Return a function that enqueues a bot turn by session and revision; it logs failures and raises nothing."""

    def enqueue_first(session: str, revision: int) -> None:
        try:
            enqueue(connection, session, revision, 0)
        except RedisError as error:
            log.warning("bots not queued", kind=type(error).__name__)

    return enqueue_first


def enqueue(connection: Redis, session: str, revision: int, attempt: int) -> None:
    """Enqueue a task for a session's bots, unless a task for this attempt at this revision is already queued."""
    with suppress(DuplicateJobError):
        task = f"{task_prefix(session)}{revision}-{attempt}"
        queues.enqueue(connection, queues.BOT_TURN, task, [session], TASK_SECONDS)


def task_prefix(session: str) -> str:
    return f"bots-{session}-"
