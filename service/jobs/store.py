"""Creates, reads and cancels jobs for the web server. Workers write through `service.jobs.leases` instead."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, cast

import msgspec
from redis import Redis

from service.auth.api_keys import KEY_OWNER
from service.jobs import queues
from service.jobs.errors import QueueFull, TooManyJobs, UnknownJob, readable
from service.jobs.leases import unpacked
from service.jobs.records import as_json, place_of
from service.store.owner_index import OwnerIndex, entry_of, name_in
from service.store.scripts import script

QUEUED: Final = "queued"
JOB_RUNNING: Final = "running"
CANCELED: Final = "canceled"
ENDED: Final = frozenset({"succeeded", "failed", CANCELED})
JOB_STATES: Final = (QUEUED, JOB_RUNNING, "succeeded", "failed", CANCELED)

_NUMBERS: Final = ("made", "expires", "items", "counted", "done", "total", "cost")
_CREATED: Final = ("function", "game", "state", "owner", *_NUMBERS)
_RESULTS: Final = ("result", "partial", "problem")
"""Fields of a job's record that contain its outcome."""

PROGRESS: Final = ("state", "done", "counted", "partial")
"""Fields of a job's record that change while the job runs."""

MAX_INPUTS: Final = 500
"""Maximum number of item inputs per Redis command."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job's record. Times are in milliseconds since 1970. All items before item `counted` have results.

    `cost` is the maximum cost, measured in playouts. `owner` identifies the caller who has created the job. It is
    "key-" followed by the id of an API key, or the hash of a bearer token. If the caller had neither, it is "".
    """

    id: str
    function: str
    game: str
    state: str
    owner: str
    made: int
    expires: int
    items: int
    counted: int = 0
    done: int = 0
    total: int
    cost: int
    result: dict[str, Any] | None = None
    partial: dict[str, Any] | None = None
    problem: dict[str, Any] | None = None


class JobStore:
    """Creates, reads and cancels job records in Redis, for the web server."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._create = client.register_script(script("create", __package__))
        self._cancel = client.register_script(script("cancel", __package__))
        self._admit = client.register_script(script("admit", __package__))
        self._index = OwnerIndex(client)

    def create(
        self, job: Job, payload: Mapping[str, Any], seconds: int, place: queues.Place, inputs: Sequence[bytes] = ()
    ) -> bool:
        """Write the record of a new job. Return False if the record already exists.

        `seconds` is the time limit of each task. `inputs` contains the compressed inputs of the items, if any.
        """
        if self._client.exists(queues.record_key(job.id)):
            return False
        if job.owner.startswith(KEY_OWNER):
            index, life_ms = queues.made_by_key(job.owner), job.expires - job.made
            self._index.add(index, queues.record_key, [entry_of(job.made, job.id)], life_ms)
        fields = {name: getattr(job, name) for name in _CREATED}
        fields |= {"attempts": 0, "called": 0, "calls": 0, "seconds": seconds, "payload": as_json(payload)}
        fields |= {"queue": place.queue, "caller": place.caller, "turn_ms": place.milliseconds}
        flat = [str(part) for field in fields.items() for part in field]
        if inputs:
            self._write_inputs(job, inputs)
        keys = [queues.record_key(job.id), queues.open_key(job.id)]
        return bool(self._create(keys=keys, args=[str(job.expires), str(job.items), *flat]))

    def admit(self, job: Job, caller: str, most: int, most_of_caller: int) -> bool:
        """Add a job to the open jobs. Return False if it was already open.

        Raise QueueFull if `most` jobs are open. Raise TooManyJobs if the caller has `most_of_caller` open jobs. If one
        of these limits is 0, it does not apply.
        """
        arguments: list[str | int] = [job.id, job.made, caller, most, most_of_caller]
        answer = cast("bytes", self._admit(keys=[queues.OPEN_JOBS, queues.OPEN_JOB_CALLERS], args=arguments))
        if answer == b"queue":
            raise QueueFull
        if answer == b"caller":
            raise TooManyJobs(most_of_caller)
        return answer == b"listed"

    def relist(self, job: Job) -> None:
        """Add a job to the open jobs again.

        A call of `recovery.sweep` may have removed it after `admit` and before `create`.
        """
        with self._client.pipeline() as pipe:
            pipe.zadd(queues.OPEN_JOBS, {job.id: job.made})
            if place := place_of(self._client, job.id):
                pipe.hset(queues.OPEN_JOB_CALLERS, job.id, place.caller)
            pipe.execute()

    def load(self, job: str) -> Job | None:
        """Return a job. Return None if it does not exist. Raise UnknownJob if its data is malformed."""
        raw = cast("dict[bytes, bytes]", self._client.hgetall(queues.record_key(job)))
        if not raw:
            return None
        return _read(job, raw)

    def listed(self, owner: str, before: str, since: int, most: int, now: int) -> list[tuple[str, Job | None]]:
        """Return at most `most` jobs of an owner, the newest first. Each item is an index entry and its job.

        Return only entries that are older than the entry `before`. If `before` is "", start with the newest entry.
        Return only jobs that were created at `since` or later. If a job has expired, return None instead of the job.
        The jobs do not contain their results.
        """
        key = queues.made_by_key(owner)
        entries = self._index.page([key], before, since, most)
        with self._client.pipeline(transaction=False) as pipe:
            for entry in entries:
                pipe.hmget(queues.record_key(name_in(entry)), _CREATED)
            found = pipe.execute()
        rows = list[tuple[str, Job | None]]()
        for entry, fields in zip(entries, found, strict=True):
            job = _created(name_in(entry), dict(zip(_CREATED, fields, strict=True))) if any(fields) else None
            if job is None or entry_of(job.made, job.id) != entry:
                self._index.forget(key, entry, now)
                job = None
            rows.append((entry, job))
        return rows

    def state(self, job: str) -> str:
        """Return the state of a job. Return "" if the job does not exist."""
        return (cast("bytes | None", self._client.hget(queues.record_key(job), "state")) or b"").decode()

    def progress(self, job: str) -> tuple[bytes | None, ...]:
        """Return the fields that change while a job runs: state, progress, number of results, and partial result."""
        found: Any = self._client.hmget(queues.record_key(job), PROGRESS)
        return tuple(found)

    def lines(self, job: Job, first: int, end: int) -> Iterator[bytes]:
        """Yield the encoded results of the items `first` to `end` - 1. Read them from Redis in chunks."""
        done = queues.done_key(job.id)
        begun: list[int] = sorted(map(int, cast("list[bytes]", self._client.hkeys(done)))) if first < end else []
        for begin in begun[max(0, bisect_right(begun, first) - 1) :]:
            if begin >= end:
                return
            found = cast("bytes | None", self._client.hget(done, str(begin)))
            if found is None:
                return  # the job has expired
            yield from unpacked(found)[max(0, first - begin) : end - begin]

    def cancel(self, job: str) -> list[str] | None:
        """Cancel a job and return the ids of its tasks. Return None if the job has already ended."""
        keys = [queues.record_key(job), queues.open_key(job), queues.inputs_key(job)]
        found = cast("list[bytes] | None", self._cancel(keys=keys))
        queues.close(self._client, job)
        if found is None:
            return None
        number, *leases = (raw.decode() for raw in found)
        tasks = [lease.split("-", 3)[3] for lease in leases]
        return [task for task in [*tasks, number and queues.task_id(job, int(number))] if task]

    def _write_inputs(self, job: Job, inputs: Sequence[bytes]) -> None:
        key = queues.inputs_key(job.id)
        with self._client.pipeline() as pipe:
            pipe.delete(key)
            for begin in range(0, len(inputs), MAX_INPUTS):
                pipe.rpush(key, *inputs[begin : begin + MAX_INPUTS])
            pipe.pexpireat(key, job.expires)
            pipe.execute()


def _created(job_id: str, fields: Mapping[str, bytes | None]) -> Job | None:
    with suppress(UnknownJob):
        return _read(job_id, {name.encode(): value for name, value in fields.items() if value})
    return None


def _read(job_id: str, fields: Mapping[bytes, bytes]) -> Job:
    with readable():
        found: dict[str, Any] = {name.decode(): value.decode() for name, value in fields.items()}
        queues.QUEUE_OF[found["function"]]
        found |= {name: json.loads(found.get(name, "null")) for name in _RESULTS}
        found |= {name: int(found[name]) for name in _NUMBERS}
        return msgspec.convert({"id": job_id, **{name: found[name] for name in (*_CREATED, *_RESULTS)}}, Job)
    raise AssertionError
