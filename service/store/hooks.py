"""Webhooks in Redis: where messages go, the line of those that wait, and the log of what became of them.

All keys share one hash tag, so a script may write them together, on a Redis Cluster too. A webhook with anything in its
line stands in the due set by when it is due; it is put off, not taken out, when a delivery is queued for it,
so a worker that dies leaves nothing behind but a delay.
"""

from __future__ import annotations

from typing import Any, Final, cast

import msgspec
from redis import Redis

from service.store.scripts import script

DELIVERY_WAITING: Final = "waiting"
DELIVERED: Final = "delivered"
DELIVERY_FAILED: Final = "failed"
DELIVERY_STATES: Final = (DELIVERY_WAITING, DELIVERED, DELIVERY_FAILED)

ATTEMPTS_KEPT: Final = 20
"""How many attempts the log has of one message."""

_TAG: Final = "{w}"
_HOOKS: Final = f"{_TAG}:hooks"
_DUE: Final = f"{_TAG}:due"
_COUNTS: Final = f"{_TAG}:counts"
_FAILURES: Final = f"{_TAG}:failures"


class Hook(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Where messages go, for which API key, and about what; times are milliseconds since 1970.

    Secrets are not kept: they follow from the service's own, the webhook's id and `generation`; `check` is a hash of
    the present one. The one before signs as well until `overlap`. `off` is since when nothing is sent any more, because
    the address answered that it is gone; 0 where that is not so.
    """

    id: str
    key: str
    url: str
    events: tuple[str, ...]
    made: int
    check: str
    generation: int = 1
    overlap: int = 0
    off: int = 0


NO_PUBLIC_ADDRESS: Final = "no-public-address"
UNREACHABLE: Final = "unreachable"
UNTRUSTED: Final = "untrusted"
TIMED_OUT: Final = "timed-out"
BAD_ANSWER: Final = "bad-answer"
UNSIGNED: Final = "unsigned"
ATTEMPT_PROBLEMS: Final = (NO_PUBLIC_ADDRESS, UNREACHABLE, UNTRUSTED, TIMED_OUT, BAD_ANSWER, UNSIGNED)
"""Why an attempt brought no status."""


class Attempt(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One attempt to deliver: when, for how long (ms), and the status that came back or why none did."""

    at: int
    milliseconds: int
    status: int | None = None
    problem: str | None = None

    @property
    def delivered(self) -> bool:
        """Return whether the other side took it."""
        return self.status is not None and 200 <= self.status < 300  # noqa: PLR2004 -- what HTTP calls success


class HookMessage(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A message: its id, its body as it is sent each time, and what became of it.

    `tries` counts the attempts since the message was last requested.
    """

    id: str
    event: str
    body: str
    made: int
    state: str = DELIVERY_WAITING
    tries: int = 0
    next: int | None = None
    attempts: tuple[Attempt, ...] = ()


class HookStore:
    """Reads and writes webhooks and their messages."""

    def __init__(self, client: Redis, kept: int) -> None:
        """Take a client that does not retry writes, and how many messages the log of a webhook keeps."""
        self.client = client
        self._kept = kept
        self._add = client.register_script(script("hook_add"))
        self._note = client.register_script(script("hook_note"))
        self._rest = client.register_script(script("hook_rest"))

    def create(self, hook: Hook) -> bool:
        """Write a new webhook, and return whether it is new."""
        new = self.client.hsetnx(_HOOKS, hook.id, msgspec.json.encode(hook).decode())
        self.client.sadd(_of(hook.key), hook.id)
        return bool(new)

    def replace(self, hook: Hook) -> None:
        """Write a webhook over its earlier state."""
        self.client.hset(_HOOKS, hook.id, msgspec.json.encode(hook).decode())

    def find(self, hook: str) -> Hook | None:
        """Return a webhook, or None where there is none."""
        raw = cast("bytes | None", self.client.hget(_HOOKS, hook))
        return None if raw is None else msgspec.json.decode(raw, type=Hook)

    def of(self, key: str) -> list[Hook]:
        """Return the webhooks of an API key, the oldest first."""
        ids = [raw.decode() for raw in cast("set[bytes]", self.client.smembers(_of(key)))]
        found = cast("list[bytes | None]", self.client.hmget(_HOOKS, ids)) if ids else []
        hooks = [msgspec.json.decode(raw, type=Hook) for raw in found if raw]
        return sorted(hooks, key=lambda hook: (hook.made, hook.id))

    def delete(self, hook: Hook) -> None:
        """Forget a webhook with all its messages."""
        with self.client.pipeline() as pipe:
            pipe.hdel(_HOOKS, hook.id)
            pipe.hdel(_FAILURES, hook.id)
            pipe.srem(_of(hook.key), hook.id)
            pipe.zrem(_DUE, hook.id)
            pipe.delete(_key(hook.id, "log"), _key(hook.id, "order"), _key(hook.id, "line"), lease_key(hook.id))
            pipe.execute()

    def add(self, hook: str, message: HookMessage) -> bool:
        """Put a message into a webhook's line, once, and return whether it is new."""
        keys = [_HOOKS, _key(hook, "log"), _key(hook, "order"), _key(hook, "line"), _DUE]
        written = msgspec.json.encode(message)
        return bool(self._add(keys=keys, args=[hook, message.id, written, message.made, self._kept]))

    def log(self, hook: str) -> list[HookMessage]:
        """Return the messages that are kept, the newest first."""
        ids = cast("list[bytes]", self.client.zrevrange(_key(hook, "order"), 0, -1))
        found = cast("list[bytes | None]", self.client.hmget(_key(hook, "log"), ids)) if ids else []
        return [msgspec.json.decode(raw, type=HookMessage) for raw in found if raw]

    def message(self, hook: str, message_id: str) -> HookMessage | None:
        """Return a message, or None where there is none."""
        raw = cast("bytes | None", self.client.hget(_key(hook, "log"), message_id))
        return None if raw is None else msgspec.json.decode(raw, type=HookMessage)

    def first(self, hook: str, now: int) -> HookMessage | None:
        """Return the message of a webhook that is to be tried first now, or None."""
        found = cast("list[bytes]", self.client.zrange(_key(hook, "line"), "-inf", now, byscore=True, offset=0, num=1))
        return self.message(hook, found[0].decode()) if found else None

    def note(self, hook: str, message: HookMessage) -> None:
        """Note what became of a message."""
        again = "" if message.next is None else message.next
        self._note(keys=[_key(hook, "log"), _key(hook, "line")], args=[message.id, msgspec.json.encode(message), again])

    def hasten(self, hook: str, now: int) -> None:
        """Make a webhook due now, although it rests."""
        self.client.zadd(_DUE, {hook: now})

    def due(self, now: int, most: int) -> list[str]:
        """Return webhooks that are due."""
        found = cast("list[bytes]", self.client.zrange(_DUE, "-inf", now, byscore=True, offset=0, num=most))
        return [hook.decode() for hook in found]

    def put_off(self, hook: str, until: int) -> None:
        """Put a webhook off, because a delivery was queued for it."""
        self.client.zadd(_DUE, {hook: until}, xx=True)

    def rest(self, hook: str, until: int) -> None:
        """Make a webhook due when its next message is, and no earlier than a time."""
        self._rest(keys=[_key(hook, "line"), _DUE], args=[hook, until])

    def forget(self, hook: str) -> None:
        """Take a webhook that is gone out of the due set."""
        self.client.zrem(_DUE, hook)

    def failed(self, hook: str) -> int:
        """Count an attempt that failed, and return how many did since the last that did not."""
        return self.client.hincrby(_FAILURES, hook, 1)

    def reached(self, hook: str) -> None:
        """Count no failure any more."""
        self.client.hdel(_FAILURES, hook)

    def count(self, outcome: str) -> None:
        """Count an attempt for the figures."""
        self.client.hincrby(_COUNTS, outcome, 1)

    def figures(self) -> tuple[dict[str, int], int]:
        """Return attempts by their outcome, and how many webhooks have messages waiting."""
        with self.client.pipeline(transaction=False) as pipe:
            pipe.hgetall(_COUNTS)
            pipe.zcard(_DUE)
            found: list[Any] = pipe.execute()
        return {name.decode(): int(number) for name, number in found[0].items()}, found[1]


def lease_key(hook: str) -> str:
    """Return the key of the lease to deliver the messages of a webhook."""
    return _key(hook, "held")


def _of(key: str) -> str:
    return f"{_TAG}:of:{key}"


def _key(hook: str, part: str) -> str:
    """Return a key of a webhook.

    `log` has its messages by their ids, `order` those ids in the order in which they came, and `line` the ids of the
    messages that wait, by when they are tried.
    """
    return f"{_TAG}:{hook}:{part}"
