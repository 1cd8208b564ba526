"""The clock's part in webhooks: ended jobs are told, and workers called to webhooks at which something is due."""

from __future__ import annotations

from contextlib import suppress
from typing import Final, cast

from redis import Redis
from rq.exceptions import DuplicateJobError

from service.store.hooks import HookStore
from service.webhooks.tell import JOB_ENDED, tell
from workers import names

LEASE_MS: Final = 45_000
"""After how long another worker is called to a webhook whose worker said nothing; longer than one stays with it."""

JOB_SECONDS: Final = 60
"""When RQ ends a delivery by force."""

MOST: Final = 100
"""How many of either one look deals with."""


def look(client: Redis, store: HookStore, now: int) -> None:
    """Tell of jobs that have ended, and call workers to webhooks."""
    for raw, at in cast("list[tuple[bytes, float]]", client.zrange(names.ENDED_JOBS, 0, MOST - 1, withscores=True)):
        _tell_of(client, store, raw.decode(), int(at))
        client.zrem(names.ENDED_JOBS, raw)
    for hook in store.due(now, MOST):
        with suppress(DuplicateJobError):
            names.enqueue(client, names.DELIVERY, f"hook-{hook}-{now}", [hook], JOB_SECONDS)
        store.put_off(hook, now + LEASE_MS)


def _tell_of(client: Redis, store: HookStore, job: str, at: int) -> None:
    """Tell the owner of a job that it has ended."""
    owner, state = cast("list[bytes | None]", client.hmget(names.record_key(job), ["owner", "state"]))
    if owner and state:
        data = {"job": job, "state": state.decode(), "url": f"/v1/jobs/{job}"}
        tell(store, owner.decode().removeprefix(names.KEY_OWNER), JOB_ENDED, job, data, at)
