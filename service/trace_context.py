"""The trace context of enqueued work: the trace and the id of the request that enqueued it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

import structlog
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

REQUEST_ID: Final = "request_id"
"""The name of a request's id in log lines and in trace contexts."""

PROPAGATOR: Final = TraceContextTextMapPropagator()
_ORIGIN: Final[ContextVar[Mapping[str, str] | None]] = ContextVar("origin", default=None)


def carrier() -> dict[str, str]:
    """Return the trace context for work that is enqueued now.

    Work that a task enqueues gets the context of the original request, not of the task. Otherwise the trace of a long
    job would be a chain of nested spans.
    """
    origin = _ORIGIN.get()
    if origin is not None:
        return dict(origin)
    carried: dict[str, str] = {}
    PROPAGATOR.inject(carried)
    request = structlog.contextvars.get_contextvars().get(REQUEST_ID)
    return {**carried, REQUEST_ID: request} if request else carried


@contextmanager
def set_origin(origin: Mapping[str, str]) -> Iterator[None]:
    """Use the given trace context, if it is not empty, for all work that is enqueued in the block."""
    token = _ORIGIN.set(origin or None)
    try:
        yield
    finally:
        _ORIGIN.reset(token)
