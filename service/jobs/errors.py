"""Why a job is not submitted or not found."""

from __future__ import annotations


class UnknownJob(Exception):
    """There is no such job of this owner."""


class QueueFull(Exception):
    """The workers have more open jobs than is allowed; the caller may try again later."""
