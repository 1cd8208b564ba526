"""Handles the ended jobs of API keys. Refunds the unused playouts of these jobs, and notifies webhooks."""

from __future__ import annotations

from typing import Final, cast

from redis import Redis

from service.auth.api_keys import KEY_OWNER
from service.jobs import queues
from service.jobs.refunds import refund
from service.settings import Limits
from service.store.hooks import HookStore
from service.webhooks.messages import JOB_ENDED, notify

MAX_ENDED_JOBS: Final = 100
"""Maximum number of ended jobs per call of `settle`."""


def settle(client: Redis, hooks: HookStore, limits: Limits, now: int) -> None:
    """Refund the unused playouts of ended jobs, and notify the owners of these jobs.

    If a call is interrupted, the next call continues its work.
    """
    for raw, at in cast(
        "list[tuple[bytes, float]]", client.zrange(queues.ENDED_JOBS, 0, MAX_ENDED_JOBS - 1, withscores=True)
    ):
        job = raw.decode()
        refund(client, limits, job)
        # `at` is a time of a worker's clock, and `now` of this service's clock.
        _notify_owner(client, hooks, job, now, int(at))
        client.zrem(queues.ENDED_JOBS, raw)


def _notify_owner(client: Redis, hooks: HookStore, job: str, now: int, at: int) -> None:
    owner, state = cast("list[bytes | None]", client.hmget(queues.record_key(job), ["owner", "state"]))
    if owner and state:
        data = {"job": job, "state": state.decode(), "url": f"/v1/jobs/{job}"}
        notify(hooks, owner.decode().removeprefix(KEY_OWNER), JOB_ENDED, job, data, now, at)
