"""Watches a running job. Yields its changes, and the results of its items in order."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final

from service.jobs.queues import record_key
from service.jobs.store import ENDED, PROGRESS, Job, JobStore
from service.store.feed import Command, Feed
from service.subscription import StreamHeartbeat, Subscription

FIRST_POLL_SECONDS: Final = 0.02
POLL_SECONDS: Final = 0.2
"""Delay before the first poll of a job, and the maximum interval between two polls."""

BEATS_EACH: Final = 2.1
"""Number of heartbeats after which `states` replaces a subscription by a new one.

The caller of `states` can then check the API key again.
"""

Progress = tuple[bytes | None, ...]


def has_ended(progress: Progress) -> bool:
    """Return whether a job's progress shows that it has ended or no longer exists."""
    return progress[0] is None or progress[0].decode() in ENDED


class JobWatch:
    """Polls the progress of a job, as a topic of a `Feed`. Calls the function `end` after each poll with news.

    The function `is_news` decides whether the progress is news. Polling continues after news. If the feed fails or
    closes, the watch calls `end` a last time. Usually, `end` ends a wait of the code that created the watch.
    """

    def __init__(self, job_id: str, end: Callable[[], object], is_news: Callable[[Progress], bool]) -> None:
        self._end = end
        self._id, self._is_news = job_id, is_news
        self._period = FIRST_POLL_SECONDS

    @property
    def period(self) -> float:
        now, self._period = self._period, min(POLL_SECONDS, self._period * 1.5)
        return now

    def ask(self) -> Sequence[Command]:
        return [("HMGET", record_key(self._id), *PROGRESS)]

    def look(self, found: list[Any]) -> None:
        if self._is_news(tuple(found[0])):
            self._end()

    def hear(self, message: bytes) -> None:
        """Do nothing. Every topic of the feed needs this method, but jobs publish no messages."""

    def lose(self) -> None:
        self._end()


def watch(
    feed: Feed, job_id: str, end: Callable[[], object], is_news: Callable[[Progress], bool]
) -> Callable[[], None]:
    """Start to watch the progress of a job. Return a function that stops the watch.

    After each poll, the watch calls `end` if `is_news` returns true for the progress. The watch does not stop then. If
    the feed fails or closes, the watch calls `end` a last time. Usually, `end` wakes a caller that waits for news.
    """
    watched = JobWatch(job_id, end, is_news)
    name = f"{job_id}/{id(watched)}"
    feed.add(name, watched)
    return lambda: feed.discard(name, watched)


def states(store: JobStore, feed: Feed, job_id: str, heartbeat: StreamHeartbeat) -> Iterator[Job | Subscription]:
    """Yield a job now and after each change. In between, yield subscriptions.

    The caller waits until a subscription ends, and then resumes this iterator. The iterator stops when the job ends or
    expires, or when the server shuts down.
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
    """Yield the encoded results of a job's items in order, from item `first` on.

    The iterator `states` yields the job after each change, and subscriptions between the changes. Yield these
    subscriptions, too. The caller waits until a subscription ends, and then resumes the iterator.
    """
    for job in states:
        if isinstance(job, Subscription):
            yield job
            continue
        yield from store.lines(job, first, job.counted)
        first = max(first, job.counted)
