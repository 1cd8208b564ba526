"""Follows a job in work: how far it is, and the lines of its items in order."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Final

from service.jobs.store import ENDED, Job, JobStore

POLL_JOB_SECONDS: Final = 0.2
"""How often the record is polled."""


def states(store: JobStore, name: str, beat: float, gone: Callable[[], bool]) -> Iterator[Job | None]:
    """Return a job as it is, and as it has become each time that something is new, to its end.

    None says that nothing was new for `beat` seconds. It ends early where the listener has gone or the job has expired.
    """
    sent, seen = time.monotonic(), None
    while not gone():
        found = store.progress(name)  # looked at before the job, so that nothing new is taken for seen
        if found != seen:
            job = store.load(name)
            if job is None:
                return
            sent, seen = time.monotonic(), found
            yield job
            if job.state in ENDED:
                return
        elif time.monotonic() >= sent + beat:
            sent = time.monotonic()
            yield None
        else:
            time.sleep(POLL_JOB_SECONDS)


def lines(store: JobStore, states: Iterator[Job | None], first: int) -> Iterator[bytes | None]:
    """Return the lines of a job's items from one on, in order, as they come to be counted; None as `states` does."""
    for job in states:
        if job is None:
            yield None
            continue
        yield from store.lines(job, first, job.counted)
        first = max(first, job.counted)
