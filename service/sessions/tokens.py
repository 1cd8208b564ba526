"""Bearer tokens (256 random bits) and invite codes (128), shown once, kept as hashes; and whose a token is."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Callable
from typing import Final

from service.store.sessions import Session

OWNER: Final = -2
"""The holder of the owner token, among viewers: no seat, and more than a spectator only in that it may abort."""

TOKEN_BYTES: Final = 32
INVITE_BYTES: Final = 16


def new_token(entropy: Callable[[int], bytes]) -> str:
    """Return a token that nobody can guess."""
    return base64.urlsafe_b64encode(entropy(TOKEN_BYTES)).rstrip(b"=").decode()


def new_invite(entropy: Callable[[int], bytes]) -> str:
    """Return a code that nobody can guess, short enough for a link."""
    return base64.urlsafe_b64encode(entropy(INVITE_BYTES)).rstrip(b"=").decode()


def hashed(token: str) -> str:
    """Return what is kept of a token; a plain hash will do, since nobody can try so many bits out."""
    return hashlib.sha256(token.encode()).hexdigest()


def bearer(session: Session, token: str) -> int | None:
    """Return the seat of a token, or OWNER, or None for a token of somebody else.

    All hashes are compared, each in constant time, so the time taken reveals neither the seat nor how near a guess is.
    """
    given = hashed(token)
    found = OWNER if hmac.compare_digest(given, session.charter.owner) else None
    for number, seat in enumerate(session.seats):
        if hmac.compare_digest(given, seat.token or ""):
            found = number
    return found
