"""Messages to webhooks and remote bots. The OpenAPI document describes them."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from service.contract.json_schemas import AnyMove, AnyView, Time, component
from service.jobs.store import JOB_STATES
from service.snapshots.records import Seat
from service.store.hooks import DISABLED_REASONS
from service.webhooks.messages import (
    DEADLINE_NEAR,
    JOB_ENDED,
    PING,
    SEAT_ASKED_EVENT,
    SEAT_CLAIMED,
    SESSION_ENDED,
    WEBHOOK_DISABLED,
)
from service.wire.session_responses import SessionStatus

MOVE_ASKED_EVENT: Final = "move.asked"
"""Name of the event that requests a move from a remote bot."""

Address = Annotated[str, Meta(description="URL of the changed resource, relative to the service.")]
SessionId = Annotated[str, Meta(description="Id of the session.")]


class WebhookMessage(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """A message to a webhook."""

    timestamp: Annotated[Time, Meta(description="Time of the message.")]


class SeatMatter(msgspec.Struct, frozen=True, kw_only=True):
    """Data of a message about a seat."""

    session: SessionId
    seat: Seat
    url: Address


class DeadlineMatter(SeatMatter, frozen=True, kw_only=True):
    """Data of a message about the deadline of a seat."""

    deadline: Annotated[Time, Meta(description="Time at which the seat runs out of time.")]


class Rewards(msgspec.Struct, frozen=True, kw_only=True):
    """Rewards of a finished session."""

    rewards: Annotated[
        list[float], Meta(description="Reward of each seat: 1 for a win, 0 for a loss, an equal part for a shared win.")
    ]


class SessionMatter(msgspec.Struct, frozen=True, kw_only=True):
    """Data of a message about the end of a session. An aborted session has no `outcome`."""

    session: SessionId
    url: Address
    status: SessionStatus | UnsetType = UNSET
    outcome: Rewards | UnsetType = UNSET


class JobMatter(msgspec.Struct, frozen=True, kw_only=True):
    """Data of a message about the end of a job."""

    job: Annotated[str, Meta(description="Id of the job.")]
    state: Annotated[str, Meta(extra_json_schema={"enum": list(JOB_STATES)})]
    url: Address


DisabledReason = Annotated[str, Meta(extra_json_schema={"enum": list(DISABLED_REASONS)})]


class WebhookMatter(msgspec.Struct, frozen=True, kw_only=True):
    """Data of a message about a disabled webhook."""

    webhook: Annotated[str, Meta(description="Id of the webhook.")]
    reason: DisabledReason
    url: Address


class Nothing(msgspec.Struct, frozen=True, kw_only=True):
    """Data of a message without content: an empty object."""


class ListedCode(msgspec.Struct, frozen=True, kw_only=True):
    """A legal move, as an object and as a code."""

    code: int
    move: AnyMove
    index: Annotated[int | None, Meta(description="Index of the move in the `action_space`; null if it has none.")]


class DecisionMatter(msgspec.Struct, frozen=True, kw_only=True):
    """Data of a request for a remote bot's move."""

    job: Annotated[str, Meta(description="Id of the job.")]
    game: str
    ruleset: str
    number: Annotated[int, Meta(ge=0, description="Number of the game within the job.")]
    seat: Seat
    deadline_ms: Annotated[int, Meta(ge=0, description="Time limit of the response, in milliseconds.")]
    view: AnyView
    legal_moves: Annotated[list[ListedCode], Meta(description="Legal moves of the seat.")]


class SeatAskedMessage(WebhookMessage, frozen=True, kw_only=True, tag=SEAT_ASKED_EVENT):
    """A seat has a decision to make."""

    data: SeatMatter


class SeatClaimedMessage(WebhookMessage, frozen=True, kw_only=True, tag=SEAT_CLAIMED):
    """A person has taken an open seat."""

    data: SeatMatter


class DeadlineNearMessage(WebhookMessage, frozen=True, kw_only=True, tag=DEADLINE_NEAR):
    """A seat will soon run out of time and has not decided."""

    data: DeadlineMatter


class SessionEndedMessage(WebhookMessage, frozen=True, kw_only=True, tag=SESSION_ENDED):
    """A session has ended."""

    data: SessionMatter


class JobEndedMessage(WebhookMessage, frozen=True, kw_only=True, tag=JOB_ENDED):
    """A job has succeeded, failed or been cancelled."""

    data: JobMatter


class PingMessage(WebhookMessage, frozen=True, kw_only=True, tag=PING):
    """A test message without content."""

    data: Nothing


class WebhookDisabledMessage(WebhookMessage, frozen=True, kw_only=True, tag=WEBHOOK_DISABLED):
    """Another webhook of the same API key was disabled. This event needs no subscription."""

    data: WebhookMatter


class MoveAskedMessage(WebhookMessage, frozen=True, kw_only=True, tag=MOVE_ASKED_EVENT):
    """A request for a remote bot's move. The bot responds with 200 and `{"code": n}` or `{"move": {...}}`."""

    data: DecisionMatter


MESSAGES: Final = (
    SeatAskedMessage,
    SeatClaimedMessage,
    DeadlineNearMessage,
    SessionEndedMessage,
    JobEndedMessage,
    PingMessage,
    WebhookDisabledMessage,
    MoveAskedMessage,
)

_HEADERS: Final = [
    {"in": "header", "name": name, "required": True, "description": said, "schema": {"type": "string"}}
    for name, said in (
        ("webhook-id", "Id of the message, the same for each attempt."),
        ("webhook-timestamp", "Time of sending, in seconds since 1970."),
        ("webhook-signature", "`v1,` and the base64 signature, as in Standard Webhooks."),
    )
]


def describe_webhooks(schemas: MutableMapping[str, Any]) -> dict[str, Any]:
    """Return the section `webhooks` of the OpenAPI document. Its keys are the names of the events.

    Add the schemas of the messages to `schemas`.
    """
    found = {}
    for kind in MESSAGES:
        name, said = str(kind.__struct_config__.tag), str(kind.__doc__)
        answers = {
            "200": {"description": "Accepted; any status from 200 to 299."},
            "410": {"description": "Send no more messages to this address."},
        }
        content = {"application/json": {"schema": component(kind, schemas)}}
        found[name] = {
            "post": {
                "operationId": f"on{kind.__name__.removesuffix('Message')}",
                "tags": ["webhooks"],
                "summary": f"Handle {name}",
                "description": said,
                "parameters": _HEADERS,
                "requestBody": {"description": "The message.", "required": True, "content": content},
                "responses": answers,
                "security": [],
            }
        }
    return found
