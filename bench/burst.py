"""A model of many workers at one tally: their time for tasks, exchanges with the store, and waiting.

The leases are the real ones, in a real Redis, and the queue is real. The workers and their time are not. A worker takes
a task, leases turns of seats, waits as long as they would take, and adds its counts, as `workers.tasks.tally` does. The
next event is always the earliest, so the results do not depend on the machine. The store does one thing at a time;
other requests wait.
"""

from __future__ import annotations

import heapq
from typing import Final

import msgspec
import rq.job
from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer

from service.jobs import counters, queues
from service.jobs.leases import Lease
from service.jobs.records import fields_of
from service.jobs.store import Job
from workers import tasks

TASK_MS: Final = 40.0
"""Overhead of a task at a worker, mainly a fork; measured on two cores as 25 to 31."""

EXCHANGE_MS: Final = 0.5
"""Time of one exchange with the store, which writes to disk before it answers."""

OF_A_TASK: Final = 12
"""Number of exchanges of a task by itself."""

OF_A_PORTION: Final = 5
"""Number of exchanges of a portion: the spent quota, the lease, its counts, the look at the queue, the result so
far."""

UNEVEN: Final = (0.8, 1.0, 1.1, 1.3)
"""Relative speeds of machines, in turn."""


class Shares(msgspec.Struct, frozen=True, kw_only=True):
    """Shares of the time of a number of workers, and their speed relative to a single one."""

    workers: int
    tasks: int
    portions: int
    seconds: float
    playing: float
    at_tasks: float
    waiting_for_store: float


def work(client: Redis, job: Job, workers: int, turn_ms: float) -> Shares:
    """Have fake workers do a tally whose turns of seats take so long each, and return what became of their time."""
    return _Model(client, job, workers, turn_ms).run()


class _Model:
    def __init__(self, client: Redis, job: Job, workers: int, turn_ms: float) -> None:
        self._client, self._job, self._workers, self._turn_ms = client, job, workers, turn_ms
        self._queue = Queue(queues.BULK, connection=client, serializer=JSONSerializer)
        self._heap: list[tuple[float, int, tuple[str, float, Lease | None]]] = []
        self._store_free = 0.0
        self._played = self._at_tasks = self._waited = 0.0
        self._tasks = self._portions = 0

    def run(self) -> Shares:
        """Let the earliest thing happen until nothing is left."""
        idle = list(range(self._workers))
        heap = self._heap
        now = 0.0
        while True:
            while idle and (raw := self._client.lpop(self._queue.key)) is not None:
                worker, ticket = idle.pop(0), bytes(raw).decode()  # type: ignore[arg-type]
                rq.job.Job.fetch(ticket, connection=self._client, serializer=JSONSerializer).delete()
                began = self._exchange(now, OF_A_TASK) + TASK_MS
                self._at_tasks += TASK_MS
                self._tasks += 1
                heapq.heappush(heap, (began, worker, (ticket, began + 1000 * tasks.TALLY_SECONDS, None)))
            if not heap:
                break
            now, worker, (ticket, until, lease) = heapq.heappop(heap)
            goes_on = True
            if lease is not None:
                games = 2 * (lease.end - lease.first)
                spent = round((lease.end - lease.first) * self._turn_ms * UNEVEN[worker % len(UNEVEN)])
                counters.add(lease, {"games": games}, lease.end, games, spent)
                goes_on = now < until
            lease = self._lease(ticket) if goes_on else None
            if lease is None or lease.first == lease.end:
                idle.append(worker)
                continue
            self._portions += 1
            playing = (lease.end - lease.first) * self._turn_ms * UNEVEN[worker % len(UNEVEN)]
            self._played += playing
            heapq.heappush(heap, (self._exchange(now, OF_A_PORTION) + playing, worker, (ticket, until, lease)))
        whole = now * self._workers
        return Shares(
            workers=self._workers,
            tasks=self._tasks,
            portions=self._portions,
            seconds=now / 1000,
            playing=self._played / whole,
            at_tasks=self._at_tasks / whole,
            waiting_for_store=self._waited / whole,
        )

    def _lease(self, ticket: str) -> Lease | None:
        """Lease what the worker of a task would, after all leases are renewed: the store's clock is not the model's."""
        for _, _, (_, _, held) in self._heap:
            if held is not None and held.renewal_due():
                held.renew()
        spent, done, items, total = (
            int(value or 0) for value in fields_of(self._client, self._job.id, *tasks.TALLY_FIELDS)
        )
        portion = tasks._portion(spent, done * items // total, tasks.MAX_TALLY)  # noqa: SLF001
        return Lease.take(self._client, self._job.id, ticket, portion)

    def _exchange(self, now: float, number: int) -> float:
        begun = max(now, self._store_free)
        self._store_free = begun + number * EXCHANGE_MS
        self._waited += self._store_free - now
        return self._store_free
