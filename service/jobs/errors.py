"""Exceptions raised when a job is submitted or looked up."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import msgspec
import structlog

_BREAKS: Final = (
    *(LookupError, ValueError, TypeError, AttributeError, ArithmeticError),
    *(msgspec.MsgspecError, zlib.error),
)
"""Exceptions that malformed stored data may cause."""

_log: Final = structlog.get_logger("service")


class UnknownJob(Exception):
    """The job does not exist, or it belongs to another owner."""


@contextmanager
def readable() -> Iterator[None]:
    """Catch an error that malformed job data causes inside the block. Log the error and raise UnknownJob instead."""
    try:
        yield
    except _BREAKS as error:
        _log.error("job unreadable", kind=type(error).__name__)
        # Callers handle the job like an expired one. Jobs are stored only for hours, and can be submitted again.
        raise UnknownJob from error


class QueueFull(Exception):
    """There are too many open jobs. The caller may retry later."""


class TooManyJobs(Exception):
    """The caller has too many open jobs, and may retry after one of them has ended."""

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self.most = most
