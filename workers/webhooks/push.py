"""Sends push messages to browsers. A seat has at most one pending message.

A failed message is sent again several times, with growing pauses. A message is sent only if the seat still has a
decision to make.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from secrets import token_hex
from typing import Final, Self

import structlog
from redis import Redis
from webpush import WebPush, WebPushSubscription
from webpush.types import WebPushKeys

from games.core.game import Game
from games.core.texts import Texts
from service.sessions.errors import OtherRuleset, SessionError, SessionUnreadable
from service.sessions.push import subscription_of, unsubscribe
from service.sessions.reading import find, game_of
from service.sessions.services import SessionServices
from service.sessions.states import current_state
from service.sessions.turns import actors
from service.settings import Settings
from service.store.hooks import Attempt
from service.store.leases import StoreLease
from service.store.pushes import PendingPush, PushStore, lease_key
from service.store.sessions import Session
from service.webhooks.guard import Guard
from service.webhooks.messages import SEAT_ASKED_EVENT, message_body
from service.webhooks.push import PushSubscription, Vapid
from service.webhooks.target import Target, target
from workers.webhooks.send import Post

PUSH_PAUSES_MS: Final = tuple(seconds * 1000 for seconds in (5, 30, 120, 600, 3_600))
"""Pauses between the attempts to send a message, in milliseconds. The message is dropped after the last attempt."""

PUSH_LEASE_MS: Final = 30_000
"""Lifetime of the lease on a seat in milliseconds, three times the maximum duration of an attempt."""

TTL_SECONDS: Final = 86_400
"""Seconds for which a push service keeps a message for an offline browser."""

GONE_STATUSES: Final = frozenset({404, 410})
"""Statuses with which a push service reports that a subscription has ended."""

RETRIED_STATUSES: Final = frozenset({408, 429})
"""Statuses below 500 after which a message is sent again."""

HTTP_SERVER_ERROR: Final = 500

TEXTS: Final = Texts("service")

log = structlog.get_logger("service")

Send = Callable[[Target, Mapping[str, str], bytes], Attempt]


@dataclass(frozen=True)
class PushSender:
    """Sends push messages. `private` permits private addresses. Tests and closed networks need them."""

    services: SessionServices
    store: PushStore
    vapid: Vapid
    send: Send
    private: bool = False

    @classmethod
    def of(cls, client: Redis, settings: Settings, games: Mapping[str, Game]) -> Self | None:
        """Return a sender that uses a Redis client and the settings. Return None if there is no VAPID key."""
        vapid = Vapid.of(settings.vapid_private_key, settings.vapid_subject)
        if vapid is None:
            return None
        private = settings.webhooks_private
        services = SessionServices.of(client, settings, games)
        return cls(services, PushStore(client), vapid, Post(Guard(private=private)), private)

    @cached_property
    def _library(self) -> WebPush:
        return WebPush(self.vapid.private, self.vapid.public, self.vapid.contact, ttl=TTL_SECONDS)

    def deliver(self, name: str) -> None:
        """Send the pending message of a seat. Do nothing if another worker has the lease."""
        lease = StoreLease(self.store.client, lease_key(name), token_hex(8), PUSH_LEASE_MS)
        if not lease.take():
            return
        try:
            pending = self.store.find(name)
            if pending is None:
                self.store.forget(name)
                return
            told, again = self._try(name, pending)
            self.store.note(name, pending, told, again)
        finally:
            lease.release()

    def _try(self, name: str, pending: PendingPush) -> tuple[str, int | None]:
        """Send a message if the seat still has a decision to make. Try only once.

        Return two values for the caller to store. The first is the decision that was last described to the seat
        (`PendingPush.told`). The second is the time of the next attempt, or None if there is none.
        """
        session_id, _, number = name.partition("/")
        seat = int(number)
        found = self._asked(session_id, seat)
        if found is None:
            return pending.told, None
        session, subscription = found
        opening = f"{session.opened[seat]}/{session.undone}"
        if opening == pending.told:
            return opening, None
        place = target(subscription.endpoint, private=self.private)
        has_expired = subscription.expires is not None and subscription.expires < self._now()
        if place is None or has_expired:
            self._remove(session, seat, subscription)
            return pending.told, None
        attempt = self.send(place, *self._message(session, seat, subscription))
        if attempt.status in GONE_STATUSES:
            self._remove(session, seat, subscription)
        elif attempt.status is not None and not attempt.delivered and not is_retried(attempt.status):
            log.error("push message rejected", status=attempt.status)
        elif not attempt.delivered and pending.tries < len(PUSH_PAUSES_MS):
            return pending.told, self.services.now() + PUSH_PAUSES_MS[pending.tries]
        return opening if attempt.delivered else pending.told, None

    def _asked(self, session_id: str, seat: int) -> tuple[Session, PushSubscription] | None:
        try:
            session = find(self.services, session_id)
            if session is None or session.seats[seat].level is not None:
                return None
            game = game_of(self.services, session)
            if seat not in actors(game, current_state(game, session).dealt, session):
                return None
        except (OtherRuleset, SessionUnreadable):
            return None
        subscription = subscription_of(self.services, session, seat)
        return None if subscription is None else (session, subscription)

    def _message(self, session: Session, seat: int, subscription: PushSubscription) -> tuple[dict[str, str], bytes]:
        text = TEXTS.say(subscription.language, "push", "seat_asked")
        data = {"session": session.id, "seat": seat, "url": f"/v1/sessions/{session.id}", "text": text}
        body = message_body(SEAT_ASKED_EVENT, data, self._now())
        keys = WebPushKeys(auth=subscription.auth, p256dh=subscription.p256dh)
        made = self._library.get(body, WebPushSubscription(endpoint=subscription.endpoint, keys=keys))
        topic = hashlib.sha256(f"push/{session.id}/{seat}".encode()).digest()[:24]
        headers = {**made.headers, "topic": base64.urlsafe_b64encode(topic).decode(), "urgency": "high"}
        return {**headers, "content-type": "application/octet-stream"}, made.encrypted

    def _remove(self, session: Session, seat: int, subscription: PushSubscription) -> None:
        try:
            unsubscribe(self.services, session, seat, subscription.name)
        except SessionError as error:  # it has ended or changed hands, which ends the subscription too
            log.info("push subscription kept", kind=type(error).__name__)

    def _now(self) -> int:
        return self.services.store.calendar().shown(self.services.now())


def is_retried(status: int) -> bool:
    """Return whether a message is sent again after a response with this status."""
    return status >= HTTP_SERVER_ERROR or status in RETRIED_STATUSES
