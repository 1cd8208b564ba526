"""Records each task of a worker as a span, a log line and a metric.

The span and the log line name the request that caused the task. They contain no ids of sessions and jobs.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Final

import structlog
from opentelemetry.trace import SpanKind, StatusCode, use_span
from redis import Redis
from redis.exceptions import RedisError
from rq.exceptions import DeserializationError, InvalidJobOperation, NoSuchJobError
from rq.job import Job, JobStatus
from structlog.contextvars import bound_contextvars

from service.jobs import queues
from service.telemetry.logs import log_id
from service.telemetry.tracing import Tracing
from service.trace_context import REQUEST_ID, set_origin

DONE: Final = "done"
OUTCOME_FAILED: Final = "failed"
UNKNOWN: Final = "unknown"

log = structlog.get_logger("workers")


@contextmanager
def observed(tracing: Tracing, connection: Redis, job: Job, queue: str) -> Iterator[None]:
    """Record a task as a span, a log line and a metric.

    The caller starts the task inside the `with` block. The task may run in another process. The task must end before
    the block ends.
    """
    function, subject = read(job)
    origin = {name: text for name, text in job.meta.items() if isinstance(text, str)}
    attributes = {"messaging.system": "rq", "messaging.destination.name": queue, "messaging.operation.type": "process"}
    span = tracing.begin(
        f"process {queue}", origin, SpanKind.CONSUMER, **attributes, **{"dorfplatz.function": function}
    )
    began = time.monotonic()
    with use_span(span, record_exception=False, set_status_on_exception=False), belonging(subject, origin):
        try:
            yield
        finally:
            outcome, milliseconds = _outcome(job), round((time.monotonic() - began) * 1000)
            span.set_attribute("dorfplatz.outcome", outcome)
            if outcome == OUTCOME_FAILED:
                span.set_status(StatusCode.ERROR)
            span.end()
            log.info("followed", function=function, queue=queue, outcome=outcome, milliseconds=milliseconds)
            with suppress(RedisError):
                queues.count(connection, function, outcome, milliseconds)


@contextmanager
def belonging(subject: str, origin: Mapping[str, str]) -> Iterator[None]:
    """Add the hash of `subject` and the request id of `origin` to the log lines.

    This function is a context manager. It affects all log lines that are written inside the `with` block. Tasks that
    are queued inside the `with` block get the trace context `origin`.
    """
    ids = {"job": log_id(subject), **({REQUEST_ID: origin[REQUEST_ID]} if REQUEST_ID in origin else {})}
    with set_origin(origin), bound_contextvars(**ids):
        yield


def read(job: Job) -> tuple[str, str]:
    """Return the name of a task's function and its first argument, for example a session's id."""
    try:
        function = job.func_name if job.func_name in queues.ALLOWED else UNKNOWN
        return function, str(job.args[0]) if job.args else job.id
    except DeserializationError:
        return UNKNOWN, job.id


def _outcome(job: Job) -> str:
    """Return the outcome of a task that has ended.

    A task without a record has succeeded, because RQ deletes the records of successful tasks.
    """
    try:
        return OUTCOME_FAILED if job.get_status() == JobStatus.FAILED else DONE
    except (InvalidJobOperation, NoSuchJobError):
        return DONE
    except RedisError:
        return OUTCOME_FAILED
