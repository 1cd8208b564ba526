"""What webhooks are told: that a seat is asked, that a job has ended, and what is only a test.

Bodies are thin: they name what is new, and nothing that could be read off it. Who wants to know asks with the token or
key that it has. A message is named after what it tells and to whom, so however often it is told it is one message.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from service.store.hooks import Hook, HookMessage, HookStore

SEAT_ASKED: Final = "seat.asked"
JOB_ENDED: Final = "job.ended"
PING: Final = "webhook.ping"
HOOK_EVENTS: Final = (SEAT_ASKED, JOB_ENDED)
"""What one can be told of; a ping needs no asking for."""


def tell(store: HookStore, key: str, event: str, matter: str, data: Mapping[str, Any], now: int) -> None:
    """Tell all webhooks of an API key, that want to know, of an event; `matter` is what it is the only one of."""
    for hook in store.of(key):
        if event in hook.events:
            enter(store, hook, event, matter, data, now)


def seat_asked(store: HookStore, call: str, now: int) -> None:
    """Tell whoever holds a seat's token that the seat is asked; `call` is what `service.sessions.turns` wrote."""
    session, seat, decision, key = call.split("/")
    data = {"session": session, "seat": int(seat), "url": f"/v1/sessions/{session}"}
    tell(store, key, SEAT_ASKED, decision, data, now)


def enter(store: HookStore, hook: Hook, event: str, matter: str, data: Mapping[str, Any], now: int) -> HookMessage:
    """Put one message into one webhook's line, unless it is known there, and return it."""
    named = hashlib.sha256(f"{hook.id}/{event}/{matter}".encode()).digest()[:18]
    moment = datetime.fromtimestamp(now / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    body = msgspec.json.encode({"type": event, "timestamp": moment, "data": data}).decode()
    name = f"msg_{base64.urlsafe_b64encode(named).decode()}"
    message = HookMessage(id=name, event=event, body=body, made=now, next=now)
    store.add(hook.id, message)
    return message
