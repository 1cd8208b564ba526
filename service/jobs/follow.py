"""Follows a job in work: how far it is, and the lines of its items in order."""

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
"""How long it is to the first look at a record, and between two at most."""

BEATS_EACH: Final = 2.1
"""A subscription to a job is renewed after so many heartbeats: whoever reads the states may have to stop."""

Progress = tuple[bytes | None, ...]


def has_ended(progress: Progress) -> bool:
    """Tell whether a job has ended, or has expired."""
    return progress[0] is None or progress[0].decode() in ENDED


class JobWatch:
    """A topic that calls `end` once something is true of a job's progress."""

    def __init__(self, job_id: str, end: Callable[[], object], is_news: Callable[[Progress], bool]) -> None:
        self._end = end
        self._id, self._is_news = job_id, is_news
        self._period = FIRST_POLL_SECONDS

    @property
    def period(self) -> float:
        """The seconds until the next look; who waits long is looked for less often."""
        now, self._period = self._period, min(POLL_SECONDS, self._period * 1.5)
        return now

    def ask(self, pipe: Pipeline) -> int:
        """Put the command of a look into a pipeline."""
        pipe.hmget(record_key(self._id), PROGRESS)
        return 1

    def look(self, found: list[Any]) -> None:
        """Take what a look has found."""
        if self._is_news(tuple(found[0])):
            self._end()

    def hear(self, message: bytes) -> None:
        """Take a message; none is sent of jobs."""

    def lose(self) -> None:
        """Let it go."""
        self._end()


def watch(
    feed: Feed, job_id: str, end: Callable[[], object], is_news: Callable[[Progress], bool]
) -> Callable[[], None]:
    """Call `end` once something is true of a job's progress; return the function that stops watching."""
    watched = JobWatch(job_id, end, is_news)
    name = f"{job_id}/{id(watched)}"
    feed.add(name, watched)
    return lambda: feed.discard(name, watched)


def states(store: JobStore, feed: Feed, job_id: str, heartbeat: StreamHeartbeat) -> Iterator[Job | Subscription]:
    """Yield a job as it is and after each change, to its end, with subscriptions in between.

    It ends early if the server stops or the job has expired.
    """
    seen: Progress | None = None
    while not feed.closing():
        progress = store.progress(job_id)  # looked at before the job, so that nothing new is taken for seen
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
    """Yield the lines of a job's items from one on, in order, as they come to be counted; subscriptions as `states`."""
    for job in states:
        if isinstance(job, Subscription):
            yield job
            continue
        yield from store.lines(job, first, job.counted)
        first = max(first, job.counted)
