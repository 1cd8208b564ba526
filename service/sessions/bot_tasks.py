"""The queue of bots' turns: how the service makes a worker play the bots of a session."""

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
"""When RQ ends a task by force; a slow decision without a compiler takes a minute."""

log = structlog.get_logger("service")


def enqueuer(connection: Redis) -> Callable[[str, int], None]:
    """Return the function that queues a bot's turn by session and revision; it logs a failure and raises nothing."""

    def enqueue_first(session: str, revision: int) -> None:
        try:
            enqueue(connection, session, revision, 0)
        except RedisError as error:
            log.warning("bots not queued", kind=type(error).__name__)

    return enqueue_first


def enqueue(connection: Redis, session: str, revision: int, attempt: int) -> None:
    """Queue a task for a session's bots, unless that attempt at that revision is queued already."""
    with suppress(DuplicateJobError):
        task = f"{task_prefix(session)}{revision}-{attempt}"
        queues.enqueue(connection, queues.BOT_TURN, task, [session], TASK_SECONDS)


def task_prefix(session: str) -> str:
    """Return the prefix of the ids of all tasks for a session's bots."""
    return f"bots-{session}-"
