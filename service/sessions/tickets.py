"""Tickets for those who cannot send a header, as pictures and event sources in a browser: one viewer, one purpose.

A ticket holds all that there is to know of it and is stored nowhere; it is signed with the service's secret
under a label of its own.
"""

from __future__ import annotations

import hashlib
from typing import Final

from itsdangerous import BadSignature, Signer

from games.core.table import SPECTATOR

PICTURE: Final = "picture"
EVENTS: Final = "events"

_SPECTATOR: Final = "spectator"


class BadTicket(Exception):
    """The ticket is forged, has expired, or is another session's."""


class OtherPurpose(Exception):
    """The ticket is good, but not for this."""


class Tickets:
    """Issues tickets for `seconds`, and reads them."""

    def __init__(self, secret: str, seconds: int) -> None:
        self._seconds = seconds
        self._signer = Signer(secret, salt="session/ticket", key_derivation="hmac", digest_method=hashlib.sha256)

    def issue(self, session_id: str, viewer: int, purpose: str, now: int) -> str:
        """Return a ticket for a seat, or SPECTATOR, of a session; `now` is in milliseconds."""
        holder = _SPECTATOR if viewer == SPECTATOR else str(viewer)
        return self._signer.sign(f"{session_id}.{holder}.{purpose}.{now // 1000 + self._seconds}").decode()

    def viewer(self, ticket: str, session_id: str, purpose: str, now: int) -> int:
        """Return the viewer of a ticket; raise BadTicket or OtherPurpose."""
        try:
            text = self._signer.unsign(ticket).decode()
        except BadSignature:
            raise BadTicket from None
        session, holder, meant, expires = text.split(".")
        if session != session_id or now >= int(expires) * 1000:
            raise BadTicket
        if meant != purpose:
            raise OtherPurpose
        return SPECTATOR if holder == _SPECTATOR else int(holder)
