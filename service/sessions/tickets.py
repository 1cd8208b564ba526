"""Tickets for clients that cannot send headers. A ticket is signed but not stored.

A ticket is valid for one viewer and one purpose. It becomes invalid when the viewer's token is replaced or revoked.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Final

from itsdangerous import Signer
from itsdangerous.encoding import base64_encode

from games.core.table import SPECTATOR
from service.store.sessions import Session

PICTURE: Final = "picture"
EVENTS: Final = "events"

_SPECTATOR: Final = "spectator"


class BadTicket(Exception):
    """The ticket is forged or expired, or it belongs to another session.

    This error is also raised if the viewer's token was replaced or revoked. If the only fault is that the
    ticket has expired, the subclass ExpiredTicket is raised instead.
    """


class ExpiredTicket(BadTicket):
    """The ticket is correctly signed but has expired. `token` is the hash of the viewer's token."""

    def __init__(self, viewer: int, token: str | None) -> None:
        super().__init__(viewer)
        self.viewer, self.token = viewer, token


class OtherPurpose(Exception):
    """The ticket is valid, but for a different purpose."""


class Tickets:
    """Issues and verifies tickets. A ticket is valid for `seconds`."""

    def __init__(self, secret: str, seconds: int) -> None:
        self._seconds = seconds
        key = Signer(secret, salt="session/ticket", key_derivation="hmac", digest_method=hashlib.sha256).derive_key()
        self._mac = hmac.new(key, digestmod="sha256")  # copied for each ticket, which takes a third of the time

    def issue(self, session: Session, viewer: int, token: str | None, purpose: str, now: int) -> str:
        """Return a ticket for a viewer.

        `token` is the hash of the seat's token. It is None if the viewer is SPECTATOR. `now` is in milliseconds.
        """
        text = f"{session.id}.{_holder(viewer)}.{purpose}.{now // 1000 + self._seconds}"
        return f"{text}.{self._signature(text, token)}"

    def holder(self, ticket: str, session: Session, purpose: str, now: int) -> tuple[int, str | None]:
        """Verify a ticket. Return its viewer, and the hash of the viewer's token.

        Raise BadTicket, ExpiredTicket or OtherPurpose if the ticket is not valid for this session and purpose.
        """
        text, _, signature = ticket.rpartition(".")
        session_id, _, claims = text.partition(".")
        holder = claims.partition(".")[0]
        viewers: dict[str, int] = {_holder(viewer): viewer for viewer in (SPECTATOR, *range(len(session.seats)))}
        if session_id != session.id or holder not in viewers:
            raise BadTicket
        viewer = viewers[holder]
        tokens: list[str | None] = [None] if viewer == SPECTATOR else [*session.tokens_of(viewer)]
        signed = [
            token for token in tokens if hmac.compare_digest(signature.encode(), self._signature(text, token).encode())
        ]
        if not signed:
            raise BadTicket
        _, meant, expires = claims.split(".")
        if now >= int(expires) * 1000:
            raise ExpiredTicket(viewer, signed[0]) if meant == purpose else BadTicket
        if meant != purpose:
            raise OtherPurpose
        return viewer, signed[0]

    def _signature(self, text: str, token: str | None) -> str:
        mac = self._mac.copy()
        mac.update(f"{text}.{token or ''}".encode())
        return base64_encode(mac.digest()).decode()


def _holder(viewer: int) -> str:
    return _SPECTATOR if viewer == SPECTATOR else str(viewer)
