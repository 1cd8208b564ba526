"""A clock that a test moves."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count

from flask import Flask

from service.http.context import AppContext
from service.store.clock import no_stops
from service.telemetry.tracing import Tracing
from tests.service.sessions.room import Clock


@contextmanager
def freeze(app: Flask, clock: Clock) -> Iterator[None]:
    """Let an application go by a clock of the test's, and draw the same secrets each time."""
    numbers, house = count(1), app.extensions["context"]
    assert isinstance(house, AppContext)
    services = replace(house.sessions, now=clock, entropy=lambda size: next(numbers).to_bytes(size, "little"))
    app.extensions["context"] = replace(house, sessions=services)
    tracing, app.extensions["tracing"] = app.extensions["tracing"], Tracing(draw=lambda _bits: 1)
    calendar, services.store.calendar = services.store.calendar, no_stops
    yield
    services.store.calendar = calendar
    app.extensions["context"], app.extensions["tracing"] = house, tracing
