"""Webhooks. A webhook is a URL that receives messages about seats, sessions and jobs. Its owner need not poll."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Annotated, Any, Final

import msgspec
from flask import Response
from msgspec import UNSET, Meta, UnsetType

from service.api.callers import caller, key_of_caller, keyed
from service.api.session_replies import shown_time
from service.auth.api_keys import WEBHOOKS
from service.contract.json_schemas import Answer, Time
from service.http.blueprint import Blueprint, answer, no_content
from service.http.context import current_context
from service.http.fields import Body, Choice, Rows, Words
from service.http.idempotency import Act, idempotent
from service.http.problems import Problem, invalid_body
from service.store.hooks import (
    ATTEMPT_PROBLEMS,
    DELIVERY_STATES,
    DELIVERY_WAITING,
    FAILING,
    Attempt,
    Hook,
    HookMessage,
    HookStore,
)
from service.webhooks.messages import HOOK_EVENTS, NOTICES, PING, enter
from service.webhooks.signing import OVERLAP_MS, check
from service.webhooks.target import MAX_URL_CHARACTERS, target
from service.wire.webhook_messages import DisabledReason

blp = Blueprint(
    "webhooks",
    __name__,
    url_prefix="/v1/webhooks",
    description=(
        "HTTP callbacks for events of sessions and jobs, signed as in Standard Webhooks. A webhook belongs to an "
        "API key. It receives events of the seats whose tokens that key has received, of the sessions that it has "
        "created, and of its jobs."
    ),
)

OBJECT: Final[dict[str, Any]] = {"type": "object"}
KEY_PROBLEMS: Final = ("unknown-webhook", "store-away")

WebhookEvent = Annotated[str, Meta(extra_json_schema={"enum": list(HOOK_EVENTS)})]
DeliveredEvent = Annotated[str, Meta(extra_json_schema={"enum": [*HOOK_EVENTS, *NOTICES]})]
DeliveryProblem = Annotated[str, Meta(extra_json_schema={"enum": list(ATTEMPT_PROBLEMS)})]
DeliveryState = Annotated[str, Meta(extra_json_schema={"enum": list(DELIVERY_STATES)})]

ENABLED: Final = "enabled"
DISABLED: Final = "disabled"
WebhookState = Annotated[str, Meta(extra_json_schema={"enum": [ENABLED, FAILING, DISABLED]})]


class NewWebhook(Body):
    """Address and event types of a new webhook."""

    url = Words(8, MAX_URL_CHARACTERS, required=True, description="An https address of a public host.")
    events = Rows(Choice(HOOK_EVENTS), 1, len(HOOK_EVENTS), description="Event types; all by default.")


class AttemptShown(Answer, frozen=True, kw_only=True):
    """An attempt to deliver a message. It has the status of the response, or the reason why there was no response."""

    at: Time
    milliseconds: Annotated[int, Meta(ge=0, le=10**9)]
    status: Annotated[int, Meta(ge=100, le=999)] | UnsetType = UNSET
    problem: DeliveryProblem | UnsetType = UNSET


class WebhookShown(Answer, frozen=True, kw_only=True):
    """A webhook without its secret."""

    id: str
    url: str
    events: Sequence[WebhookEvent]
    created_at: Time
    state: WebhookState
    failing_since: Time | UnsetType = UNSET
    last_error: AttemptShown | UnsetType = UNSET
    disabled_at: Time | UnsetType = UNSET
    disabled_reason: DisabledReason | UnsetType = UNSET


class WebhookMade(WebhookShown, frozen=True, kw_only=True):
    """A new webhook with its secret, which is returned only here."""

    secret: Annotated[str, Meta(description="`whsec_` and the base64 key of all signatures.")]


class WebhookList(Answer, frozen=True, kw_only=True):
    """Webhooks of an API key."""

    webhooks: list[WebhookShown]


class SecretRotated(Answer, frozen=True, kw_only=True):
    """A new signing secret. For one day, messages also have a signature with the previous secret."""

    secret: str
    previous_until: Time


class DeliveryShown(Answer, frozen=True, kw_only=True):
    """A message and the attempts to deliver it.

    `id` is the message's `webhook-id`, which is the same in every attempt.
    """

    id: str
    event: DeliveredEvent
    body: Annotated[Any, Meta(description="Body of the message.", extra_json_schema=OBJECT)]
    state: DeliveryState
    created_at: Time
    attempts: list[AttemptShown]
    next_attempt_at: Time | UnsetType = UNSET


class DeliveryLog(Answer, frozen=True, kw_only=True):
    """The stored messages of a webhook, newest first."""

    deliveries: list[DeliveryShown]


@blp.post("")
@keyed(WEBHOOKS, always=True)
@blp.arguments(NewWebhook())
@blp.response(201, WebhookMade, headers=("Location",), problems=("too-many-webhooks",))
@idempotent(key_of_caller)
def create_webhook(body: dict[str, Any]) -> Act:
    """Create a webhook.

    Send events to an https address. A message is retried with growing pauses, up to eight attempts, until the address
    responds with a status from 200 to 299. The webhook is disabled if the address responds with 410, or if all attempts
    of all messages fail for `webhook_failing_days` days (`/v1/limits`). A webhook is enabled again when the address
    accepts a ping. A message may arrive more than once, with the same `webhook-id`. The address is resolved for each
    attempt and must be public. Redirects are not followed, and only the status of the response is read.
    """
    if target(body["url"], private=current_context().settings.webhooks_private) is None:
        raise invalid_body("/url", "public-address")
    events = tuple(event for event in HOOK_EVENTS if event in body.get("events", HOOK_EVENTS))

    def act(operation: str) -> Response:
        hooks, secrets, key = _store(), current_context().webhook_secrets, _key()
        hook_id = hashlib.sha256(f"webhook/name/{operation}".encode()).hexdigest()[:24]
        secret = secrets.text(hook_id, 1)
        hook = Hook(
            id=hook_id,
            key=key,
            url=body["url"],
            events=events,
            made=current_context().sessions.now(),
            check=check(secret),
        )
        known = hooks.find(hook_id)
        if known is not None and (known.url, known.events) != (hook.url, hook.events):
            raise Problem("idempotency-key-reused")
        if known is None:
            most = current_context().settings.limits.webhooks_per_key
            if len(hooks.of(key)) >= most:
                raise Problem("too-many-webhooks", limit=most)
            hooks.create(hook)
        shown = msgspec.structs.asdict(_serialize(known or hook))
        return answer(WebhookMade(**shown, secret=secret), 201, {"Location": f"{blp.url_prefix}/{hook_id}"})

    return act


@blp.get("")
@keyed(WEBHOOKS, always=True)
@blp.response(200, WebhookList, problems=("store-away",))
def list_webhooks() -> WebhookList:
    """List webhooks.

    Return the webhooks of the API key, oldest first.
    """
    return WebhookList(webhooks=[_serialize(hook) for hook in _store().of(_key())])


@blp.get("/<id>")
@keyed(WEBHOOKS, always=True)
@blp.response(200, WebhookShown, problems=KEY_PROBLEMS)
def get_webhook(id: str) -> WebhookShown:  # noqa: A002 -- the path parameter's name
    """Get a webhook.

    Return a webhook without its secret. If messages fail, the response has the time of the first failure and the
    reason.
    """
    return _serialize(_found(id))


@blp.delete("/<id>")
@keyed(WEBHOOKS, always=True)
@blp.response(204, problems=KEY_PROBLEMS)
def delete_webhook(id: str) -> Response:  # noqa: A002 -- the path parameter's name
    """Delete a webhook.

    Delete a webhook and its pending messages. If the service is sending a message to the webhook at this moment, it
    does not interrupt this attempt.
    """
    _store().delete(_found(id))
    return no_content()


@blp.post("/<id>/rotate")
@keyed(WEBHOOKS, always=True)
@blp.response(200, SecretRotated, problems=KEY_PROBLEMS)
@idempotent(key_of_caller)
def rotate_webhook_secret(id: str) -> Act:  # noqa: A002 -- the path parameter's name
    """Rotate the webhook secret.

    Create a new signing secret, which is returned only once. For one day, messages also carry a signature with the
    previous secret.
    """
    hook = _found(id)

    def act(_operation: str) -> Response:
        secrets, until = current_context().webhook_secrets, current_context().sessions.now() + OVERLAP_MS
        secret = secrets.text(hook.id, hook.generation + 1)
        _store().replace(
            msgspec.structs.replace(hook, generation=hook.generation + 1, check=check(secret), overlap=until)
        )
        return answer(SecretRotated(secret=secret, previous_until=shown_time(until)))

    return act


@blp.post("/<id>/ping")
@keyed(WEBHOOKS, always=True)
@blp.response(202, DeliveryShown, problems=KEY_PROBLEMS)
def ping_webhook(id: str) -> DeliveryShown:  # noqa: A002 -- the path parameter's name
    """Ping a webhook.

    Test the address of the webhook with a message that has no content. After the test, `GET
    /v1/webhooks/{id}/deliveries` shows the result. A successful ping enables a disabled webhook.
    """
    hook, services = _found(id), current_context().sessions
    now = services.now()
    at = services.store.calendar().shown(now)
    message = enter(services.hooks, hook, PING, services.entropy(16).hex(), {}, now, at)
    return _delivery(message)


@blp.get("/<id>/deliveries")
@keyed(WEBHOOKS, always=True)
@blp.response(200, DeliveryLog, problems=KEY_PROBLEMS)
def list_deliveries(id: str) -> DeliveryLog:  # noqa: A002 -- the path parameter's name
    """List deliveries.

    Return the stored messages of a webhook, newest first, each with its attempts. The value `webhook_messages` in
    `/v1/limits` is the maximum number of stored messages for each webhook.
    """
    return DeliveryLog(deliveries=[_delivery(message) for message in _store().log(_found(id).id)])


@blp.post("/<id>/deliveries/<delivery>/replay")
@keyed(WEBHOOKS, always=True)
@blp.response(202, DeliveryShown, problems=("unknown-delivery", *KEY_PROBLEMS))
def replay_delivery(id: str, delivery: str) -> DeliveryShown:  # noqa: A002 -- the path parameter's name
    """Redeliver a message.

    Send a stored message again, even if it was delivered. The message keeps its `webhook-id`. If the delivery fails,
    the service tries again. It makes as many attempts as it makes for a new message.
    """
    hook, now = _found(id), current_context().sessions.now()
    message = _store().message(hook.id, delivery)
    if message is None:
        raise Problem("unknown-delivery")
    again = msgspec.structs.replace(message, state=DELIVERY_WAITING, tries=0, next=now)
    _store().note(hook.id, again)
    _store().hasten(hook.id, now)
    return _delivery(again)


def _store() -> HookStore:
    return current_context().sessions.hooks


def _key() -> str:
    key = caller().key
    if key is None:
        raise AssertionError("`keyed` asks for a key")
    return key.id


def _found(hook_id: str) -> Hook:
    hook = _store().find(hook_id)
    if hook is None or hook.key != _key():
        raise Problem("unknown-webhook")
    return hook


def _serialize(hook: Hook) -> WebhookShown:
    health = hook.health
    return WebhookShown(
        id=hook.id,
        url=hook.url,
        events=hook.events,
        created_at=shown_time(hook.made),
        state=DISABLED if health.off else FAILING if health.since else ENABLED,
        failing_since=shown_time(health.since) if health.since else UNSET,
        last_error=_attempt(health.last) if health.last else UNSET,
        disabled_at=shown_time(health.off) if health.off else UNSET,
        disabled_reason=health.reason or UNSET,
    )


def _delivery(message: HookMessage) -> DeliveryShown:
    return DeliveryShown(
        id=message.id,
        event=message.event,
        body=msgspec.Raw(message.body.encode()),
        state=message.state,
        created_at=shown_time(message.made),
        attempts=[_attempt(attempt) for attempt in message.attempts],
        next_attempt_at=UNSET if message.next is None else shown_time(message.next),
    )


def _attempt(attempt: Attempt) -> AttemptShown:
    return AttemptShown(
        at=shown_time(attempt.at),
        milliseconds=attempt.milliseconds,
        status=UNSET if attempt.status is None else attempt.status,
        problem=UNSET if attempt.problem is None else attempt.problem,
    )
