"""Stores webhooks in Redis, with their pending messages and a log of deliveries.

When a webhook is due, the scheduler queues a task that sends the webhook's messages. The scheduler also sets the
webhook's due time to a later time. At the end of the task, the worker sets the due time to the time of the next
message. If no message is pending, the worker removes the due time. If the worker dies during the task, the scheduler
queues another task at the later time.
"""

from __future__ import annotations

from typing import Any, Final, cast

import msgspec
from redis import Redis

from service.store.due import DueNames
from service.store.scripts import script

DELIVERY_WAITING: Final = "waiting"
DELIVERED: Final = "delivered"
DELIVERY_FAILED: Final = "failed"
DELIVERY_STATES: Final = (DELIVERY_WAITING, DELIVERED, DELIVERY_FAILED)

MAX_LOGGED_ATTEMPTS: Final = 20
"""Maximum number of attempts that are logged for each message."""

_TAG: Final = "{w}"
_HOOKS: Final = f"{_TAG}:hooks"
_DUE: Final = f"{_TAG}:due"
_COUNTS: Final = f"{_TAG}:counts"
_HEALTH: Final = f"{_TAG}:health"


NO_PUBLIC_ADDRESS: Final = "no-public-address"
UNREACHABLE: Final = "unreachable"
UNTRUSTED: Final = "untrusted"
TIMED_OUT: Final = "timed-out"
BAD_ANSWER: Final = "bad-answer"
UNSIGNED: Final = "unsigned"
ATTEMPT_PROBLEMS: Final = (NO_PUBLIC_ADDRESS, UNREACHABLE, UNTRUSTED, TIMED_OUT, BAD_ANSWER, UNSIGNED)
"""Reasons why an attempt received no acceptable response."""


class Attempt(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One delivery attempt: its time, its duration in milliseconds, and its outcome."""

    at: int
    milliseconds: int
    status: int | None = None  # status of the response
    problem: str | None = None  # reason why there was no response

    @property
    def delivered(self) -> bool:
        return self.status is not None and 200 <= self.status < 300  # noqa: PLR2004 -- what HTTP calls success


ADDRESS_GONE: Final = "gone"
FAILING: Final = "failing"
DISABLED_REASONS: Final = (ADDRESS_GONE, FAILING)
"""Reasons why a webhook is disabled: the receiver responded with status 410, or all attempts failed for days."""


class HookHealth(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The consecutive failures of a webhook. Times are in milliseconds since 1970.

    If a day passes without a failure, counting starts again.
    """

    since: int = 0  # time of the first failure
    failures: int = 0
    failed: int = 0  # time of the latest failure
    last: Attempt | None = None  # details of the latest failure
    off: int = 0  # time at which the webhook was disabled for `reason`, or 0
    reason: str | None = None


HEALTHY: Final = HookHealth()
"""The health of a webhook that is new, or that has accepted its latest message."""


class Hook(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A webhook: its address, its API key and its events. Times are in milliseconds since 1970."""

    id: str
    key: str
    url: str
    events: tuple[str, ...]
    made: int
    # Hash of the current secret, which is derived from the service's secret, `id` and `generation`.
    check: str
    generation: int = 1
    overlap: int = 0  # until then, the previous secret also signs messages
    # Redis stores it separately, so that recording a failure does not overwrite an owner's change.
    health: HookHealth = HEALTHY

    @property
    def off(self) -> bool:
        return bool(self.health.off)


class HookMessage(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A message to a webhook, and the state of its delivery. The body is the same in all attempts."""

    id: str
    event: str
    body: str
    made: int
    state: str = DELIVERY_WAITING
    tries: int = 0  # number of attempts since the latest request for the delivery
    next: int | None = None
    attempts: tuple[Attempt, ...] = ()


class HookStore(DueNames):
    """Reads and writes webhooks and their messages in Redis."""

    def __init__(self, client: Redis, kept: int) -> None:
        """Create a store. `client` must not retry writes.

        `kept` is the maximum number of messages in the log of a webhook.
        """
        super().__init__(client, _DUE)
        self._kept = kept
        self._add = client.register_script(script("hook_add"))
        self._note = client.register_script(script("hook_note"))
        self._rest = client.register_script(script("hook_rest"))
        self._health = client.register_script(script("hook_health"))

    def create(self, hook: Hook) -> bool:
        """Write a new webhook. Return False if a webhook with this id already exists."""
        new = self.client.hsetnx(_HOOKS, hook.id, _encode(hook))
        self.client.sadd(_of(hook.key), hook.id)
        return bool(new)

    def replace(self, hook: Hook) -> None:
        self.client.hset(_HOOKS, hook.id, _encode(hook))

    def set_health(self, hook: str, health: HookHealth, lease_id: str = "") -> None:
        """Overwrite the health of a webhook, unless the webhook was deleted.

        If `lease_id` is not "", do this only while the lease with this id is still held.
        """
        written = b"" if health == HEALTHY else msgspec.json.encode(health)
        self._health(keys=[_HOOKS, _HEALTH, lease_key(hook)], args=[hook, written, lease_id])

    def find(self, hook: str) -> Hook | None:
        return next(iter(self._decoded([hook])), None)

    def of(self, key: str) -> list[Hook]:
        """Return the webhooks of an API key, oldest first."""
        ids = [raw.decode() for raw in cast("set[bytes]", self.client.smembers(_of(key)))]
        return sorted(self._decoded(ids) if ids else [], key=lambda hook: (hook.made, hook.id))

    def _decoded(self, ids: list[str]) -> list[Hook]:
        with self.client.pipeline(transaction=False) as pipe:
            pipe.hmget(_HOOKS, ids)
            pipe.hmget(_HEALTH, ids)
            found: list[list[bytes | None]] = pipe.execute()
        return [
            msgspec.structs.replace(
                msgspec.json.decode(raw, type=Hook),
                health=msgspec.json.decode(health, type=HookHealth) if health else HEALTHY,
            )
            for raw, health in zip(*found, strict=True)
            if raw
        ]

    def delete(self, hook: Hook) -> None:
        """Delete a webhook with all its messages."""
        with self.client.pipeline() as pipe:
            pipe.hdel(_HOOKS, hook.id)
            pipe.hdel(_HEALTH, hook.id)
            pipe.srem(_of(hook.key), hook.id)
            pipe.zrem(_DUE, hook.id)
            pipe.delete(_key(hook.id, "log"), _key(hook.id, "order"), _key(hook.id, "line"), lease_key(hook.id))
            pipe.execute()

    def add(self, hook: str, message: HookMessage) -> bool:
        """Enqueue a message for a webhook. Return False if a message with the same id already exists."""
        keys = [_HOOKS, _key(hook, "log"), _key(hook, "order"), _key(hook, "line"), _DUE]
        written = msgspec.json.encode(message)
        return bool(self._add(keys=keys, args=[hook, message.id, written, message.made, self._kept]))

    def log(self, hook: str) -> list[HookMessage]:
        """Return the logged messages of a webhook, newest first."""
        ids = cast("list[bytes]", self.client.zrevrange(_key(hook, "order"), 0, -1))
        found = cast("list[bytes | None]", self.client.hmget(_key(hook, "log"), ids)) if ids else []
        return [msgspec.json.decode(raw, type=HookMessage) for raw in found if raw]

    def message(self, hook: str, message_id: str) -> HookMessage | None:
        raw = cast("bytes | None", self.client.hget(_key(hook, "log"), message_id))
        return None if raw is None else msgspec.json.decode(raw, type=HookMessage)

    def first(self, hook: str, now: int) -> HookMessage | None:
        """Return a webhook's first message that is due at `now`. Return None if no message is due."""
        found = cast("list[bytes]", self.client.zrange(_key(hook, "line"), "-inf", now, byscore=True, offset=0, num=1))
        return self.message(hook, found[0].decode()) if found else None

    def note(self, hook: str, message: HookMessage, tries: int | None = None) -> None:
        """Store the state of a message.

        If `tries` is given, do this only if the stored message is still pending and has had exactly `tries` attempts.
        """
        again = "" if message.next is None else message.next
        self._note(
            keys=[_key(hook, "log"), _key(hook, "line")],
            args=[message.id, msgspec.json.encode(message), again, "" if tries is None else tries],
        )

    def hasten(self, hook: str, now: int) -> None:
        """Set the due time of a webhook to `now`, even if the webhook is paused after a failure."""
        self.client.zadd(_DUE, {hook: now})

    def rest(self, hook: str, until: int, lease_id: str) -> None:
        """Set the due time of a webhook to the due time of its next message, but not earlier than `until`.

        If no message is pending, remove the due time. Do nothing unless the lease with the id `lease_id` is still held.
        """
        self._rest(keys=[_key(hook, "line"), _DUE, lease_key(hook)], args=[hook, until, lease_id])

    def count(self, outcome: str) -> None:
        """Count a delivery attempt for the metrics."""
        self.client.hincrby(_COUNTS, outcome, 1)

    def figures(self) -> tuple[dict[str, int], int]:
        """Return the number of attempts for each outcome, and the number of webhooks with pending messages."""
        with self.client.pipeline(transaction=False) as pipe:
            pipe.hgetall(_COUNTS)
            pipe.zcard(_DUE)
            found: list[Any] = pipe.execute()
        return {name.decode(): int(number) for name, number in found[0].items()}, found[1]


def lease_key(hook: str) -> str:
    return _key(hook, "held")


def _encode(hook: Hook) -> str:
    return msgspec.json.encode(msgspec.structs.replace(hook, health=HEALTHY)).decode()


def _of(key: str) -> str:
    return f"{_TAG}:of:{key}"


def _key(hook: str, part: str) -> str:
    return f"{_TAG}:{hook}:{part}"
