"""Fixtures of the sessions' tests."""

from __future__ import annotations

import pytest

from tests.service.sessions.room import Room, open_room


@pytest.fixture
def room(redis_url: str) -> Room:
    """Return a desk of the use cases at an empty Redis."""
    return open_room(redis_url)
