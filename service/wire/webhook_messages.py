"""The messages that the service sends to webhooks and to bots at URLs, as the document tells them."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from service.http.json_schemas import AnyMove, AnyView, Time, component
from service.jobs.store import JOB_STATES
from service.snapshots.records import Seat
from service.webhooks.messages import DEADLINE_NEAR, JOB_ENDED, PING, SEAT_ASKED, SEAT_CLAIMED, SESSION_ENDED
from service.wire.session_responses import SessionStatus

MOVE_ASKED: Final = "move.asked"
"""What a bot at a URL is sent for each decision."""

Address = Annotated[str, Meta(description="Where to look, relative to the service.")]
SessionId = Annotated[str, Meta(description="The session's id.")]


class WebhookMessage(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """A message to a webhook."""

    timestamp: Annotated[Time, Meta(description="When it was written.")]


class SeatMatter(msgspec.Struct, frozen=True, kw_only=True):
    """Which seat of which session it is about."""

    session: SessionId
    seat: Seat
    url: Address


class DeadlineMatter(SeatMatter, frozen=True, kw_only=True):
    """Which seat of which session it is about, and until when it has to decide."""

    deadline: Annotated[Time, Meta(description="When the seat's time runs out.")]


class Rewards(msgspec.Struct, frozen=True, kw_only=True):
    """How a session ended."""

    rewards: Annotated[list[float], Meta(description="A number per seat: 1 a win, 0 a loss, shared wins in parts.")]


class SessionMatter(msgspec.Struct, frozen=True, kw_only=True):
    """Which session it is about, and how it ended as far as that is known."""

    session: SessionId
    url: Address
    status: SessionStatus | UnsetType = UNSET
    outcome: Rewards | UnsetType = UNSET


class JobMatter(msgspec.Struct, frozen=True, kw_only=True):
    """Which job it is about."""

    job: Annotated[str, Meta(description="The job's id.")]
    state: Annotated[str, Meta(extra_json_schema={"enum": list(JOB_STATES)})]
    url: Address


class Nothing(msgspec.Struct, frozen=True, kw_only=True):
    """Nothing is told."""


class ListedCode(msgspec.Struct, frozen=True, kw_only=True):
    """A legal move in both faces."""

    code: int
    move: AnyMove
    index: Annotated[int | None, Meta(description="Its number in the `action_space`; null where it has none.")]


class DecisionMatter(msgspec.Struct, frozen=True, kw_only=True):
    """A decision of a game that a bot at a URL plays."""

    job: Annotated[str, Meta(description="The job's id.")]
    game: str
    ruleset: str
    number: Annotated[int, Meta(ge=0, description="The game's number in the job.")]
    seat: Seat
    deadline_ms: Annotated[int, Meta(ge=0, description="How long the answer may take.")]
    view: AnyView
    legal_moves: Annotated[list[ListedCode], Meta(description="What the seat may do.")]


class SeatAskedMessage(WebhookMessage, frozen=True, kw_only=True, tag=SEAT_ASKED):
    """A seat has a decision to make."""

    data: SeatMatter


class SeatClaimedMessage(WebhookMessage, frozen=True, kw_only=True, tag=SEAT_CLAIMED):
    """A person has taken an open seat."""

    data: SeatMatter


class DeadlineNearMessage(WebhookMessage, frozen=True, kw_only=True, tag=DEADLINE_NEAR):
    """A seat's time is nearly over, and it has not decided."""

    data: DeadlineMatter


class SessionEndedMessage(WebhookMessage, frozen=True, kw_only=True, tag=SESSION_ENDED):
    """A session is over."""

    data: SessionMatter


class JobEndedMessage(WebhookMessage, frozen=True, kw_only=True, tag=JOB_ENDED):
    """A job succeeded, failed or was canceled."""

    data: JobMatter


class PingMessage(WebhookMessage, frozen=True, kw_only=True, tag=PING):
    """A message that tells nothing, sent when it is asked for."""

    data: Nothing


class MoveAskedMessage(WebhookMessage, frozen=True, kw_only=True, tag=MOVE_ASKED):
    """A bot at a URL is asked for a move; it answers 200 with `{"code": n}` or `{"move": {...}}`."""

    data: DecisionMatter


MESSAGES: Final = (
    SeatAskedMessage,
    SeatClaimedMessage,
    DeadlineNearMessage,
    SessionEndedMessage,
    JobEndedMessage,
    PingMessage,
    MoveAskedMessage,
)

_HEADERS: Final = [
    {"in": "header", "name": name, "required": True, "description": said, "schema": {"type": "string"}}
    for name, said in (
        ("webhook-id", "The message's id, the same at every attempt."),
        ("webhook-timestamp", "When it was sent, in seconds since 1970."),
        ("webhook-signature", "`v1,` and the signature in base64, as Standard Webhooks has it."),
    )
]


def describe_webhooks(schemas: MutableMapping[str, Any]) -> dict[str, Any]:
    """Return what is sent to webhooks by event, with its messages among the schemas."""
    found = {}
    for kind in MESSAGES:
        name, said = str(kind.__struct_config__.tag), str(kind.__doc__)
        answers = {
            "200": {"description": "It was taken; any status from 200 to 299 is."},
            "410": {"description": "Nothing more is to be sent to this address."},
        }
        content = {"application/json": {"schema": component(kind, schemas)}}
        found[name] = {
            "post": {
                "operationId": f"on{kind.__name__.removesuffix('Message')}",
                "tags": ["webhooks"],
                "summary": said.partition(";")[0].rstrip(".") + ".",
                "description": said,
                "parameters": _HEADERS,
                "requestBody": {"description": "The message.", "required": True, "content": content},
                "responses": answers,
                "security": [],
            }
        }
    return found
