"""Metrics that are read from Redis: queues, workers, late sessions, and webhooks.

All web servers report the same numbers. Queues and sessions may be stored on different Redis servers. If one of these
servers does not respond, its `store_up` is 0, and its other metrics are missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from redis import Redis
from redis.exceptions import RedisError
from rq import Queue
from rq.registry import StartedJobRegistry
from rq.worker_registration import WORKERS_BY_QUEUE_KEY

from service.jobs import queues
from service.store.due import DueSets
from service.store.hooks import HookStore

QUEUE: Final = "queue"
SESSIONS_STORE: Final = "sessions"

ON_TIME_SECONDS: Final = 3
"""Delay in seconds below which a session counts as on time. Replacing a dead scheduler may take this long."""


class StoreMetrics(Collector):
    """Reads the metrics from Redis on each scrape."""

    def __init__(self, queue: Redis, sessions: Redis, hooks: HookStore, now: Callable[[], int]) -> None:
        """Create a collector. `queue` and `sessions` may be the same client. `now` returns milliseconds."""
        self._queue, self._sessions, self._hooks, self._now = queue, sessions, hooks, now
        self._due = DueSets(sessions)

    def describe(self) -> Iterable[Metric]:
        """Return no metrics, so that prometheus_client sends no request to Redis at the registration."""
        return ()

    def collect(self) -> Iterator[Metric]:
        """Yield the current metrics."""
        stores = {QUEUE: self._queue, SESSIONS_STORE: self._sessions}
        filled = {name: _filled(client) for name, client in stores.items()}
        yield _gauge(
            "store_up",
            "1 if the store responds, otherwise 0.",
            "store",
            {name: fill is not None for name, fill in filled.items()},
        )
        known = {name: fill for name, fill in filled.items() if fill is not None}
        yield _gauge("store_fill_ratio", "Used part of the memory limit, 0 without a limit.", "store", known)
        if QUEUE in known:
            yield from self._work()
            yield from self._webhooks()
        if SESSIONS_STORE in known:
            first = self._due.first()
            late = 0.0 if first is None else (self._now() - first) / 1000
            late = 0.0 if late < ON_TIME_SECONDS else late
            yield _gauge("due_sets_broken", "Unreadable sets of due work.", "", {"": self._due.broken()})
            yield _gauge("due_late_seconds", "Delay of the oldest due session in seconds.", "", {"": late})

    def _work(self) -> Iterator[Metric]:
        with self._queue.pipeline(transaction=False) as pipe:
            for name in queues.QUEUES:
                queue = Queue(name, connection=self._queue)
                pipe.llen(queue.key)
                pipe.zcard(StartedJobRegistry(queue=queue).key)
            pipe.zcard(queues.OPEN_JOBS)
            pipe.hgetall(queues.TASK_COUNTS)
            pipe.hgetall(queues.TASK_TIMES)
            *sizes, jobs, calls, times = pipe.execute()
        for number, (name, about) in enumerate(
            (("queue_waiting", "Waiting calls."), ("queue_running", "Running calls."))
        ):
            yield _gauge(name, about, "queue", dict(zip(queues.QUEUES, sizes[number::2], strict=True)))
        yield _gauge("workers", "Workers with a recent heartbeat.", "queue", self._workers())
        yield _gauge("jobs_open", "Unfinished jobs.", "", {"": jobs})
        yield _calls("calls", "Calls that workers have executed.", calls, 1)
        yield _calls("call_seconds", "Total execution time in seconds.", times, 1000)

    def _workers(self) -> dict[str, float]:
        """Return the number of running workers by queue.

        The sets of RQ also contain killed workers. Killed workers are not counted, because they have no Redis key.
        """
        with self._queue.pipeline(transaction=False) as pipe:
            for name in queues.QUEUES:
                pipe.smembers(WORKERS_BY_QUEUE_KEY % name)
            known: list[set[bytes]] = pipe.execute()
            for members in known:
                pipe.exists(*members, "nobody")
            return dict(zip(queues.QUEUES, pipe.execute(), strict=True))

    def _webhooks(self) -> Iterator[Metric]:
        outcomes, due = self._hooks.figures()
        attempts = CounterMetricFamily("dorfplatz_webhook_attempts", "Delivery attempts.", labels=["outcome"])
        for outcome, number in sorted(outcomes.items()):
            attempts.add_metric([outcome], number)
        yield attempts
        yield _gauge("webhooks_waiting", "Webhooks with waiting messages.", "", {"": due})


def _filled(client: Redis) -> float | None:
    try:
        found: Any = client.info("memory")
    except RedisError:
        return None
    nodes = [found] if "used_memory" in found else list(found.values())
    return max(node["used_memory"] / node["maxmemory"] if node["maxmemory"] else 0.0 for node in nodes)


def _gauge(name: str, about: str, label: str, values: dict[str, float]) -> Metric:
    made = GaugeMetricFamily(f"dorfplatz_{name}", about, labels=[label] if label else [])
    for value, number in values.items():
        made.add_metric([value] if label else [], float(number))
    return made


def _calls(name: str, about: str, counted: dict[bytes, bytes], unit: int) -> Metric:
    made = CounterMetricFamily(f"dorfplatz_{name}", about, labels=["function", "outcome"])
    for raw, number in sorted(counted.items()):
        made.add_metric(raw.decode().split("/"), int(number) / unit)
    return made
