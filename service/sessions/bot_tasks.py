"""Enqueues tasks. In each task, a worker makes the moves of a session's bots."""

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
"""Seconds after which RQ kills a task. A slow decision takes a minute if the games are not compiled."""

log = structlog.get_logger("service")


def enqueuer(connection: Redis) -> Callable[[str, int], None]:
    """Return a function that enqueues a task for the moves of a session's bots.

    The function logs failures and never raises.
    """

    def enqueue_first(session: str, revision: int) -> None:
        try:
            enqueue(connection, session, revision, 0)
        except RedisError as error:
            log.warning("bots not queued", kind=type(error).__name__)

    return enqueue_first


def enqueue(connection: Redis, session: str, revision: int, attempt: int) -> None:
    """Enqueue a task that makes the moves of a session's bots. Do nothing if the same task is already queued.

    Tasks are the same if `session`, `revision` and `attempt` are equal.
    """
    with suppress(DuplicateJobError):
        task = f"{task_prefix(session)}{revision}-{attempt}"
        queues.enqueue(connection, queues.BOT_TURN, task, [session], TASK_SECONDS)


def task_prefix(session: str) -> str:
    return f"bots-{session}-"
