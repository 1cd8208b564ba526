"""The priority of each request. It depends only on the method and the path, so that refusing a request costs little."""

from __future__ import annotations

import re
from enum import IntEnum
from typing import Final


class Priority(IntEnum):
    """Priorities of requests, the highest first."""

    MOVES = 0
    """Moves and other actions of players, and the opening of event streams."""

    VIEWS = 1
    """Reads other than event streams and pictures, and requests of the snapshot API, such as a move on a snapshot."""

    JOBS = 2
    """All requests with neither of the two higher priorities: for example pictures, new jobs and new sessions."""


PROBES: Final = ("/healthz", "/readyz")
"""Paths of probes, which are never refused."""

_READS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_ACTION: Final = re.compile(r"/v1/sessions/[^/]+/")
_STATELESS: Final = re.compile(r"/v1/games/[^/]+/(?:snapshots|legal-moves|moves|chance|views)\Z")
_PICTURES: Final = re.compile(r"/v1/.*/(?:picture|preview)\Z")


def priority_of(method: str, path: str) -> Priority:
    if method in _READS:
        if path.endswith("/events"):
            return Priority.MOVES
        return Priority.JOBS if _PICTURES.match(path) else Priority.VIEWS
    if _ACTION.match(path):
        return Priority.MOVES
    return Priority.VIEWS if _STATELESS.match(path) else Priority.JOBS
