"""Follows a job in work: how far it is, and the lines of its items in order."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from operator import ne
from typing import Any, Final

from redis.client import Pipeline

from service.jobs.queues import record_key
from service.jobs.store import ENDED, PROGRESS, Job, JobStore
from service.store.feed import Feed
from service.waiting import Wait

FIRST_POLL_SECONDS: Final = 0.02
POLL_SECONDS: Final = 0.2
"""How long it is to the first look at a record, and between two at most."""

Progress = tuple[bytes | None, ...]


def has_ended(progress: Progress) -> bool:
    """Tell whether a job has ended, or has expired."""
    return progress[0] is None or progress[0].decode() in ENDED


class JobWatch:
    """One who waits until something is true of a job's progress."""

    def __init__(self, job_id: str, wait: Wait, is_news: Callable[[Progress], bool]) -> None:
        """Take the job, the wait, and what it waits for."""
        self.wait = wait
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
            self.wait.end()

    def hear(self, message: bytes) -> None:
        """Take a message; none is sent of jobs."""

    def lose(self) -> None:
        """Let it go."""
        self.wait.end()


def watch(
    feed: Feed, job_id: str, seconds: float, is_news: Callable[[Progress], bool]
) -> tuple[Wait, Callable[[], None]]:
    """Return a wait until something is true of a job's progress, or for so long, and what is to be called after it."""
    wait = Wait(seconds)
    watched = JobWatch(job_id, wait, is_news)
    name = f"{job_id}/{id(watched)}"
    feed.add(name, watched)
    return wait, lambda: feed.discard(name, watched)


def states(store: JobStore, feed: Feed, job_id: str, beat: float) -> Iterator[Job | Wait | None]:
    """Yield a job as it is, and as it has become each time that something is new, to its end; waits in between.

    None says that nothing was new for `beat` seconds. It ends early where the server stops or the job has expired.
    """
    sent, seen = time.monotonic(), None
    while not feed.closing():
        progress = store.progress(job_id)  # looked at before the job, so that nothing new is taken for seen
        if progress != seen:
            job = store.load(job_id)
            if job is None:
                return
            sent, seen = time.monotonic(), progress
            yield job
            if job.state in ENDED:
                return
        elif time.monotonic() >= sent + beat:
            sent = time.monotonic()
            yield None
        wait, forget = watch(feed, job_id, sent + beat - time.monotonic(), partial(ne, seen))
        try:
            yield wait
        finally:
            forget()


def lines(store: JobStore, states: Iterator[Job | Wait | None], first: int) -> Iterator[bytes | Wait | None]:
    """Yield the lines of a job's items from one on, in order, as they come to be counted; other things as `states`."""
    for job in states:
        if not isinstance(job, Job):
            yield job
            continue
        yield from store.lines(job, first, job.counted)
        first = max(first, job.counted)
