"""What follows when a job of an API key has ended, whoever ended it: refunds, and messages to webhooks."""

from __future__ import annotations

from typing import Final, cast

from redis import Redis

from service.jobs import queues
from service.jobs.refunds import Refunds
from service.settings import Limits
from service.store.hooks import HookStore
from service.webhooks.tell import JOB_ENDED, tell

ENDED_AT_ONCE: Final = 100
"""How many jobs are dealt with at a time."""


def settle(client: Redis, hooks: HookStore, limits: Limits) -> None:
    """Deal with jobs that have ended; whoever dies in between leaves them to the next."""
    for raw, at in cast(
        "list[tuple[bytes, float]]", client.zrange(queues.ENDED_JOBS, 0, ENDED_AT_ONCE - 1, withscores=True)
    ):
        job = raw.decode()
        Refunds(client, limits).give_back(job)
        _tell_of(client, hooks, job, int(at))
        client.zrem(queues.ENDED_JOBS, raw)


def _tell_of(client: Redis, hooks: HookStore, job: str, at: int) -> None:
    """Tell the owner of a job that it has ended."""
    owner, state = cast("list[bytes | None]", client.hmget(queues.record_key(job), ["owner", "state"]))
    if owner and state:
        data = {"job": job, "state": state.decode(), "url": f"/v1/jobs/{job}"}
        tell(hooks, owner.decode().removeprefix(queues.KEY_OWNER), JOB_ENDED, job, data, at)
