"""Sends the queued messages of a webhook, ordered by due time. Only one worker at a time sends for a webhook.

A failed message is sent again several times, with growing pauses. After each failure, the webhook's other messages also
wait for some time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from secrets import token_hex
from typing import Final, Self

import msgspec
import structlog
from redis import Redis

from service.auth.api_keys import KeyStore
from service.sessions.services import milliseconds, session_client
from service.settings import DAY_MS, Limits, Settings
from service.store.clock import StoreClock, this_machine
from service.store.hooks import (
    ADDRESS_GONE,
    DELIVERED,
    DELIVERY_FAILED,
    FAILING,
    HEALTHY,
    MAX_LOGGED_ATTEMPTS,
    NO_PUBLIC_ADDRESS,
    UNSIGNED,
    Attempt,
    Hook,
    HookHealth,
    HookMessage,
    HookStore,
    lease_key,
)
from service.store.leases import StoreLease
from service.webhooks.guard import Guard
from service.webhooks.messages import PING, WEBHOOK_DISABLED, enter
from service.webhooks.signing import OtherSecret, Secrets, headers
from service.webhooks.target import Target, target
from workers.webhooks.send import Post

PAUSES_MS: Final = tuple(seconds * 1000 for seconds in (5, 30, 120, 600, 3_600, 10_800, 21_600))
"""Pauses between the attempts to send a message, in milliseconds. The message is dropped after the last attempt."""

RESTS_MS: Final = PAUSES_MS[:3]
"""Pauses for all messages of a webhook after one, two, and three or more failures in a row, in milliseconds."""

DELIVERY_LEASE_MS: Final = 30_000
"""Lifetime of the lease on a webhook in milliseconds, three times the maximum duration of an attempt."""

DELIVERY_SLICE_MS: Final = 20_000
"""Milliseconds that a task spends on one webhook before other webhooks have their turn."""

MIN_FAILURES: Final = len(PAUSES_MS) + 1
"""Minimum number of failures before a webhook is disabled. Status 410 disables the webhook at once.

The count begins again after a successful delivery, and after a day without a failure.
"""

HTTP_GONE: Final = 410
"""Status with which a receiver disables its webhook."""

log = structlog.get_logger("service")

Send = Callable[[Target, Mapping[str, str], bytes], Attempt]


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookSender:
    """Sends the messages of webhooks."""

    store: HookStore
    keys: KeyStore
    secrets: Secrets
    send: Send
    now: Callable[[], int]  # the service's time, for due times
    date: Callable[[], int] = milliseconds  # wall-clock time, which receivers compare with their own
    private: bool = False  # also permits private addresses, for tests
    # If all attempts have failed for this time, the webhook is disabled. If it is 0, no webhook is disabled.
    failing_ms: int = Limits().webhook_failing_days * DAY_MS

    @classmethod
    def of(cls, client: Redis, settings: Settings) -> Self:
        """Return a sender that uses a Redis client and the settings."""
        private = settings.webhooks_private
        return cls(
            store=HookStore(client, settings.limits.webhook_messages),
            keys=KeyStore(client),
            secrets=Secrets(settings.secret_key),
            send=Post(Guard(private=private)),
            now=StoreClock(session_client(client, settings), machine=this_machine()).now,
            private=private,
            failing_ms=settings.limits.webhook_failing_days * DAY_MS,
        )

    def deliver(self, hook_id: str) -> None:
        """Send the pending messages of a webhook until one fails. Do nothing if another worker has the lease."""
        hook = self.store.find(hook_id)
        if hook is None:
            self.store.forget(hook_id)
            return
        if self.keys.by_id(hook.key) is None:
            self.store.delete(hook)  # its API key was revoked
            return
        lease = StoreLease(self.store.client, lease_key(hook_id), token_hex(8), DELIVERY_LEASE_MS)
        if lease.take():
            try:
                self.store.rest(hook_id, self._send_all(hook, lease), lease.lease_id)
            finally:
                lease.release()

    def _send_all(self, hook: Hook, lease: StoreLease) -> int:
        until = self.now() + DELIVERY_SLICE_MS
        while self.now() < until and lease.take():
            message = self.store.first(hook.id, self.now())
            if message is None:
                break
            if hook.off and message.event != PING:
                given_up = msgspec.structs.replace(message, state=DELIVERY_FAILED, next=None)
                self.store.note(hook.id, given_up, message.tries)
                continue
            attempt = self._try(hook, message)
            hook = self._judge(hook, attempt, lease)
            self.store.note(hook.id, after(message, attempt, self.now()), message.tries)
            self.store.count("delivered" if attempt.delivered else attempt.problem or "refused")
            if not attempt.delivered:
                return self.now() + RESTS_MS[min(hook.health.failures, len(RESTS_MS)) - 1]
        return self.now()

    def _judge(self, hook: Hook, attempt: Attempt, lease: StoreLease) -> Hook:
        health = HEALTHY if attempt.delivered else failed(hook.health, attempt, self.now())
        reason = None if health.off else self._disabling_reason(health, attempt)
        if reason is not None:
            # `since` names the notice, so it is stored first: a worker that dies here repeats the same notice
            self.store.set_health(hook.id, health, lease.lease_id)
            self._notify_others(hook, health, reason)
            health = msgspec.structs.replace(health, off=self.now(), reason=reason)
        if health != hook.health:
            self.store.set_health(hook.id, health, lease.lease_id)
        return msgspec.structs.replace(hook, health=health)

    def _disabling_reason(self, health: HookHealth, attempt: Attempt) -> str | None:
        if attempt.status == HTTP_GONE:
            return ADDRESS_GONE
        long = self.failing_ms and health.failed - health.since >= self.failing_ms
        # an unsigned message was not sent: that is the operator's mistake and not the receiver's
        return FAILING if long and health.failures >= MIN_FAILURES and attempt.problem != UNSIGNED else None

    def _notify_others(self, hook: Hook, health: HookHealth, reason: str) -> None:
        data = {"webhook": hook.id, "url": f"/v1/webhooks/{hook.id}", "reason": reason}
        for other in self.store.of(hook.key):
            if other.id != hook.id and not other.off:
                matter = f"{hook.id}/{health.since}"
                enter(self.store, other, WEBHOOK_DISABLED, matter, data, self.now(), self.date())

    def _try(self, hook: Hook, message: HookMessage) -> Attempt:
        now, date, body = self.now(), self.date(), message.body.encode()
        try:
            secrets = self.secrets.valid(hook, now)
        except OtherSecret:
            log.error("webhook not signed", reason="SECRET_KEY is not the one that it was made under")  # noqa: TRY400
            return Attempt(at=date, milliseconds=0, problem=UNSIGNED)
        place = target(hook.url, private=self.private)
        if place is None:
            return Attempt(at=date, milliseconds=0, problem=NO_PUBLIC_ADDRESS)
        return self.send(place, headers(message.id, date // 1000, body, secrets), body)


def failed(health: HookHealth, attempt: Attempt, now: int) -> HookHealth:
    """Return a webhook's health record after a failed delivery. `attempt` describes this delivery."""
    follows = now - health.failed < DAY_MS
    return msgspec.structs.replace(
        health,
        since=health.since or now,
        failures=health.failures + 1 if follows else 1,
        failed=now,
        last=attempt,
    )


def after(message: HookMessage, attempt: Attempt, now: int) -> HookMessage:
    """Return a copy of a message, updated with the result of one delivery. `attempt` contains this result."""
    state, again = DELIVERED, None
    if not attempt.delivered:
        given_up = attempt.status == HTTP_GONE or message.tries >= len(PAUSES_MS)
        state = DELIVERY_FAILED if given_up else message.state
        again = None if given_up else now + PAUSES_MS[message.tries]
    return msgspec.structs.replace(
        message,
        state=state,
        tries=message.tries + 1,
        next=again,
        attempts=(*message.attempts, attempt)[-MAX_LOGGED_ATTEMPTS:],
    )
