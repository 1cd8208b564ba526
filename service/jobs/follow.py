"""Followers of a running job: its progress, and the lines of its items in order."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from redis.client import Pipeline

from service.jobs.queues import record_key
from service.jobs.store import ENDED, PROGRESS, Job, JobStore
from service.store.feed import Feed
from service.subscription import StreamHeartbeat, Subscription

FIRST_POLL_SECONDS: Final = 0.02
POLL_SECONDS: Final = 0.2
"""Delay of the first poll of a record, and maximum interval between polls."""

BEATS_EACH: Final = 2.1
"""Heartbeats after which a subscription to a job is renewed, so that its reader can stop."""

Progress = tuple[bytes | None, ...]


def has_ended(progress: Progress) -> bool:
    """Return whether a job has ended or expired."""
    return progress[0] is None or progress[0].decode() in ENDED


class JobWatch:
    """A topic that calls `end` once a job's progress meets a condition."""

    def __init__(self, job_id: str, end: Callable[[], object], is_news: Callable[[Progress], bool]) -> None:
        self._end = end
        self._id, self._is_news = job_id, is_news
        self._period = FIRST_POLL_SECONDS

    @property
    def period(self) -> float:
        now, self._period = self._period, min(POLL_SECONDS, self._period * 1.5)
        return now

    def ask(self, pipe: Pipeline) -> int:
        pipe.hmget(record_key(self._id), PROGRESS)
        return 1

    def look(self, found: list[Any]) -> None:
        if self._is_news(tuple(found[0])):
            self._end()

    def hear(self, message: bytes) -> None:
        """Ignore the message, since jobs send no messages."""

    def lose(self) -> None:
        self._end()


def watch(
    feed: Feed, job_id: str, end: Callable[[], object], is_news: Callable[[Progress], bool]
) -> Callable[[], None]:
    """Call `end` once a job's progress meets the condition `is_news`. Return a function that stops watching."""
    watched = JobWatch(job_id, end, is_news)
    name = f"{job_id}/{id(watched)}"
    feed.add(name, watched)
    return lambda: feed.discard(name, watched)


def states(store: JobStore, feed: Feed, job_id: str, heartbeat: StreamHeartbeat) -> Iterator[Job | Subscription]:
    """Yield a job now and after each change until its end. Before each wait, yield a subscription.

    The iterator ends early if the server stops or the job has expired.
    """
    seen: Progress | None = None
    while not feed.closing():
        progress = store.progress(job_id)  # read before the job, so that no later change counts as seen
        if progress != seen:
            job = store.load(job_id)
            if job is None:
                return
            seen = progress
            yield job
            if job.state in ENDED:
                return
        subscription, until = Subscription(heartbeat), time.monotonic() + BEATS_EACH * heartbeat.seconds
        forget = watch(feed, job_id, subscription.end, partial(_is_due, seen, until))
        try:
            yield subscription
        finally:
            forget()


def _is_due(seen: Progress | None, until: float, progress: Progress) -> bool:
    return progress != seen or time.monotonic() > until


def lines(store: JobStore, states: Iterator[Job | Subscription], first: int) -> Iterator[bytes | Subscription]:
    """Yield the lines of a job's items in order from number `first`, as soon as they are counted.

    Before each wait, yield a subscription, as `states` does.
    """
    for job in states:
        if isinstance(job, Subscription):
            yield job
            continue
        yield from store.lines(job, first, job.counted)
        first = max(first, job.counted)
