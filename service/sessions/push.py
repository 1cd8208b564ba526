"""Push subscriptions of seats. A browser gets a push message when its seat must decide."""

from __future__ import annotations

import msgspec

from service.sessions.change import write_beside
from service.sessions.errors import SessionOver
from service.sessions.services import SessionServices
from service.store.sessions import Session, Written
from service.webhooks.push import PushSubscription


def subscribe(services: SessionServices, session: Session, seat: int, subscription: PushSubscription) -> None:
    """Store the push subscription of a seat. It ends when the seat's token changes or the session ends.

    Raise SessionOver if the session has ended. Raise TooManyWriters, UnknownSession or TokenReplaced if the
    subscription cannot be stored.
    """
    _store(services, session, seat, subscription.name, msgspec.json.encode(subscription))


def unsubscribe(services: SessionServices, session: Session, seat: int, name: str | None = None) -> None:
    """Remove the push subscription of a seat. If `name` is given, remove only the subscription with that name.

    Do nothing if the session is over. Raise TooManyWriters, UnknownSession or TokenReplaced if the subscription cannot
    be removed.
    """
    _store(services, session, seat, "", b"", name)


def subscription_of(services: SessionServices, session: Session, seat: int) -> PushSubscription | None:
    """Return the push subscription of a seat. Return None if the seat has no subscription."""
    raw = services.store.subscription(session, seat) if session.push[seat] else b""
    found = msgspec.json.decode(raw, type=PushSubscription) if raw else None
    return found if found is not None and found.name == session.push[seat] else None


def _store(
    services: SessionServices, session: Session, seat: int, name: str, text: bytes, only: str | None = None
) -> None:
    def attempt(loaded: Session) -> tuple[Session, Written] | None:
        # The end of a session has removed its subscriptions.
        if loaded.over and name:
            raise SessionOver
        if loaded.push[seat] == name or (only is not None and loaded.push[seat] != only):
            return None
        return loaded, services.store.subscribe(loaded, seat, name, text)

    write_beside(services, session, seat, attempt)
