"""Webhook messages about sessions, ended jobs and webhooks. Receivers fetch the changed state themselves.

The id of a message is derived from the webhook and the event. So each event is enqueued only once for a webhook, even
if the event is reported repeatedly.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from service.store.clock import rfc3339
from service.store.hooks import Hook, HookMessage, HookStore

SEAT_ASKED_EVENT: Final = "seat.asked"
JOB_ENDED: Final = "job.ended"
PING: Final = "webhook.ping"
WEBHOOK_DISABLED: Final = "webhook.disabled"
SESSION_ENDED: Final = "session.ended"
SEAT_CLAIMED: Final = "seat.claimed"
DEADLINE_NEAR: Final = "deadline.near"
HOOK_EVENTS: Final = (SEAT_ASKED_EVENT, JOB_ENDED, SESSION_ENDED, SEAT_CLAIMED, DEADLINE_NEAR)
"""Events to which a webhook can subscribe."""

NOTICES: Final = (PING, WEBHOOK_DISABLED)
"""Events about the webhook itself, which are sent without a subscription."""


def notify(store: HookStore, key: str, event: str, matter: str, data: Mapping[str, Any], now: int, at: int) -> None:
    """Enqueue a message for each enabled webhook of an API key. Skip webhooks without a subscription to `event`.

    `event` is the type of the event, such as `job.ended`. `matter` is a text that identifies this one event. `now` is
    the current service time. `at` is the displayed time of the event, and the message body contains this time. Both
    times are in milliseconds since 1970.
    """
    for hook in store.of(key):
        if event in hook.events and not hook.off:
            enter(store, hook, event, matter, data, now, at)


def is_heard(store: HookStore, key: str, event: str) -> bool:
    """Return whether any enabled webhook of an API key is subscribed to an event."""
    return any(event in hook.events and not hook.off for hook in store.of(key))


def message_id(matter: str) -> str:
    """Return the id of a message. It is derived from the text `matter`. Equal texts give equal ids."""
    return f"msg_{base64.urlsafe_b64encode(hashlib.sha256(matter.encode()).digest()[:18]).decode()}"


def message_body(event: str, data: Mapping[str, Any], now: int) -> bytes:
    """Encode the body of a message. `now` is in milliseconds since 1970."""
    return msgspec.json.encode({"type": event, "timestamp": rfc3339(now), "data": data})


def enter(
    store: HookStore, hook: Hook, event: str, matter: str, data: Mapping[str, Any], now: int, at: int
) -> HookMessage:
    """Enqueue a message for one webhook, unless the message already exists. Return the message.

    The docstring of `notify` describes the parameters from `event` to `at`.
    """
    name = message_id(f"{hook.id}/{event}/{matter}")
    message = HookMessage(id=name, event=event, body=message_body(event, data, at).decode(), made=now, next=now)
    store.add(hook.id, message)
    return message
