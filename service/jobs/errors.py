"""Why a job is not submitted or not found."""

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
"""What broken data makes code raise."""

_log: Final = structlog.get_logger("service")


class UnknownJob(Exception):
    """There is no such job of this owner."""


@contextmanager
def readable() -> Iterator[None]:
    """Raise UnknownJob where what is stored of a job cannot be read inside; the log says so.

    A job lives for hours, and whoever wants it back submits it again, so such a job counts as one that is gone.
    """
    try:
        yield
    except _BREAKS as error:
        _log.error("job unreadable", kind=type(error).__name__)
        raise UnknownJob from error


class QueueFull(Exception):
    """The workers have more open jobs than is allowed; the caller may try again later."""


class TooManyJobs(Exception):
    """The caller has as many open jobs as it may have; it may try again when one has ended."""

    def __init__(self, most: int) -> None:
        """Take how many a caller may have."""
        super().__init__(most)
        self.most = most
