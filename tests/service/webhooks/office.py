"""A worker that delivers webhooks from a real store to a list, with a clock that the test moves."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
from redis import Redis

from service.auth.api_keys import KeyStore
from service.settings import DAY_MS, Limits
from service.store.clients import commands
from service.store.hooks import Attempt, Hook, HookStore, lease_key
from service.store.leases import StoreLease
from service.webhooks.messages import JOB_ENDED, PING, SEAT_ASKED_EVENT, enter
from service.webhooks.signing import Secrets, check
from service.webhooks.target import Target
from tests.service.kit import NOON, Clock
from workers.webhooks.deliver import DELIVERY_LEASE_MS, WebhookSender
from workers.webhooks.schedule import schedule_deliveries

SECRET = "a secret"  # noqa: S105 -- of tests
SECRETS = Secrets(SECRET)


@dataclass
class Post:
    """Takes messages instead of the net: an answer for each, else 500 at the hosts that are down and 204 elsewhere."""

    clock: Clock
    answers: list[int | str] = field(default_factory=list)
    sent: list[Mapping[str, str]] = field(default_factory=list)
    bodies: list[Any] = field(default_factory=list)
    down: set[str] = field(default_factory=set)

    def __call__(self, target: Target, headers: Mapping[str, str], body: bytes) -> Attempt:
        self.sent.append(headers)
        self.bodies.append(msgspec.json.decode(body))
        at = self.clock()
        self.clock.sleep(1)
        answer = self.answers.pop(0) if self.answers else 500 if target.host in self.down else 204
        status, problem = (answer, None) if isinstance(answer, int) else (None, answer)
        return Attempt(at=at, milliseconds=1000, status=status, problem=problem)

    @property
    def ids(self) -> list[str]:
        return [headers["webhook-id"] for headers in self.sent]


@dataclass
class Office:
    """A courier at a real store, with a clock that the test moves."""

    client: Redis
    store: HookStore
    keys: KeyStore
    clock: Clock
    post: Post
    key: str
    failing_days: int = Limits().webhook_failing_days

    @property
    def courier(self) -> WebhookSender:
        return WebhookSender(
            store=self.store,
            keys=self.keys,
            secrets=SECRETS,
            send=self.post,
            now=self.clock,
            date=self.clock,
            failing_ms=self.failing_days * DAY_MS,
        )

    def hook(self, name: str = "h", url: str = "") -> Hook:
        digest = check(SECRETS.text(name, 1))
        place = url or f"https://{name}.example/"
        made = Hook(id=name, key=self.key, url=place, events=(SEAT_ASKED_EVENT, JOB_ENDED), made=NOON, check=digest)
        assert self.store.create(made)
        return made

    def lease(self, hook: Hook, lease_id: str) -> StoreLease:
        return StoreLease(self.client, lease_key(hook.id), lease_id, DELIVERY_LEASE_MS)

    def say(self, hook: Hook, matter: str) -> str:
        return enter(self.store, hook, PING, matter, {"matter": matter}, self.clock(), self.clock()).id

    def called(self) -> list[str]:
        self.client.delete("rq:queue:hooks")
        schedule_deliveries(self.client, self.store, self.clock(), Limits())
        tickets: Any = self.client.lrange("rq:queue:hooks", 0, -1)
        return [ticket.decode().split("-")[1] for ticket in tickets]

    def round(self) -> None:
        for name in self.called():
            self.courier.deliver(name)


def open_office(redis_url: str) -> Office:
    """Return an office with an API key at an empty store."""
    client, clock = commands(redis_url), Clock()
    keys = KeyStore(client)
    return Office(client, HookStore(client, 10), keys, clock, Post(clock), keys.add("tests", ["webhooks"])[0].id)
