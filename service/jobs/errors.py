"""Errors of the submission and lookup of jobs."""

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
"""Exceptions that broken data may cause."""

_log: Final = structlog.get_logger("service")


class UnknownJob(Exception):
    """The owner has no such job."""


@contextmanager
def readable() -> Iterator[None]:
    """Convert errors in stored job data inside the block to UnknownJob, and log them.

    An unreadable job is treated as expired, because jobs live only for hours and can be submitted again.
    """
    try:
        yield
    except _BREAKS as error:
        _log.error("job unreadable", kind=type(error).__name__)
        raise UnknownJob from error


class QueueFull(Exception):
    """The workers have too many open jobs. The caller may retry later."""


class TooManyJobs(Exception):
    """The caller has too many open jobs, and may retry when one of them has ended."""

    def __init__(self, most: int) -> None:
        """Take the maximum number of open jobs of a caller."""
        super().__init__(most)
        self.most = most
