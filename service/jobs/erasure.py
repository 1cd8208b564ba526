"""Deletion of all jobs that concern a session or belong to an owner."""

from __future__ import annotations

from typing import Final, cast

import msgspec
from redis import Redis

from service.jobs import queues
from service.jobs.store import JobStore

SCAN_COUNT: Final = 1_000
"""Number of keys that Redis examines per SCAN command."""


def forget_jobs_about(client: Redis, session_id: str) -> None:
    """Cancel all jobs that concern a session, and delete these jobs with their results."""
    _forget(client, session=session_id)


def forget_jobs_of(client: Redis, owner: str) -> None:
    """Cancel all jobs of an owner, and delete these jobs with their results. Delete the owner's index of jobs."""
    _forget(client, owner=owner)
    client.delete(queues.made_by_key(owner))


def _forget(client: Redis, *, session: str | None = None, owner: str | None = None) -> None:
    for key in client.scan_iter(queues.record_key("*"), count=SCAN_COUNT):
        job = cast("bytes", key).decode().removeprefix("j:{").removesuffix("}")
        of, payload = cast("list[bytes | None]", client.hmget(key, "owner", "payload"))
        order = msgspec.json.decode(payload) if payload else {}
        about = order.get("session") if isinstance(order, dict) else None
        if (owner is not None and of == owner.encode()) or (session is not None and about == session):
            JobStore(client).cancel(job)
            client.delete(queues.record_key(job), queues.open_key(job), queues.done_key(job), queues.inputs_key(job))
