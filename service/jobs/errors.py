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
    """Convert errors of reading stored job data inside the block to UnknownJob, with a log line.

    Jobs live for hours and can be resubmitted, so an unreadable job counts as expired.
    """
    try:
        yield
    except _BREAKS as error:
        _log.error("job unreadable", kind=type(error).__name__)
        raise UnknownJob from error


class QueueFull(Exception):
    """The workers have too many open jobs; the caller may retry later."""


class TooManyJobs(Exception):
    """The caller has too many open jobs; the caller may retry when one has ended."""

    def __init__(self, most: int) -> None:
        """Take the maximum number of open jobs per caller."""
        super().__init__(most)
        self.most = most
