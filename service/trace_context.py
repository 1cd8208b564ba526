"""Trace context of queued tasks: the trace and the id of the request that queued the task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

import structlog
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

REQUEST_ID: Final = "request_id"
"""The key of the request id in log lines and in trace contexts."""

PROPAGATOR: Final = TraceContextTextMapPropagator()
_ORIGIN: Final[ContextVar[Mapping[str, str] | None]] = ContextVar("origin", default=None)


def carrier() -> dict[str, str]:
    """Return the trace context for a task that is about to be queued."""
    origin = _ORIGIN.get()
    if origin is not None:
        # A task of a task has the original context, so that the spans of a long job are siblings.
        return dict(origin)
    carried: dict[str, str] = {}
    PROPAGATOR.inject(carried)
    request = structlog.contextvars.get_contextvars().get(REQUEST_ID)
    return {**carried, REQUEST_ID: request} if request else carried


@contextmanager
def set_origin(origin: Mapping[str, str]) -> Iterator[None]:
    """Set the trace context of all tasks that are queued inside the block.

    The context is `origin`. If `origin` is empty, each task gets the context of the current span and request.
    """
    token = _ORIGIN.set(origin or None)
    try:
        yield
    finally:
        _ORIGIN.reset(token)
