"""Push subscriptions of seats. A browser receives a message when its seat has to decide."""

from __future__ import annotations

import msgspec

from service.sessions.change import CHANGE_TRIES
from service.sessions.errors import SessionOver, TooManyWriters, UnknownSession
from service.sessions.reading import load_again
from service.sessions.services import SessionServices
from service.store.sessions import Session, Written
from service.webhooks.push import PushSubscription


def subscribe(services: SessionServices, session: Session, seat: int, subscription: PushSubscription) -> None:
    """Store the push subscription of a seat, which replaces an earlier one. It ends with the seat's token.

    No audience is notified. Raise SessionOver, TooManyWriters, UnknownSession or TokenReplaced.
    """
    _store(services, session, seat, subscription.name, msgspec.json.encode(subscription))


def unsubscribe(services: SessionServices, session: Session, seat: int, name: str | None = None) -> None:
    """Remove the push subscription of a seat. With a `name`, remove it only if it has that name.

    The errors are those of `subscribe`.
    """
    if not session.over:
        _store(services, session, seat, "", b"", name)


def subscription_of(services: SessionServices, session: Session, seat: int) -> PushSubscription | None:
    """Return the push subscription of a seat, or None."""
    raw = services.store.subscription(session, seat) if session.push[seat] else b""
    found = msgspec.json.decode(raw, type=PushSubscription) if raw else None
    return found if found is not None and found.name == session.push[seat] else None


def _store(
    services: SessionServices, session: Session, seat: int, name: str, text: bytes, only: str | None = None
) -> None:
    for _ in range(CHANGE_TRIES):
        if session.over:
            raise SessionOver
        if session.push[seat] == name or (only is not None and session.push[seat] != only):
            return
        match services.store.subscribe(session, seat, name, text):
            case Written.WRITTEN:
                return
            case Written.GONE:
                raise UnknownSession
        session = load_again(services, session, seat)
    raise TooManyWriters
