"""Messages of the stream that reports a job's progress."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from service.contract.json_schemas import SCHEMAS
from service.wire.job_results import JobResult
from service.wire.jobs import JobProgress
from service.wire.session_events import END, HeartbeatMessage, Message

OpenJobState = Literal["queued", "running"]
JobEventName = Literal["job", "progress", "end"]
WholeJob = Annotated[Any, Meta(extra_json_schema={"$ref": f"{SCHEMAS}JobShown"})]


class Advance(msgspec.Struct, frozen=True, kw_only=True):
    """Progress of a job, with its partial result if that has changed."""

    state: OpenJobState
    progress: JobProgress
    partial_result: JobResult | UnsetType = UNSET


class JobMessage(Message, frozen=True, kw_only=True, tag="job"):
    """The state of the job. `data` is the job as `GET` returns it. Every stream starts with this message."""

    data: WholeJob


class ProgressMessage(Message, frozen=True, kw_only=True, tag="progress"):
    """The job has made progress."""

    data: Advance


class JobEndMessage(Message, frozen=True, kw_only=True, tag=END):
    """The job has ended. `data` is the job as `GET` returns it. This is the last message."""

    data: WholeJob


JobStreamMessage = JobMessage | ProgressMessage | HeartbeatMessage | JobEndMessage

_DATA: Final = {
    "contentMediaType": "application/json",
    "contentSchema": {"anyOf": [{"$ref": SCHEMAS + name} for name in ("JobShown", "Advance")]},
}


class JobServerSentEvent(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of one event in a `text/event-stream`. `data` is one line of JSON."""

    event: JobEventName
    data: Annotated[str, Meta(extra_json_schema=_DATA)]
    retry: Annotated[int, Meta(description="Reconnection time in milliseconds.")] | UnsetType = UNSET
