"""Why a job is not submitted or not found."""

from __future__ import annotations


class UnknownJob(Exception):
    """There is no such job of this owner."""


class QueueFull(Exception):
    """The workers have more open jobs than is allowed; the caller may try again later."""


class TooManyJobs(Exception):
    """The caller has as many open jobs as it may have; it may try again when one has ended."""

    def __init__(self, most: int) -> None:
        """Take how many a caller may have."""
        super().__init__(most)
        self.most = most
